"""The webhooks of the store in memory."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from askback.ports.policy import NOTHING, Along
from askback.ports.webhooks import Delivery, DeliveryState, Webhook
from askback.testing.fake_along import FakeAlong


class FakeWebhooks(FakeAlong):
    """The `WebhookStore` part of the port in two dictionaries, by tenant and ids."""

    def __init__(self) -> None:
        super().__init__()
        self._webhooks: dict[tuple[str, str], Webhook] = {}
        self._deliveries: dict[tuple[str, str, str], Delivery] = {}

    async def add_webhook(self, webhook: Webhook, along: Along = NOTHING, *, most: int) -> bool:
        """Keep a webhook."""
        self._begin()
        if sum(tenant == webhook.tenant for tenant, _ in self._webhooks) >= most:
            return False
        self._keep(along)
        self._webhooks[webhook.tenant, webhook.id] = webhook
        return True

    async def webhook(self, tenant: str, webhook_id: str) -> Webhook | None:
        """Read one webhook."""
        return self._webhooks.get((tenant, webhook_id))

    async def webhooks(self, tenant: str | None = None) -> Sequence[Webhook]:
        """Read the webhooks of a tenant, or of all of them."""
        found = [each for each in self._webhooks.values() if tenant in (None, each.tenant)]
        return sorted(found, key=lambda each: each.id)

    async def switch_webhook(
        self, tenant: str, webhook_id: str, along: Along = NOTHING, *, active: bool
    ) -> bool:
        """Switch a webhook off, or on again."""
        self._begin()
        known = self._webhooks.get((tenant, webhook_id))
        if known is None or known.active is active:
            return False
        self._keep(along)
        self._webhooks[tenant, webhook_id] = replace(known, active=active)
        return True

    async def drop_webhook(self, tenant: str, webhook_id: str, along: Along = NOTHING) -> bool:
        """Erase a webhook and its deliveries."""
        self._begin()
        if (tenant, webhook_id) not in self._webhooks:
            return False
        self._keep(along)
        del self._webhooks[tenant, webhook_id]
        self._deliveries = {
            key: each for key, each in self._deliveries.items() if key[:2] != (tenant, webhook_id)
        }
        return True

    async def queue_deliveries(
        self, webhook: Webhook, deliveries: Sequence[Delivery], *, cursor: int, forget_before: int = 0
    ) -> bool:
        """Move the cursor on, and write what is to be delivered for it."""
        self._begin()
        known = self._webhooks.get((webhook.tenant, webhook.id))
        if known is None or known.cursor != webhook.cursor:
            return False
        self._webhooks[webhook.tenant, webhook.id] = replace(known, cursor=cursor)
        for delivery in deliveries:
            if self._same(delivery) is None:
                self._put_delivery(delivery)
        ended = [each for each in self._sent_to(webhook) if each.state is not DeliveryState.WAITING]
        for delivery in ended:
            if delivery.since < forget_before:
                del self._deliveries[_key(delivery)]
        return True

    async def lease_deliveries(
        self, webhook: Webhook, *, now_ms: int, until_ms: int, limit: int
    ) -> Sequence[Delivery]:
        """Lease what is due for a webhook."""
        self._begin()
        known = self._webhooks.get((webhook.tenant, webhook.id))
        if known is None or not known.active:
            return []
        due = [each for each in self._waiting(webhook) if each.next_at <= now_ms]
        first = sorted(due, key=lambda each: (each.next_at, each.id))[:limit]
        leased = [replace(each, attempt=each.attempt + 1, next_at=until_ms) for each in first]
        for each in leased:
            self._put_delivery(each)
        return sorted(leased, key=lambda each: each.id)

    async def next_delivery(self, webhook: Webhook) -> int | None:
        """Read when the next waiting delivery is due."""
        return min((each.next_at for each in self._waiting(webhook)), default=None)

    async def note_attempt(
        self, delivery: Delivery, *, state: DeliveryState, next_at: int, note: str | None
    ) -> bool:
        """Say what came of a lease."""
        self._begin()
        known = self._deliveries.get(_key(delivery))
        if known is None or (known.attempt, known.state) != (delivery.attempt, DeliveryState.WAITING):
            return False
        log = known.log if note is None else json.dumps([*json.loads(known.log), json.loads(note)])
        self._put_delivery(replace(known, state=state, next_at=next_at, log=log))
        return True

    async def delivery(self, tenant: str, webhook_id: str, delivery_id: str) -> Delivery | None:
        """Read one delivery."""
        return self._deliveries.get((tenant, webhook_id, delivery_id))

    async def deliveries(
        self, tenant: str, webhook_id: str, *, before: str | None = None, limit: int = 50
    ) -> Sequence[Delivery]:
        """Read deliveries of a webhook, newest first."""
        mine = [each for key, each in self._deliveries.items() if key[:2] == (tenant, webhook_id)]
        older = [each for each in mine if before is None or each.id < before]
        return sorted(older, key=lambda each: each.id, reverse=True)[:limit]

    async def deliver_again(self, delivery: Delivery) -> Delivery:
        """Have a delivery sent again."""
        self._begin()
        known = self._same(delivery)
        if known is not None:
            delivery = replace(delivery, id=known.id, attempt=known.attempt + 1, log=known.log)
        self._put_delivery(delivery)
        return delivery

    def _put_delivery(self, delivery: Delivery) -> None:
        self._deliveries[_key(delivery)] = delivery

    def _same(self, delivery: Delivery) -> Delivery | None:
        about = (delivery.tenant, delivery.webhook_id, delivery.type, delivery.subject)
        known = (d for d in self._deliveries.values() if (d.tenant, d.webhook_id, d.type, d.subject) == about)
        return next(known, None)

    def _sent_to(self, webhook: Webhook) -> Sequence[Delivery]:
        place = (webhook.tenant, webhook.id)
        return [each for key, each in self._deliveries.items() if key[:2] == place]

    def _waiting(self, webhook: Webhook) -> Sequence[Delivery]:
        return [each for each in self._sent_to(webhook) if each.state is DeliveryState.WAITING]


def _key(delivery: Delivery) -> tuple[str, str, str]:
    return delivery.tenant, delivery.webhook_id, delivery.id
