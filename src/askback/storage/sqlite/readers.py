"""Two ways to read: point reads on the calling thread, pages on a separate thread."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from askback.storage.sql.transaction import closed_error
from askback.storage.sqlite.connection import Connection, Damage, refused_by_disk
from askback.storage.sqlite.writer import unavailable

T = TypeVar("T")


class Readers:
    """Connections that only read. Each sees every commit that returned before its query began."""

    def __init__(self, connect: Callable[[], Connection], *, damage: Damage, pages: int = 2) -> None:
        self._connect = connect
        self._damage = damage
        self._changing: asyncio.Event | None = None
        self._most = pages
        self._point: Connection | None = None
        self._pool: ThreadPoolExecutor | None = None
        self._local = threading.local()
        self._connections: list[Connection] = []

    def open(self) -> None:
        """Open the connection for point reads; those for pages open when they are first used."""
        self._point = self._connect()
        self._pool = ThreadPoolExecutor(self._most, thread_name_prefix="askback-reader")

    def point(self, read: Callable[[Connection], T]) -> T:
        """Read a few rows by their key, on the calling thread.

        This blocks the event loop intentionally: such a read takes about 10 µs, and using a
        thread takes 60 µs more. A reader never waits for the writer in a write-ahead log.
        """
        if self._point is None:
            raise closed_error()
        return self._attempt(read, self._point)

    async def page(self, read: Callable[[Connection], T]) -> T:
        """Read many rows, on a reader's thread."""
        while self._changing is not None:
            await self._changing.wait()
        if self._pool is None:
            raise closed_error()
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._read_page, read)

    async def close(self) -> None:
        """Let reads finish, then close every connection."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await asyncio.to_thread(pool.shutdown)
        self._close_connections()

    async def change(self, connect: Callable[[], Connection], *, action: Callable[[], T]) -> T:
        """Close every connection, call `action`, and then read through `connect`; return the result of `action`.

        If `action` fails, reading continues as before. Page reads wait; point reads are not affected, because there
        is no await between the first close and the last open.
        """
        self._changing = asyncio.Event()
        try:
            pool, self._pool = self._pool, None
            if pool is not None:
                await asyncio.to_thread(pool.shutdown)
            self._close_connections()
            try:
                result = action()
                self._connect = connect
            finally:
                self.open()
            return result
        finally:
            self._changing.set()
            self._changing = None

    def reading(self, connect: Callable[[], Connection]) -> None:
        """Open through `connect`."""
        self._connect = connect
        self.open()

    def _close_connections(self) -> None:
        point, self._point = self._point, None
        for connection in [*([point] if point else []), *self._connections]:
            connection.close()
        self._connections.clear()
        self._local = threading.local()

    def _read_page(self, read: Callable[[Connection], T]) -> T:
        connection: Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            try:
                connection = self._local.connection = self._connect()
            except sqlite3.Error as error:  # no descriptors are left, or the file is gone
                raise unavailable(error) from error
            self._connections.append(connection)
        return self._attempt(read, connection)

    def _attempt(self, read: Callable[[Connection], T], connection: Connection) -> T:
        try:
            return read(connection)
        except sqlite3.Error as error:
            self._damage.note(error)
            if refused_by_disk(error):
                raise unavailable(error) from error
            raise
