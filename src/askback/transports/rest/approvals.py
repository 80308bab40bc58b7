"""What is done with approvals beyond answering one: use them, report, deal with many at once."""

from __future__ import annotations

from askback.service import batch as batches
from askback.service import consume as consumes
from askback.transports.http import Call, Reply, json_reply, text_reply
from askback.transports.problems import locale_of
from askback.transports.texts import results_text


async def consume(call: Call) -> Reply:
    """`POST /v1/requests/{id}/consume`."""
    body = await call.json()
    return json_reply(await consumes.consume(call.ctx, call.principal, call.path["id"], body))


async def report(call: Call) -> Reply:
    """`POST /v1/requests/{id}/report`."""
    body = await call.json()
    return json_reply(await consumes.report(call.ctx, call.principal, call.path["id"], body))


async def batch(call: Call) -> Reply:
    """`POST /v1/requests/batch`."""
    results = await batches.batch(call.ctx, call.principal, await call.json(), key=call.key)
    return text_reply(results_text(results, locale=locale_of(call.scope)))
