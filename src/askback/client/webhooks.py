"""Manage webhooks as an admin: create, list, turn on and off, remove, and list deliveries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import PlainValidator
from pydantic_core import from_json

from askback.client.connection import Connection
from askback.client.operations import frame, known
from askback.client.records import Read
from askback.client.road import packed
from askback.domain.secrets.secret import Secret
from askback.domain.webhooks import WebhookEvent


class Webhook(Read):
    """An address that receives `events`. One that is not `active` was turned off by its receiver or an admin."""

    id: str
    url: str
    requester: str | None = None
    events: list[str]
    created_at: datetime
    active: bool


class NewWebhook(Webhook):
    """A webhook just made, with the `secret` that its receiver checks messages with: nothing gives it again."""

    secret: Annotated[Secret, PlainValidator(Secret)]


class Attempt(Read):
    """One attempt to deliver: the `status` that was answered, or a short `error`."""

    at: datetime
    status: int | None = None
    duration_ms: int
    error: str | None = None


class Delivery(Read):
    """One message to a webhook; its receiver knows it as `message_id`."""

    id: str
    type: str
    message_id: str
    state: Literal["waiting", "delivered", "dead", "obsolete"]
    since: datetime
    next_at: datetime | None = None
    attempts: list[Attempt]


@dataclass(frozen=True, slots=True)
class DeliveryPage:
    """Some deliveries, newest first; `next_cursor` leads to older ones and is None at the end."""

    deliveries: Sequence[Delivery]
    next_cursor: str | None

    def __iter__(self) -> Iterator[Delivery]:
        return iter(self.deliveries)

    def __len__(self) -> int:
        return len(self.deliveries)


class Webhooks(Connection):
    """The part of the client that looks after webhooks, for admins."""

    async def add_webhook(
        self, url: str, *, events: Sequence[WebhookEvent] = ("resume",), requester: str | None = None
    ) -> NewWebhook:
        """Have an address told of what happens from now on; `requester` is the id of the only one it is about.

        Raises `Invalid` for an address that leads inside, and `Conflict` when the server keeps no secrets.
        """
        body = {"url": url, "events": list(events), **known(requester=requester)}
        reply = await self._carry("/v1/webhooks", packed(body))
        return NewWebhook.model_validate(from_json(reply.reveal()))

    async def webhooks(self) -> list[Webhook]:
        """Read all webhooks, oldest first."""
        found = await self._call(frame("webhooks"))
        return [Webhook.model_validate(each) for each in found["webhooks"]]

    async def switch_webhook(self, webhook: Webhook | str, *, active: bool) -> Webhook:
        """Turn a webhook off, or on again; it then receives the events that it missed. Raises `NotFound`."""
        body = {"active": active}
        return Webhook.model_validate(
            await self._call(frame("switch_webhook", webhook_id=_id(webhook), body=body))
        )

    async def remove_webhook(self, webhook: Webhook | str) -> None:
        """Remove a webhook and its log. Raises `NotFound`."""
        await self._call(frame("remove_webhook", webhook_id=_id(webhook)))

    async def deliveries(
        self, webhook: Webhook | str, *, limit: int = 50, cursor: str | None = None
    ) -> DeliveryPage:
        """Read a page of what was sent to a webhook, newest first."""
        found = await self._call(frame("deliveries", webhook_id=_id(webhook), limit=limit, cursor=cursor))
        return DeliveryPage([Delivery.model_validate(d) for d in found["deliveries"]], found["next_cursor"])

    async def redeliver(
        self, webhook: Webhook | str, *, delivery: str | None = None, resume: str | None = None
    ) -> Delivery:
        """Send a delivery, or a resume, again: one of the two, by its id. Raises `NotFound` and `Conflict`."""
        body = known(delivery=delivery, resume=resume)
        return Delivery.model_validate(
            await self._call(frame("redeliver", webhook_id=_id(webhook), body=body))
        )


def _id(webhook: Webhook | str) -> str:
    return webhook if isinstance(webhook, str) else webhook.id
