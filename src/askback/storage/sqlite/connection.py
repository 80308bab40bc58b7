"""A connection to the database file, set up so that an acknowledged commit survives the loss of power."""

from __future__ import annotations

import errno
import logging
import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol

from askback.errors import StoreUnusable, Unavailable
from askback.storage.sql.transaction import Sealing

CHECKPOINT_MS = 50
"""How long truncating the write-ahead log waits for readers."""
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
    """The part of `sqlite3.Connection` that the store uses; tests pass one that loses power."""

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


class WriterConnection:
    """The connection that writes, together with what seals the audit log there."""

    def __init__(self, connection: Connection, sealing: Sealing) -> None:
        self._connection = connection
        self.sealing = sealing
        self.execute = connection.execute
        self.close = connection.close

    @property
    def total_changes(self) -> int:
        """Rows that were changed."""
        return self._connection.total_changes

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        return self._connection.in_transaction


Connect = Callable[[Path], Connection]


def connect(path: Path) -> Connection:
    """Open the database at `path`, making it when it is not there; raises `StoreUnusable` on an old SQLite.

    Any thread may use the connection, one at a time.
    """
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        needed_version = ".".join(map(str, OLDEST_SQLITE))
        raise StoreUnusable(
            f"This Python has SQLite {sqlite3.sqlite_version}; askback needs {needed_version}."
        )
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=64)
    try:
        configure(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def connect_read_only(path: Path) -> sqlite3.Connection:
    """Open the database at `path` on a disk that may take no writes.

    SQLite shares the index of a write-ahead log through the `-shm` file, which it cannot write here. Without a log
    the file is opened as one that nobody changes (`immutable`). With a log each connection keeps a separate index,
    but for its locks the `-shm` file has to be there. Close these connections before one that writes is opened.
    """
    options = "mode=ro&immutable=1"
    if _size(Path(f"{path}-wal")):
        options = "mode=ro&readonly_shm=1"
        os.close(
            os.open(
                f"{path}-shm", os.O_RDONLY | os.O_CLOEXEC | _missing_permission(Path(f"{path}-shm")), 0o600
            )
        )
    uri = f"{path.absolute().as_uri()}?{options}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    for pragma in ("busy_timeout = 5000", "trusted_schema = OFF", "query_only = ON"):
        connection.execute(f"PRAGMA {pragma}").fetchall()
    return connection


def connect_beside(path: Path) -> sqlite3.Connection:
    """Open the database at `path` for reading while other processes use it; also on a full or read-only disk.

    Raises `sqlite3.Error` when it is not there or cannot be read.
    """
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    try:
        connection.execute("PRAGMA schema_version").fetchone()  # opening alone reads nothing
    except sqlite3.OperationalError as error:
        connection.close()
        if write_refusal(error) is None or not path.is_file():
            raise
        try:  # the `-shm` file is missing and cannot be made, so nobody has the database open
            return connect_read_only(path)
        except OSError:
            raise error from None
    except BaseException:
        connection.close()
        raise
    return connection


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def _missing_permission(file: Path) -> int:
    return 0 if file.exists() else os.O_CREAT


def configure(connection: Connection, *, busy_ms: int = 5_000) -> None:
    """Set the options of a new connection.

    FULL, because NORMAL loses the newest commits in a power failure: in a write-ahead log it syncs only at
    checkpoints. The two fullfsync settings do the same on macOS and nothing elsewhere. With secure_delete
    an erased row is overwritten.
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


def empty_log(connection: Connection) -> bool:
    """Move committed pages into the database and truncate the write-ahead log to zero bytes.

    The log holds pages as they were before each change, also those of rows that were erased since. False when a
    reader that began before the last commit did not end within `CHECKPOINT_MS`: it may still need them. Such a reader
    can be another process and take its time, so this does not wait as long as the connection's other statements do.
    """
    (usual_timeout,) = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute(f"PRAGMA busy_timeout = {CHECKPOINT_MS}").fetchall()
    try:
        busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        connection.execute(f"PRAGMA busy_timeout = {usual_timeout}").fetchall()
    return not busy


# Errors of the file or the disk, as opposed to a wrong statement: the whole group fails with them.
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


_WRITE_ERROR_CODES = frozenset(
    {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}
)
_WRITE_ERRNOS = frozenset({errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


def write_refusal(error: BaseException) -> str | None:
    """Return why the disk is not writable; None for an error of another kind. The text names no path."""
    if isinstance(error, OSError):
        return error.strerror if error.errno in _WRITE_ERRNOS else None
    code: int = getattr(error, "sqlite_errorcode", 0)
    return str(error) if isinstance(error, sqlite3.Error) and (code & 0xFF) in _WRITE_ERROR_CODES else None


def is_damage(error: BaseException) -> bool:
    """Return whether an error says that the content of the database file is wrong."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return (code & 0xFF) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def refused_by_disk(error: BaseException) -> bool:
    """Return whether an error says that the database cannot be used now, whatever the statement was."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return isinstance(error, sqlite3.Error) and (code & 0xFF) in _REFUSED_BY_DISK


SMALL_BYTES = 8 * 1024 * 1024
"""Up to this size the whole file is checked each time."""

_log = logging.getLogger(__name__)


class Damage:
    """The damage found in a database file. It is reported until the server restarts: no file repairs itself."""

    def __init__(self) -> None:
        self._damage: str | None = None

    def note(self, error: BaseException) -> None:
        """Note an error if it says that the file is damaged."""
        if is_damage(error):
            self._report(str(error))

    def look(self, db: Connection) -> None:
        """Check a small file as it is on the disk; raises `Unavailable` when it is damaged, or was found to be before.

        The connection is a new one: `db` may have sound copies of the pages in memory.
        """
        if self._damage is None and _bytes(db) <= SMALL_BYTES:
            file = Path(db.execute("PRAGMA database_list").fetchone()[2])
            try:
                with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
                    [(result,), *_] = connection.execute("PRAGMA quick_check(1)").fetchall()
                if result != "ok":
                    self._report(result.replace("\n", " "))
            except sqlite3.Error as error:
                if not is_damage(error):
                    raise
                self.note(error)
        if self._damage is not None:
            raise Unavailable(
                f"The database is damaged ({self._damage}). Restore it from a backup.", retry_after=5
            )

    def _report(self, damage: str) -> None:
        if self._damage is None:
            _log.error("the database is damaged (%s); restore it from a backup", damage)
        self._damage = damage


def _bytes(db: Connection) -> int:
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    (size,) = db.execute("PRAGMA page_size").fetchone()
    return pages * size
