"""Webhooks over HTTP, for admins. The reply that makes one is the only one with its secret."""

from __future__ import annotations

from askback.service.webhooks import keep, log
from askback.transports.http import Call, Reply, json_reply, text_reply
from askback.transports.rest import query
from askback.transports.webhook_texts import deliveries_text, delivery_shown, webhook_shown, webhooks_text


async def add(call: Call) -> Reply:
    """`POST /v1/webhooks`."""
    made, secret = await keep.add(call.ctx, call.principal, await call.json())
    return json_reply({**webhook_shown(made), "secret": secret.reveal()}, status=201)


async def listed(call: Call) -> Reply:
    """`GET /v1/webhooks`."""
    return text_reply(webhooks_text(await keep.listed(call.ctx, call.principal)))


async def switch(call: Call) -> Reply:
    """`PATCH /v1/webhooks/{id}`."""
    switched = await keep.switch(call.ctx, call.principal, call.path["id"], await call.json())
    return json_reply(webhook_shown(switched))


async def remove(call: Call) -> Reply:
    """`DELETE /v1/webhooks/{id}`."""
    await keep.remove(call.ctx, call.principal, call.path["id"])
    return Reply(204)


async def deliveries(call: Call) -> Reply:
    """`GET /v1/webhooks/{id}/deliveries`."""
    found, cursor = await log.page(
        call.ctx,
        call.principal,
        call.path["id"],
        limit=query.integer(call, "limit", minimum=1, maximum=call.ctx.limits.page) or query.PAGE,
        cursor=query.text(call, "cursor"),
    )
    return text_reply(deliveries_text(found, cursor))


async def redeliver(call: Call) -> Reply:
    """`POST /v1/webhooks/{id}/redeliver`."""
    again = await log.redeliver(call.ctx, call.principal, call.path["id"], await call.json())
    return json_reply(delivery_shown(again))
