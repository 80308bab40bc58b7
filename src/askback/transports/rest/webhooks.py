"""Webhooks over HTTP, for admins. The reply that makes one is the only one with its secret."""

from __future__ import annotations

import json
from typing import Any

from askback.domain.timestamps import rfc3339
from askback.domain.webhooks import RESUME
from askback.ports.webhooks import Delivery, DeliveryState, Webhook
from askback.service.webhooks import keep, log
from askback.transports.http import Call, Reply, json_reply
from askback.transports.rest import query


async def add(call: Call) -> Reply:
    """`POST /v1/webhooks`."""
    made, secret = await keep.add(call.ctx, call.principal, await call.json())
    return json_reply({**_webhook(made), "secret": secret.reveal()}, status=201)


async def listed(call: Call) -> Reply:
    """`GET /v1/webhooks`."""
    found = await keep.listed(call.ctx, call.principal)
    return json_reply({"webhooks": [_webhook(each) for each in found]})


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
    return json_reply({"deliveries": [_delivery(each) for each in found], "next_cursor": cursor})


async def redeliver(call: Call) -> Reply:
    """`POST /v1/webhooks/{id}/redeliver`."""
    again = await log.redeliver(call.ctx, call.principal, call.path["id"], await call.json())
    return json_reply(_delivery(again))


def _webhook(webhook: Webhook) -> dict[str, Any]:
    return {
        "id": webhook.id,
        "url": webhook.url,
        "requester": webhook.requester,
        "events": webhook.events,
        "created_at": rfc3339(webhook.created_at),
        "active": webhook.active,
    }


def _delivery(delivery: Delivery) -> dict[str, Any]:
    waits = delivery.state is DeliveryState.WAITING
    return {
        "id": delivery.id,
        "type": delivery.type,
        "message_id": delivery.subject if delivery.type == RESUME else delivery.id,
        "state": delivery.state,
        "since": rfc3339(delivery.since),
        "next_at": rfc3339(delivery.next_at) if waits else None,
        "attempts": json.loads(delivery.log),
    }
