"""The `WebhookStore` part of the port on SQLite."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

from askback.ports.policy import NOTHING, Along
from askback.ports.webhooks import Delivery, DeliveryState, Webhook
from askback.storage import rows
from askback.storage.sqlite import webhook_queries as queries
from askback.storage.sqlite.along import write_along
from askback.storage.sqlite.connection import Connection
from askback.storage.sqlite.part import Part


class WebhookPart(Part):
    """Webhooks and deliveries. See `askback.ports.webhooks` for what each method promises."""

    async def add_webhook(self, webhook: Webhook, along: Along = NOTHING, *, most: int) -> bool:
        """Keep a webhook."""
        return await self._change(lambda db, _: _add(db, webhook, along, most), along)

    async def webhook(self, tenant: str, webhook_id: str) -> Webhook | None:
        """Read one webhook."""
        return self._readers.point(
            lambda db: next(
                map(rows.webhook, db.execute(queries.WEBHOOK, (tenant, webhook_id)).fetchall()), None
            )
        )

    async def webhooks(self, tenant: str | None = None) -> Sequence[Webhook]:
        """Read the webhooks of a tenant, or of all of them."""
        if tenant is None:
            return self._readers.point(
                lambda db: [*map(rows.webhook, db.execute(queries.ALL_WEBHOOKS).fetchall())]
            )
        return self._readers.point(
            lambda db: [*map(rows.webhook, db.execute(queries.WEBHOOKS, (tenant,)).fetchall())]
        )

    async def switch_webhook(
        self, tenant: str, webhook_id: str, along: Along = NOTHING, *, active: bool
    ) -> bool:
        """Switch a webhook off, or on again."""
        return await self._change(lambda db, _: _switch(db, tenant, webhook_id, along, active=active), along)

    async def drop_webhook(self, tenant: str, webhook_id: str, along: Along = NOTHING) -> bool:
        """Erase a webhook and its deliveries."""
        return await self._change(lambda db, _: _drop(db, tenant, webhook_id, along), along)

    async def queue_deliveries(
        self, webhook: Webhook, deliveries: Sequence[Delivery], *, cursor: int, forget_before: int = 0
    ) -> bool:
        """Move the cursor on, and write what is to be delivered for it."""
        return await self._writer.submit(
            lambda db, _: _queue(db, webhook, deliveries, cursor=cursor, forget_before=forget_before)
        )

    async def lease_deliveries(
        self, webhook: Webhook, *, now_ms: int, until_ms: int, limit: int
    ) -> Sequence[Delivery]:
        """Lease what is due for a webhook."""
        due = await self.next_delivery(webhook)
        if due is None or due > now_ms:
            return []  # most looks find nothing, and a write would wait for the disk
        which = (webhook.tenant, webhook.id)
        found = await self._writer.submit(
            lambda db, _: db.execute(queries.LEASE, (until_ms, *which, now_ms, limit, *which)).fetchall()
        )
        return sorted(map(rows.delivery, found), key=lambda each: each.id)

    async def next_delivery(self, webhook: Webhook) -> int | None:
        """Read when the next waiting delivery is due."""
        which = (webhook.tenant, webhook.id)
        return self._readers.point(lambda db: db.execute(queries.NEXT, which).fetchone()[0])

    async def note_attempt(
        self, delivery: Delivery, *, state: DeliveryState, next_at: int, note: str | None
    ) -> bool:
        """Say what came of a lease."""
        said = () if note is None else (note,)
        which = (delivery.tenant, delivery.webhook_id, delivery.id, delivery.attempt)
        query = queries.NOTE_NOTHING if note is None else queries.NOTE
        return await self._writer.submit(
            lambda db, _: db.execute(query, (state.value, next_at, *said, *which)).fetchone() is not None
        )

    async def delivery(self, tenant: str, webhook_id: str, delivery_id: str) -> Delivery | None:
        """Read one delivery."""
        which = (tenant, webhook_id, delivery_id)
        return self._readers.point(
            lambda db: next(map(rows.delivery, db.execute(queries.DELIVERY, which).fetchall()), None)
        )

    async def deliveries(
        self, tenant: str, webhook_id: str, *, before: str | None = None, limit: int = 50
    ) -> Sequence[Delivery]:
        """Read deliveries of a webhook, newest first."""
        older = () if before is None else (before,)
        query = queries.deliveries(before=before is not None)
        return await self._readers.page(
            lambda db: [
                *map(rows.delivery, db.execute(query, (tenant, webhook_id, *older, limit)).fetchall())
            ]
        )

    async def deliver_again(self, delivery: Delivery) -> Delivery:
        """Have a delivery sent again."""
        return await self._writer.submit(
            lambda db, _: rows.delivery(db.execute(queries.DELIVER_AGAIN, _columns(delivery)).fetchone())
        )


def _add(db: Connection, webhook: Webhook, along: Along, most: int) -> bool:
    row = (
        webhook.id, webhook.tenant, webhook.url, webhook.requester, json.dumps(webhook.events),
        webhook.secret_id, webhook.created_at, webhook.cursor, webhook.active,
    )  # fmt: skip
    if db.execute(queries.ADD_WEBHOOK, (*row, webhook.tenant, most)).fetchone() is None:
        return False
    write_along(db, along)
    return True


def _drop(db: Connection, tenant: str, webhook_id: str, along: Along) -> bool:
    if db.execute(queries.DROP_WEBHOOK, (tenant, webhook_id)).fetchone() is None:
        return False
    db.execute(queries.DROP_DELIVERIES, (tenant, webhook_id))
    write_along(db, along)
    return True


def _queue(
    db: Connection, webhook: Webhook, deliveries: Sequence[Delivery], *, cursor: int, forget_before: int
) -> bool:
    which = (webhook.tenant, webhook.id)
    if db.execute(queries.MOVE_CURSOR, (cursor, *which, webhook.cursor)).fetchone() is None:
        return False
    for delivery in deliveries:
        db.execute(queries.ADD_DELIVERY, _columns(delivery))
    db.execute(queries.FORGET, (*which, forget_before))
    return True


def _switch(db: Connection, tenant: str, webhook_id: str, along: Along, *, active: bool) -> bool:
    if db.execute(queries.SWITCH, (active, tenant, webhook_id, active)).fetchone() is None:
        return False
    write_along(db, along)
    return True


def _columns(delivery: Delivery) -> tuple[Any, ...]:
    return astuple(delivery)  # a state is text to SQLite
