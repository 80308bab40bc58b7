"""Resumes and webhooks. The reply that creates a webhook is the only one with its secret."""

from __future__ import annotations

import json
from typing import Any

from askback.domain.timestamps import rfc3339
from askback.domain.webhooks import RESUME
from askback.ports.webhooks import Delivery, DeliveryState, Webhook
from askback.service.delivery import resumes
from askback.service.webhooks import deliver, log, manage
from askback.transports import texts
from askback.transports.call import OperationCall, Result, json_result


async def pull_resumes(call: OperationCall) -> Result:
    """Lease pending resumes; with `wait`, wait for the first."""
    leases = await resumes.pull_resumes(
        call.ctx,
        call.principal,
        thread_id=call.args["thread_id"],
        seconds=call.args["wait"] or 0.0,
        limit=call.args["limit"],
    )
    return Result(texts.resumes_text(leases, call.ctx.texts))


pull_thread_resumes = pull_resumes


async def ack_resume(call: OperationCall) -> Result:
    """Acknowledge a resume."""
    await resumes.ack_resume(call.ctx, call.principal, call.args["resume_id"], call.body)
    return Result()


async def create_webhook(call: OperationCall) -> Result:
    """Create a webhook; its secret is shown once."""
    webhook, secret = await manage.create_webhook(call.ctx, call.principal, call.body)
    return json_result({**_webhook(webhook), "secret": secret.reveal()})


async def list_webhooks(call: OperationCall) -> Result:
    """List the webhooks."""
    return json_result(
        {"webhooks": [_webhook(webhook) for webhook in await manage.list_webhooks(call.ctx, call.principal)]}
    )


async def update_webhook(call: OperationCall) -> Result:
    """Turn a webhook on or off."""
    return json_result(
        _webhook(await manage.update_webhook(call.ctx, call.principal, call.args["webhook_id"], call.body))
    )


async def test_webhook(call: OperationCall) -> Result:
    """Send one message of the type `test` now, and return the response."""
    return json_result(await deliver.test_webhook(call.ctx, call.principal, call.args["webhook_id"]))


async def delete_webhook(call: OperationCall) -> Result:
    """Remove a webhook and its log."""
    await manage.delete_webhook(call.ctx, call.principal, call.args["webhook_id"])
    return Result()


async def list_deliveries(call: OperationCall) -> Result:
    """List deliveries, newest first."""
    webhook_id, limit, cursor = call.args["webhook_id"], call.args["limit"], call.args["cursor"]
    deliveries, next_cursor = await log.list_deliveries(
        call.ctx, call.principal, webhook_id, limit=limit, cursor=cursor
    )
    return json_result(
        {"deliveries": [_delivery(delivery) for delivery in deliveries], "next_cursor": next_cursor}
    )


async def redeliver(call: OperationCall) -> Result:
    """Send a delivery or a resume again."""
    return json_result(
        _delivery(await log.redeliver(call.ctx, call.principal, call.args["webhook_id"], call.body))
    )


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
