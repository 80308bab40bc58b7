"""The place of a database file: a folder that lasts, and one process that writes."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from tempfile import TemporaryFile

from askback.errors import StoreUnusable
from askback.storage.private import try_lock

ROOM_BYTES = 64 * 1024
"""More than a small request takes."""


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, and sync each one's name: SQLite syncs only the folder of its file."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)
    descriptor = os.open(folder.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


_WRITABLE = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
_READ_ONLY = os.O_RDONLY | os.O_CLOEXEC

_REFUSED_DESCRIPTORS: list[int] = []
"""Descriptors of databases that another store of this process may have open; see `FileLock`."""


class FileLock:
    """An exclusive lock on a database, by any of its names; the kernel releases it when the process ends in any way.

    There are two locks: on `<database>.lock`, next to the target of links, and on the database itself by `flock`, which
    identifies the file by its inode and so detects hard links. SQLite's own locks are of another kind, but closing any
    descriptor of the database would release them. So the one for `flock` is opened before SQLite opens the file, closed
    after SQLite has closed it, and never closed if the lock was refused. The `.lock` file stays: removing it would
    let two processes lock two different files of the same name.
    """

    def __init__(self, database: Path) -> None:
        self._database = database
        self._descriptors: dict[Path, int] = {}

    def acquire(self, *, read_only: bool = False) -> None:
        """Take the locks that are not held yet, and create the database file, private to its owner, unless it exists.

        With `read_only` no file is created, and only existing files are locked. Raises `StoreUnusable` when another
        store has it: call `release` then as well.
        """
        flags = _READ_ONLY if read_only else _WRITABLE
        lock_file = Path(f"{os.path.realpath(self._database)}.lock")
        if lock_file not in self._descriptors and (lock_file.exists() or not read_only):
            descriptor = os.open(lock_file, flags, 0o600)
            if not try_lock(descriptor):
                os.close(descriptor)
                raise self._in_use_error()
            self._descriptors[lock_file] = descriptor
        if self._database not in self._descriptors:
            # SQLite gives its log the rights of the database.
            descriptor = os.open(self._database, flags, 0o600)
            if not try_lock(descriptor):
                _REFUSED_DESCRIPTORS.append(descriptor)
                raise self._in_use_error()
            self._descriptors[self._database] = descriptor

    def release(self) -> None:
        """Release the lock, if it is held; SQLite has closed the file by then."""
        while self._descriptors:
            os.close(self._descriptors.popitem()[1])

    def _in_use_error(self) -> StoreUnusable:
        return StoreUnusable(
            f"The database {self._database} is in use by another process. "
            "Stop that one first, or choose another file (ASKBACK_DATA_DIR or ASKBACK_DATABASE_URL)."
        )


def require_free_space(folder: Path) -> None:
    """Write and sync a file without a name in a folder; raises `OSError` when the disk is full."""
    with TemporaryFile(dir=folder, buffering=0) as file:
        if file.write(bytes(ROOM_BYTES)) < ROOM_BYTES:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(file.fileno())
