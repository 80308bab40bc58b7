"""Exchange frames with an ASGI app in the same process: the same protocol, without a socket."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any, ClassVar
from urllib.parse import unquote

from askback.client.transport import (
    BytesReply,
    FrameStream,
    Reply,
    Via,
    close_error,
    credentials,
    json_headers,
    without_traceback,
)
from askback.domain.secrets.secret import Secret
from askback.errors import AskbackError
from askback.wire.websocket import SUBPROTOCOL

Message = MutableMapping[str, Any]
ASGIApp = Callable[
    [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]
]
_ABNORMAL_CLOSURE = 1006


def _scope(kind: str, path: str, *, token: str, via: Via) -> Message:
    """Return the ASGI scope of a connection from this process; `path` is in ASCII and may have a query."""
    path, _, query = path.partition("?")
    headers = [(b"host", b"127.0.0.1")]
    headers += [(name.lower().encode(), value.encode()) for name, value in credentials(token, via).items()]
    return {
        "type": kind,
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": headers,
        "client": None,
        "server": None,
        "state": {},
    }


class AppFailed(AskbackError):
    """The app in this process could not start; the message says why."""


class AppTransport:
    """Connects to an app, which runs for as long as it has clients."""

    address = "the app in this process"

    def __init__(self, app: Any, token: str | None, *, via: Via = "api") -> None:
        self.app: ASGIApp = app
        self._token = token
        self._via: Via = via
        self._lifespan: Lifespan | None = None
        self._entering = asyncio.Lock()

    async def token(self) -> str:
        """Start the app unless it runs, and return the token; raises `AppFailed`."""
        async with self._entering:
            if self._lifespan is None:
                lifespan = Lifespan.of(self.app)
                await lifespan.enter()
                self._lifespan = lifespan
        return self._token or await self._lifespan.token()

    async def frames(self) -> FrameStream:
        """Open the WebSocket of the app."""
        frames = AppFrames(self.app, await self.token(), via=self._via)
        await frames.open()
        return frames

    async def request(
        self, method: str, path: str, body: Secret | None = None, *, key: str | None = None
    ) -> Reply:
        """Send one HTTP request with a JSON body, which is passed to the app directly."""
        scope = _scope("http", path, token=await self.token(), via=self._via)
        scope["method"], scope["scheme"] = method, "http"
        scope["headers"] += [
            (name.encode(), value.encode()) for name, value in json_headers(body, key).items()
        ]
        exchange = Exchange(body)
        await without_traceback(self.app(scope, exchange.receive, exchange.send))
        return exchange.reply()

    async def exchange(self, method: str, path: str, body: bytes | None = None) -> BytesReply:
        """Send one HTTP request whose body and reply are bytes."""
        scope = _scope("http", path, token=await self.token(), via=self._via)
        scope["method"], scope["scheme"] = method, "http"
        exchange = Exchange(body)
        await without_traceback(self.app(scope, exchange.receive, exchange.send))
        return exchange.bytes_reply()

    async def close(self) -> None:
        """Stop the app when this was its last client."""
        lifespan, self._lifespan = self._lifespan, None
        if lifespan is not None:
            await lifespan.leave()


class AppFrames:
    """One WebSocket of an app: two queues and the task that runs it."""

    def __init__(self, app: ASGIApp, token: str, *, via: Via) -> None:
        self._incoming: asyncio.Queue[Message] = asyncio.Queue()
        self._outgoing: asyncio.Queue[Message] = asyncio.Queue()
        scope = _scope("websocket", "/v1/ws", token=token, via=via)
        scope["scheme"], scope["subprotocols"] = "ws", [SUBPROTOCOL]
        self._task = asyncio.create_task(self._run(app, scope))

    async def open(self) -> None:
        """Wait until the app accepts."""
        self._incoming.put_nowait({"type": "websocket.connect"})
        message = await self._outgoing.get()
        if message["type"] != "websocket.accept":
            await self.close()
            raise close_error(message.get("code", _ABNORMAL_CLOSURE))

    async def send(self, text: str) -> None:
        """Send a frame; when the app has ended the connection, `receive` says why."""
        self._incoming.put_nowait({"type": "websocket.receive", "text": text})

    async def receive(self) -> str:
        """Return the next frame."""
        message = await self._outgoing.get()
        if message["type"] == "websocket.send":
            return message["text"]
        raise close_error(message.get("code", _ABNORMAL_CLOSURE), message.get("reason") or "")

    async def close(self) -> None:
        """Tell the app that the client has disconnected, and wait until it has noticed."""
        self._incoming.put_nowait({"type": "websocket.disconnect", "code": 1000})
        with suppress(Exception):
            await self._task

    async def _run(self, app: ASGIApp, scope: Message) -> None:
        async def send(message: Message) -> None:
            self._outgoing.put_nowait(message)

        try:
            await app(scope, self._incoming.get, send)
        finally:
            self._outgoing.put_nowait({"type": "websocket.close", "code": _ABNORMAL_CLOSURE})


class Exchange:
    """One request to an app and its response, as the app receives and sends them."""

    __slots__ = ("_body", "_content", "_headers", "_received", "_status")

    def __init__(self, body: Secret | bytes | None) -> None:
        self._body = body
        self._received = False
        self._status = 500
        self._headers: dict[bytes, bytes] = {}
        self._content = bytearray()

    async def receive(self) -> Message:
        """Return the body, once; nothing follows it."""
        if self._received:
            await asyncio.Event().wait()
        self._received = True
        body = self._body.reveal().encode() if isinstance(self._body, Secret) else self._body or b""
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, message: Message) -> None:
        """Take the head or a piece of the response."""
        if message["type"] == "http.response.start":
            self._status = message["status"]
            self._headers = dict(message["headers"])
        elif message["type"] == "http.response.body":
            self._content += message.get("body", b"")

    def reply(self) -> Reply:
        """Return the response."""
        reply = self.bytes_reply()
        return Reply(reply.status, reply.retry_after, Secret(reply.body.decode("utf-8", "replace")))

    def bytes_reply(self) -> BytesReply:
        """Return the response with its body as bytes."""
        retry_after = self._headers.get(b"retry-after")
        retry_after_text = None if retry_after is None else retry_after.decode("latin-1")
        return BytesReply(self._status, retry_after_text, bytes(self._content))


class Lifespan:
    """The lifespan of one app, shared by all its clients in one event loop."""

    _by_app: ClassVar[dict[Any, Lifespan]] = {}

    def __init__(self, app: Any) -> None:
        self._app = app
        self.loop = asyncio.get_running_loop()
        self._users = 0
        self._startup: asyncio.Task[None] | None = None
        self._received: asyncio.Queue[Message] = asyncio.Queue()
        self._sent_messages: asyncio.Queue[Message] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self._token: str | None = None

    @classmethod
    def of(cls, app: Any) -> Lifespan:
        """Return the lifespan of an app, a new one after it has ended; raises `AppFailed` in another event loop."""
        lifespan = cls._by_app.setdefault(app, cls(app))
        if lifespan.loop is not asyncio.get_running_loop():
            raise AppFailed(
                "The app was started in another event loop. Share one client, or give each client an app of its own."
            )
        return lifespan

    async def enter(self) -> None:
        """Start the app for its first user.

        The start continues when a user stops waiting for it; the next user gets its result.
        """
        if self._startup is None:
            self._task = asyncio.create_task(self._run())
            self._startup = asyncio.create_task(self._step("startup"))
        await asyncio.shield(self._startup)
        self._users += 1

    async def leave(self) -> None:
        """Stop the app after its last user."""
        self._users -= 1
        if self._users == 0 and self._task is not None:
            self._by_app.pop(self._app, None)
            await self._step("shutdown")
            await self._task

    async def token(self) -> str:
        """Return a requester's token that the app makes for its own process."""
        new_token: str = self._token or await self._app.token("requester")
        self._token = new_token
        return new_token

    async def _step(self, name: str) -> None:
        self._received.put_nowait({"type": f"lifespan.{name}"})
        message = await self._sent_messages.get()
        if message["type"].endswith("failed"):
            self._by_app.pop(self._app, None)
            raise AppFailed(f"The app failed at {name}: {message.get('message') or 'see the log'}")

    async def _run(self) -> None:
        async def send(message: Message) -> None:
            self._sent_messages.put_nowait(message)

        try:
            await self._app(
                {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}, self._received.get, send
            )
        except BaseException as error:
            self._sent_messages.put_nowait({"type": "lifespan.failed", "message": str(error)})
            if not isinstance(error, Exception):  # the client that starts the app raises the others
                raise


class RunningApp:
    """An app that runs already: clients of it neither start nor end it."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one connection; the app's lifespan is managed elsewhere."""
        if scope["type"] != "lifespan":
            await self._app(scope, receive, send)
            return
        for _ in ("startup", "shutdown"):
            message = await receive()
            await send({"type": f"{message['type']}.complete"})
