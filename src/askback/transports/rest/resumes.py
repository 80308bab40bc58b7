"""Resumes over HTTP: pulled and acknowledged."""

from __future__ import annotations

from askback.service import resumes
from askback.transports.http import Call, Reply, json_reply, text_reply
from askback.transports.rest import query
from askback.transports.rest.requests import MAX_WAIT_S, while_connected
from askback.transports.texts import resumes_text


async def pull(call: Call) -> Reply:
    """`GET /v1/resumes` and `GET /v1/threads/{id}/resumes`, with `?wait=` a long poll."""
    pulling = resumes.pull(
        call.ctx,
        call.principal,
        thread_id=call.path.get("id") or query.text(call, "thread_id"),
        seconds=query.number(call, "wait", minimum=0, maximum=MAX_WAIT_S) or 0.0,
        limit=query.integer(call, "limit", minimum=1, maximum=call.ctx.limits.page) or resumes.PAGE,
    )
    return text_reply(resumes_text(await while_connected(call.receive, pulling), call.ctx.texts))


async def ack(call: Call) -> Reply:
    """`POST /v1/resumes/{id}/ack`."""
    await resumes.ack(call.ctx, call.principal, call.path["id"], await call.json())
    return json_reply({})
