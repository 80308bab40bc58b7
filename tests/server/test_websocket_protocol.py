"""The messages that a server buffers before its app reads them."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import anyio
import pytest
from uvicorn.config import Config
from uvicorn.server import ServerState
from websockets.frames import Frame, Opcode

from askback.domain.limits import DEFAULTS
from askback.server.open_connections import OpenConnections
from askback.server.websocket_protocol import MAX_READ_AHEAD, MESSAGE_OVERHEAD, AskbackWebSocket
from askback.transports.asgi_extensions import keep_open
from tests.server.lines import Line, server_state

pytestmark = pytest.mark.anyio

HANDSHAKE = (
    b"GET /v1/ws HTTP/1.1\r\nHost: askback\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


def accept_peer(app: Any, line: Line, *, state: ServerState | None = None) -> AskbackWebSocket:
    """Accept a peer after its handshake."""
    config = Config(
        app, ws_max_size=DEFAULTS.frame_bytes, ws_per_message_deflate=False, ws_ping_interval=None
    )
    socket = AskbackWebSocket(config, state or server_state(), {}, asyncio.get_running_loop())
    socket.connection_made(line)
    socket.data_received(HANDSHAKE)
    return socket


@pytest.mark.parametrize("payload", [b"", b"{}", b"x" * 1_000])
@pytest.mark.parametrize("opcode", [Opcode.TEXT, Opcode.BINARY])
async def test_reading_from_a_peer_pauses_at_a_limit_and_resumes(payload: bytes, opcode: Opcode) -> None:
    opened_event, take = asyncio.Event(), asyncio.Event()
    taken = 0

    async def app(_scope: Any, receive: Any, send: Any) -> None:
        nonlocal taken
        await receive()
        await send({"type": "websocket.accept"})
        opened_event.set()
        await take.wait()
        while True:
            await receive()
            taken += 1

    line = Line()
    socket = accept_peer(app, line)
    with anyio.fail_after(120):
        await opened_event.wait()
        frame, sent = Frame(opcode, payload).serialize(mask=True), 0
        while not line.paused:
            socket.data_received(frame)
            sent += 1
            assert sent <= MAX_READ_AHEAD // MESSAGE_OVERHEAD + 1
        take.set()
        while line.paused:
            await asyncio.sleep(0)
        assert taken == sent
    for task in tuple(socket.tasks):
        task.cancel()


async def test_empty_fragments_of_a_message_are_not_stored() -> None:
    taken: list[str] = []
    finished_event = asyncio.Event()

    async def app(_scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        finished_event.set()
        taken.append((await receive())["text"])
        finished_event.set()

    socket = accept_peer(app, Line())
    with anyio.fail_after(120):
        await finished_event.wait()
        finished_event.clear()
        nothing = Frame(Opcode.CONT, b"", fin=False).serialize(mask=True)
        socket.data_received(Frame(Opcode.TEXT, b"all ", fin=False).serialize(mask=True) + nothing * 1_000)
        assert len(socket.frames) == 1
        socket.data_received(Frame(Opcode.CONT, b"here", fin=False).serialize(mask=True))
        socket.data_received(Frame(Opcode.CONT, b"").serialize(mask=True))
        await finished_event.wait()
    assert taken == ["all here"]


async def test_a_peer_is_read_until_it_has_closed_as_well_whatever_it_sends_before() -> None:
    closed_event = asyncio.Event()

    async def app(_scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.close", "code": 1000})
        closed_event.set()
        await asyncio.Event().wait()

    line = Line()
    socket = accept_peer(app, line)
    with anyio.fail_after(120):
        await closed_event.wait()
    for opcode in (Opcode.TEXT, Opcode.BINARY):
        for _ in range(3):
            socket.data_received(Frame(opcode, b"x" * MAX_READ_AHEAD).serialize(mask=True))
    assert not line.paused
    for task in tuple(socket.tasks):
        task.cancel()
    socket.connection_lost(None)


async def test_an_identified_connection_is_kept_when_there_are_too_many() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        if len(lines) == 1:
            keep_open(scope)
        ready.set()
        await asyncio.Event().wait()

    state = server_state(limit=2)
    lines: list[Line] = []
    for _ in range(2):
        ready = asyncio.Event()
        lines.append(Line())
        socket = accept_peer(app, lines[-1], state=state)
        with anyio.fail_after(120):
            await ready.wait()
    state.connections.add(socket := AskbackWebSocket(socket.config, state, {}, asyncio.get_running_loop()))
    socket.transport = Line()
    cast("OpenConnections", state.connections).make_room()
    assert [line.closed for line in lines] == [False, True]
