"""An agent that has received its outcome, over any transport, gets no resume for it."""

from __future__ import annotations

from typing import Any

import pytest

from askback.client import frames
from askback.domain.fields import Form, Text
from tests.client.linked import TRANSPORTS, linked
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@requirement("G8")
@TRANSPORTS
async def test_no_resume_remains_for_a_delivered_answer(transport: Any) -> None:
    ask = frames.create_request(Form(fields=[Text(id="q", label="Q")]), thread_id="t1", options={}, key=None)
    async with linked(transport) as linked_agent:
        request = await linked_agent.link.call(ask, retry_for=20)
        waiting = await linked_agent.link.wait(request["id"])
        await linked_agent.link.call('"op":"list_requests"', retry_for=20)  # the wait went before it
        answer = {"revision": 1, "values": {"q": "yes"}}
        reply = await (await linked_agent.person()).post(f"/v1/requests/{request['id']}/answer", json=answer)
        assert reply.status_code == 200
        assert (await waiting)["answer"]["values"] == {"q": "yes"}
        assert await linked_agent.store.resume_of("default", request["id"]) is None
