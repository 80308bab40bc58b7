"""Kill a program at a moment of its talk with the server, start it again, and look at what came of its calls.

    python -m tests.adapters.killing NAME SEED SECONDS   many programs with random moments, in the environment of NAME

A moment is a piece of data on the wire, in either direction: the program dies before it has sent it, or before it has
received what the server has done already.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import anyio

from askback import AsyncClient, InputRequest
from tests.adapters.conftest import TOKENS, Server
from tests.adapters.programs import PATIENCE_S, ROOT
from tests.adapters.wire import Moment, Wire, wire_to

ANY_MOMENT = (*range(1, 17), "ran", "resumed")


class Nursery:
    """A process that has imported a program, and forks a life of it for each line that it reads."""

    def __init__(self, module: str) -> None:
        command = [sys.executable, "-m", "tests.adapters.killing", "--fork", module]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    async def begin(self, *words: str) -> int:
        """Start a life, and return its process id."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(words) + "\n")
        return int(await self._line())

    async def end(self) -> int:
        """Wait for the end of the life, and return its exit status, negative for a signal."""
        return os.waitstatus_to_exitcode(int(await self._line()))

    async def _line(self) -> str:
        assert self._process.stdout is not None
        return await anyio.to_thread.run_sync(self._process.stdout.readline, abandon_on_cancel=True)

    def close(self) -> None:
        """End it."""
        self._process.communicate()


def fork_lives(module: str) -> None:
    """Be the process of a `Nursery`."""
    main = importlib.import_module(module).main
    control_input = sys.stdin
    while line := control_input.readline():
        words = json.loads(line)
        pid = os.fork()
        if pid == 0:
            errors = os.open(Path(words[1]) / "errors", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.dup2(errors, 1)
            os.dup2(errors, 2)
            main(*words)
            sys.stdout.flush()
            os._exit(0)
        print(pid, flush=True)
        print(os.waitpid(pid, 0)[1], flush=True)


async def answer_all(person: AsyncClient, thread: str, *, edits: bool) -> None:
    """Approve what goes to production, with an edit where that is possible, and deny the rest."""
    edited: Any = {"edited_input": {"to": "edited"}} if edits else {}
    async for event in person.events(thread, cursor=0):
        if event["type"] != "request.created":
            continue
        request = InputRequest.model_validate(event["request"])
        if request.approval is None:
            await person.requests.answer(request, {request.form.fields[0].id: "publish"})
        elif request.approval.input == {"to": "prod"}:
            await person.requests.decide(request, "approve", **edited)
        else:
            await person.requests.decide(request, "deny")


@dataclass(frozen=True)
class Outcome:
    """What came of a program: its last text, what its tool did, and how many cards a person saw."""

    message: str
    ran: str
    cards: int
    death_count: int
    died_between: bool
    """Whether it died after an approval was used, before its call ran: then the call never runs."""
    errors: str = field(repr=False)

    def wrong(self, *, cards: int, ran: str) -> Sequence[str]:
        """Return what is wrong."""
        result = {
            f"ran {self.ran!r}": self.ran != ran and not (self.died_between and self.ran == ""),
            f"asked {self.cards} times": self.cards != cards,
            f"did not end: {self.errors}": not self.message,
        }
        return [text for text, is_wrong in result.items() if is_wrong]


class Killing:
    """Programs of one framework, their server, and the person who answers them."""

    def __init__(self, server: Server, nursery: Nursery, wire: Wire, folder: Path, *, edits: bool) -> None:
        self._server = server
        self._nursery = nursery
        self._wire = wire
        self._folder = folder
        self._edits = edits

    async def run_lives(self, name: str, *moments: int | str) -> Outcome:
        """Start a program until it is done; it dies at the moment of each life, as long as there are some.

        A moment may also be a point that the program passes by: `ran`, within its tool, and `resumed`, before it
        acknowledges.
        """
        folder = self._folder / name
        folder.mkdir()
        (folder / "calls").write_text("prod stage")
        deaths, died_between, left = 0, False, list(moments)
        async with self._server.client("responder") as person:
            answering = asyncio.ensure_future(answer_all(person, name, edits=self._edits))
            while not (folder / "done").exists():
                status = await self._one_life(folder, left.pop(0) if left else 0)
                cards = await person.requests.list(thread_id=name)
                if status == -signal.SIGKILL:
                    deaths += 1
                    died_between |= any(card.used_at for card in cards) and not (folder / "ran").exists()
                elif status:
                    break
            answering.cancel()
            await asyncio.gather(answering, return_exceptions=True)
        result_text, ran, errors = (_text(folder / item) for item in ("done", "ran", "errors"))
        return Outcome(result_text, ran, len(cards), deaths, died_between, errors)

    async def _one_life(self, folder: Path, moment: int | str) -> int:
        if isinstance(moment, str):
            (folder / "dies").write_text(moment)
        pid = await self._nursery.begin("live", str(folder), self._wire.url, TOKENS["requester"])
        self._wire.moment.strike = partial(os.kill, pid, signal.SIGKILL)
        self._wire.moment.left = moment if isinstance(moment, int) else 0
        with anyio.fail_after(PATIENCE_S):
            return await self._nursery.end()


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


@asynccontextmanager
async def killing(server: Server, name: str, folder: Path, *, edits: bool) -> AsyncIterator[Killing]:
    """Kill programs of a framework."""
    nursery = Nursery(f"tests.adapters.{name}.program")
    async with wire_to(server.url, Moment()) as wire:
        yield Killing(server, nursery, wire, folder, edits=edits)
    nursery.close()


async def kill_at_random(name: str, seed: int, seconds: int) -> None:
    """Kill programs up to three times each, at random moments; print what is wrong then, and the numbers."""
    chance, until = random.Random(seed), time.monotonic() + seconds
    edits = name not in {"openai_agents", "agent_framework"}
    cards, run_result = (1, "published\n") if name == "crewai" else (2, "edited\n" if edits else "prod\n")
    counts = Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder) / "server")
        async with killing(server, name, Path(folder), edits=edits) as kills:
            while time.monotonic() < until:
                moments = [chance.choice(ANY_MOMENT) for _ in range(chance.randint(1, 3))]
                outcome = await kills.run_lives(f"{name}-{counts['programs']}", *moments)
                wrong = outcome.wrong(cards=cards, ran=run_result)
                counts.update(
                    programs=1, deaths=outcome.death_count, not_run=outcome.ran == "", wrong=bool(wrong)
                )
                if wrong:
                    print(moments, wrong, flush=True)
        server.stop()
    print(name, dict(counts))


if __name__ == "__main__":
    if sys.argv[1] == "--fork":
        fork_lives(sys.argv[2])
    else:
        asyncio.run(kill_at_random(sys.argv[1], *map(int, sys.argv[2:])))
