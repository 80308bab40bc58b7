"""Manage webhooks as an admin: create, list, turn on and off, remove, and list deliveries."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_core import from_json

from askback.client.frames import frame
from askback.client.methods import method
from askback.client.resources.base import Page, Resource, id_of
from askback.client.secret_body import encode_body
from askback.domain.model import without_none
from askback.domain.webhooks import WebhookEvent, decode_secret, sign, signature_matches
from askback.errors import BadSignature
from askback.wire.replies import Attempt, Delivery, NewWebhook, Webhook


class Webhooks(Resource):
    """`client.webhooks`: URLs that receive events, for admins."""

    @method
    async def create(
        self, url: str, *, events: Sequence[WebhookEvent] = ("resume",), requester: str | None = None
    ) -> NewWebhook:
        """Create a webhook, which receives events from now on; with `requester` only events of that agent, by id.

        Raises `Invalid` for a URL in a private network, and `Conflict` when the server stores no secrets.
        """
        body = {"url": url, "events": list(events), **without_none(requester=requester)}
        reply = await self._post("/v1/webhooks", encode_body(body))
        return NewWebhook.model_validate(from_json(reply.reveal()))

    @method
    async def list(self) -> Sequence[Webhook]:
        """Read all webhooks, oldest first."""
        reply = await self._call(frame("list_webhooks"))
        return [Webhook.model_validate(webhook) for webhook in reply["webhooks"]]

    @method
    async def update(self, webhook: Webhook | str, *, active: bool) -> Webhook:
        """Turn a webhook off, or on again; it then receives the events it missed. Raises `NotFound`."""
        body = {"active": active}
        return Webhook.model_validate(
            await self._call(frame("update_webhook", webhook_id=id_of(webhook), body=body))
        )

    @method
    async def delete(self, webhook: Webhook | str) -> None:
        """Delete a webhook and its deliveries. Raises `NotFound`."""
        await self._call(frame("delete_webhook", webhook_id=id_of(webhook)))

    @method
    async def test(self, webhook: Webhook | str) -> Attempt:
        """Send one message of the type `test` now, and return the response. Raises `NotFound`."""
        return Attempt.model_validate(await self._call(frame("test_webhook", webhook_id=id_of(webhook))))

    @method
    async def deliveries(
        self, webhook: Webhook | str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Delivery]:
        """Read a page of a webhook's deliveries, newest first."""
        reply = await self._call(
            frame("list_deliveries", webhook_id=id_of(webhook), limit=limit, cursor=cursor)
        )
        return Page([Delivery.model_validate(d) for d in reply["deliveries"]], reply["next_cursor"])

    @method
    async def redeliver(
        self, webhook: Webhook | str, *, delivery: str | None = None, resume: str | None = None
    ) -> Delivery:
        """Send a delivery, or a resume, again: one of the two, by its id. Raises `NotFound` and `Conflict`."""
        body = without_none(delivery=delivery, resume=resume)
        return Delivery.model_validate(
            await self._call(frame("redeliver", webhook_id=id_of(webhook), body=body))
        )


TOLERANCE_S = 300
"""How far the time of a message may be from ours: an old one that was recorded is not taken again."""


def verify_webhook(
    body: bytes | str, headers: Mapping[str, str], secret: str, *, now: float | None = None
) -> dict[str, Any]:
    """Return the message of a webhook: `type`, `timestamp` and `data`. Raises `BadSignature` for any other body.

    `body` is the unchanged body, `headers` are its headers, in any case, and `secret` is the webhook's secret
    (`whsec_…`), which the server showed when it was created. `now` is in seconds since the epoch, by default
    the current time. The same `webhook-id` may arrive again: act on it once.
    """
    key = decode_secret(secret)
    if key is None:
        raise ValueError("The secret of a webhook is whsec_ and base64.")
    lowercase_headers = {name.lower(): value for name, value in headers.items()}
    message_id, stamp, signatures = (
        lowercase_headers.get(f"webhook-{part}") for part in ("id", "timestamp", "signature")
    )
    if not message_id or not stamp or not signatures:
        raise BadSignature("A header is missing: webhook-id, webhook-timestamp or webhook-signature.")
    if not (stamp.isascii() and stamp.isdecimal() and len(stamp) <= 12):
        raise BadSignature("webhook-timestamp is not a time.")
    body_bytes = body.encode() if isinstance(body, str) else body
    if not signature_matches(
        signatures, sign(key, message_id=message_id, timestamp=int(stamp), body=body_bytes)
    ):
        raise BadSignature("No signature fits this body and secret.")
    if abs((time.time() if now is None else now) - int(stamp)) > TOLERANCE_S:
        raise BadSignature("The message is more than five minutes old, or from the future.")
    return json.loads(body_bytes)
