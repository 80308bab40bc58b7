"""The WebSocket handshake, and tests over a real socket."""

# ruff: noqa: F811 - fixtures are imported, and named again by the tests that use them

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from askback.server.app import App
from askback.service.access import sessions
from askback.service.agents import credentials
from askback.transports.security import cookie_name
from tests.client.servers import TOKENS, ServerProcess
from tests.transports.sockets import FORM, Message, Open, Socket, app, body, open_  # noqa: F401 - fixtures


async def test_a_token_may_come_as_a_subprotocol(open_: Open):
    socket = await open_(headers={}, subprotocols=["askback.v1", f"bearer.{TOKENS['requester']}"])
    assert await socket.call("ping") == {}


@pytest.mark.parametrize(
    ("headers", "subprotocols", "code"),
    [
        ({}, ["askback.v1"], 4401),
        ({"Authorization": "Bearer nope"}, ["askback.v1"], 4401),
        ({"Authorization": "Basic x"}, ["askback.v1"], 4401),
        ({"Cookie": "askback_session=nope"}, ["askback.v1"], 4401),
        ({}, ["askback.v1", "bearer.nope"], 4401),
        ({"Authorization": f"Bearer {TOKENS['requester']}"}, ["other"], 1002),
    ],
)
async def test_without_a_credential_or_the_subprotocol_the_door_is_shut(
    open_: Open, headers: dict[str, str], subprotocols: list[str], code: int
):
    socket = await open_(headers=headers, subprotocols=subprotocols)
    assert await socket.closed() == code


@pytest.mark.requirement("I12")
async def test_a_browser_session_needs_its_own_origin(open_: Open, app: App):
    code = await credentials.create_login_code(app.services, tenant="default", name="Ada")
    opened_items = await sessions.open_session(app.services, code)
    assert opened_items is not None
    cookie = f"{await cookie_name(app.services)}={opened_items.secret}"
    offered = ["askback.v1", f"session.{opened_items.half}"]
    own_open_value = await open_(
        headers={"Cookie": cookie, "Origin": "http://127.0.0.1"}, subprotocols=offered
    )
    assert (await own_open_value.call("list_requests"))["requests"] == []
    without = await open_(headers={"Cookie": cookie}, subprotocols=offered)
    assert await without.closed() == 4403
    foreign = Socket(app, headers={"Cookie": cookie, "Origin": "http://evil.example"}, subprotocols=offered)
    assert await foreign.closed() == 4403


@pytest.mark.requirement("N8")
async def test_a_websocket_needs_the_cookie_and_the_second_half(open_: Open, app: App):
    code = await credentials.create_login_code(app.services, tenant="default", name="Ada")
    opened_items = await sessions.open_session(app.services, code)
    assert opened_items is not None
    cookie = {"Cookie": f"{await cookie_name(app.services)}={opened_items.secret}"}
    browser_secret = f"session.{opened_items.half}"
    for headers, offered in (
        (cookie, []),
        (cookie, ["session."]),
        (cookie, [browser_secret[:-1]]),
        (cookie, [f"session.{opened_items.secret}"]),
        ({}, [browser_secret]),
        ({"Cookie": f"askback_session={opened_items.secret}"}, [browser_secret]),
    ):
        origin = {**headers, "Origin": "http://127.0.0.1"}
        socket = await open_(headers=origin, subprotocols=["askback.v1", *offered])
        assert await socket.closed() == 4401, (headers, offered)


@pytest.mark.parametrize("leaves_at", ["websocket.accept", "websocket.close"])
async def test_a_peer_that_leaves_before_it_is_refused_is_no_error(
    app: App, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, leaves_at: str
):
    send = Socket._send

    async def leave(self: Socket, message: Message) -> None:
        if message["type"] == leaves_at:
            raise BrokenPipeError  # ASGI: the error of a server for a peer that has left
        await send(self, message)

    monkeypatch.setattr(Socket, "_send", leave)
    with anyio.fail_after(120):
        await Socket(app, headers={}, subprotocols=["askback.v1"]).task
    assert caplog.records == []


async def test_there_is_an_end_to_connections(open_: Open):
    for _ in range(8):
        await open_()
    assert await (await open_()).closed() == 1013


async def test_a_frame_that_is_too_large_ends_the_connection(open_: Open):
    socket = await open_()
    socket.raw('{"id": 1, "op": "ping", "x": "' + "x" * 262_144 + '"}')
    assert await socket.closed() == 1009


async def test_a_server_that_stops_asks_its_clients_to_come_back(open_: Open, app: App):
    socket = await open_()
    assert await socket.call("ping") == {}
    app.connections.sockets.close()
    assert await socket.closed() == 1012


# --- over a socket ---------------------------------------------------------------------------


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[ServerProcess]:
    process = ServerProcess(tmp_path / "server")
    process.start()
    yield process
    process.stop()


@asynccontextmanager
async def dial(server: ServerProcess, token: str, **options: Any) -> AsyncIterator[Any]:
    headers = {"Authorization": f"Bearer {token}"}
    url = f"ws://127.0.0.1:{server.port}/v1/ws"
    async with connect(
        url, additional_headers=headers, subprotocols=[Subprotocol("askback.v1")], proxy=None, **options
    ) as socket:  # type: ignore[list-item]
        yield socket


@pytest.mark.requirement("G14")
async def test_the_handshake_and_the_limits_hold_over_a_socket(own_server: ServerProcess):
    with anyio.fail_after(120):
        async with dial(own_server, TOKENS["requester"]) as socket:
            assert socket.subprotocol == "askback.v1"
            assert "permessage-deflate" not in str(socket.response.headers)
            await socket.send('{"id": 1, "op": "ping"}')
            assert json.loads(await socket.recv()) == {"id": 1, "ok": {}}
            await socket.send("x" * 300_000)
            with pytest.raises(ConnectionClosed) as exc_info:
                await socket.recv()
            assert exc_info.value.rcvd is not None
            assert exc_info.value.rcvd.code == 1009
            assert "exceeds limit" in exc_info.value.rcvd.reason
        async with dial(own_server, "nobody-knows-me") as socket:
            with pytest.raises(ConnectionClosed) as exc_info:
                await socket.recv()
            assert exc_info.value.rcvd is not None
            assert exc_info.value.rcvd.code == 4401
        with pytest.raises(InvalidStatus) as foreign:
            async with dial(own_server, TOKENS["requester"], origin="http://evil.example"):
                pass
        assert foreign.value.response.status_code == 403


@pytest.mark.requirement("L9")
async def test_a_stalled_socket_costs_a_bounded_buffer_and_gets_everything_by_cursor(
    own_server: ServerProcess,
):
    text = {"content": [{"type": "text", "text": "x" * 20_000}]}
    with anyio.fail_after(120):
        async with (
            dial(own_server, TOKENS["requester"]) as agent,
            dial(own_server, TOKENS["responder"], max_queue=1, max_size=None) as person,
        ):
            await person.send('{"id": 1, "op": "subscribe", "thread_id": "t1", "cursor": 0}')
            for n in range(800):
                frame = {"id": n, "op": "post_message", "thread_id": "t1", "body": text}
                await agent.send(json.dumps(frame))
                await agent.recv()
            seen_items: list[int] = []
            resynced = False
            while not seen_items or seen_items[-1] < 800:
                frame = json.loads(await person.recv())
                if "resync" in frame:
                    resynced = True
                    subscription = {"id": 2, "op": "subscribe", "thread_id": "t1", "cursor": seen_items[-1]}
                    await person.send(json.dumps(subscription))
                elif "event" in frame:
                    seen_items.append(frame["event"]["seq"])
            assert resynced
            assert seen_items == list(range(1, 801))
