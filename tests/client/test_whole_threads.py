"""Threads as a whole, over a WebSocket, over HTTP and within the process alike."""

from __future__ import annotations

import pytest

from askback import AsyncClient, Forbidden, Form, NotFound, Refused, Text
from tests.client.conftest import Connect

FORM = Form(fields=[Text(id="q", label="Q")])


async def test_a_thread_is_put_away_written_out_and_erased(
    agent: AsyncClient, connect: Connect, thread: str
) -> None:
    async with connect("admin") as admin:
        asked = await agent.create(FORM, thread_id=thread)
        assert (await agent.limits(thread))["thread"]["questions"] == 1
        assert (await admin.reset_limits(thread))["questions"] == 0
        assert await agent.archive(thread) == [asked.id]
        assert (await agent.wait(asked)).reason == "thread_archived"
        with pytest.raises(Refused, match="archived"):
            await agent.create(FORM, thread_id=thread)
        await agent.unarchive(thread)
        await agent.say("Hello", thread_id=thread)
        found = await admin.export(thread)
        assert [each["id"] for each in found["requests"]] == [asked.id]
        assert len(found["messages"]) == 1
        with pytest.raises(Forbidden):
            await agent.erase_thread(thread)
        await admin.erase_thread(thread)
        with pytest.raises(NotFound):
            await agent.get(asked.id)
