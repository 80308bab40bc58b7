"""A connection to the database file, set up so that an acknowledged commit survives the loss of power."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from askback.errors import StoreUnusable

OLDEST_SQLITE = (3, 37, 0)
"""The first release with both STRICT tables and RETURNING."""


class Cursor(Protocol):
    """The rows of one statement, and the key of the row that it inserted."""

    lastrowid: Any

    def fetchone(self) -> Any:
        """Return the next row, or None."""
        ...

    def fetchall(self) -> list[Any]:
        """Return the rows that are left."""
        ...


class Connection(Protocol):
    """What the store needs of `sqlite3.Connection`; tests give one that loses power."""

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Cursor:
        """Run one statement."""
        ...

    @property
    def total_changes(self) -> int:
        """Rows that finished statements inserted, changed or deleted since the connection was opened."""
        ...

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        ...

    def close(self) -> None:
        """Close."""
        ...


Connect = Callable[[Path], Connection]


def connect(path: Path) -> Connection:
    """Open the database at `path`, making it when it is not there; raises `StoreUnusable` on an old SQLite.

    Any thread may use the connection, one at a time.
    """
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        needed = ".".join(map(str, OLDEST_SQLITE))
        raise StoreUnusable(f"This Python has SQLite {sqlite3.sqlite_version}; askback needs {needed}.")
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=64)
    configure(connection)
    return connection


def configure(connection: Connection, *, busy_ms: int = 5_000) -> None:
    """Set what a new connection needs.

    FULL, because NORMAL lets the newest commits go with the power: in a write-ahead log it syncs only at
    checkpoints. The two fullfsync settings ask the same of macOS and do nothing elsewhere. With secure_delete
    a row that is erased is overwritten, and not only forgotten.
    """
    for pragma in (
        f"busy_timeout = {busy_ms}",
        "journal_mode = WAL",
        "synchronous = FULL",
        "fullfsync = ON",
        "checkpoint_fullfsync = ON",
        "foreign_keys = ON",
        "secure_delete = ON",
        "trusted_schema = OFF",
        "journal_size_limit = 67108864",
    ):
        connection.execute(f"PRAGMA {pragma}").fetchall()


def empty_log(connection: Connection, *, patience_ms: int = 50) -> bool:
    """Move what was committed into the database and cut the write-ahead log to nothing.

    The log holds pages as they were before each change, also those of rows that were erased since. False when a
    reader that began before the last commit did not end within `patience_ms`: it may still need them. Such a reader
    can be another process and take its time, so this does not wait as long as the connection's other statements do.
    """
    (usual,) = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute(f"PRAGMA busy_timeout = {patience_ms}").fetchall()
    try:
        busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        connection.execute(f"PRAGMA busy_timeout = {usual}").fetchall()
    return not busy


# What the file or the disk refuses, as opposed to a statement that is wrong: the whole group fails with it.
_REFUSED_BY_DISK = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_NOTADB,
    }
)


def refused_by_disk(error: BaseException) -> bool:
    """Whether an error says that the database cannot be used now, whatever the statement was."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return isinstance(error, sqlite3.Error) and (code & 0xFF) in _REFUSED_BY_DISK
