"""Who counts as present for `require_client`: only pages that can answer."""

# ruff: noqa: F811 - fixtures are imported, and named again by the tests that use them

from __future__ import annotations

import pytest

from askback.server.app import App
from tests.client.servers import TOKENS
from tests.requirements import requirement
from tests.transports.sockets import Open, Socket, app, body, open_  # noqa: F401 - fixtures
from tests.transports.test_sse import Stream

pytestmark = pytest.mark.anyio


async def status(agent: Socket) -> str:
    return (await agent.call("create_request", body=body(require_client="fail_fast")))["status"]


@requirement("F27", "G11")
@pytest.mark.parametrize("page_subscription", [{"thread_id": "t1"}, {"inbox": True}])
async def test_a_readonly_subscription_gets_events_and_does_not_count(
    open_: Open, page_subscription: dict[str, object]
) -> None:
    agent, person = await open_("requester"), await open_("responder")
    await person.call("subscribe", **page_subscription, readonly=True)
    assert await status(agent) == "cancelled"
    assert (await person.frame())["event"]["type"] == "request.cancelled"
    await person.call("subscribe", **page_subscription)
    assert await status(agent) == "pending"
    await person.call("subscribe", **page_subscription, readonly=True)
    assert await status(agent) == "cancelled"


@requirement("F27", "G11")
@pytest.mark.parametrize("path", ["/v1/threads/t1/events", "/v1/events"])
async def test_a_readonly_stream_does_not_count(open_: Open, app: App, path: str) -> None:
    agent = await open_("requester")
    for query, expected_status in (("readonly=true", "cancelled"), ("readonly=false", "pending")):
        stream = Stream(app, path, query=query, token=TOKENS["responder"])
        assert (await stream.start())[0] == 200
        assert await status(agent) == expected_status
        await stream.leave()
    refused_stream = Stream(app, path, query="readonly=yes", token=TOKENS["responder"])
    assert (await refused_stream.start())[0] == 422
    await refused_stream.leave()
