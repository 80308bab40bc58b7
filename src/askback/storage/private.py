"""Files that nobody but their owner may read, in folders that nobody else may write, and their locks."""

from __future__ import annotations

import fcntl
import stat
from collections.abc import Iterable
from pathlib import Path
from shlex import quote

from askback.errors import StoreUnusable

_READ_BY_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_WRITTEN_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def require_private(*, files: Iterable[Path], folders: Iterable[Path]) -> None:
    """Raise `StoreUnusable` for a file that others can read or write, or a folder that they can write.

    Write access to a folder allows replacing its files. Read access to a folder shows only names, because the files are
    private. A missing file or folder counts as private.
    """
    for file in files:
        if _mode(file) & _READ_BY_OTHERS:
            raise StoreUnusable(
                f"Other users can read {file}. Make it private (chmod 600 {quote(str(file))}), and start again."
            )
    for folder in folders:
        if _mode(folder) & _WRITTEN_BY_OTHERS:
            raise StoreUnusable(
                f"Other users can write to the folder {folder}. Make it private (chmod 700 {quote(str(folder))}), "
                "and start again."
            )


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise StoreUnusable(f"{path} cannot be used: {error.strerror}.") from None


def try_lock(descriptor: int) -> bool:
    """Take the exclusive lock of an open file without waiting; return False if another process has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
