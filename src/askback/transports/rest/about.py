"""What the server says of itself: its limits, its health, its API."""

from __future__ import annotations

from collections.abc import Callable

from askback.service import quotas
from askback.transports.endpoint import Handler
from askback.transports.http import Call, Reply, json_reply, text_reply
from askback.transports.rest import query


async def limits(call: Call) -> Reply:
    """`GET /v1/limits`: every size and count that is enforced here, and with `thread_id` what is left of it there."""
    return json_reply(await quotas.show(call.ctx, call.principal, query.text(call, "thread_id")))


async def reset_limits(call: Call) -> Reply:
    """`POST /v1/limits/reset`."""
    return json_reply(await quotas.reset(call.ctx, call.principal, await call.json()))


async def health(call: Call) -> Reply:
    """`GET /healthz`: 200 while the store can be read."""
    await call.ctx.store.next_deadline()
    return json_reply({"status": "ok"})


def openapi(document: Callable[[], str]) -> Handler:
    """Return the handler of `GET /openapi.json`; the text is made at the first call."""

    async def describe(_call: Call) -> Reply:
        return text_reply(document())

    return describe
