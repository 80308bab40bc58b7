"""One of two servers loses the database while an agent waits at it and people answer at both. Then it reconnects."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import httpx2

from askback import Answer, AsyncClient, Form, InputRequest, NotAnswered, Text
from askback.errors import AskbackError
from tests.fault.invariants import END_EVENTS
from tests.fault.processes import REQUESTER, RESPONDER, Server
from tests.fault.relay import Relay
from tests.fault.site import Site

THREAD = "t1"
HEALS_S = 25.0
"""The time until recovery after the cut; the polls that would hide a fault come later."""

Step = Callable[[Relay], None]


@dataclass(frozen=True)
class Cut:
    """How a wire is cut, and how it heals after `seconds`."""

    begin: Step
    end: Step
    seconds: float


@dataclass
class ServerPair:
    """Two servers, of which the first one will be cut off, and the faults found."""

    isolated: Server
    connected: Server
    faults: list[str] = field(default_factory=list[str])


@asynccontextmanager
async def start_two_servers(
    folder: Path, site: Site, *, fault: str | None = None
) -> AsyncGenerator[ServerPair]:
    """Start the servers, and kill them at the end."""
    places = [folder / name for name in ("isolated", "connected")]
    for server_folder in places:
        server_folder.mkdir()
    isolated, connected = [
        Server(place, database_url=site.url(number), fault=fault) for number, place in enumerate(places)
    ]
    try:
        for server in (isolated, connected):
            await server.start()
        yield ServerPair(isolated, connected)
    finally:
        for server in (isolated, connected):
            server.kill()


async def run_partition(pair: ServerPair, wire: Relay, cut: Cut, *, patience_s: float = HEALS_S) -> None:
    """Cut, answer at the other server meanwhile, heal, and record violations.

    Healing may take `patience_s` seconds.
    """
    async with (
        AsyncClient(pair.isolated.url, REQUESTER) as agent,
        AsyncClient(pair.connected.url, RESPONDER) as person,
        anyio.create_task_group() as tasks,
    ):
        outcomes: list[Answer | NotAnswered] = []

        async def ask() -> None:
            outcomes.append(await agent.try_form(_form("waits"), thread_id=THREAD, cancel_on_abort=False))

        tasks.start_soon(ask)
        while not (requests := await person.requests.list(thread_id=THREAD)):
            await anyio.sleep(0.01)
        [waits] = requests
        leaves = await agent.requests.create(_form("leaves"), thread_id=THREAD, delivery="resume")
        soon = await agent.requests.create(_form("soon"), thread_id=THREAD, timeout_s=1)
        cut.begin(wire)
        tasks.start_soon(answer_without_database, pair, waits)
        for request in (waits, leaves):
            await person.requests.answer(request, {"n": "there"})
        await anyio.sleep(cut.seconds)
        cut.end(wire)
        with anyio.move_on_after(patience_s):
            while not outcomes or not await servers_agree(pair, [waits, leaves, soon]):
                await anyio.sleep(0.02)
        if [one.values for one in outcomes if isinstance(one, Answer)] != [{"n": "there"}]:
            pair.faults.append(f"who waited at the server that was cut off was told {outcomes}")
        tasks.cancel_scope.cancel()
    if pair.faults:
        return
    await _check_ends(pair, [waits, leaves, soon])
    await _check_resumes(pair, leaves)


def _form(title: str) -> Form:
    return Form(title=title, fields=[Text(id="n", label="N")])


async def answer_without_database(pair: ServerPair, request: InputRequest) -> None:
    """Answer at the server that cannot store: the call must wait or be refused."""
    async with AsyncClient(pair.isolated.url, RESPONDER) as person:
        with contextlib.suppress(AskbackError):
            await person.requests.answer(request, {"n": "here"})
            pair.faults.append("an answer was acknowledged that could not be stored")


async def servers_agree(pair: ServerPair, requests: list[InputRequest]) -> bool:
    """Return whether both servers answer, alike, and all requests have ended."""
    logs = [await _log(server) for server in (pair.isolated, pair.connected)]
    ended = {event["request"]["id"] for event in logs[0] if event["type"] in END_EVENTS}
    return logs[0] == logs[1] and ended == {request.id for request in requests}


async def _check_ends(pair: ServerPair, requests: list[InputRequest]) -> None:
    first_log, second_log = [await _log(server) for server in (pair.isolated, pair.connected)]
    if first_log != second_log:
        pair.faults.append("the servers tell different events")
    if [event["seq"] for event in second_log] != list(range(1, len(second_log) + 1)):
        pair.faults.append("events are missing")
    ends = Counter(
        (event["request"]["id"], event["type"]) for event in second_log if event["type"] in END_EVENTS
    )
    kinds = ("request.answered", "request.answered", "request.expired")
    if ends != Counter((request.id, kind) for request, kind in zip(requests, kinds, strict=True)):
        pair.faults.append(f"requests ended otherwise: {ends}")


async def _check_resumes(pair: ServerPair, remaining_request: InputRequest) -> None:
    """A worker that pulls at both servers at once must get each outcome once."""
    received_ids: list[str] = []

    async def pull(server: Server) -> None:
        async with AsyncClient(server.url, REQUESTER) as agent:
            for resume in await agent.resumes.pull(wait=1, limit=9):
                received_ids.append(resume.request_id)
                await agent.resumes.ack(resume)

    async with anyio.create_task_group() as both:
        for server in (pair.isolated, pair.connected):
            both.start_soon(pull, server)
    if received_ids.count(remaining_request.id) != 1:
        pair.faults.append(
            f"what became of {remaining_request.id} came {received_ids.count(remaining_request.id)} times"
        )


async def _log(server: Server) -> list[dict[str, Any]]:
    """Read the events of the thread at a server, or none while it cannot read."""
    headers = {"Authorization": f"Bearer {RESPONDER}"}
    findings: list[dict[str, Any]] = []
    with contextlib.suppress(httpx2.HTTPError, KeyError):
        async with httpx2.AsyncClient(base_url=server.url, headers=headers, timeout=5) as http:
            last_seq = (await http.get(f"/v1/threads/{THREAD}")).json()["seq"]
            path, cursor = f"/v1/threads/{THREAD}/events", {"cursor": 0}
            async with http.stream("GET", path, params=cursor) as stream:
                async for line in stream.aiter_lines():
                    if line.startswith("data:"):
                        findings.append(json.loads(line[5:]))
                        if findings[-1]["seq"] >= last_seq:
                            break
    return findings
