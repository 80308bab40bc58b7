"""The operations on webhooks."""

from __future__ import annotations

from askback.domain.webhooks import EVENTS, RedeliverBody, SwitchBody, WebhookBody
from askback.ports.webhooks import DeliveryState
from askback.transports.endpoint import Operation, Query
from askback.transports.rest import webhooks
from askback.transports.rest.shapes import INTEGER, NAME_OR_NULL, TEXT, shape

_ADMIN = ("admin",)
_EVENT = {"type": "string", "enum": list(EVENTS)}
_WEBHOOK = {
    "id": TEXT,
    "url": TEXT,
    "requester": NAME_OR_NULL,
    "events": {"type": "array", "items": _EVENT},
    "created_at": TEXT,
    "active": {"type": "boolean"},
}
_ATTEMPT = shape(at=TEXT, status={"type": ["integer", "null"]}, duration_ms=INTEGER, error=NAME_OR_NULL)
_DELIVERY = shape(
    id=TEXT,
    type=_EVENT,
    message_id=TEXT,
    state={"type": "string", "enum": [state.value for state in DeliveryState]},
    since=TEXT,
    next_at=NAME_OR_NULL,
    attempts={"type": "array", "items": _ATTEMPT},
)

WEBHOOKS = (
    Operation(
        "GET",
        "/v1/webhooks",
        webhooks.listed,
        "list_webhooks",
        "List the webhooks.",
        {200: shape(webhooks={"type": "array", "items": shape(**_WEBHOOK)})},
        roles=_ADMIN,
    ),
    Operation(
        "POST",
        "/v1/webhooks",
        webhooks.add,
        "add_webhook",
        "Create a webhook; its secret is shown once.",
        {201: shape(**_WEBHOOK, secret=TEXT)},
        body=WebhookBody,
        roles=_ADMIN,
    ),
    Operation(
        "PATCH",
        "/v1/webhooks/{id}",
        webhooks.switch,
        "switch_webhook",
        "Turn a webhook on or off.",
        {200: shape(**_WEBHOOK)},
        body=SwitchBody,
        roles=_ADMIN,
    ),
    Operation(
        "DELETE",
        "/v1/webhooks/{id}",
        webhooks.remove,
        "remove_webhook",
        "Remove a webhook and its log.",
        {204: None},
        roles=_ADMIN,
    ),
    Operation(
        "GET",
        "/v1/webhooks/{id}/deliveries",
        webhooks.deliveries,
        "list_deliveries",
        "List deliveries, newest first.",
        {200: shape(deliveries={"type": "array", "items": _DELIVERY}, next_cursor=NAME_OR_NULL)},
        query=(
            Query("limit", {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}, "Page size."),
            Query("cursor", TEXT, "`next_cursor` of the previous page."),
        ),
        roles=_ADMIN,
    ),
    Operation(
        "POST",
        "/v1/webhooks/{id}/redeliver",
        webhooks.redeliver,
        "redeliver",
        "Send a delivery or a resume again.",
        {200: _DELIVERY},
        body=RedeliverBody,
        roles=_ADMIN,
    ),
)
