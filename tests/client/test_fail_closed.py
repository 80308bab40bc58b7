"""A call that nobody can be asked about is not approved: a false decision says why, within bounded time."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import anyio
import pytest

from askback import AsyncClient, Decision, InputRequest
from askback.delivery.in_process_bus import InProcessBus
from askback.ports.policy import PolicyView
from askback.server.app import create_app
from tests.client.conftest import clients_of_app
from tests.client.deciding import wait_for_request
from tests.client.servers import ServerProcess
from tests.temporary_store import TemporaryStore

PUSH: dict[str, Any] = {"command": "git push"}
TRANSPORTS = pytest.mark.parametrize("transport", ["websocket", "http"])
pytestmark = pytest.mark.requirement("B29")


def is_unanswerable_denial(decision: Decision) -> bool:
    """Return whether it is a denial because nobody could be asked."""
    assert not decision
    assert (decision.input, decision.source) == ({}, None)
    assert "must not be run" in decision.text
    assert decision.reasons
    return decision.status == "unavailable"


@TRANSPORTS
async def test_without_a_server_nothing_is_permitted(transport: Any):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        async with AsyncClient(url, "token-token", transport=transport, retry_for=0.2) as agent:
            with anyio.fail_after(120):
                decision = await agent.approve("bash", PUSH, thread_id="t1")
                plan = await agent.approve_plan("# Plan", thread_id="t1")
    assert is_unanswerable_denial(decision)
    assert is_unanswerable_denial(plan)
    assert "askback serve" in decision.reasons[0]
    assert "askback serve" not in decision.text  # the model is not to start one


@TRANSPORTS
@pytest.mark.fault
async def test_a_dead_server_permits_nothing_after_the_timeout(own_server: ServerProcess, transport: Any):
    async with own_server.client(transport=transport, retry_for=0.2) as agent:
        asking = asyncio.create_task(agent.approve("bash", PUSH, thread_id="t1", timeout_s=1))
        await wait_for_request(agent, "t1")
        await agent.requests.list()  # the client knows now that its question exists
        own_server.kill()
        with anyio.fail_after(120):
            decision = await asking
    assert is_unanswerable_denial(decision)
    assert decision.reasons == ("The server did not report the outcome in time.",)


@TRANSPORTS
@pytest.mark.fault
async def test_a_decision_that_was_made_after_a_restart_is_the_decision(
    own_server: ServerProcess, transport: Any
):
    async with own_server.client(transport=transport) as agent, own_server.client("responder") as person:
        asking = asyncio.create_task(agent.approve("bash", PUSH, thread_id="t1"))
        request = await wait_for_request(person, "t1")
        with anyio.fail_after(120):
            own_server.kill()
            await anyio.to_thread.run_sync(own_server.start)
            await person.requests.decide(request, "approve")
            assert (await asking).input == PUSH


async def test_a_store_that_cannot_be_written_permits_nothing():
    bus = InProcessBus()
    store = TemporaryStore(on_commit=bus.publish)
    async with clients_of_app(store=store, bus=bus) as connect, connect(retry_for=0.2) as agent:
        await agent.requests.list()
        store.disk.full = True
        with anyio.fail_after(120):
            assert is_unanswerable_denial(await agent.approve("Read", {"file_path": "a"}, thread_id="t1"))
        store.disk.full = False
        assert await agent.approve("Read", {"file_path": "a"}, thread_id="t1")


class Crashing(TemporaryStore):
    """A store whose rules cannot be read because of an unexpected error."""

    async def policy(self, *args: Any, **kwargs: Any) -> PolicyView:
        raise RuntimeError("crashed by the test")


async def test_a_check_that_crashes_permits_nothing():
    bus = InProcessBus()
    store = Crashing(on_commit=bus.publish)
    async with clients_of_app(store=store, bus=bus) as connect, connect() as agent:
        with anyio.fail_after(120):
            assert is_unanswerable_denial(await agent.approve("Read", {"file_path": "a"}, thread_id="t1"))


class UnopenedStore(TemporaryStore):
    """A store that cannot be opened."""

    async def open(self) -> None:
        raise RuntimeError("broken by the test")


async def test_an_app_that_cannot_start_permits_nothing():
    bus = InProcessBus()
    async with AsyncClient(app=create_app(store=UnopenedStore(on_commit=bus.publish), bus=bus)) as agent:
        with anyio.fail_after(120):
            assert is_unanswerable_denial(await agent.approve("Read", {"file_path": "a"}, thread_id="t1"))


@pytest.mark.parametrize(
    "ended",
    [
        {"status": "answered"},
        {"status": "answered", "answer": {"values": {}}},
        {"status": "answered", "answer": {"decision": "deny", "edited_input": {"command": "ls"}}},
        {"status": "pending", "answer": {"decision": "approve"}},
        {"status": "expired", "answer": {"decision": "approve"}},
    ],
)
def test_every_reply_other_than_an_approval_is_a_denial(ended: dict[str, Any]):
    request = InputRequest.model_validate(
        {
            "id": "req_1",
            "kind": "approval",
            "thread_id": "t1",
            "created_at": "2026-11-20T09:00:00.000Z",
            "revision": 1,
            "approval": {"tool": "bash", "input": PUSH},
            **ended,
        }
    )
    decision = Decision.from_request(request)
    assert not decision
    assert decision.input == {}


async def test_a_client_that_is_closed_while_it_waits_permits_nothing(server: ServerProcess, thread: str):
    agent = server.client()
    asking = asyncio.create_task(agent.approve("bash", PUSH, thread_id=thread, cancel_on_abort=False))
    await wait_for_request(agent, thread)
    await agent.aclose()
    assert is_unanswerable_denial(await asking)
