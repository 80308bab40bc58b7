"""Agents that ask forever, many in one process, in five ways. They are killed, and restarted with their keys.

An agent's notes survive its death: after a restart it asks the question without a recorded end again, with
the same key.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from askback import Answer, Approval, AsyncClient, Form, InputRequest, Resume, Text
from askback.errors import AskbackError, Conflict, ConnectionLost, Gone, Unavailable
from tests.fault.notes import Notes
from tests.fault.pace import LIMITS
from tests.fault.processes import REQUESTER, stop_with_parent

QUESTION_WITH_DEADLINE = "Soon?"
"""The prefix of titles of requests that are open for a second."""
WRONG = "wrong"
"""The prefix of answers that the validator sends back."""
THREADS = 5
LOOK_S = 0.05


@dataclass(frozen=True)
class Host:
    """A process with some of the agents."""

    url: str
    number: int
    agents: int
    folder: Path


def work(line: Connection, host: Host) -> None:
    """Let the agents of a host ask until told to stop, and finish open requests."""
    asyncio.run(_work(line, host))


async def _work(line: Connection, host: Host) -> None:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    notes = Notes(host.folder, f"host-{host.number}")
    async with AsyncClient(host.url, REQUESTER, retry_for=120) as client:
        agents = [Agent(client, notes, host.number * host.agents + n) for n in range(host.agents)]
        going_on = loop.create_task(go_on(client, notes))
        stop_with_parent(line, lambda: loop.call_soon_threadsafe(stop.set))
        line.send("ready")
        await asyncio.gather(*(agent.run(stop) for agent in agents))
        going_on.cancel()


class Agent:
    """One agent; its number determines its way of asking, and its thread."""

    def __init__(self, client: AsyncClient, notes: Notes, number: int) -> None:
        self._client = client
        self._notes = notes
        self._name = f"agent-{number}"
        self._thread = f"kill-{number % THREADS}"
        ways = (self._waits, self._ends_its_turn, self._validates, self._wants_approval, self._has_no_time)
        self._way = ways[number // THREADS % len(ways)]
        ended = sum(one["what"] == "ended" and one["agent"] == self._name for one in notes.before)
        self._turns = itertools.count(ended + 1)

    async def run(self, stop: asyncio.Event) -> None:
        """Ask until told to stop; every question ends in exactly one outcome."""
        for turn in self._turns:
            if stop.is_set():
                return
            key = f"{self._name}-{turn}"
            try:
                ended_request = await self._until_stored(key)
            except (AskbackError, ValueError) as error:
                self._notes.note("fault", key=key, error=repr(error))
                await asyncio.sleep(LOOK_S)
                continue
            self._notes.act(ended_request.id, by="wait")
            result = {"status": ended_request.status, "value": value_of(ended_request)}
            self._notes.note("ended", agent=self._name, key=key, request=ended_request.id, **result)

    async def _until_stored(self, key: str) -> InputRequest:
        """Take a turn; if the store is unavailable for a moment, repeat it with the same key."""
        while True:
            try:
                return await self._way(key)
            except Unavailable:
                await asyncio.sleep(LOOK_S)

    async def _ask(
        self, key: str, request_options: Form | Approval | None = None, **context: Any
    ) -> InputRequest:
        request = await self._client.requests.create(
            request_options or question(key), thread_id=self._thread, idempotency_key=key, **context
        )
        self._notes.note("created", key=key, request=request.id)
        return request

    async def _waits(self, key: str) -> InputRequest:
        request = await self._ask(key)
        await self._ask(key)
        return await self._client.wait(request)

    async def _ends_its_turn(self, key: str) -> InputRequest:
        """Ask and leave; any agent that leases the resume, here or in another process, continues."""
        request = await self._ask(key, delivery="resume")
        while not self._notes.was_accepted(request.id):
            await asyncio.sleep(LOOK_S)
        return await self._client.requests.get(request.id)

    async def _validates(self, key: str) -> InputRequest:
        request = await self._ask(key, validator="requester")

        async def validate(answer: Answer) -> str | None:
            return "Another, please." if str(answer.values["n"]).startswith(WRONG) else None

        await self._client.try_form(
            question(key), thread_id=self._thread, validate=validate, idempotency_key=key
        )
        return await self._client.requests.get(request.id)

    async def _wants_approval(self, key: str) -> InputRequest:
        call = Approval(tool="deploy", input={"what": key})
        request = await self._ask(key, call)
        ended = await self._client.wait(request)
        if ended.answer is not None and ended.answer.decision == "approve":
            await self._client.consume(ended, key, tool=call.tool, input=call.input)
            self._notes.note("ran", request=ended.id, by=key)
            with suppress(Conflict):
                await self._client.consume(ended, f"{key}-again", tool=call.tool, input=call.input)
                self._notes.note("ran", request=ended.id, by=f"{key}-again")
        return ended

    async def _has_no_time(self, key: str) -> InputRequest:
        """Ask with a deadline of a second, and sometimes cancel: both race with the people."""
        request = await self._ask(key, question(f"{QUESTION_WITH_DEADLINE} {key}"), timeout_s=1)
        if random.random() < 0.3:
            with suppress(Conflict, Gone):  # somebody was first
                await self._client.requests.cancel(request)
        return await self._client.wait(request)


async def go_on(client: AsyncClient, notes: Notes) -> None:
    """Lease resumes of any agent of any host: the hosts compete for them."""
    while True:
        try:
            for resume in await client.resumes.pull(wait=2, limit=3):
                ended = resume.request.status != "resolving"  # otherwise it is checked after the restart
                if ended:
                    _take(notes, resume)
                if await client.resumes.ack(resume) and ended:
                    notes.note("acked", resume=resume.id, attempt=resume.attempt)
        except (ConnectionLost, Unavailable):
            await asyncio.sleep(LOOK_S)
        except AskbackError as error:
            notes.note("fault", key="resumes", error=repr(error))
            await asyncio.sleep(LOOK_S)


def _take(notes: Notes, resume: Resume) -> None:
    until = round(resume.until.timestamp() * 1000)
    notes.note(
        "leased",
        resume=resume.id,
        request=resume.request_id,
        attempt=resume.attempt,
        since=until - LIMITS.resume_lease_s * 1000,
        until=until,
        status=resume.request.status,
        value=value_of(resume.request),
    )
    notes.act(resume.request_id, by="resume")


def question(title: str) -> Form:
    """Return a different form for each turn: a refused form is not asked again."""
    return Form(title=title, fields=[Text(id="n", label="N", required=True)])


def value_of(request: InputRequest) -> str | None:
    """A person's answer, in one word."""
    if request.answer is None:
        return request.reason
    return str(request.answer.decision or request.answer.values.get("n"))
