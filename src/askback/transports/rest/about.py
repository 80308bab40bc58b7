"""What the server says of itself: its limits, its health, its API."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

from askback.transports.endpoint import Handler
from askback.transports.http import Call, Reply, json_reply, text_reply


async def limits(call: Call) -> Reply:
    """`GET /v1/limits`: every size and count that is enforced here."""
    return json_reply(asdict(call.ctx.limits))


async def health(call: Call) -> Reply:
    """`GET /healthz`: 200 while the store can be read."""
    await call.ctx.store.next_deadline()
    return json_reply({"status": "ok"})


def openapi(document: Callable[[], str]) -> Handler:
    """Return the handler of `GET /openapi.json`; the text is made at the first call."""

    async def describe(_call: Call) -> Reply:
        return text_reply(document())

    return describe
