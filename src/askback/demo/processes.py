"""The two processes of the demo: a server and an agent. Both end with the command, however it ends."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from askback.errors import AskbackError

STOP_S = 5.0


class DemoFailed(AskbackError):
    """A process of the demo ended before its time; what it said is on standard error."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the sample agent: `id` names it, also after a restart; `today` is the day it began."""

    id: str
    thread_id: str
    output: Path
    today: date
    pace: float = 0.0


@dataclass(frozen=True, slots=True)
class Ready:
    """A server that accepts requests."""

    url: str
    requester_token: str
    responder_token: str
    login_url: str


@asynccontextmanager
async def serving(data_dir: Path, *, port: int) -> AsyncGenerator[Ready]:
    """Run a server on 127.0.0.1 in a process of its own until the block ends."""
    command = (
        "serve",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--data-dir",
        str(data_dir),
        "--ready-json",
    )
    async with _process("askback", *command) as process:
        assert process.stdout is not None
        line = (await process.stdout.readline()).decode()
        if not line:
            raise DemoFailed("The server did not start; the reason is above.")
        ready = json.loads(line)
        named = ("url", "requester_token", "responder_token", "login_url")
        yield Ready(**{name: ready[name] for name in named})


@asynccontextmanager
async def acting(ready: Ready, run: Run) -> AsyncGenerator[asyncio.subprocess.Process]:
    """Run the sample agent in a process of its own until it ends or the block does."""
    environment = {"ASKBACK_URL": ready.url, "ASKBACK_TOKEN": ready.requester_token}
    options = {
        "thread": run.thread_id,
        "run": run.id,
        "output": run.output,
        "today": run.today,
        "pace": run.pace,
    }
    arguments = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    async with _process("askback.demo", *arguments, environment=environment) as process:
        yield process


async def ended(agent: asyncio.subprocess.Process) -> Path | None:
    """Wait for the agent and return the folder that it wrote, or None when nobody wanted one."""
    out, _ = await agent.communicate()
    if agent.returncode != 0:
        raise DemoFailed("The agent did not come to an end; the reason is above.")
    folder = json.loads(out)["folder"]
    return None if folder is None else Path(folder)


@asynccontextmanager
async def _process(
    module: str, *arguments: str, environment: Mapping[str, str] | None = None
) -> AsyncGenerator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        module,
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, **(environment or {})},
        start_new_session=True,  # Ctrl-C goes to the command alone, which then stops both in order
    )
    try:
        yield process
    finally:
        await _stop(process)


async def _stop(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(STOP_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
