"""Nebo's hub in this process: many agents and people, deadlines, other programs' requests, and any frame at all."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from askback.compat.nebo import people
from askback.service.jobs import deadlines
from tests.requirements import requirement
from tests.transports import sockets
from tests.transports.conftest import Api, ask

pytestmark = pytest.mark.anyio


async def connect(api: Api, who: str, query: str = "") -> sockets.Socket:
    await api.as_(who)
    path = "/compat/nebo/ws" if who.startswith("responder") else "/compat/nebo/api/v1/agent/ws"
    headers = {"Authorization": f"Bearer {api.tokens[who]}"}
    socket = sockets.Socket(api.app, headers=headers, path=path, query=query)
    assert (await socket.message())["type"] == "websocket.accept"
    if not who.startswith("responder"):
        assert (await socket.frame())["method"] == "ready"
    return socket


def send(socket: sockets.Socket, kind: str, **members: Any) -> None:
    socket.raw(json.dumps({"type": kind, **members}))


async def ready(socket: sockets.Socket) -> None:
    """Return when all frames so far have been handled."""
    send(socket, "ping")
    assert (await socket.frame())["type"] == "pong"


async def test_two_agents_with_one_name_have_separate_sessions_and_a_shared_id_is_shown_once(api: Api):
    first_socket, second_socket, eva = [
        await connect(api, person) for person in ("requester", "requester/b", "responder")
    ]
    send(first_socket, "ask_request", id="q1", payload={"prompt": "Mine?"})
    assert (await eva.frame())["data"]["request_id"] == "q1"
    send(second_socket, "ask_request", id="q1", payload={"prompt": "Also mine?"})
    other_frame_data = (await eva.frame())["data"]
    assert other_frame_data["prompt"] == "Also mine?"
    assert other_frame_data["request_id"].startswith("req_")
    send(eva, "ask_response", data={"request_id": other_frame_data["request_id"], "value": "No"})
    assert await second_socket.frame() == {"type": "ask_response", "id": "q1", "payload": {"value": "No"}}
    send(eva, "ask_response", data={"request_id": "q1", "value": "Yes"})
    assert await first_socket.frame() == {"type": "ask_response", "id": "q1", "payload": {"value": "Yes"}}


@requirement("B20")
async def test_nobody_in_time_and_a_refusal_to_deal_with_it_are_errors_and_no_answers(api: Api):
    agent, eva = [await connect(api, caller) for caller in ("requester", "responder")]
    send(agent, "approval_request", id="a1", payload={"tool": "deploy", "input": {}})
    assert (await eva.frame())["type"] == "approval_request"
    api.clock.advance(seconds=301)
    await deadlines.sweep(api.app.services)
    assert await agent.frame() == {
        "type": "res",
        "id": "a1",
        "ok": False,
        "error": "context deadline exceeded",
    }
    send(agent, "ask_request", id="q2", payload={"prompt": "Go?"})
    shown_frame = await eva.frame()
    assert shown_frame["data"]["request_id"] == "q2"
    person = await api.as_("responder")
    requests = (await person.get("/v1/requests?external_id=q2")).json()["requests"]
    reply = await person.post(f"/v1/requests/{requests[0]['id']}/decline", json={"reason": "dismissed"})
    assert reply.status_code == 200
    assert await agent.frame() == {"type": "res", "id": "q2", "ok": False, "error": "context canceled"}


async def test_a_chat_without_an_agent_gets_the_message_of_nebo(api: Api, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(people, "AGENT_WAIT_S", 0.0)
    eva = await connect(api, "responder")
    send(eva, "chat", data={"session_id": "s1", "prompt": "Hello?"})
    frame = await eva.frame()
    assert frame["data"] == {"session_id": "s1", "error": "No agent connected. Make sure nebo is running."}
    send(eva, "chat", data={"session_id": "s1", "prompt": "  "})
    assert (await eva.frame())["data"]["error"] == "prompt: Must not be empty. [empty]"


async def test_a_chat_runs_at_one_agent_and_every_page_gets_its_stream(api: Api):
    agents = [await connect(api, "requester", f"name={name}") for name in ("main", "coder")]
    eva, bob = [await connect(api, person) for person in ("responder", "responder/bob")]
    await ready(bob)
    send(eva, "chat", data={"session_id": "s1", "prompt": "Hello"})
    with anyio.fail_after(120):
        while not any(item.outgoing.qsize() for item in agents):
            await anyio.lowlevel.checkpoint()
    await ready(eva)
    assert sorted(item.outgoing.qsize() for item in agents) == [0, 1]
    agent = next(item for item in agents if item.outgoing.qsize())
    run = (await agent.frame())["id"]
    send(agent, "stream", id=run, payload={"chunk": "Hi"})
    send(agent, "res", id=run, ok=True)
    for page in (eva, bob):
        entries = [await page.frame() for _ in range(2)]
        assert [entry["type"] for entry in entries] == ["chat_stream", "chat_complete"]
        assert entries[0]["data"] == {"session_id": "s1", "content": "Hi"}
    chat = (await (await api.as_("responder")).get("/compat/nebo/api/v1/chats/s1")).json()
    blocks = {"contentBlocks": [{"type": "text", "text": "Hi"}]}
    assert json.loads(chat["messages"][1]["metadata"]) == blocks


async def test_a_request_that_nebo_cannot_ask_is_not_shown_and_cannot_be_answered_there(api: Api):
    eva, agent = await connect(api, "responder"), await api.as_("requester")
    request = (await agent.post("/v1/requests", json=ask())).json()
    choice = {"id": "a", "type": "radio", "label": "Which", "options": [{"value": "1", "label": "One"}]}
    form = {"title": "Pick", "fields": [choice]}
    assert (await agent.post("/v1/requests", json=ask(form=form, external_id="own"))).status_code == 201
    assert (await eva.frame())["data"] == {
        "request_id": "own",
        "prompt": "Pick",
        "widgets": [{"type": "radio", "label": "Which", "options": ["One"]}],
    }
    send(eva, "ask_response", data={"request_id": request["id"], "value": "x"})
    assert (await eva.frame())["type"] == "error"
    send(eva, "ask_response", data={"request_id": "own", "value": "One"})
    await ready(eva)
    answered_requests = (await agent.get("/v1/requests?external_id=own")).json()["requests"][0]
    assert answered_requests["answer"]["values"] == {"a": "1"}


_NAMES = st.sampled_from(
    ["ask_request", "approval_request", "stream", "res", "req", "ask_response", "approval_response", "chat"]
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["prompt", "widgets", "type", "options", "tool", "input", "run_id", "id", "request_id"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)
_FRAMES = st.fixed_dictionaries(
    {"type": _NAMES}, optional={"id": _JSON, "payload": _JSON, "data": _JSON, "method": _JSON, "ok": _JSON}
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(frames=st.lists(_FRAMES, max_size=6))
async def test_no_frame_ends_a_connection_or_fails_inside_the_server(api: Api, frames: list[dict[str, Any]]):
    for person in ("requester", "responder"):
        socket = await connect(api, person)
        for frame in frames:
            socket.raw(json.dumps(frame))
        send(socket, "req" if person == "requester" else "ping", id="last", method="ping")
        while True:
            frame = await socket.frame()
            assert "Something went wrong" not in json.dumps(frame)
            if frame["type"] == "pong" or frame.get("payload", {}).get("pong"):
                break
        await socket.leave()
