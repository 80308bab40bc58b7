"""Put temporary files in memory, if the machine has room: tests sync, create and delete so many that a disk is slow."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
ROOM = 4 * 2**30
"""Several times the size of a whole run's files."""


def use() -> None:
    """Put temporary files of this process and its children in memory, unless `TMPDIR` names a folder."""
    if "TMPDIR" not in os.environ and _has_room():
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)


def _has_room() -> bool:
    """Return whether the folder exists, is writable, can run programs and has room."""
    try:
        disk = os.statvfs(MEMORY)
    except OSError:
        return False
    return (
        os.access(MEMORY, os.W_OK) and not disk.f_flag & os.ST_NOEXEC and disk.f_bavail * disk.f_frsize > ROOM
    )
