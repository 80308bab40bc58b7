"""Temporary files in memory, where the machine has room: tests sync, make and delete so many that they wait for a disk."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
ROOM = 4 * 2**30
"""Several times what a whole run leaves."""


def use() -> None:
    """Make temporary files of this process and of those that it starts in memory, unless `TMPDIR` names a folder."""
    if "TMPDIR" not in os.environ and _has_room():
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)


def _has_room() -> bool:
    """Tell whether there is such a folder that may be written to, runs programs and has room."""
    try:
        disk = os.statvfs(MEMORY)
    except OSError:
        return False
    return (
        os.access(MEMORY, os.W_OK) and not disk.f_flag & os.ST_NOEXEC and disk.f_bavail * disk.f_frsize > ROOM
    )
