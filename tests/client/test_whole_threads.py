"""Threads as a whole, over a WebSocket, over HTTP and in process."""

from __future__ import annotations

import asyncio

import anyio
import pytest

from askback import AsyncClient, Forbidden, Form, NotFound, Refused, Text
from tests.client.conftest import Connect

FORM = Form(fields=[Text(id="q", label="Q")])


async def test_a_thread_is_archived_exported_and_erased(
    agent: AsyncClient, connect: Connect, thread: str
) -> None:
    async with connect("admin") as admin:
        await admin.policy.update(thread_id=thread, question_limits=[{"tool": "ask_user", "max": 3}])
        asked_request = await agent.requests.create(FORM, thread_id=thread)
        limits = (await agent.limits.get(thread))["thread"]["question_limits"]
        assert limits == [{"tool": "ask_user", "max": 3, "used": 0, "reset_at": None, "set_by": "policy"}]
        assert (await agent.limits.get(thread))["thread"]["questions"] == 1
        assert (await admin.limits.reset(thread))["questions"] == 0
        assert await agent.threads.archive(thread) == [asked_request.id]
        assert (await agent.wait(asked_request)).reason == "thread_archived"
        with pytest.raises(Refused, match="archived"):
            await agent.requests.create(FORM, thread_id=thread)
        await agent.threads.unarchive(thread)
        await agent.say("Hello", thread_id=thread)
        result = await admin.threads.export(thread)
        assert [request["id"] for request in result["requests"]] == [asked_request.id]
        assert len(result["messages"]) == 1
        with pytest.raises(Forbidden):
            await agent.threads.delete(thread)
        await admin.threads.delete(thread)
        with pytest.raises(NotFound):
            await agent.requests.get(asked_request.id)


async def test_a_cancelled_agent_withdraws_its_request_and_leaves_no_task(
    agent: AsyncClient, connect: Connect, thread: str
) -> None:
    await agent.requests.list()
    before = asyncio.all_tasks()
    async with anyio.create_task_group() as tasks:

        async def work() -> None:
            async with connect() as client:
                await client.form(FORM, thread_id=thread)

        tasks.start_soon(work)
        with anyio.fail_after(120):
            while not await agent.requests.list(thread_id=thread):
                await anyio.sleep(0.01)
        tasks.cancel_scope.cancel()
    with anyio.fail_after(120):
        await asyncio.gather(*(asyncio.all_tasks() - before), return_exceptions=True)
    (request,) = await agent.requests.list(thread_id=thread)
    assert (request.status, request.reason) == ("cancelled", "agent_aborted")
