"""A raw peer of the WebSocket, and an app for it to talk to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, MutableMapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from askback.server.app import App, create_app
from askback.server.settings import load
from askback.transports.asgi_extensions import SOCKET, Confirm
from askback.transports.asgi_extensions import Socket as Extension
from tests.client.servers import TOKENS
from tests.limits import ROOMY

FORM = {"fields": [{"id": "topic", "type": "text", "label": "Topic", "required": True}]}
Message = MutableMapping[str, Any]
FEW_SOCKETS = replace(ROOMY, ws_connections=8)


class Socket:
    """A raw peer of the app's WebSocket."""

    def __init__(
        self,
        app: App,
        *,
        headers: dict[str, str],
        subprotocols: Sequence[str] = (),
        confirm: Confirm | None = None,
        path: str = "/v1/ws",
        query: str = "",
    ) -> None:
        self.incoming: asyncio.Queue[Message] = asyncio.Queue()
        self.outgoing: asyncio.Queue[Message] = asyncio.Queue()
        self.reading = asyncio.Event()
        self.reading.set()
        self._number = 0
        self._held: list[dict[str, Any]] = []
        scope: Message = {
            "type": "websocket",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "scheme": "ws",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [
                (k.lower().encode(), v.encode()) for k, v in {"Host": "127.0.0.1", **headers}.items()
            ],
            "subprotocols": list(subprotocols),
            "extensions": {}
            if confirm is None
            else {SOCKET: Extension(confirm, self._send_texts, self._send_now)},
            "state": {},
        }
        self.incoming.put_nowait({"type": "websocket.connect"})
        self.task = asyncio.create_task(app(scope, self.incoming.get, self._send))

    async def _send(self, message: Message) -> None:
        await self.reading.wait()
        self.outgoing.put_nowait(message)

    async def _send_texts(self, texts: Sequence[str]) -> None:
        for text in texts:
            await self._send({"type": "websocket.send", "text": text})

    def _send_now(self, text: str) -> bool:
        if self.reading.is_set():
            self.outgoing.put_nowait({"type": "websocket.send", "text": text})
        return self.reading.is_set()

    async def message(self) -> Message:
        with anyio.fail_after(120):
            return await self.outgoing.get()

    async def frame(self) -> dict[str, Any]:
        if self._held:
            return self._held.pop(0)
        message = await self.message()
        assert message["type"] == "websocket.send", message
        return json.loads(message["text"])

    def send(self, op: str, **args: Any) -> int:
        self._number += 1
        self.raw(json.dumps({"id": self._number, "op": op, **args}))
        return self._number

    def raw(self, text: str) -> None:
        self.incoming.put_nowait({"type": "websocket.receive", "text": text})

    async def call(self, op: str, **args: Any) -> Any:
        """Return `ok`, or the error; other frames are kept for `frame`."""
        number = self.send(op, **args)
        others: list[dict[str, Any]] = []
        while True:
            frame = await self.frame()
            if frame.get("id") == number:
                self._held = others + self._held
                return frame.get("ok", frame.get("error"))
            others.append(frame)

    async def closed(self) -> int:
        while (message := await self.message())["type"] != "websocket.close":
            pass
        return message["code"]

    async def leave(self) -> None:
        self.incoming.put_nowait({"type": "websocket.disconnect", "code": 1000})
        with anyio.fail_after(120):
            await self.task


Open = Callable[..., Any]


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[App]:
    tokens = ",".join(f"{role}:{token}" for role, token in TOKENS.items())
    app = create_app(
        load({"ASKBACK_BOOTSTRAP_TOKENS": tokens}, data_dir=tmp_path),
        limits=FEW_SOCKETS,
    )
    async with app.running():
        yield app


@pytest.fixture
async def open_(app: App) -> AsyncIterator[Open]:
    """Open a connection: `await open_("requester")`."""
    sockets: list[Socket] = []

    async def make(
        role: str = "requester",
        *,
        headers: dict[str, str] | None = None,
        subprotocols: list[str] | None = None,
        confirm: Confirm | None = None,
    ) -> Socket:
        chosen_headers = {"Authorization": f"Bearer {TOKENS[role]}"} if headers is None else headers
        socket = Socket(
            app, headers=chosen_headers, subprotocols=subprotocols or ["askback.v1"], confirm=confirm
        )
        sockets.append(socket)
        assert (await socket.message())["type"] == "websocket.accept"
        return socket

    yield make
    for socket in sockets:
        await socket.leave()


def body(thread: str = "t1", **extra: Any) -> dict[str, Any]:
    return {"kind": "form", "thread_id": thread, "form": FORM, **extra}
