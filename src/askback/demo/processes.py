"""The processes of the demo: a server, a registry and an agent. All end with the command, however it ends."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from urllib.parse import urlsplit

from askback.client.program import python
from askback.demo.registry import digest_of
from askback.errors import AskbackError

STOP_S = 5.0


class DemoFailed(AskbackError):
    """A process of the demo failed; its output is on standard error."""


class ServerEnded(DemoFailed):
    """The server was stopped by somebody else, or failed; the message says so."""


STOPPED_TEXT = (
    "The server was stopped, so this command has ended too. Run it again to start the server again."
)
FAILED_TEXT = "The server failed with status {status}, so this command has ended too; the reason is above."


@dataclass(frozen=True, slots=True)
class DemoRun:
    """One run of the sample agent: `id` identifies it, also after a restart; `today` is the day it began.

    With the URL of a `registry` it offers to publish there.
    """

    id: str
    thread_id: str
    output: Path
    today: date
    pace: float = 0.0
    registry: str | None = None


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a run: the new folder and the URL of the published package, None if there is none."""

    folder: Path | None
    published: str | None


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A running server."""

    url: str
    requester_token: str
    responder_token: str
    login_url: str


@asynccontextmanager
async def run_server(data_dir: Path, *, port: int) -> AsyncGenerator[RunningServer]:
    """Run a server on 127.0.0.1 in a separate process until the block ends.

    If the process is killed, it is started again at the same address. If it ends in another way, the block is
    cancelled; raises `ServerEnded` then, and `DemoFailed` if it does not start.
    """
    started = asyncio.get_running_loop().create_future()
    try:
        async with asyncio.TaskGroup() as tasks:
            keeping = tasks.create_task(_keep_server(data_dir, port, started))
            yield await started
            keeping.cancel()
    except BaseExceptionGroup as error:
        demo_failures = error.subgroup(DemoFailed)  # what failed in the block as well is a consequence
        raise (demo_failures or error).exceptions[0] from None


async def _keep_server(data_dir: Path, port: int, started_future: asyncio.Future[RunningServer]) -> None:
    """Run a server, again if it was killed, and set `started` when it is ready; raises as `run_server`."""
    while True:
        options = ("--host", "127.0.0.1", "--port", str(port), "--data-dir", str(data_dir), "--ready-json")
        async with run_module("askback", "serve", *options) as process:
            server_values = await _read_ready_line(process, "server")
            keys = ("url", "requester_token", "responder_token", "login_url")
            server = RunningServer(**{name: server_values[name] for name in keys})
            port = urlsplit(server.url).port or port
            if not started_future.done():
                started_future.set_result(server)
            if (status := await process.wait()) >= 0:
                raise ServerEnded(STOPPED_TEXT if status == 0 else FAILED_TEXT.format(status=status))


@asynccontextmanager
async def run_registry(folder: Path, token: str) -> AsyncGenerator[str]:
    """Run a registry that accepts this token in a separate process until the block ends; yields its URL."""
    arguments = ("--folder", str(folder), "--token-sha256", digest_of(token))
    async with run_module("askback.demo.registry", *arguments) as process:
        yield (await _read_ready_line(process, "registry"))["url"]


@asynccontextmanager
async def run_agent(
    running_server: RunningServer, run: DemoRun
) -> AsyncGenerator[asyncio.subprocess.Process]:
    """Run the sample agent in a separate process until it or the block ends."""
    arguments, environment = agent_command(running_server, run)
    async with run_module("askback.demo", *arguments, environment=environment) as process:
        yield process


def agent_command(running_server: RunningServer, run: DemoRun) -> tuple[list[str], dict[str, str]]:
    """Return the arguments and the environment of the sample agent."""
    options = {
        "thread": run.thread_id,
        "run": run.id,
        "output": run.output,
        "today": run.today,
        "pace": run.pace,
        "registry": run.registry,
    }
    arguments = [
        part for name, value in options.items() if value is not None for part in (f"--{name}", str(value))
    ]
    return arguments, {"ASKBACK_URL": running_server.url, "ASKBACK_TOKEN": running_server.requester_token}


async def run_result(agent: asyncio.subprocess.Process) -> RunResult:
    """Wait for the agent and return its result."""
    output, _ = await agent.communicate()
    if agent.returncode != 0:
        raise DemoFailed("The agent did not come to an end; the reason is above.")
    result = json.loads(output)
    folder = result["folder"]
    return RunResult(None if folder is None else Path(folder), result["published"])


@asynccontextmanager
async def run_module(
    module: str,
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    stdin: int = asyncio.subprocess.DEVNULL,
) -> AsyncGenerator[asyncio.subprocess.Process]:
    """Run a module in a separate process until the block ends."""
    process = await asyncio.create_subprocess_exec(
        *python("-m", module, *arguments),
        stdin=stdin,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, **(environment or {})},
        start_new_session=True,  # only the command gets Ctrl-C; it then stops both in order
    )
    try:
        yield process
    finally:
        await _stop_process(process)


async def _read_ready_line(process: asyncio.subprocess.Process, program: str) -> dict[str, str]:
    """Read the line that a process prints when it is ready."""
    assert process.stdout is not None
    line = (await process.stdout.readline()).decode()
    if not line:
        raise DemoFailed(f"The {program} did not start; the reason is above.")
    return json.loads(line)


async def _stop_process(process: asyncio.subprocess.Process) -> None:
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
