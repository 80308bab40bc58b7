"""The frames of a link before it closes, and the order of their processing."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import anyio
import pytest

from askback.client import frames
from askback.client.link import Link
from askback.client.transport import BytesReply, FrameStream, Reply
from askback.domain.fields import Form, Text
from tests.client.linked import TRANSPORTS, linked

pytestmark = pytest.mark.anyio


class ScriptedTransport:
    """A transport whose only stream of frames is written by the test."""

    address = "the test"

    def __init__(self) -> None:
        self.sent: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.replies: asyncio.Queue[str] = asyncio.Queue()

    async def frames(self) -> FrameStream:
        return self

    async def send(self, text: str) -> None:
        self.sent.put_nowait(json.loads(text))

    async def receive(self) -> str:
        return await self.replies.get()

    async def request(self, *_: Any, **__: Any) -> Reply:
        raise NotImplementedError

    async def exchange(self, *_: Any, **__: Any) -> BytesReply:
        raise NotImplementedError

    async def close(self) -> None:
        return None

    async def next(self, op: str) -> dict[str, Any]:
        """The next frame of an operation."""
        while True:
            frame = await self.sent.get()
            if frame["op"] == op:
                return frame


@pytest.mark.requirement("C20")
async def test_a_question_created_after_its_caller_was_cancelled_is_withdrawn_before_closing():
    server = ScriptedTransport()
    link = Link(server)
    with anyio.fail_after(120):
        future = await link.ask('"op":"create_request","wait":true', withdraw=True)
        created = await server.next("create_request")
        future.cancel()
        closing = asyncio.ensure_future(link.close())
        await asyncio.sleep(0)
        server.replies.put_nowait(
            json.dumps({"id": created["id"], "ok": {"id": "req_1", "status": "pending"}})
        )
        cancelled = await server.next("cancel_request")
        assert cancelled["request_id"] == "req_1"
        server.replies.put_nowait(json.dumps({"id": cancelled["id"], "ok": {}}))
        await closing


@TRANSPORTS
async def test_a_wait_restarted_immediately_gets_the_outcome(transport: Any) -> None:
    ask = frames.create_request(Form(fields=[Text(id="q", label="Q")]), thread_id="t1", options={}, key=None)
    async with linked(transport) as linked_agent:
        request = await linked_agent.link.call(ask, retry_for=20)
        given_up = await linked_agent.link.wait(request["id"])
        await linked_agent.link.call('"op":"list_requests"', retry_for=20)  # the wait went before it
        linked_agent.link.abandon(given_up)
        waiting = await linked_agent.link.wait(request["id"])
        for _ in range(3):  # the frames about both waits have been processed
            await linked_agent.link.call('"op":"list_requests"', retry_for=20)
        answer = {"revision": 1, "values": {"q": "yes"}}
        await (await linked_agent.person()).post(f"/v1/requests/{request['id']}/answer", json=answer)
        assert (await waiting)["answer"]["values"] == {"q": "yes"}
