"""What every HTTP handler is given and gives back: a call, a reply, and bodies with a size cap."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from typing import Any
from urllib.parse import parse_qs

import anyio

from askback.domain import jsontext
from askback.domain.secrets.unread import Unread
from askback.errors import TooLarge
from askback.ports.store import Principal, Session
from askback.service.context import Services

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = Sequence[tuple[bytes, bytes]]

DRAIN_BYTES = 64 * 1024 * 1024
DRAIN_S = 10.0
"""How much of a body that is too large is read and dropped, and for how long."""

JSON: tuple[bytes, bytes] = (b"content-type", b"application/json")


class ClientGone(Exception):
    """The client left before the answer was there; nobody is told."""


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Identity:
    """Who is calling; `session` is there when a browser's cookie said so."""

    principal: Principal
    session: Session | None = None


@dataclass(frozen=True)
class Call:
    """One HTTP request, as a handler sees it; `identity` is None on public routes."""

    ctx: Services
    scope: Scope
    receive: Receive
    identity: Identity | None = None
    path: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def principal(self) -> Principal:
        """The caller; only for routes that are not public."""
        assert self.identity is not None
        return self.identity.principal

    @property
    def key(self) -> str | None:
        """The `Idempotency-Key`."""
        return header(self.scope, b"idempotency-key")

    @cached_property
    def query(self) -> Mapping[str, list[str]]:
        """The query's values by name."""
        raw = self.scope.get("query_string", b"")
        return parse_qs(raw.decode("latin-1"), keep_blank_values=True) if raw else {}

    async def json(self) -> object:
        """Read the body and parse it; raises `TooLarge`, `Faults`, `ClientGone`."""
        body = await self.body()
        return body.read(lambda text: jsontext.parse(text, limits=self.ctx.limits))

    async def body(self) -> Unread:
        """Read the body and do not look into it; raises `TooLarge`, `ClientGone`."""
        return await read_body(self.scope, self.receive, limit=self.ctx.limits.body_bytes)


def json_reply(value: object, *, status: int = 200, headers: Headers = ()) -> Reply:
    """Encode a small value as JSON."""
    return text_reply(
        json.dumps(value, separators=(",", ":"), ensure_ascii=False), status=status, headers=headers
    )


def text_reply(text: str, *, status: int = 200, headers: Headers = ()) -> Reply:
    """Send JSON that is text already, as stored requests are."""
    # Text that came in as \ud800 was refused, so encoding cannot fail on a lone surrogate.
    return Reply(status, text.encode(), (JSON, *headers))


def header(scope: Scope, name: bytes) -> str | None:
    """Return the first header of that (lower case) name."""
    for key, value in scope["headers"]:
        if key == name:
            return value.decode("latin-1")
    return None


async def read_body(scope: Scope, receive: Receive, *, limit: int) -> Unread:
    """Return the body; raises `TooLarge` for one of more than `limit` bytes.

    Of such a body the rest is read and dropped, up to `DRAIN_BYTES`: a client that writes all of it before it reads
    would find its connection reset and never see the reply.
    """
    declared = header(scope, b"content-length")
    if declared is not None and declared.isdecimal() and int(declared[:20]) > limit:
        if int(declared[:20]) <= DRAIN_BYTES:
            await _drain(receive)
        raise _too_large(limit)
    # Whatever goes wrong here, no variable shows the bytes: not even the repr of this.
    body, more = BytesIO(), True
    while more and body.tell() <= limit:
        more = await _take(receive, body)
    if body.tell() > limit:
        if more:
            await _drain(receive)
        raise _too_large(limit)
    return Unread(body.getvalue())


async def _drain(receive: Receive) -> None:
    """Read what is left of a body and keep none of it; gives up at `DRAIN_BYTES` and after `DRAIN_S`."""
    left, more = DRAIN_BYTES, True
    with anyio.move_on_after(DRAIN_S):
        while more and left > 0:
            message = await receive()
            left -= len(message.get("body", b""))
            more = message["type"] == "http.request" and message.get("more_body", False)


async def _take(receive: Receive, body: BytesIO) -> bool:
    """Add what comes next to the body, and tell whether there is more."""
    message = await receive()
    if message["type"] == "http.disconnect":
        raise ClientGone
    body.write(message.get("body", b""))
    return message.get("more_body", False)


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"The body is larger than {limit} bytes.")
