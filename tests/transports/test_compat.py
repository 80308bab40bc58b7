"""The services for every projection: paths, roles, the caller's operations, frames and outcomes.

A small system stands for all of them.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import anyio
import httpx2
import pytest

from askback.ports.systems import (
    ApiCall,
    Channel,
    EventStream,
    Json,
    JsonReply,
    Problem,
    Route,
    Socket,
    StreamEvent,
    System,
)
from askback.wire.operation import PEOPLE, REQUESTER
from tests.transports import sockets
from tests.transports.conftest import ANSWER, Api, ask, create_request, serving

PATH = "/compat/parrot"
pytestmark = pytest.mark.anyio


class EchoSystem:
    """Repeats each frame, and sends every event."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def on_open(self) -> None:
        await self._channel.send({"hello": self._channel.query.get("name")})
        self._channel.start(self._tell())

    async def _tell(self) -> None:
        async with self._channel.api.watch(None) as events:
            await self._channel.send({"watching": events.cursor})
            async for event in events:
                await self._channel.send({"event": event["type"], "level": event["level"]})

    async def take(self, frame: Json) -> None:
        if "answer" in frame:
            await self._channel.api.call("answer_request", frame["answer"], request_id=frame["id"])
        await self._channel.send({"echo": frame})

    def error_frame(self, frame: Json | None, problem: Problem) -> Json | None:
        return {
            "failed": frame,
            "code": problem.code,
            "paths": [error["path"] for error in problem.field_errors],
        }


async def _ask(call: ApiCall) -> JsonReply:
    request = await call.api.call("create_request", call.json(), key=call.header("x-key"))
    ended = await call.api.outcome(request["id"])
    return JsonReply({"status": ended["status"], "here": call.path["where"]}, outcome_of=request["id"])


async def _events(call: ApiCall) -> EventStream:
    async def run() -> AsyncIterator[StreamEvent]:
        async with call.api.watch(call.path["thread"], after=0) as events:
            async for event in events:
                yield StreamEvent(event["type"], {"seq": event["seq"]}, f"{event['seq']}")
                yield StreamEvent("end", {})
                return

    return EventStream(run())


SYSTEM = System(
    routes=[
        Route("POST /ask/{where}", REQUESTER, _ask, lasts=True),
        Route("GET /threads/{thread}/events", PEOPLE, _events, lasts=True),
    ],
    sockets=[Socket("/ws", PEOPLE, EchoSystem, max_bytes=200)],
    refuse=lambda problem: (problem.status, {"oh": problem.code}),
)


@pytest.fixture(autouse=True)
def echo_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """Install the system like a package."""
    module = ModuleType("askback.compat.parrot")
    module.__spec__ = ModuleSpec("askback.compat.parrot", None)
    module.SYSTEM = SYSTEM  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "askback.compat.parrot", module)


async def connect(api: Api, who: str = "responder") -> sockets.Socket:
    """Open the WebSocket of the system."""
    await api.as_(who)
    headers = {"Authorization": f"Bearer {api.tokens[who]}"}
    socket = sockets.Socket(api.app, headers=headers, path=f"{PATH}/ws", query="name=Eva")
    if who == "responder":
        assert (await socket.message())["type"] == "websocket.accept"
    return socket


async def test_a_socket_sends_a_greeting_handles_frames_in_order_and_sends_events(api: Api):
    socket = await connect(api)
    assert await socket.frame() == {"hello": "Eva"}
    assert await socket.frame() == {"watching": 0}
    request = await create_request(api)
    assert await socket.frame() == {"event": "request.created", "level": "all"}
    socket.raw('{"n":1}')
    socket.raw('{"n":2}')
    assert [await socket.frame() for _ in range(2)] == [{"echo": {"n": 1}}, {"echo": {"n": 2}}]
    socket.raw(f'{{"id":"{request["id"]}","answer":{{"revision":1,"values":{{"dish":1}}}}}}')
    refused_frame = await socket.frame()
    assert (refused_frame["code"], refused_frame["paths"]) == ("invalid", ["values.dish"])
    for bad in ("[]", "{", '{"a":1,"a":2}'):
        socket.raw(bad)
        assert (await socket.frame())["failed"] is None
    await socket.leave()


@pytest.mark.parametrize(
    ("path", "who", "code"),
    [
        ("/compat/parrot/ws", "requester", 4403),
        ("/compat/parrot/none", "responder", 1011),
        ("/compat/none/ws", "responder", 1011),
        ("/compat/system/ws", "responder", 1011),
        ("/compat/../ws", "responder", 1011),
    ],
)
async def test_a_socket_is_refused_before_it_begins(api: Api, path: str, who: str, code: int):
    await api.as_(who)
    socket = sockets.Socket(api.app, headers={"Authorization": f"Bearer {api.tokens[who]}"}, path=path)
    assert await socket.message() == {"type": "websocket.close", "code": code}


async def test_a_socket_ends_with_a_frame_that_is_too_large_and_with_its_token(api: Api):
    socket = await connect(api)
    socket.raw('"' + "x" * 200 + '"')
    assert await socket.closed() == 1009
    second_socket = await connect(api)
    for token in (await (await api.as_("admin")).get("/v1/tokens")).json()["tokens"]:
        if token["role"] == "responder":
            await (await api.as_("admin")).delete(f"/v1/tokens/{token['id']}")
    assert await second_socket.closed() == 4401


async def test_a_held_call_returns_the_outcome_once_it_is_there(api: Api):
    agent, person = await api.as_("requester"), await api.as_("responder")
    replies: list[Any] = []

    async def hold() -> None:
        replies.append(await agent.post(f"{PATH}/ask/a%2Fb", json=ask(), headers={"x-key": "k1"}))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(hold)
        with anyio.fail_after(120):
            while not (requests := (await person.get("/v1/requests")).json()["requests"]):
                await anyio.lowlevel.checkpoint()
            answered_reply = await person.post(f"/v1/requests/{requests[0]['id']}/answer", json=ANSWER)
            assert answered_reply.status_code == 200
    assert (replies[0].status_code, replies[0].json()) == (200, {"status": "answered", "here": "a/b"})
    second_reply = await agent.post(f"{PATH}/ask/x", json=ask(), headers={"x-key": "k1"})
    assert second_reply.json() == {"status": "answered", "here": "x"}


async def test_a_held_call_says_why_it_ended_when_its_token_is_revoked_or_the_server_stops():
    replies: list[Any] = []

    async def hold(agent: httpx2.AsyncClient, thread: str) -> None:
        replies.append(await agent.post(f"{PATH}/ask/x", json=ask(thread_id=thread)))

    async with anyio.create_task_group() as tasks, serving() as api:
        admin = await api.as_("admin")
        for number, who in enumerate(("requester/one", "requester/two"), start=1):
            tasks.start_soon(hold, await api.as_(who), f"t{number}")
            with anyio.fail_after(120):
                while len((await admin.get("/v1/requests")).json()["requests"]) < number:
                    await anyio.lowlevel.checkpoint()
        [token] = [item for item in (await admin.get("/v1/tokens")).json()["tokens"] if item["name"] == "one"]
        assert (await admin.delete(f"/v1/tokens/{token['id']}")).is_success
        with anyio.fail_after(120):
            while not replies:
                await anyio.lowlevel.checkpoint()
    assert [(reply.status_code, reply.json()) for reply in replies] == [
        (401, {"oh": "unauthorized"}),
        (503, {"oh": "unavailable"}),
    ]


async def test_refusals_are_in_the_words_of_the_system(api: Api):
    agent, nobody = await api.as_("requester"), api.client()
    assert (await nobody.post(f"{PATH}/ask/x", json={})).json() == {"oh": "unauthorized"}
    person = await (await api.as_("responder")).post(f"{PATH}/ask/x", json=ask())
    assert (person.status_code, person.json()) == (403, {"oh": "forbidden"})
    bad = await agent.post(f"{PATH}/ask/x", json={"kind": "form"})
    assert (bad.status_code, bad.json()) == (422, {"oh": "invalid"})
    assert (await agent.get(f"{PATH}/ask/x")).json() == {"oh": "method_not_allowed"}
    large = await agent.post(f"{PATH}/ask/x", content=b"x" * 70_000)
    assert (large.status_code, large.json()) == (413, {"oh": "too_large"})
    assert (await agent.get("/compat/none/x")).json()["error"]["code"] == "not_found"


async def test_a_stream_sends_events_until_they_end(api: Api):
    await create_request(api)
    reply = await (await api.as_("responder")).get(f"{PATH}/threads/t1/events")
    assert reply.headers["content-type"].startswith("text/event-stream")
    assert reply.text == ':\n\nevent: request.created\nid: 1\ndata: {"seq":1}\n\nevent: end\ndata: {}\n\n'


async def test_a_token_of_a_system_may_be_in_the_address_and_opens_nothing_else(api: Api):
    admin = await api.as_("admin")
    reply = await admin.post("/v1/tokens", json={"role": "requester", "system": "parrot"})
    assert (reply.status_code, reply.json()["system"]) == (201, "parrot")
    token, plain = reply.json()["token"], await api.app.token("requester")
    nobody = api.client()
    body = {"kind": "form"}
    assert (await nobody.post(f"{PATH}/~{token}/ask/x", json=body)).json() == {"oh": "invalid"}
    header = {"Authorization": f"Bearer {token}"}
    assert (await nobody.post(f"{PATH}/ask/x", json=body, headers=header)).json() == {"oh": "invalid"}
    for address in (f"{PATH}/~{plain}/ask/x", f"{PATH}/~wrong/ask/x", f"{PATH}/~/ask/x"):
        assert (await nobody.post(address, json=body)).json() == {"oh": "unauthorized"}
    for address in (f"/compat/nebo/~{token}/ask/x", "/v1/requests", "/v1/session"):
        refusal = await nobody.get(address, headers=header)
        assert refusal.status_code in {401, 404}, refusal.text
        assert token not in refusal.text
    assert (await nobody.get("/v1/requests", headers=header)).status_code == 401


async def test_only_tokens_of_agents_and_people_are_limited_to_a_system_that_is_there(api: Api):
    admin = await api.as_("admin")
    for body, code in (
        ({"role": "requester", "system": "none"}, "unknown_value.system"),
        ({"role": "requester", "system": "../x"}, "unknown_value.system"),
        ({"role": "admin", "system": "parrot"}, "unknown_field.key"),
    ):
        refused_field_errors = (await admin.post("/v1/tokens", json=body)).json()["error"]["field_errors"]
        assert [(error["path"], error["code"]) for error in refused_field_errors] == [
            ("system", code.partition(".")[0])
        ]
