"""Run commands like a script: read standard error, the line of JSON and the exit status, and write input."""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any

import anyio

from tests.cli.conftest import Server
from tests.forks.process import Process


async def read_request_id(process: Process) -> str:
    """Read the hint on standard error and return the id of the request."""
    assert process.stderr is not None
    line = await anyio.to_thread.run_sync(process.stderr.readline)
    result = re.search(rb"req_\w+", line)
    assert result, line
    return result[0].decode()


def complete(process: Process | subprocess.Popen[bytes], stdin: str = "") -> tuple[int, str, str]:
    """Wait until a command has ended; return its status and output. A command that hangs is killed, and fails."""
    try:
        out, err = process.communicate(stdin.encode() if process.stdin else None, timeout=120)
    finally:
        process.kill()
        status = process.wait()
    return status, out.decode(), err.decode()


async def finish(process: Process) -> tuple[int, Any]:
    """Wait until a command has ended; return its status and its line of JSON, or its error text."""
    status, out, err = await anyio.to_thread.run_sync(complete, process)
    lines = out.splitlines()
    assert len(lines) <= 1, out
    return status, json.loads(lines[0]) if lines else err


async def run_inbox_from_pipe(
    server: Server, thread: str, *lines: str, once: bool = True, **environment: str
) -> str:
    """Run the inbox with these lines and return what it printed."""
    arguments = ["inbox", "--thread", thread, *(["--once"] if once else [])]
    process = server.run(*arguments, stdin="".join(f"{line}\n" for line in lines).encode(), **environment)
    status, out, err = await anyio.to_thread.run_sync(complete, process)
    assert status == 0, err
    return out
