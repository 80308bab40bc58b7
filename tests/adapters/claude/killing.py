"""Kill the parts of Claude's programs at random moments, go on, and check what came of their calls.

    .venvs/claude/bin/python -m tests.adapters.claude.killing SEED PROGRAMS

A program is a list of steps of a model, a way to wait (blocking or durable), troubles, and a person. The parts are the
process with the SDK, the CLI and the server of askback. A moment is a piece of data between them.
"""

from __future__ import annotations

import asyncio
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil

from askback import AsyncClient, InputRequest
from askback.domain.lifecycle import TERMINAL
from askback.errors import AskbackError
from tests.adapters.claude.agent_process import Agent
from tests.adapters.claude.fake_model import FakeModel
from tests.adapters.claude.sane_model import FINISHED, KINDS, SaneModel, Step, outcomes
from tests.adapters.conftest import TOKENS, Server
from tests.adapters.wire import Moment, Wire, wire_to

CANARY = "sk-canary-9b27e1"
LIFE_S = 150
"""Seconds after which a process that has not ended hangs."""
MOST_LIVES = 25
TROUBLES = ("agent", "cli", "both", "server", "interrupt")

Trouble = tuple[str, int]
"""What is killed or interrupted, and at which piece of data of a life."""


@dataclass(frozen=True)
class Program:
    """What a program does, and what becomes of its first lives."""

    word: str
    steps: Sequence[Step]
    durable: bool
    troubles: Sequence[Trouble]
    delays: Sequence[float] = (0.0,)
    """How long the person takes for each card, in seconds, again from the beginning after the last one."""

    @property
    def denied(self) -> set[str]:
        """The marks of calls that the person denies."""
        return {mark for step in self.steps if step.denied for mark in step.marks}


def random_program(chance: random.Random, number: int) -> Program:
    """Return a program with one to four steps, and up to four troubles."""
    word = f"go-{number}-"
    kinds = chance.choices(KINDS, (4, 4, 3, 2, 1, 1), k=chance.randint(1, 4))
    steps = [
        Step(kind, f"{word}{index}", kind != "question" and chance.random() < 0.3)
        for index, kind in enumerate(kinds)
    ]
    troubles = [(chance.choice(TROUBLES), chance.randint(1, 60)) for _ in range(chance.randint(0, 4))]
    delays = [chance.choice((0, 0, 1, 3, 8)) for _ in range(5)]
    return Program(word, steps, chance.random() < 0.5, troubles, delays)


@dataclass
class Outcome:
    """What became of a program."""

    wrong: list[str] = field(default_factory=list)
    lives: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


@dataclass
class World:
    """The server, the model and the wires, which programs share one after the other."""

    server: Server
    model: FakeModel
    moment: Moment
    to_server: Wire
    to_model: Wire
    folder: Path

    async def run(self, program: Program) -> Outcome:
        """Start a program until it is done, and check it."""
        project = self.folder / program.word / "project"
        project.mkdir(parents=True)
        key = f"KEY_{program.word.strip('-').replace('-', '_').upper()}"
        words = f"{sys.executable} -m askback run --secret {key} --thread {program.word}"
        SaneModel(
            self.model, program.word, program.steps, secret_command=f"{words} -- sh -c 'echo ${key} {{mark}}; echo {{mark}} >> runs'"
        )  # fmt: skip
        outcome = Outcome()
        async with self.server.client("responder") as person:
            answering = asyncio.ensure_future(answer_all(person, program))
            lives = Lives(self, program, project, outcome)
            ended = await lives.all()
            answering.cancel()
            await asyncio.gather(answering, return_exceptions=True)
            cards = await person.requests.list(thread_id=program.word, limit=100)
        outcome.wrong += [] if ended else ["it did not end"]
        outcome.wrong += self._wrong(program, project, cards.items, outcome)
        self.model.received.clear()
        return outcome

    def _wrong(
        self, program: Program, project: Path, cards: Sequence[InputRequest], outcome: Outcome
    ) -> list[str]:
        """Return what is wrong after the end."""
        runs = Counter((project / "runs").read_text().split() if (project / "runs").exists() else [])
        wrong = [
            f"open: {card.id} {card.tool_call_id} {card.status}"
            for card in cards
            if card.status not in TERMINAL
        ]
        for step in program.steps:
            for mark in step.marks:
                own_items = [
                    card for card in cards if mark in card.model_dump_json(include={"approval", "form"})
                ]
                if problems := self._wrong_call(step, mark, own_items, runs[mark], outcome):
                    seen_items = [
                        (item.tool_call_id, str(item.status), item.reason, item.used_at) for item in own_items
                    ]
                    wrong.append(f"{mark}: {problems}: {seen_items}; the model read {self._read(mark)}")
        for file_name, text in self._texts(project):
            if CANARY in text:
                wrong.append(f"the secret is in {file_name}")
        return wrong

    def _wrong_call(
        self, step: Step, mark: str, cards: Sequence[InputRequest], runs: int, outcome: Outcome
    ) -> list[str]:
        """Return what is wrong with one call: it may run once for each approval, and no answer may be asked for again.

        An approval that was used is not one: the process may have died before the call ran, or Claude Code may have
        been interrupted while it did, and then a model asks again.
        """
        broken = outcome.counts["deaths"] + outcome.counts["interrupt"] > 0
        answered_cards = [card for card in cards if card.status == "answered" and card.source == "responder"]
        used = [item for item in answered_cards if item.used_at is not None]
        wrong = (
            ["asked again"]
            if len(answered_cards) > 1 and (len(answered_cards) - len(used) > 1 or not broken)
            else []
        )
        if step.kind == "question":
            read = any(mark in body and "Red" in body for body in self.model.received)
            return wrong if read else [*wrong, "its answer was not read"]
        expected = 0 if step.denied or step.kind == "allowed" else 1
        lost = runs == 0 and bool(used) and broken
        outcome.counts["lost"] += lost and expected
        ran_again = broken and expected < runs <= len(used)
        return wrong if runs == expected or lost or ran_again else [*wrong, f"ran {runs} times"]

    def _read(self, mark: str) -> list[str]:
        """Return what the model last read of a call."""
        bodies = [json.loads(item) for item in self.model.received if mark in item]
        return [text for body in bodies[-1:] for words, text in outcomes(body) if mark in words]

    def _texts(self, project: Path) -> list[tuple[str, str]]:
        files = [item for item in project.parent.rglob("*") if item.is_file()]
        return [
            *(("a request of the model", item) for item in self.model.received),
            *((str(item), item.read_text(errors="replace")) for item in files),
        ]


class Lives:
    """The processes of one program, one after the other."""

    def __init__(self, world: World, program: Program, project: Path, outcome: Outcome) -> None:
        self._world = world
        self._program = program
        self._project = project
        self._found = outcome
        self._session = str(uuid4())

    async def all(self) -> bool:
        """Return whether the program ended."""
        troubles = list(self._program.troubles)
        how: dict[str, Any] = {"prompt": self._program.word, "new_session": self._session}
        for _ in range(MOST_LIVES):
            trouble = troubles.pop(0) if troubles else ("", 0)
            lines = await self._life(trouble, how)
            last = lines[-1] if lines else {"result": None, "deferred": None}
            if last["result"] == FINISHED and not last["deferred"]:
                return True
            how = self._next(last, how)
        return False

    def _next(self, last: Mapping[str, Any], how: Mapping[str, Any]) -> dict[str, Any]:
        """Return how the next life begins, after one that began as `how`."""
        written = (self._project.parent / "claude").rglob(f"{self._session}.jsonl")
        if not any(b'"assistant"' in item.read_bytes() for item in written):
            self._session = str(uuid4())
            return {"prompt": self._program.word, "new_session": self._session}
        if last["result"] == "done":  # the process died before its prompt was stored
            return {"prompt": self._program.word, "session": self._session}
        no_resume = how["prompt"] is None and last.get("died") and not last["killed"]
        if last["deferred"] or (self._program.durable and last.get("died") and not no_resume):
            return {"prompt": None}
        return {"prompt": "Continue.", "session": self._session}

    async def _life(self, trouble: Trouble, how: Mapping[str, Any]) -> list[dict[str, Any]]:
        world, program, trouble_name = self._world, self._program, trouble[0]
        agent = Agent(
            world.to_server.url, TOKENS["requester"], world.to_model.url, str(self._project), program.word,
            durable=program.durable, errors=str(self._project.parent / "errors"), **how,
        )  # fmt: skip
        world.moment.left = 0
        process = agent.start()
        struck = list[str]()
        world.moment.strike = lambda: (
            struck.append(trouble_name) or cause_trouble(trouble_name, process, world.server)
        )
        world.moment.left = trouble[1]
        try:
            out = await asyncio.wait_for(asyncio.to_thread(process.communicate), LIFE_S)
        except TimeoutError:
            self._found.wrong.append(f"a process hangs: {how}")
            _kill(process, children=True)
            out = (process.communicate()[0], None)
        lines = [json.loads(line) for line in (out[0] or "").splitlines()]
        killed = bool(struck) and trouble_name in ("agent", "cli", "both")
        self._found.counts.update(lives=1, deaths=killed, **dict.fromkeys(struck, 1))
        self._found.lives.append(f"{how} {trouble if struck else ''} {process.returncode} {lines}")
        if (process.returncode or not lines) and (not lines or not lines[-1]["deferred"]):
            lines.append({"result": None, "deferred": None, "died": True, "killed": killed})
        return lines


def cause_trouble(trouble_name: str, process: subprocess.Popen[str], server: Server) -> None:
    """Do to a part of the program what the trouble says."""
    if trouble_name == "server":
        server.kill_and_restart()
    elif trouble_name == "interrupt":
        process.send_signal(signal.SIGUSR1)
    else:
        _kill(process, children=trouble_name != "agent", itself=trouble_name != "cli")


def _kill(process: subprocess.Popen[str], *, children: bool, itself: bool = True) -> None:
    """Kill a process, its children, or both, and wait until the children have ended."""
    with suppress(psutil.NoSuchProcess):
        cli = psutil.Process(process.pid).children(recursive=True)
        if itself:
            process.kill()
        for item in cli if children else ():
            with suppress(psutil.NoSuchProcess):
                item.kill()
        psutil.wait_procs(cli, 20)


async def answer_all(person: AsyncClient, program: Program) -> None:
    """Answer each card after its delay."""
    answered_count = 0
    async with asyncio.TaskGroup() as answers:
        async for event in person.events(program.word, cursor=0):
            if event["type"] == "request.created":
                delay = program.delays[answered_count % len(program.delays)]
                answered_count += 1
                answers.create_task(_answer(person, program, event["request"]["id"], delay))


async def _answer(person: AsyncClient, program: Program, id_: str, delay: float) -> None:
    await asyncio.sleep(delay)
    request = await person.requests.get(id_)
    with suppress(AskbackError):  # it was withdrawn meanwhile
        if request.form is not None:
            await person.requests.answer(request, {"q1": "Red"})
        elif request.secret is not None:
            await person.requests.submit(request, dict.fromkeys(request.secret.names, CANARY))
        elif request.status == "pending":
            approval_json = request.model_dump_json(include={"approval"})
            verdict = "deny" if any(mark in approval_json for mark in program.denied) else "approve"
            await person.requests.decide(request, verdict)


@asynccontextmanager
async def start_world(folder: Path) -> AsyncIterator[World]:
    """Start the server, the model and the wires."""
    server, moment = Server(folder / "server"), Moment()
    try:
        with FakeModel() as model:
            async with wire_to(server.url, moment) as one, wire_to(model.url, moment) as other_wire:
                yield World(server, model, moment, one, other_wire, folder)
    finally:
        server.stop()


async def main(seed: int, programs: int, only: int | None = None) -> None:
    """Run random programs; print each wrong outcome with its lives, and the numbers at the end."""
    counts, started_at = Counter[str](), time.monotonic()
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        async with start_world(Path(folder)) as world:
            for number in range(programs):
                program = random_program(random.Random(f"{seed}-{number}"), number)
                if only not in (None, number):
                    continue
                outcome = await world.run(program)
                counts.update(programs=1, wrong=bool(outcome.wrong), durable=program.durable)
                counts.update(Counter(step.kind for step in program.steps))
                counts.update(outcome.counts)
                print(
                    number,
                    "durable" if program.durable else "blocking",
                    [(s.kind, s.denied) for s in program.steps],
                    outcome.wrong or "ok",
                    flush=True,
                )
                if outcome.wrong:
                    print(*outcome.lives, sep="\n    ", flush=True)
    print(f"{time.monotonic() - started_at:.0f} s", dict(counts))


if __name__ == "__main__":
    asyncio.run(main(*map(int, sys.argv[1:])))
