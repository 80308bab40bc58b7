"""Programs that tests start, kill and start again."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import anyio

from askback import AsyncClient, InputRequest
from tests.adapters.conftest import TOKENS, Server

ROOT = Path(__file__).parents[2]
PATIENCE_S = 300
"""Seconds for a program to start and end on a busy machine: frameworks take long to import."""


def start(module: str, verb: str, folder: Path, url: str) -> subprocess.Popen[str]:
    """Start `python -m MODULE VERB FOLDER URL TOKEN`."""
    command = [sys.executable, "-m", module, verb, str(folder), url, TOKENS["requester"]]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


async def ended(process: subprocess.Popen[str]) -> str:
    """Wait until a program has ended well, and return what it printed."""
    out, err = await anyio.to_thread.run_sync(partial(process.communicate, timeout=PATIENCE_S))
    assert process.returncode == 0, err
    return out


async def continued_after_kill_9(
    program: str, folder: Path, server: Server, *, edited_input: object = None
) -> tuple[InputRequest, InputRequest]:
    """Kill a program that has parked two calls, and the server; approve the first, deny the second, and resume.

    Returns the two requests as they were asked.
    """
    (folder / "calls").write_text("prod stage")
    process = start(program, "run", folder, server.url)
    edited = {} if edited_input is None else {"edited_input": edited_input}
    async with server.client("responder") as person:
        with anyio.fail_after(PATIENCE_S):
            first, second = await requests_asked(person, 2)
            while not (folder / "parked").exists():
                await anyio.sleep(0.02)
            process.kill()
            await anyio.to_thread.run_sync(process.communicate)
            await person.requests.decide(first, "approve", **edited)  # type: ignore[arg-type] - an option passes through
            server.kill_and_restart()
            await person.requests.decide(second, "deny")
            assert await ended(start(program, "resume", folder, server.url)) == "done\n"
    return first, second


async def requests_asked(person: AsyncClient, count: int) -> list[InputRequest]:
    """Return the first requests of the thread of the programs, once they are there."""
    found: list[InputRequest] = []
    async for event in person.events("t1", cursor=0):
        if event["type"] == "request.created":
            found.append(InputRequest.model_validate(event["request"]))
            if len(found) == count:
                break
    return found


Deploy = Callable[[str], str]
Park = Callable[[AsyncClient, Deploy, Sequence[tuple[str, Mapping[str, Any]]]], Awaitable[str]]
Resume = Callable[[AsyncClient, Deploy, str], Awaitable[str | None]]


def play(park: Park, resume: Resume) -> None:
    """Be a program that parks its run and is killed: `run` asks, `resume` continues what was answered meanwhile.

    `park` runs an agent that makes some calls of a function, and returns what to store; `resume` returns the last text
    of an agent, None while something is open.
    """
    verb, folder, url, token = sys.argv[1:]
    asyncio.run(_play(verb, Path(folder), AsyncClient(url, token, thread_id="t1"), park, resume))


async def _play(verb: str, folder: Path, client: AsyncClient, park: Park, resume: Resume) -> None:
    def deploy(to: str) -> str:
        """Deploy."""
        with (folder / "ran").open("a") as out:
            out.write(f"{to}\n")
        return f"deployed {to}"

    async with client as ask:
        if verb == "run":
            calls = [("deploy", {"to": to}) for to in (folder / "calls").read_text().split()]
            (folder / "parking").write_text(await park(ask, deploy, calls))
            (folder / "parking").rename(folder / "parked")
            await asyncio.Event().wait()
        async for each in ask.resumes.listen("t1"):
            text = await resume(ask, deploy, (folder / "parked").read_text())
            await ask.resumes.ack(each)
            if text is not None:
                print(text)
                break
