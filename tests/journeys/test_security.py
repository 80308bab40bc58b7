"""Group I: roles, and the view of a stranger."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import anyio
import httpx2
import pytest
import websockets
import websockets.exceptions

from tests.journeys.people import Person, faults, refusal
from tests.requirements import requirement
from tests.signing_in import HALF, cookie_of, sign_in

pytestmark = pytest.mark.anyio

FORM = {"fields": [{"id": "q", "type": "text", "label": "Q"}]}


@pytest.fixture
async def request_id(server: Any, thread: str) -> str:
    """An open request."""
    async with server.person("requester") as agent:
        return (await agent.ask(thread, FORM)).json()["id"]


@requirement("I1")
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/requests"),
        ("POST", "/v1/requests"),
        ("GET", "/v1/requests/req_x"),
        ("POST", "/v1/requests/req_x/answer"),
        ("POST", "/v1/requests/req_x/decline"),
        ("POST", "/v1/requests/req_x/cancel"),
        ("GET", "/v1/threads/t"),
        ("GET", "/v1/threads/t/events"),
        ("POST", "/v1/threads/t/messages"),
        ("GET", "/v1/events"),
        ("GET", "/v1/limits"),
    ],
)
async def test_nothing_is_open_to_a_stranger(server: Any, method: str, path: str) -> None:
    async with httpx2.AsyncClient(base_url=server.url) as http:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Cookie": "askback_session=wrong"}):
            reply = await http.request(method, path, headers=headers)
            assert reply.status_code == 401
            assert reply.json()["error"]["code"] == "unauthorized"


@requirement("I1")
async def test_a_person_cannot_ask_and_a_stranger_cannot_connect(
    server: Any, ada: Person, thread: str
) -> None:
    assert (await ada.ask(thread, FORM)).status_code == 403
    with pytest.raises(websockets.exceptions.WebSocketException):
        async with websockets.connect(ws(server), subprotocols=["askback.v1"]) as socket:  # type: ignore[list-item]  # a NewType of str
            await socket.send('{"id": 1, "op": "ping"}')
            await socket.recv()


def ws(server: Any) -> str:
    """The WebSocket address of the server."""
    return server.url.replace("http", "ws") + "/v1/ws"


@requirement("I2")
async def test_an_agent_can_never_answer_itself(server: Any, ada: Person, request_id: str) -> None:
    async with server.person("requester") as agent:
        attempts = [
            await agent.answer(request_id, {"q": "yes"}),
            await agent.decline(request_id, "dismissed"),
        ]
    assert [(r.status_code, r.json()["error"]["code"]) for r in attempts] == [(403, "forbidden")] * 2
    headers = {"Authorization": "Bearer journey-requester"}
    protocols = [websockets.Subprotocol("askback.v1")]
    async with websockets.connect(ws(server), subprotocols=protocols, additional_headers=headers) as socket:
        body = {"revision": 1, "values": {"q": "yes"}}
        await socket.send(
            json.dumps({"id": 1, "op": "answer_request", "request_id": request_id, "body": body})
        )
        refused_frame = json.loads(await socket.recv())
    assert refused_frame["error"]["status"] == 403
    assert (await ada.get(request_id))["status"] == "pending"


@requirement("I3")
async def test_a_foreign_page_can_neither_connect_nor_post(server: Any, request_id: str) -> None:
    foreign_origin = {"Origin": "https://evil.example"}
    headers = {"Authorization": "Bearer journey-responder", **foreign_origin}
    with pytest.raises(websockets.exceptions.InvalidStatus) as exc_info:
        async with websockets.connect(ws(server), subprotocols=["askback.v1"], additional_headers=headers):  # type: ignore[list-item]  # a NewType of str
            pass
    assert exc_info.value.response.status_code == 403
    async with server.person() as person:
        reply = await person.http.post(f"/v1/requests/{request_id}/answer", headers=foreign_origin, json={})
    assert (reply.status_code, reply.json()["error"]["code"]) == (403, "origin_not_allowed")


@requirement("I3")
async def test_a_cookie_alone_changes_nothing(server: Any, ada: Person, request_id: str) -> None:
    code = await login_code(server)
    async with httpx2.AsyncClient(base_url=server.url) as browser:
        opened_reply = await sign_in(browser, code)
        assert opened_reply.status_code == 201
        cookie = opened_reply.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        body = {"revision": 1, "values": {"q": "x"}}
        session_half = browser.headers.pop(HALF)
        bare = await browser.post(f"/v1/requests/{request_id}/answer", json=body)
        assert refusal(bare) == (401, "unauthorized")
        assert (await browser.get("/v1/session")).status_code == 401
        finished_reply = await browser.post(
            f"/v1/requests/{request_id}/answer", json=body, headers={HALF: session_half}
        )
        assert finished_reply.status_code == 200
    async with httpx2.AsyncClient(base_url=server.url) as second_async_client:
        assert (await sign_in(second_async_client, code)).status_code == 401
        assert (await second_async_client.get("/v1/session")).status_code == 401


async def login_code(server: Any) -> str:
    """A fresh one-time link, made by an admin."""
    async with server.person("admin") as admin:
        reply = await admin.http.post("/v1/login-links", json={"name": "Ada"})
        assert reply.status_code in (200, 201), reply.text
        return reply.json()["url"]


@requirement("I3")
@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80"])
async def test_a_name_that_was_rebound_to_this_machine_is_refused(server: Any, host: str) -> None:
    async with httpx2.AsyncClient(base_url=server.url) as http:
        reply = await http.get(
            "/v1/limits", headers={"Host": host, "Authorization": "Bearer journey-responder"}
        )
    assert reply.status_code == 421


@requirement("I6")
@pytest.mark.parametrize(
    "path", ["/", "/t/x", "/r/x", "/gallery", "/login", "/v1/limits", "/healthz", "/nowhere"]
)
async def test_every_page_and_answer_carries_the_strict_policy(server: Any, path: str) -> None:
    async with httpx2.AsyncClient(base_url=server.url) as http:
        headers = (await http.get(path)).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "require-trusted-types-for 'script'" in policy
    assert "unsafe" not in policy
    assert "img-src 'self' data:;" in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@requirement("I7")
@pytest.mark.parametrize(("method", "refusals"), [("PUT", {405}), ("PATCH", {403, 422}), ("DELETE", {405})])
async def test_no_other_write_touches_a_live_request(
    server: Any, ada: Person, request_id: str, method: str, refusals: set[int]
) -> None:
    request_before = await ada.get(request_id)
    for token in ("requester", "responder", "admin"):
        async with server.person(token) as caller:
            reply = await caller.http.request(
                method, f"/v1/requests/{request_id}", json={"status": "answered"}
            )
            assert reply.status_code in refusals
    assert await ada.get(request_id) == request_before


@requirement("I7")
async def test_a_message_cannot_stand_in_for_a_request(
    server: Any, ada: Person, thread: str, request_id: str
) -> None:
    async with server.person("requester") as agent:
        reply = await agent.http.post(
            f"/v1/threads/{thread}/messages",
            json={"id": request_id, "content": [{"type": "request", "request_id": "req_forged"}]},
        )
    assert faults(reply) == [("content[0].request_id", "unknown_request")]


@requirement("I12")
async def test_another_tenant_sees_an_id_that_does_not_exist(
    server: Any, thread: str, request_id: str
) -> None:
    async with server.person("responder@acme") as stranger, server.person("requester@acme") as agent:
        for caller in (stranger, agent):
            other_reply = await caller.http.get(f"/v1/requests/{request_id}")
            missing_reply = await caller.http.get("/v1/requests/req_" + "0" * len(request_id[4:]))
            assert (other_reply.status_code, other_reply.text) == (
                missing_reply.status_code,
                missing_reply.text,
            )
            assert other_reply.status_code == 404
        answered_request = await stranger.answer(request_id, {"q": "x"})
        assert answered_request.status_code == 404
        assert (await stranger.pending(thread)) == []
        assert (await stranger.http.get(f"/v1/threads/{thread}")).json()["requests"] == []


@requirement("I12")
async def test_another_agent_of_the_tenant_sees_an_id_that_does_not_exist(
    server: Any, request_id: str
) -> None:
    async with server.person("requester/other") as other:
        other_reply = await other.http.get(f"/v1/requests/{request_id}")
        none = await other.http.get("/v1/requests/req_nothing")
        assert (other_reply.status_code, other_reply.text) == (none.status_code, none.text)
        assert (await other.cancel(request_id)).status_code == 404


@requirement("I13")
@pytest.mark.parametrize("name", ["__proto__", "constructor", "toString", "hasOwnProperty"])
async def test_ids_with_a_special_meaning_in_javascript_are_ordinary(
    server: Any, ada: Person, thread: str, name: str
) -> None:
    form = {"fields": [{"id": name, "type": "text", "label": "Q", "required": True}]}
    async with server.person("requester") as agent:
        request_id = (await agent.ask(thread, form)).json()["id"]
    assert faults(await ada.answer(request_id, {name: ""})) == [(f"values.{name}", "required_missing")]
    assert (await ada.answer(request_id, {name: "x"})).json()["answer"]["values"] == {name: "x"}


@requirement("I7")
async def test_nobody_puts_words_into_the_mouth_of_another(server: Any, ada: Person, thread: str) -> None:
    async with server.person("requester") as agent, server.person("requester/other") as other:
        message_body = {"content": [{"type": "text", "text": "I am the agent."}]}
        message_id = (await agent.http.post(f"/v1/threads/{thread}/messages", json=message_body)).json()["id"]
        extra = {"append_to": message_id, "text": " And I agree to everything."}
        me, them = [(await item.http.get("/v1/session")).json()["principal"]["id"] for item in (agent, other)]
        let_in = await agent.http.put(f"/v1/threads/{thread}/access", json={"agents": [them]})
        assert let_in.json()["agents"] == [me, them]
        for stranger in (ada, other):
            assert (await stranger.http.post(f"/v1/threads/{thread}/messages", json=extra)).status_code == 404
            reply = await stranger.http.post(
                f"/v1/threads/{thread}/messages", json=message_body | {"id": message_id}
            )
            assert (reply.status_code, reply.json()["error"]["code"]) == (409, "id_taken")
        own_reply = await agent.http.post(f"/v1/threads/{thread}/messages", json=extra | {"text": " Hello."})
        assert own_reply.status_code == 200
    [message] = (await ada.http.get(f"/v1/threads/{thread}")).json()["messages"]
    assert message["content"] == [{"type": "text", "text": "I am the agent. Hello."}]


@requirement("I1")
async def test_logging_out_ends_the_open_connections_of_the_browser(server: Any) -> None:
    async with httpx2.AsyncClient(base_url=server.url, timeout=120) as browser:
        await sign_in(browser, await login_code(server))
        cookie = {"Cookie": "=".join(cookie_of(browser)), "Origin": server.url}
        offered: Any = ["askback.v1", f"session.{browser.headers[HALF]}"]
        async with (
            websockets.connect(ws(server), subprotocols=offered, additional_headers=cookie) as socket,
            browser.stream("GET", "/v1/events") as stream,
        ):
            remaining_reply = await browser.delete("/v1/session")
            assert remaining_reply.status_code == 204
            with pytest.raises(websockets.exceptions.ConnectionClosed) as exc_info, anyio.fail_after(120):
                await socket.recv()
            assert exc_info.value.rcvd is not None
            assert exc_info.value.rcvd.code == 4401
            with anyio.fail_after(120), suppress(httpx2.HTTPError):
                async for _line in stream.aiter_lines():
                    pass
