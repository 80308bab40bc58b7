"""What a script sees of a command: the hint on standard error, the line of JSON, the exit status; and what it types."""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any

import anyio

from tests.cli.conftest import Server


async def asked(process: subprocess.Popen[bytes]) -> str:
    """Read the hint on standard error and return the id of the request."""
    assert process.stderr is not None
    line = await anyio.to_thread.run_sync(process.stderr.readline)
    found = re.search(rb"req_\w+", line)
    assert found, line
    return found[0].decode()


async def finished(process: subprocess.Popen[bytes]) -> tuple[int, Any]:
    with anyio.fail_after(20):
        out, err = await anyio.to_thread.run_sync(process.communicate)
    lines = out.splitlines()
    assert len(lines) <= 1, out
    return process.returncode, json.loads(lines[0]) if lines else err.decode()


async def through_a_pipe(server: Server, thread: str, *lines: str, once: bool = True) -> str:
    """Run the inbox with these lines and return what it printed."""
    arguments = ["inbox", "--thread", thread, *(["--once"] if once else [])]
    process = server.run(*arguments, stdin="".join(f"{line}\n" for line in lines).encode())
    with anyio.fail_after(20):
        out, err = await anyio.to_thread.run_sync(process.communicate)
    assert process.returncode == 0, err
    return out.decode()
