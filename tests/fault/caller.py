"""HTTP calls to servers that get killed: each is sent until it is answered, and acknowledged calls are repeated."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import anyio
import httpx2

from tests.fault.ledger import Ledger

ANSWERS_WITHIN_S = 120
HTTP_UNAVAILABLE = 503
SAME = ("id", "answered", "requester")
"""The members in which a replay equals the first reply; other members of a request may have changed."""


class Found(Exception):
    """A promise was broken, and is in the ledger: later checks would prove nothing."""


@dataclass(frozen=True)
class Reply:
    """A server's reply."""

    status: int
    body: Any


@dataclass(frozen=True)
class KeyedCall:
    """A call with a key that was answered with 2xx."""

    token: str
    path: str
    body: dict[str, Any]
    key: str
    reply: Reply

    @property
    def reply_body(self) -> Any:
        """The acknowledged reply."""
        return self.reply.body


class Caller:
    """Calls any of the servers, and remembers acknowledged calls with a key."""

    def __init__(self, urls: Sequence[str], ledger: Ledger) -> None:
        self.acknowledged: list[KeyedCall] = []
        self._urls = itertools.cycle(urls)
        self._ledger = ledger
        self.http = httpx2.AsyncClient(
            timeout=5, limits=httpx2.Limits(max_connections=None, max_keepalive_connections=None)
        )

    async def close(self) -> None:
        """Close the connections."""
        await self.http.aclose()

    def url(self) -> str:
        """The next server."""
        return next(self._urls)

    def broken(self, invariant: str, how: str) -> Found:
        """Record a broken promise; raise the returned error."""
        self._ledger.broken(invariant, how)
        return Found(how)

    def expect(self, is_so: bool, invariant: str, how: str) -> None:
        """Record a broken promise, and raise `Found`, unless the condition is true."""
        if not is_so:
            raise self.broken(invariant, how)

    async def send(
        self, token: str, method: str, path: str, body: Any = None, *, key: str | None = None
    ) -> Reply:
        """Send until a server answers, which it has to do within `ANSWERS_WITHIN_S` of the last trouble."""
        headers = {"Authorization": f"Bearer {token}"} | ({"Idempotency-Key": key} if key else {})
        started_at = time.monotonic()
        while time.monotonic() - max(started_at, self._ledger.quiet_since) < ANSWERS_WITHIN_S:
            try:
                sent = await self.http.request(method, self.url() + path, json=body, headers=headers)
            except httpx2.HTTPError:
                await anyio.sleep(0.02)
                continue
            if sent.status_code != HTTP_UNAVAILABLE:
                return Reply(sent.status_code, sent.json() if sent.content else {})
            await anyio.sleep(0.02)
        raise self.broken("I5", f"{method} {path} was not answered for {ANSWERS_WITHIN_S} seconds")

    async def read(self, token: str, path: str) -> Any:
        """Read something that must exist."""
        reply = await self.send(token, "GET", path)
        self.expect(reply.status == 200, "I1", f"{path} was read with {reply.status}: {reply.body}")
        return reply.body

    async def post(self, token: str, path: str, body: dict[str, Any], *, key: str) -> KeyedCall:
        """Make a call that must be accepted, and repeat it at once."""
        reply = await self.send(token, "POST", path, body, key=key)
        self.expect(
            reply.status in (200, 201),
            "I2",
            f"{path} was refused with {reply.status}: {str(reply.body)[:300]}",
        )
        call = KeyedCall(token, path, body, key, reply)
        self.acknowledged.append(call)
        await self.repeat(call)
        return call

    async def repeat(self, call: KeyedCall) -> None:
        """Send an acknowledged call again: it must get the same answer, regardless of later changes."""
        reply = await self.send(call.token, "POST", call.path, call.body, key=call.key)
        same = reply.status in (200, 201) and all(reply.body.get(n) == call.reply.body.get(n) for n in SAME)
        self.expect(
            same, "I10", f"{call.path} with the key {call.key} is now {reply.status}: {str(reply.body)[:300]}"
        )

    async def repeat_everything(self) -> None:
        """Send all acknowledged calls again."""
        for call in tuple(self.acknowledged):
            await self.repeat(call)
