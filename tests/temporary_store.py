"""A store for tests of what uses one: SQLite in a folder of its own, unsynced, on a disk that can be full."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import weakref
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from askback.domain.events import Event
from askback.storage.sqlite import SqliteStore, schema
from askback.storage.sqlite.connection import Connection, Cursor, connect


class Disk:
    """What the files of a store are on; while it is `full`, no transaction that writes begins."""

    full = False

    def connect(self, path: Path) -> Connection:
        """Open a connection whose commits wait for no disk: a test that ends takes its files along."""
        connection = connect(path)
        connection.execute("PRAGMA synchronous = OFF")
        return OnDisk(connection, self)


class OnDisk:
    """A connection to a file on a disk."""

    def __init__(self, connection: Connection, disk: Disk) -> None:
        self._connection = connection
        self._disk = disk
        self.close = connection.close

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Cursor:
        """Run one statement."""
        if self._disk.full and sql == "BEGIN IMMEDIATE":
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error
        return self._connection.execute(sql, parameters)

    @property
    def total_changes(self) -> int:
        """Rows that were changed."""
        return self._connection.total_changes

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        return self._connection.in_transaction


class TemporaryStore(SqliteStore):
    """What is stored stays when the store is closed and opened again, and goes with the object."""

    def __init__(self, *, on_commit: Callable[[Sequence[Event]], None] | None = None) -> None:
        self.disk = Disk()
        folder = tempfile.mkdtemp(prefix="askback-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        path = Path(folder) / "askback.db"
        path.write_bytes(empty_database())
        super().__init__(path, on_commit=on_commit, connect=self.disk.connect)


@cache
def empty_database() -> bytes:
    """Return the file of a new database. To copy it is faster than to apply every migration."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "askback.db"
        with closing(connect(path)) as connection:
            schema.upgrade(connection)
        return path.read_bytes()
