"""Thousands of agents wait over a few connections while their server is killed. Each must get its own answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import httpx2

from askback import Answer, AsyncClient, Form, InputRequest, Text
from askback.client.forms import Outcome
from tests.fault.processes import METRICS, REQUESTER, RESPONDER, Server

CLIENTS = 4
BATCH = 200
"""Asked at once in one thread, and answered at once."""
COMES_BACK_S = 120


@dataclass
class Crowd:
    """The result: the faults found, and the cost of a wait in a restarted server, in bytes."""

    faults: list[str] = field(default_factory=list[str])
    bytes_per_wait: float = 0.0


async def run(folder: Path, size: int, *, patience_s: float, fault: str | None = None) -> Crowd:
    """Let `size` agents ask and wait, kill and restart the server, and answer all of them."""
    crowd = Crowd()
    server = Server(folder, fault=fault)
    await server.start()
    try:
        async with AsyncExitStack() as stack:
            agents = [
                await stack.enter_async_context(AsyncClient(server.url, REQUESTER)) for _ in range(CLIENTS)
            ]
            tasks = await _ask(server, agents, size)
            server.kill()
            await server.start()
            idle = server.memory
            await wait_until_reconnected(server, size)
            crowd.bytes_per_wait = (server.memory - idle) / size
            await _answer(server, size)
            await _check(crowd, tasks, patience_s)
    finally:
        server.kill()
    return crowd


async def _ask(server: Server, agents: Sequence[AsyncClient], size: int) -> list[asyncio.Task[Outcome]]:
    """Ask batch by batch; return when all is stored."""
    tasks: list[asyncio.Task[Outcome]] = []
    async with AsyncClient(server.url, RESPONDER) as person:
        for begin in range(0, size, BATCH):
            numbers = range(begin, min(begin + BATCH, size))
            for number in numbers:
                form = Form(title=f"{number}", fields=[Text(id="n", label="N")])
                asking = agents[number % CLIENTS].try_form(form, thread_id=_thread(number))
                tasks.append(asyncio.ensure_future(asking))
            while len(await _requests_of(person, begin)) < len(numbers):
                await anyio.sleep(0.005)
    return tasks


async def wait_until_reconnected(server: Server, size: int) -> None:
    """Return once the server knows of this many waits: the clients have reconnected and registered them."""
    headers = {"Authorization": f"Bearer {METRICS}"}
    async with httpx2.AsyncClient(base_url=server.url, headers=headers, timeout=10) as http:
        with anyio.fail_after(COMES_BACK_S):
            while f'askback_connections{{kind="wait"}} {size}\n' not in (await http.get("/metrics")).text:
                await anyio.sleep(0.02)


async def _answer(server: Server, size: int) -> None:
    async with AsyncClient(server.url, RESPONDER) as person:
        for begin in range(0, size, BATCH):
            async with asyncio.TaskGroup() as answers:
                for request in await _requests_of(person, begin):
                    assert request.form is not None
                    answers.create_task(person.requests.answer(request, {"n": request.form.title}))


async def _check(crowd: Crowd, tasks: Sequence[asyncio.Task[Outcome]], patience_s: float) -> None:
    """Every agent must get its own number; after `patience_s` seconds without an answer, the rest are missing."""
    missing, is_complete = set(tasks), True
    while missing and is_complete:
        is_complete, missing = await asyncio.wait(
            missing, timeout=patience_s, return_when=asyncio.FIRST_COMPLETED
        )
    if missing:
        crowd.faults.append(f"{len(missing)} of {len(tasks)} were not told")
    for wait in missing:
        wait.cancel()
    for number, outcome in enumerate(await asyncio.gather(*tasks, return_exceptions=True)):
        if isinstance(outcome, asyncio.CancelledError):
            continue
        if not isinstance(outcome, Answer) or outcome.values != {"n": f"{number}"}:
            crowd.faults.append(f"{number} was told {outcome!r}")


async def _requests_of(person: AsyncClient, number: int) -> Sequence[InputRequest]:
    return (await person.requests.list(thread_id=_thread(number), limit=BATCH)).items


def _thread(number: int) -> str:
    return f"crowd-{number // BATCH}"
