"""An outcome that is lost on a dead connection is delivered as a resume; one that has arrived is not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest
from anyio import to_thread
from anyio.abc import TaskStatus

from askback import AsyncClient, Client, Form, InputRequest, Text
from tests.fault.processes import REQUESTER, RESPONDER, Server
from tests.fault.relay import Relay, start_relay_to
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.fault]

LUNCH = Form(title="Lunch", fields=[Text(id="dish", label="Dish")])


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    """A server that holds a resume back for a second."""
    server = Server(tmp_path)
    await server.start()
    yield server
    server.kill()


@pytest.fixture
async def relay(server: Server) -> AsyncIterator[Relay]:
    async with start_relay_to(server.port) as relay:
        yield relay


async def ask_and_wait(agent: AsyncClient) -> tuple[InputRequest, asyncio.Task[InputRequest]]:
    """Ask, and wait so that the server knows of it."""
    request = await agent.requests.create(LUNCH, thread_id="t1")
    waiting = asyncio.create_task(agent.wait(request))
    await agent.requests.get(request.id)  # on the same connection, so the wait is already in place
    return request, waiting


async def requests_before_last_resume(server: Server) -> list[str]:
    """Return the requests of the resumes before that of a last request, which arrives after two seconds."""
    async with AsyncClient(server.url, REQUESTER) as agent:
        last_request = await agent.requests.create(LUNCH, thread_id="t1", delivery="resume", timeout_s=2)
        received_ids: list[str] = []
        while last_request.id not in received_ids:
            received_ids += [resume.request_id for resume in await agent.resumes.pull(wait=10, limit=20)]
    return received_ids[:-1]


@requirement("F23", "H5")
async def test_an_outcome_lost_with_its_connection_becomes_a_resume(server: Server, relay: Relay) -> None:
    with anyio.fail_after(120):
        async with (
            AsyncClient(relay.url, REQUESTER) as agent,
            AsyncClient(server.url, RESPONDER) as person,
            AsyncClient(server.url, REQUESTER) as successor,
        ):
            request, waiting = await ask_and_wait(agent)
            relay.swallows = relay.refuses = True
            answered_request = await person.requests.answer(request, {"dish": "soup"})
            assert not answered_request.queued
            relay.cut()
            [resume] = await successor.resumes.pull(wait=10)
            waiting.cancel()
    assert resume.request_id == request.id
    assert resume.request.answer is not None
    assert resume.request.answer.values == {"dish": "soup"}


@requirement("H5")
async def test_an_outcome_that_has_arrived_is_not_queued_when_the_connection_dies_next(
    server: Server, relay: Relay
) -> None:
    with anyio.fail_after(120):
        async with AsyncClient(relay.url, REQUESTER) as agent, AsyncClient(server.url, RESPONDER) as person:
            request, waiting = await ask_and_wait(agent)
            await person.requests.answer(request, {"dish": "soup"})
            assert (await waiting).answer is not None
            assert await agent.resumes.pull() == []  # the server has read the pong before this
            relay.refuses = True
            relay.cut()
            assert await requests_before_last_resume(server) == []


@requirement("H5")
async def test_an_agent_that_reconnects_gets_no_second_outcome(server: Server, relay: Relay) -> None:
    with anyio.fail_after(120):
        async with AsyncClient(relay.url, REQUESTER) as agent, AsyncClient(server.url, RESPONDER) as person:
            request, waiting = await ask_and_wait(agent)
            relay.swallows = True
            await person.requests.answer(request, {"dish": "soup"})
            relay.swallows = False
            relay.cut()
            assert (await waiting).answer is not None
            assert await requests_before_last_resume(server) == []


async def answer_everything(person: AsyncClient, *, task_status: TaskStatus[None]) -> None:
    """Answer every question as soon as it is asked."""
    async with anyio.create_task_group() as answers:
        task_status.started()
        async for event in person.events(cursor=0):
            if event["type"] == "request.created" and event["thread_id"] != "t1":
                answers.start_soon(person.requests.answer, event["request"]["id"], {"dish": "soup"})


async def ask_and_close(server: Server, thread: str) -> None:
    """Be an agent that closes as soon as it has read the outcomes of its five questions."""
    async with AsyncClient(server.url, REQUESTER) as agent:

        async def ask() -> None:
            request = await agent.requests.create(LUNCH, thread_id=thread)
            assert (await agent.wait(request)).answer is not None

        async with anyio.create_task_group() as questions:
            for _ in range(5):
                questions.start_soon(ask)


def ask_and_close_blocking(server: Server, thread: str) -> None:
    with Client(server.url, REQUESTER) as agent:
        assert agent.form(LUNCH, thread_id=thread).values == {"dish": "soup"}


@requirement("H5", "F23")
async def test_agents_that_close_after_reading_get_no_second_outcome(server: Server) -> None:
    with anyio.fail_after(120):
        async with (
            AsyncClient(server.url, RESPONDER) as person,
            anyio.create_task_group() as answering,
        ):
            await answering.start(answer_everything, person)
            for wave in range(5):
                async with anyio.create_task_group() as agents:
                    for number in range(8):
                        agents.start_soon(ask_and_close, server, f"agent-{wave}-{number}")
                    agents.start_soon(to_thread.run_sync, ask_and_close_blocking, server, f"blocking-{wave}")
            assert await requests_before_last_resume(server) == []
            answering.cancel_scope.cancel()
