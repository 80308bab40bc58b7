"""Replies about webhooks that REST and the WebSocket share. None of them has a secret."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from askback.domain.timestamps import rfc3339
from askback.domain.webhooks import RESUME
from askback.ports.webhooks import Delivery, DeliveryState, Webhook


def webhook_shown(webhook: Webhook) -> dict[str, Any]:
    """Return what is shown of a webhook."""
    return {
        "id": webhook.id,
        "url": webhook.url,
        "requester": webhook.requester,
        "events": webhook.events,
        "created_at": rfc3339(webhook.created_at),
        "active": webhook.active,
    }


def delivery_shown(delivery: Delivery) -> dict[str, Any]:
    """Return what is shown of a delivery: when, and what came of each attempt."""
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


def webhooks_text(found: Sequence[Webhook]) -> str:
    """Write all webhooks of a tenant."""
    return json.dumps({"webhooks": [webhook_shown(each) for each in found]}, ensure_ascii=False)


def deliveries_text(found: Sequence[Delivery], cursor: str | None) -> str:
    """Write a page of deliveries."""
    shown = [delivery_shown(each) for each in found]
    return json.dumps({"deliveries": shown, "next_cursor": cursor}, ensure_ascii=False)
