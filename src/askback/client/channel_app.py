"""Carry frames to an ASGI app in the same process: the same protocol, without a socket."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from askback.client.channel import SUBPROTOCOL, Channel, Via, closed_by, credentials
from askback.errors import AskbackError

Message = MutableMapping[str, Any]
ASGIApp = Callable[
    [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]
]
_GONE = 1006


def app_scope(kind: str, path: str, *, token: str, via: Via) -> Message:
    """Return what an app is told of a connection from this process; `path` is in ASCII."""
    headers = [(b"host", b"127.0.0.1")]
    headers += [(name.lower().encode(), value.encode()) for name, value in credentials(token, via).items()]
    return {
        "type": kind,
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": headers,
        "client": None,
        "server": None,
        "state": {},
    }


class AppFailed(AskbackError):
    """The app in this process could not start; the message says why."""


class Residence:
    """An app in this process as one client uses it: kept alive, and with a token to use there."""

    where = "the app in this process"

    def __init__(self, app: Any, token: str | None) -> None:
        self.app: ASGIApp = app
        self._token = token
        self._life: Life | None = None
        self._entering = asyncio.Lock()

    async def token(self) -> str:
        """Start the app unless it runs, and return the token; raises `AppFailed`."""
        async with self._entering:
            if self._life is None:
                life = Life.of(self.app)
                await life.enter()
                self._life = life
        return self._token or await self._life.token()

    async def leave(self) -> None:
        """Stop the app when this was its last client."""
        life, self._life = self._life, None
        if life is not None:
            await life.leave()


class AppConnector:
    """Connects to an app."""

    def __init__(self, residence: Residence, *, via: Via = "api") -> None:
        self.where = residence.where
        self._residence = residence
        self._via: Via = via

    async def connect(self) -> Channel:
        """Open the WebSocket of the app."""
        token = await self._residence.token()
        channel = AppChannel(self._residence.app, token, via=self._via)
        await channel.open()
        return channel

    async def close(self) -> None:
        """Leave the app."""
        await self._residence.leave()


class AppChannel:
    """One WebSocket of an app: two queues and the task that runs it."""

    def __init__(self, app: ASGIApp, token: str, *, via: Via) -> None:
        self._incoming: asyncio.Queue[Message] = asyncio.Queue()
        self._outgoing: asyncio.Queue[Message] = asyncio.Queue()
        scope = app_scope("websocket", "/v1/ws", token=token, via=via)
        scope["scheme"], scope["subprotocols"] = "ws", [SUBPROTOCOL]
        self._task = asyncio.create_task(self._run(app, scope))

    async def open(self) -> None:
        """Wait until the app accepts."""
        self._incoming.put_nowait({"type": "websocket.connect"})
        message = await self._outgoing.get()
        if message["type"] != "websocket.accept":
            await self.close()
            raise closed_by(message.get("code", _GONE))

    async def send(self, text: str) -> None:
        """Send a frame; when the app has ended the connection, `receive` says why."""
        self._incoming.put_nowait({"type": "websocket.receive", "text": text})

    async def receive(self) -> str:
        """Return the next frame."""
        message = await self._outgoing.get()
        if message["type"] == "websocket.send":
            return message["text"]
        raise closed_by(message.get("code", _GONE), message.get("reason") or "")

    async def close(self) -> None:
        """Tell the app that this end is gone, and wait until it has noticed."""
        self._incoming.put_nowait({"type": "websocket.disconnect", "code": 1000})
        with suppress(Exception):
            await self._task

    async def _run(self, app: ASGIApp, scope: Message) -> None:
        async def send(message: Message) -> None:
            self._outgoing.put_nowait(message)

        try:
            await app(scope, self._incoming.get, send)
        finally:
            self._outgoing.put_nowait({"type": "websocket.close", "code": _GONE})


class Life:
    """The lifespan of one app, shared by all its clients in one event loop."""

    _all: ClassVar[WeakKeyDictionary[Any, Life]] = WeakKeyDictionary()

    def __init__(self, app: Any) -> None:
        self._app = app
        self._users = 0
        self._starting = asyncio.Lock()
        self._received: asyncio.Queue[Message] = asyncio.Queue()
        self._sent: asyncio.Queue[Message] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self._token: str | None = None

    @classmethod
    def of(cls, app: Any) -> Life:
        """Return the life of an app, a new one after it has ended."""
        return cls._all.setdefault(app, cls(app))

    async def enter(self) -> None:
        """Start the app for its first user."""
        async with self._starting:
            if self._task is None:
                self._task = asyncio.create_task(self._run())
                await self._step("startup")
            self._users += 1

    async def leave(self) -> None:
        """Stop the app after its last user."""
        self._users -= 1
        if self._users == 0 and self._task is not None:
            self._all.pop(self._app, None)
            await self._step("shutdown")
            await self._task

    async def token(self) -> str:
        """Return a requester's token that the app makes for its own process."""
        made: str = self._token or await self._app.token("requester")
        self._token = made
        return made

    async def _step(self, name: str) -> None:
        self._received.put_nowait({"type": f"lifespan.{name}"})
        message = await self._sent.get()
        if message["type"].endswith("failed"):
            self._all.pop(self._app, None)
            raise AppFailed(f"The app failed at {name}: {message.get('message') or 'see the log'}")

    async def _run(self) -> None:
        async def send(message: Message) -> None:
            self._sent.put_nowait(message)

        try:
            await self._app(
                {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}, self._received.get, send
            )
        except Exception as error:  # noqa: BLE001 - told to whoever waits for the start
            self._sent.put_nowait({"type": "lifespan.failed", "message": str(error)})
