"""The place of a database file: a folder that lasts, and one process that writes."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from askback.errors import StoreUnusable


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, and sync each one's name: SQLite syncs only the folder of its file."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    descriptor = os.open(folder.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_private(file: Path) -> None:
    """Make a file that only its owner may read, unless it is there: SQLite gives its log the rights of the database.

    For the holder of the lock, before it connects: closing a descriptor drops the locks that SQLite has on the file.
    """
    os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))


class FileLock:
    """An exclusive lock on `<database>.lock`; the kernel lets go of it however the process ends.

    A file of its own, because closing any descriptor of the database itself would drop the locks
    that SQLite holds on it. The file stays behind: removing it would let two processes lock two
    different files of the same name.
    """

    def __init__(self, database: Path) -> None:
        self._database = database
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Take the lock; raises `StoreUnusable` when another store has it."""
        descriptor = os.open(f"{self._database}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            raise StoreUnusable(
                f"The database {self._database} is in use by another process. "
                "Stop that one first, or choose another file (ASKBACK_DATA_DIR or ASKBACK_DATABASE_URL)."
            ) from None
        self._descriptor = descriptor

    def release(self) -> None:
        """Let go of the lock, if it is held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
