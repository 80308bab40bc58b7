"""Copies of a database file, made while another process may have it open."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from askback.errors import StoreUnusable
from askback.storage.sqlite import schema
from askback.storage.sqlite.connection import Connection, connect_beside

_SEALED = "SELECT sealed FROM secrets UNION ALL SELECT sealed FROM candidates"


def copy_database(source: Path, target: Path) -> None:
    """Write a snapshot of the database to a new file that only its owner may read.

    A server may continue to write. The copy is checked and synced to the disk before it gets its name: if this process
    is killed, `target` does not exist, and no server mistakes an empty copy for a new database. Raises
    `StoreUnusable`, and then leaves no file.
    """
    draft = draft_of(target)
    try:
        os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise StoreUnusable(f"{draft} cannot be written: {error.strerror}.") from None
    try:
        _copy(source, draft)
        os.link(draft, target)  # raises where somebody else has made the file meanwhile
        draft.unlink()
        _sync(target.parent)
    except (OSError, sqlite3.Error) as error:
        draft.unlink(missing_ok=True)
        raise StoreUnusable(f"The database {source} cannot be copied to {target}: {error}.") from error
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def draft_of(target: Path) -> Path:
    """Return where a copy is until it is whole; the file stays there when the process that writes it is killed."""
    return target.with_name(f"{target.name}.part")


def _copy(source: Path, draft: Path) -> None:
    with (
        closing(_open_read_only(source)) as source_database,
        closing(sqlite3.connect(draft)) as draft_database,
    ):
        source_database.backup(draft_database)
        draft_database.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
        _check(draft_database, source)
    _sync(draft)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _check(db: Connection, source: Path) -> None:
    [(result,), *_] = db.execute("PRAGMA quick_check(1)").fetchall()
    if result != "ok":
        raise StoreUnusable(f"The database {source} is damaged: {result}.")
    if schema.version(db) == 0:
        raise StoreUnusable(f"{source} is not an askback database.")


def sealed_texts(file: Path) -> Iterator[str]:
    """Yield every sealed secret of a database. Raises `StoreUnusable` when it cannot be read."""
    try:
        with closing(_open_read_only(file)) as db:
            for (text,) in db.execute(_SEALED):
                yield text
    except sqlite3.Error as error:
        raise StoreUnusable(f"The database {file} cannot be read: {error}.") from error


def _open_read_only(file: Path) -> sqlite3.Connection:
    if not file.is_file():
        raise StoreUnusable(f"There is no database {file}.")
    return connect_beside(file)
