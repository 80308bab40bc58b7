"""The `WebhookStore` part of the port on Postgres."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple

from askback.ports.policy import NOTHING, Along
from askback.ports.webhooks import Delivery, DeliveryState, Webhook
from askback.storage import rows
from askback.storage.postgres import webhook_queries as queries
from askback.storage.postgres.along import write_along
from askback.storage.postgres.connection import Connection
from askback.storage.postgres.part import Part


class WebhookPart(Part):
    """Webhooks and deliveries. See `askback.ports.webhooks` for what each method promises."""

    async def add_webhook(self, webhook: Webhook, along: Along = NOTHING, *, most: int) -> bool:
        """Keep a webhook."""
        row = (
            webhook.id, webhook.tenant, webhook.url, webhook.requester, json.dumps(webhook.events),
            webhook.secret_id, webhook.created_at, webhook.cursor, webhook.active,
        )  # fmt: skip

        async def add(db: Connection) -> bool:
            await db.execute(queries.LOCK, webhook.tenant)
            if await db.fetchrow(queries.ADD_WEBHOOK, *row, most) is None:
                return False
            await write_along(db, along)
            return True

        return await self._borrowed.change(add)

    async def webhook(self, tenant: str, webhook_id: str) -> Webhook | None:
        """Read one webhook."""
        row = await self._borrowed.row(queries.WEBHOOK, tenant, webhook_id)
        return None if row is None else rows.webhook(row)

    async def webhooks(self, tenant: str | None = None) -> Sequence[Webhook]:
        """Read the webhooks of a tenant, or of all of them."""
        which = (queries.ALL_WEBHOOKS,) if tenant is None else (queries.WEBHOOKS, tenant)
        return [rows.webhook(row) for row in await self._borrowed.rows(*which)]

    async def switch_webhook(
        self, tenant: str, webhook_id: str, along: Along = NOTHING, *, active: bool
    ) -> bool:
        """Switch a webhook off, or on again."""

        async def switch(db: Connection) -> bool:
            if await db.fetchrow(queries.SWITCH, tenant, webhook_id, active) is None:
                return False
            await write_along(db, along)
            return True

        return await self._borrowed.change(switch)

    async def drop_webhook(self, tenant: str, webhook_id: str, along: Along = NOTHING) -> bool:
        """Erase a webhook and its deliveries."""

        async def drop(db: Connection) -> bool:
            if await db.fetchrow(queries.DROP_WEBHOOK, tenant, webhook_id) is None:
                return False
            await db.execute(queries.DROP_DELIVERIES, tenant, webhook_id)
            await write_along(db, along)
            return True

        return await self._borrowed.change(drop)

    async def queue_deliveries(
        self, webhook: Webhook, deliveries: Sequence[Delivery], *, cursor: int, forget_before: int = 0
    ) -> bool:
        """Move the cursor on, and write what is to be delivered for it."""
        which = (webhook.tenant, webhook.id)

        async def queue(db: Connection) -> bool:
            if await db.fetchrow(queries.MOVE_CURSOR, *which, webhook.cursor, cursor) is None:
                return False
            if deliveries:
                await db.execute(queries.ADD_DELIVERIES, *zip(*map(astuple, deliveries), strict=True))
            await db.execute(queries.FORGET, *which, forget_before)
            return True

        return await self._borrowed.change(queue)

    async def lease_deliveries(
        self, webhook: Webhook, *, now_ms: int, until_ms: int, limit: int
    ) -> Sequence[Delivery]:
        """Lease what is due for a webhook."""
        due = await self.next_delivery(webhook)
        if due is None or due > now_ms:
            return []  # most looks find nothing, and a write would wait for the disk
        parameters = (webhook.tenant, webhook.id, now_ms, until_ms, limit)
        leased = await self._borrowed.change(lambda db: db.fetch(queries.LEASE, *parameters))
        return sorted((rows.delivery(row) for row in leased), key=lambda each: each.id)

    async def next_delivery(self, webhook: Webhook) -> int | None:
        """Read when the next waiting delivery is due."""
        row = await self._borrowed.row(queries.NEXT, webhook.tenant, webhook.id)
        return None if row is None else row[0]

    async def note_attempt(
        self, delivery: Delivery, *, state: DeliveryState, next_at: int, note: str | None
    ) -> bool:
        """Say what came of a lease."""
        which = (delivery.tenant, delivery.webhook_id, delivery.id, delivery.attempt)
        row = await self._borrowed.change(
            lambda db: db.fetchrow(queries.NOTE, *which, state.value, next_at, note)
        )
        return row is not None

    async def delivery(self, tenant: str, webhook_id: str, delivery_id: str) -> Delivery | None:
        """Read one delivery."""
        row = await self._borrowed.row(queries.DELIVERY, tenant, webhook_id, delivery_id)
        return None if row is None else rows.delivery(row)

    async def deliveries(
        self, tenant: str, webhook_id: str, *, before: str | None = None, limit: int = 50
    ) -> Sequence[Delivery]:
        """Read deliveries of a webhook, newest first."""
        sql, parameters = queries.deliveries(tenant, webhook_id, before=before, limit=limit)
        return [rows.delivery(row) for row in await self._borrowed.rows(sql, *parameters)]

    async def deliver_again(self, delivery: Delivery) -> Delivery:
        """Have a delivery sent again."""
        row = await self._borrowed.change(lambda db: db.fetchrow(queries.DELIVER_AGAIN, *astuple(delivery)))
        assert row is not None, "it was there or it is now"
        return rows.delivery(row)
