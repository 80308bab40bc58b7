"""A store for tests of its users: SQLite in a separate folder, unsynced, on a disk that can be full."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from askback.domain.events import Event
from askback.storage.sqlite.connection import Connection, Cursor
from askback.testing.scratch_store import ScratchStore, connect_unsynced, empty_database

__all__ = ["Disk", "OnDisk", "TemporaryStore", "empty_database"]


class Disk:
    """The disk of a store; while it is `full`, no writing transaction begins."""

    full = False

    def connect(self, path: Path) -> Connection:
        """Open a connection to a file on this disk."""
        return OnDisk(connect_unsynced(path), self)


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


class TemporaryStore(ScratchStore):
    """A store on a disk that can be full."""

    def __init__(self, *, on_commit: Callable[[Sequence[Event]], None] | None = None) -> None:
        self.disk = Disk()
        super().__init__(on_commit=on_commit, connect=self.disk.connect)
