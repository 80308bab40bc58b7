"""Carry secret values in single HTTP calls, apart from the connection for everything else.

A frame is kept until it is answered, may be sent again, and is logged by whoever debugs a connection; what holds a
value must not be. Here both bodies are a `Secret`, no call outlives the one who made it, and no error says or holds
on to what was in one.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from askback.client.channel import Lost
from askback.client.refusals import refused_reply
from askback.domain.secrets.secret import Secret
from askback.errors import AskbackError, ConnectionLost, Unavailable

FIRST_PAUSE_S = 0.05
LONGEST_PAUSE_S = 2.0

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: the status, the seconds of `Retry-After`, and the body."""

    status: int
    retry_after: str | None
    body: Secret


class Road(Protocol):
    """Carries one body to a server and one back."""

    @property
    def where(self) -> str:
        """Where the server is, for messages."""
        ...

    async def post(self, path: str, body: Secret, *, key: str | None = None) -> Reply:
        """Post a JSON text; `key` is an idempotency key. Raises `Lost`."""
        ...

    async def close(self) -> None:
        """Free what the calls shared."""
        ...


async def carry(road: Road, path: str, body: Secret, *, retry_for: float, key: str | None = None) -> Secret:
    """Post a body, and again for `retry_for` seconds without a server that can deal with it; return that of the reply.

    Raises a `Refused`, or `ConnectionLost`.
    """
    loop = asyncio.get_running_loop()
    until, pause = loop.time() + retry_for, FIRST_PAUSE_S
    while True:
        failure: AskbackError
        try:
            reply = await road.post(path, body, key=key)
        except Lost as lost:
            failure = ConnectionLost(
                f"No askback server answers at {road.where} ({lost}). Start one with `askback serve`."
            )
            rest = pause
        else:
            if 200 <= reply.status < 300:
                return reply.body
            failure = refused_reply(reply.status, reply.body.reveal(), retry_after=reply.retry_after)
            if not isinstance(failure, Unavailable):
                raise failure
            rest = max(pause, failure.retry_after or 0.0)
        if loop.time() + rest > until:
            raise failure
        await asyncio.sleep(rest * random.uniform(1.0, 1.5))  # noqa: S311 - jitter, not a secret
        pause = min(pause * 2, LONGEST_PAUSE_S)


def packed(content: Mapping[str, Any]) -> Secret | None:
    """Write a body, with each `Secret` in it as its text; None when it is not what JSON can hold."""
    # No exception leaves this function: its variables hold the values.
    try:
        return Secret(json.dumps(content, default=_revealed))
    except (TypeError, ValueError, RecursionError):
        return None


def sealed(value: object) -> Secret | None:
    """Return a value as a `Secret`; None, which the server refuses, for what is no text or has half a character."""
    # No exception leaves this function: its variables hold the value.
    try:
        return value if isinstance(value, Secret) else Secret(value) if isinstance(value, str) else None
    except ValueError:
        return None


async def quietly(work: Awaitable[T]) -> T:
    """Await a call, and let what fails go without the frames it came through: their variables hold what was sent.

    Whatever it was, another attempt may go better, so it is a `Lost`.
    """
    failure: BaseException
    try:
        return await work
    except asyncio.CancelledError as cancelled:
        failure = asyncio.CancelledError(*cancelled.args)
    except Exception as failed:  # noqa: BLE001 - any of them would hold on to the body
        failure = Lost(str(failed) or type(failed).__name__)
    raise failure


def _revealed(value: object) -> str:
    if not isinstance(value, Secret):
        raise TypeError
    return value.reveal()
