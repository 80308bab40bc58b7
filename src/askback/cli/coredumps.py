"""Core dumps: a process with secrets in its memory leaves none."""

from __future__ import annotations

import ctypes
import resource
import sys

_PR_SET_DUMPABLE = 4


def forbid_core_dumps() -> None:
    """See that no crash writes memory to a file.

    The limit holds for what this process starts, too, but a program that the kernel hands crashes to takes no notice
    of it. So on Linux the process is also marked as one that is not dumped, which keeps debuggers of the same user
    out of its memory and its environment as well; what it starts begins without the mark.
    """
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
