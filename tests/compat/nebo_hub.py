"""Agents and pages on Nebo's hub, for tests."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

from tests.transports import sockets
from tests.transports.conftest import Api

Frame = dict[str, Any]


class Peer:
    """One WebSocket of the hub."""

    def __init__(self, socket: sockets.Socket) -> None:
        self._socket = socket
        self.reading = socket.reading
        """What the peer does unless it is cleared."""
        self.closed = socket.closed

    def send(self, **frame: Any) -> None:
        """Send a frame."""
        self._socket.raw(json.dumps(frame))

    async def frame(self, **wanted: Any) -> Frame:
        """Return the next frame, which has these members."""
        frame = await self._socket.frame()
        assert {**frame, **wanted} == frame, frame
        return frame

    async def assert_nothing_received(self) -> None:
        """See that nothing was sent before the answer to a ping."""
        self.send(type="req", id="ping", method="ping")
        self.send(type="ping")
        assert (await self.frame())["type"] in {"res", "pong"}

    async def assert_no_outcome(self) -> None:
        """See that no outcome was sent before that of a call that a rule approves."""
        request_id, call = str(uuid4()), {"tool": "bash", "input": {"command": "ls"}}
        self.send(type="approval_request", id=request_id, payload=call)
        await self.frame(type="approval_response", id=request_id)

    async def leave(self) -> None:
        """End the connection."""
        await self._socket.leave()


async def agent(api: Api, who: str = "requester", **query: str) -> Peer:
    """Connect an agent; the hub has greeted it."""
    peer = await _connect(api, who, "/compat/nebo/api/v1/agent/ws", query)
    await peer.frame(type="event", method="ready")
    return peer


async def page(api: Api, who: str = "responder") -> Peer:
    """Connect the page of a person."""
    return await _connect(api, who, "/compat/nebo/ws", {})


async def _connect(api: Api, who: str, path: str, query: dict[str, str]) -> Peer:
    await api.as_(who)
    text = "&".join(f"{name}={value}" for name, value in query.items())
    headers = {"Authorization": f"Bearer {api.tokens[who]}"}
    socket = sockets.Socket(api.app, headers=headers, path=path, query=text)
    assert (await socket.message())["type"] == "websocket.accept"
    return Peer(socket)


def ask(request_id: str, prompt: str = "Proceed?", **payload: Any) -> Frame:
    """Return an `ask_request`."""
    return {"type": "ask_request", "id": request_id, "payload": {"prompt": prompt, **payload}}


def ask_response(request_id: str, value: str) -> Frame:
    """Return the `ask_response` of a page."""
    return {"type": "ask_response", "data": {"request_id": request_id, "value": value}}


async def blocks(api: Api, chat: str, who: str = "responder") -> list[list[Frame]]:
    """Return the content blocks of each message of a chat."""
    reply = await (await api.as_(who)).get(f"/compat/nebo/api/v1/chats/{chat}")
    assert reply.status_code == 200, reply.text
    return [json.loads(message["metadata"])["contentBlocks"] for message in reply.json()["messages"]]
