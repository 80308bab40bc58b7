"""The transcript over HTTP."""

from __future__ import annotations

from askback.ports.outcome import Outcome
from askback.service import archive, erasure, export, messages, thread, threadaccess
from askback.transports.http import Call, Reply, json_reply, text_reply
from askback.transports.rest.requests import REPLAYED


async def post(call: Call) -> Reply:
    """`POST /v1/threads/{id}/messages`: 201 for a message, also when it comes again, 200 for text appended."""
    body = await call.json()
    made, outcome = await messages.post(call.ctx, call.principal, call.path["id"], body, key=call.key)
    headers = (REPLAYED,) if outcome is Outcome.REPLAYED else ()
    return json_reply(made, status=201 if made else 200, headers=headers)


async def read(call: Call) -> Reply:
    """`GET /v1/threads/{id}`."""
    return text_reply(await thread.read(call.ctx, call.principal, call.path["id"]))


async def show_access(call: Call) -> Reply:
    """`GET /v1/threads/{id}/access`."""
    return json_reply((await threadaccess.show(call.ctx, call.principal, call.path["id"])).shown)


async def share(call: Call) -> Reply:
    """`PUT /v1/threads/{id}/access`."""
    body = await call.json()
    return json_reply((await threadaccess.share(call.ctx, call.principal, call.path["id"], body)).shown)


async def put_away(call: Call) -> Reply:
    """`POST /v1/threads/{id}/archive`."""
    return json_reply(await archive.archive(call.ctx, call.principal, call.path["id"]))


async def take_out(call: Call) -> Reply:
    """`POST /v1/threads/{id}/unarchive`."""
    return json_reply(await archive.unarchive(call.ctx, call.principal, call.path["id"]))


async def write_out(call: Call) -> Reply:
    """`GET /v1/threads/{id}/export`."""
    return text_reply(await export.export(call.ctx, call.principal, call.path["id"]))


async def erase(call: Call) -> Reply:
    """`DELETE /v1/threads/{id}`."""
    await erasure.erase(call.ctx, call.principal, call.path["id"])
    return Reply(204)
