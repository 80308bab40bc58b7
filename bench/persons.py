"""Persons that answer like a browser, on bare WebSockets (picows), which cost little."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import picows

from bench.payload import ANSWER
from bench.servers import RESPONDER

TEXT = picows.WSMsgType.TEXT
VALUES = json.dumps({"revision": 1, "values": ANSWER}, separators=(",", ":"))
"""Without spaces, like the JSON of browsers."""


async def connect(
    listener: Callable[[], picows.WSListener], url: str, token: str
) -> tuple[picows.WSTransport, Any]:
    """Open a WebSocket to a server."""
    return await picows.ws_connect(
        listener,
        url.replace("http", "ws") + "/v1/ws",
        extra_headers={"Authorization": f"Bearer {token}", "Sec-WebSocket-Protocol": "askback.v1"},
    )


class Person(picows.WSListener):
    """Answers every request of its thread as soon as it is shown."""

    def __init__(self) -> None:
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.refused_frames: list[bytes] = []

    def subscribe(self, transport: picows.WSTransport, thread_id: str) -> None:
        """Follow one thread."""
        self.transport = transport
        transport.send(TEXT, json.dumps({"id": 0, "op": "subscribe", "thread_id": thread_id}).encode())

    def on_ws_frame(self, transport: picows.WSTransport, frame: Any) -> None:
        """Take one frame of the server."""
        payload = frame.get_payload_as_bytes()
        if payload.startswith(b'{"event":{"type":"request.created"'):
            id_start = payload.index(b'"request":{"id":"') + 17
            request_id = payload[id_start : payload.index(b'"', id_start)].decode()
            transport.send(
                TEXT, f'{{"id":1,"op":"answer_request","request_id":"{request_id}","body":{VALUES}}}'.encode()
            )
        elif b'"error"' in payload[:40]:
            self.refused_frames.append(payload)
        elif not self.ready.done():
            self.ready.set_result(None)


async def person(url: str, thread_id: str) -> Person:
    """Connect a person to a thread."""
    transport, listener = await connect(Person, url, RESPONDER)
    assert isinstance(listener, Person)
    listener.subscribe(transport, thread_id)
    await listener.ready
    return listener
