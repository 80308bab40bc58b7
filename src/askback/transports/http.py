"""The parameter and result of every HTTP handler: a call, a reply, and bodies with a size limit."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import field
from io import BytesIO
from typing import Any, TypeVar
from urllib.parse import parse_qs

import anyio

from askback.domain import jsontext
from askback.domain.secrets.secret import RawBody
from askback.domain.values import frozen
from askback.errors import TooLarge
from askback.ports.sessions import Session
from askback.ports.store import Principal
from askback.service.context import Services

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = Sequence[tuple[bytes, bytes]]
_T = TypeVar("_T")

DRAIN_BYTES = 64 * 1024 * 1024
DRAIN_S = 10.0
"""How many bytes of a body that is too large are read and dropped, and for how long."""

END_S = 1.0
"""How long the end of a stream may wait for a reader that does not read."""

JSON: tuple[bytes, bytes] = (b"content-type", b"application/json")


class ClientGone(Exception):
    """The client disconnected before the reply; no error is reported."""


@frozen(slots=True)
class Reply:
    """A whole HTTP response."""

    status: int
    body: bytes = b""
    headers: Headers = ()

    async def send(self, send: Send) -> None:
        """Write it out."""
        length = (b"content-length", b"%d" % len(self.body))
        await send({"type": "http.response.start", "status": self.status, "headers": [length, *self.headers]})
        await send({"type": "http.response.body", "body": self.body})


@frozen(slots=True)
class Identity:
    """The caller; `session` is set for a browser session."""

    principal: Principal
    session: Session | None = None


@frozen()
class HttpCall:
    """One HTTP request; `identity` is None on public routes, `args` are the parameters of the path and the query."""

    ctx: Services
    scope: Scope
    receive: Receive
    identity: Identity | None = None
    args: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def principal(self) -> Principal:
        """The caller; only for routes that are not public."""
        assert self.identity is not None
        return self.identity.principal

    @property
    def key(self) -> str | None:
        """The `Idempotency-Key`."""
        return header(self.scope, b"idempotency-key")

    async def json(self) -> object:
        """Read the body and parse it; raises `TooLarge`, `Faults`, `ClientGone`."""
        body = await self.body()
        return body.read(lambda text: jsontext.parse(text, limits=self.ctx.limits))

    async def body(self) -> RawBody:
        """Read the body without parsing it; raises `TooLarge`, `ClientGone`."""
        return await read_body(self.scope, self.receive, limit=self.ctx.limits.body_bytes)


def query_of(scope: Scope) -> Mapping[str, list[str]]:
    """Return the values of the query by name."""
    raw = scope.get("query_string", b"")
    return parse_qs(raw.decode("latin-1"), keep_blank_values=True) if raw else {}


def json_reply(value: object, *, status: int = 200, headers: Headers = ()) -> Reply:
    """Encode a small value as JSON."""
    return text_reply(
        json.dumps(value, separators=(",", ":"), ensure_ascii=False), status=status, headers=headers
    )


def text_reply(text: str, *, status: int = 200, headers: Headers = ()) -> Reply:
    """Send JSON text, such as a stored request."""
    # Text that came in as \ud800 was refused, so encoding cannot fail on a lone surrogate.
    return Reply(status, text.encode(), (JSON, *headers))


def header(scope: Scope, name: bytes) -> str | None:
    """Return the first header of that (lower case) name."""
    for key, value in scope["headers"]:
        if key == name:
            return value.decode("latin-1")
    return None


def public_url(ctx: Services, scope: Scope) -> str:
    """Return the address of the server that people open: the setting, or else the one of this call."""
    return ctx.public_url or f"{scope['scheme']}://{header(scope, b'host')}"


async def read_body(scope: Scope, receive: Receive, *, limit: int) -> RawBody:
    """Return the body; raises `TooLarge` for one of more than `limit` bytes.

    The rest of such a body is read and dropped, up to `DRAIN_BYTES`: a client that writes all of it before it
    reads would find its connection reset and never see the reply.
    """
    declared_length = declared_size(scope)
    if declared_length is not None and declared_length > limit:
        if declared_length <= DRAIN_BYTES:
            await _drain(receive)
        raise _too_large(limit)
    # No error here shows the bytes: neither variables nor the repr of this.
    body, has_more = BytesIO(), True
    while has_more and body.tell() <= limit:
        has_more = await _read_message(receive, body)
    if body.tell() > limit:
        if has_more:
            await _drain(receive)
        raise _too_large(limit)
    return RawBody(body.getvalue())


def replay(body: bytes, receive: Receive) -> Receive:
    """Return a `Receive` that gives a body that was read before, and then what the client does."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return messages.pop() if messages else await receive()

    return receive_again


def declared_size(scope: Scope) -> int | None:
    """Return the declared length of the body, if any."""
    length_header = header(scope, b"content-length")
    return int(length_header[:20]) if length_header is not None and length_header.isdecimal() else None


class BodyReader:
    """A body of any length, which is read as it arrives."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._has_more = True

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        """Yield its pieces; raises `ClientGone`."""
        while self._has_more:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            self._has_more = message.get("more_body", False)
            yield message.get("body", b"")

    async def drain(self) -> None:
        """Drop the rest: a client that is still writing would never see the reply."""
        if self._has_more:
            await _drain(self._receive)


async def _drain(receive: Receive) -> None:
    """Read and drop the rest of a body, up to `DRAIN_BYTES` and for `DRAIN_S`."""
    remaining_bytes, has_more = DRAIN_BYTES, True
    with anyio.move_on_after(DRAIN_S):
        while has_more and remaining_bytes > 0:
            message = await receive()
            remaining_bytes -= len(message.get("body", b""))
            has_more = message["type"] == "http.request" and message.get("more_body", False)


async def _read_message(receive: Receive, body: BytesIO) -> bool:
    """Add the next piece to the body, and return whether there is more."""
    message = await receive()
    if message["type"] == "http.disconnect":
        raise ClientGone
    body.write(message.get("body", b""))
    return message.get("more_body", False)


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"The body is larger than {limit} bytes.")


async def send_end(send: Send) -> None:
    """End a stream as a complete reply; a reader that reads nothing gets no end."""
    with suppress(TimeoutError):
        async with asyncio.timeout(END_S):
            await send({"type": "http.response.body", "body": b""})


async def while_connected(receive: Receive, work: Awaitable[_T], *ends: Awaitable[object]) -> _T:
    """Run `work` until the client disconnects or one of `ends` occurs; raises `ClientGone` then."""
    working = asyncio.ensure_future(work)
    end_tasks = [asyncio.ensure_future(item) for item in (_disconnect(receive), *ends)]
    try:
        await asyncio.wait({working, *end_tasks}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientGone
        return working.result()
    finally:
        for task in (working, *end_tasks):
            task.cancel()


async def _disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue
