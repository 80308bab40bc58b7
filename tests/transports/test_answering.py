"""Others see who is answering: over the WebSocket, only people, and never stored."""

# ruff: noqa: F811 - fixtures are imported, and named again by the tests that use them

from __future__ import annotations

import pytest

from askback.server.app import App
from tests.requirements import requirement
from tests.transports.sockets import Open, Socket, app, body, open_  # noqa: F401 - fixtures

pytestmark = pytest.mark.anyio


async def bob_at(app: App, open_: Open) -> Socket:
    token = await app.token("responder", name="Bob")
    return await open_(headers={"Authorization": f"Bearer {token}"})


async def answering(peer: Socket) -> tuple[str, str, bool]:
    frame = (await peer.frame())["answering"]
    return frame["request_id"], frame["by"]["name"], frame["active"]


@requirement("K7")
async def test_only_other_viewers_see_who_is_answering(app: App, open_: Open) -> None:
    agent, eva, bob = await open_("requester"), await open_("responder"), await bob_at(app, open_)
    asked_reply = await agent.call("create_request", body=body())
    for peer in (agent, eva, bob):
        await peer.call("subscribe", thread_id="t1")
    request = {"request_id": asked_reply["id"]}
    assert await bob.call("mark_answering", **request, body={}) == {}
    assert await answering(eva) == (asked_reply["id"], "Bob", True)
    assert await bob.call("mark_answering", **request, body={"active": False}) == {}
    assert await answering(eva) == (asked_reply["id"], "Bob", False)
    await bob.call("mark_answering", **request, body={})
    assert await answering(eva) == (asked_reply["id"], "Bob", True)
    await bob.leave()
    assert await answering(eva) == (asked_reply["id"], "Bob", False)
    for peer in (agent, eva):
        assert await peer.call("ping") == {}
        assert peer.outgoing.empty()
    assert (await eva.call("get_thread", thread_id="t1"))["seq"] == 1


@requirement("K7")
async def test_bad_reports_are_refused_and_useless_ones_do_nothing(app: App, open_: Open) -> None:
    agent, eva, bob = await open_("requester"), await open_("responder"), await bob_at(app, open_)
    request = await agent.call("create_request", body=body(assignees=["somebody"]))
    await eva.call("subscribe", thread_id="t1")
    assert await bob.call("mark_answering", request_id=request["id"], body={}) == {}
    refusal = await bob.call("mark_answering", request_id=request["id"], body={"active": "yes"})
    assert refusal["field_errors"][0]["path"] == "active"
    assert (await bob.call("mark_answering", request_id="req_none", body={}))["status"] == 404
    assert (await agent.call("mark_answering", request_id=request["id"], body={}))["status"] == 403
    entries = [await bob.call("mark_answering", request_id=request["id"], body={}) for _ in range(70)]
    assert entries[-1]["code"] == "rate_limited"
    assert await eva.call("ping") == {}
    assert eva.outgoing.empty()
