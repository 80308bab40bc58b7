"""The two roads for reading: point reads here and now, pages on a thread of their own."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from askback.errors import Unavailable
from askback.storage.sqlite.connection import Connection, refused_by_disk
from askback.storage.sqlite.writer import unavailable

T = TypeVar("T")


class Readers:
    """Connections that only read. Each sees every commit that returned before its query began."""

    def __init__(self, connect: Callable[[], Connection], *, pages: int = 2) -> None:
        self._connect = connect
        self._most = pages
        self._point: Connection | None = None
        self._pool: ThreadPoolExecutor | None = None
        self._local = threading.local()
        self._opened: list[Connection] = []

    def open(self) -> None:
        """Open the connection for point reads; those for pages open when they are first used."""
        self._point = self._connect()
        self._pool = ThreadPoolExecutor(self._most, thread_name_prefix="askback-reader")

    def point(self, read: Callable[[Connection], T]) -> T:
        """Read a few rows by their key, on the calling thread.

        This blocks the event loop, on purpose: such a read takes about 10 µs, and a trip to a
        thread and back costs it 60 µs. A reader never waits for the writer in a write-ahead log.
        """
        if self._point is None:
            raise _closed()
        return _attempt(read, self._point)

    async def page(self, read: Callable[[Connection], T]) -> T:
        """Read many rows, on a reader's thread."""
        if self._pool is None:
            raise _closed()
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._read_page, read)

    async def close(self) -> None:
        """Let reads finish, then close every connection."""
        pool, self._pool = self._pool, None
        point, self._point = self._point, None
        if pool is not None:
            await asyncio.to_thread(pool.shutdown)
        for connection in [*([point] if point else []), *self._opened]:
            connection.close()
        self._opened.clear()

    def _read_page(self, read: Callable[[Connection], T]) -> T:
        connection: Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._connect()
            self._opened.append(connection)
        return _attempt(read, connection)


def _attempt(read: Callable[[Connection], T], connection: Connection) -> T:
    try:
        return read(connection)
    except sqlite3.Error as error:
        if refused_by_disk(error):
            raise unavailable(error) from error
        raise


def _closed() -> Unavailable:
    return Unavailable("The store is closed.", retry_after=1)
