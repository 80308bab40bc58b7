"""Disables core dumps for processes with secrets in memory."""

from __future__ import annotations

import ctypes
import resource
import sys

_PR_SET_DUMPABLE = 4


def forbid_core_dumps() -> None:
    """Keep crashes from writing memory to a file.

    Child processes inherit the limit, but a crash handler of the kernel ignores it. On Linux the process is therefore
    also marked as not dumpable, which keeps debuggers of the same user out of its memory and environment too; child
    processes do not inherit that mark.
    """
    _, limit = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, limit))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
