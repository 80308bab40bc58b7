"""A process with secrets leaves no core dump, by the limit and by the not-dumpable mark."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import ctypes, resource
from askback.server.core_dumps import forbid_core_dumps
forbid_core_dumps()
print(resource.getrlimit(resource.RLIMIT_CORE)[0], ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the mark is Linux's")
def test_neither_the_limit_nor_the_mark_lets_a_core_dump_through() -> None:
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120)
    assert result.stdout.split() == ["0", "0"]
