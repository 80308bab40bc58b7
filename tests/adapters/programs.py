"""Programs that tests start, kill and start again."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
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


async def wait_for_exit(process: subprocess.Popen[str]) -> str:
    """Wait until a program has ended well, and return what it printed."""
    out, err = await anyio.to_thread.run_sync(partial(process.communicate, timeout=PATIENCE_S))
    assert process.returncode == 0, err
    return out


async def resume_after_kill(
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
            first_request, second_request = await requests_asked(person, 2, folder.name)
            while not (folder / "parked").exists():
                await anyio.sleep(0.02)
            process.kill()
            await anyio.to_thread.run_sync(process.communicate)
            await person.requests.decide(first_request, "approve", **edited)  # type: ignore[arg-type] - an option passes through
            server.kill_and_restart()
            await person.requests.decide(second_request, "deny")
            assert await wait_for_exit(start(program, "resume", folder, server.url)) == "done\n"
    return first_request, second_request


async def requests_asked(person: AsyncClient, count: int, thread: str = "t1") -> list[InputRequest]:
    """Return the first requests of a thread, once they are there."""
    requests: list[InputRequest] = []
    async for event in person.events(thread, cursor=0):
        if event["type"] == "request.created":
            requests.append(InputRequest.model_validate(event["request"]))
            if len(requests) == count:
                break
    return requests


@dataclass(frozen=True)
class Life:
    """A process of a program, from its start to its end; the next one has the same folder and thread."""

    ask: Any
    folder: Path

    @property
    def thread(self) -> str:
        """Where it asks."""
        return self.folder.name

    @property
    def calls(self) -> Sequence[tuple[str, Mapping[str, Any]]]:
        """The calls that its model makes."""
        return [("deploy", {"to": to}) for to in (self.folder / "calls").read_text().split()]

    @property
    def deploy(self) -> Callable[[str], str]:
        """The tool; with "slow" it does not return."""

        def deploy(to: str) -> str:
            """Deploy."""
            with (self.folder / "ran").open("a") as out:
                out.write(f"{to}\n")
            self.pass_by("ran")
            while to == "slow":
                time.sleep(1)
            return f"deployed {to}"

        return deploy

    @property
    def parked(self) -> Path:
        """The file with what was stored."""
        return self.folder / "parked"

    def pass_by(self, point: str) -> None:
        """Die by SIGKILL, once, if the test has written the point into the file `dies`."""
        death_mark = self.folder / "dies"
        if death_mark.exists() and death_mark.read_text() == point:
            death_mark.unlink()
            os.kill(os.getpid(), signal.SIGKILL)

    def store(self, parked: str | bytes) -> None:
        """Store what continues the run."""
        (self.folder / "parking").write_bytes(parked.encode() if isinstance(parked, str) else parked)
        (self.folder / "parking").rename(self.parked)


Park = Callable[[Life], Awaitable[None]]
Resume = Callable[[Life, str], Awaitable[str | None]]


def program(park: Park, resume: Resume) -> Callable[..., None]:
    """Return the `main(verb, folder, url, token)` of a program that parks its run.

    `park` runs an agent, and stores what continues it; `resume` returns the last text of the agent, None while
    something is open. The program waits when it has parked (`run`), continues what was answered (`resume`), or does
    both, as often as it is started, and leaves the last text in the file `done` (`live`).
    """

    async def main(verb: str, folder: str, url: str, token: str) -> None:
        async with AsyncClient(url, token, thread_id=Path(folder).name) as ask:
            life = Life(ask, Path(folder))
            if verb == "run":
                await park(life)
                await asyncio.Event().wait()
            elif verb == "live":
                await resume_program(life, park, resume)
            else:
                print(await _continue(life, resume))

    return lambda *words: asyncio.run(main(*words))


async def _continue(life: Life, resume: Resume) -> str | None:
    async for item in life.ask.resumes.listen(life.thread):
        text = await resume(life, life.parked.read_text())
        life.pass_by("resumed")
        await life.ask.resumes.ack(item)
        if text is not None:
            return text
    return None


async def resume_program(life: Life, park: Park, resume: Resume) -> None:
    if not life.parked.exists():
        await park(life)
    text = await resume(life, life.parked.read_text())  # an earlier process may have died before it had asked
    life.pass_by("resumed")
    (life.folder / "done").write_text(text or await _continue(life, resume) or "")
