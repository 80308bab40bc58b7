"""Webhooks and their deliveries."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

from askback.ports.policy import NOTHING, SideEffects
from askback.ports.webhooks import Delivery, DeliveryState, Webhook
from askback.storage import rows
from askback.storage.sql.conditions import Conditions
from askback.storage.sql.secrets import DROP_SECRET
from askback.storage.sql.transaction import Area, Transaction

_WEBHOOK = "id, tenant, url, requester, events, secret, created_at, cursor, active"
_DELIVERY = "id, tenant, webhook, type, subject, since, next_at, state, attempt, again, log"

# Let nobody else add one to this tenant until the commit: to count rows locks none.
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('webhooks of ' || $1, 0))"
# (the fields of `Webhook`, most) -> a row, or none if there are that many already.
ADD_WEBHOOK = f"""
INSERT INTO webhooks ({_WEBHOOK}) SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9
WHERE (SELECT count(*) FROM webhooks WHERE tenant = $2) < $10 RETURNING id"""
WEBHOOK = f"SELECT {_WEBHOOK} FROM webhooks WHERE tenant = $1 AND id = $2"
WEBHOOKS = f"SELECT {_WEBHOOK} FROM webhooks WHERE tenant = $1 ORDER BY id"
ALL_WEBHOOKS = f"SELECT {_WEBHOOK} FROM webhooks ORDER BY id"
# (tenant, id, active) -> a row unless it is so.
SET_ACTIVE = "UPDATE webhooks SET active = $3 WHERE tenant = $1 AND id = $2 AND active <> $3 RETURNING id"
# -> the id of its secret.
DROP_WEBHOOK = "DELETE FROM webhooks WHERE tenant = $1 AND id = $2 RETURNING secret"
DROP_DELIVERIES = "DELETE FROM deliveries WHERE tenant = $1 AND webhook = $2"

# (tenant, id, old cursor, new cursor) -> a row when nobody was first.
MOVE_CURSOR = "UPDATE webhooks SET cursor = $4 WHERE tenant = $1 AND id = $2 AND cursor = $3 RETURNING id"
# A column for each field of `Delivery`. Existing deliveries stay unchanged.
ADD_DELIVERIES = f"""
INSERT INTO deliveries ({_DELIVERY})
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[],
                     $8::text[], $9::integer[], $10::boolean[], $11::text[])
ON CONFLICT (tenant, webhook, type, subject) DO NOTHING"""
FORGET = "DELETE FROM deliveries WHERE tenant = $1 AND webhook = $2 AND state <> 'waiting' AND since < $3"

# (the fields of `Delivery`). The raised attempt ends the lease of a server that delivers it now: the result of that
# attempt does not count.
DELIVER_AGAIN = f"""
INSERT INTO deliveries ({_DELIVERY}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
ON CONFLICT (tenant, webhook, type, subject) DO UPDATE SET
    since = excluded.since, next_at = excluded.next_at, state = excluded.state, again = excluded.again,
    attempt = deliveries.attempt + 1
RETURNING {_DELIVERY}"""

# (tenant, webhook, now, until, limit). What another server leases at this moment is passed over.
LEASE = f"""
WITH chosen AS MATERIALIZED (
    SELECT id AS due FROM deliveries WHERE tenant = $1 AND webhook = $2 AND state = 'waiting' AND next_at <= $3
        AND EXISTS (SELECT 1 FROM webhooks AS w WHERE w.tenant = $1 AND w.id = $2 AND w.active)
    ORDER BY next_at, id LIMIT $5 FOR UPDATE SKIP LOCKED
)
UPDATE deliveries SET attempt = attempt + 1, next_at = $4
FROM chosen WHERE tenant = $1 AND webhook = $2 AND id = chosen.due
RETURNING {_DELIVERY}"""
NEXT = "SELECT min(next_at) FROM deliveries WHERE tenant = $1 AND webhook = $2 AND state = 'waiting'"

# (tenant, webhook, id, attempt, state, next_at, a JSON object for the log or NULL) -> a row when the lease still held.
NOTE = """
UPDATE deliveries SET state = $5, next_at = $6,
    log = CASE WHEN $7::text IS NULL THEN log WHEN log = '[]' THEN '[' || $7 || ']'
          ELSE substr(log, 1, length(log) - 1) || ',' || $7 || ']' END
WHERE tenant = $1 AND webhook = $2 AND id = $3 AND attempt = $4 AND state = 'waiting' RETURNING id"""

DELIVERY = f"SELECT {_DELIVERY} FROM deliveries WHERE tenant = $1 AND webhook = $2 AND id = $3"


def deliveries_page(tenant: str, webhook_id: str, *, before: str | None, limit: int) -> Sequence[Any]:
    """Return the query of a page of deliveries, and its parameters."""
    where = Conditions()
    where.add("tenant = {} AND webhook = {}", tenant, webhook_id)
    where.add_chosen("id < {}", before)
    return where.page(f"SELECT {_DELIVERY} FROM deliveries", limit=limit)


class WebhookArea(Area):
    """See `askback.ports.webhooks` for what each method promises."""

    async def add_webhook(self, webhook: Webhook, effects: SideEffects = NOTHING, *, limit: int) -> bool:
        """Keep a webhook."""
        row = (
            webhook.id, webhook.tenant, webhook.url, webhook.requester, json.dumps(webhook.events),
            webhook.secret_id, webhook.created_at, webhook.cursor, webhook.active,
        )  # fmt: skip

        async def add(tx: Transaction) -> bool:
            await tx.all(LOCK, webhook.tenant)
            if await tx.one(ADD_WEBHOOK, *row, limit) is None:
                return False
            await tx.write(effects)
            return True

        return await self._db.change(add, effects)

    async def webhook(self, tenant: str, webhook_id: str) -> Webhook | None:
        """Read one webhook."""
        row = await self._db.row(WEBHOOK, tenant, webhook_id)
        return None if row is None else rows.webhook(row)

    async def webhooks(self, tenant: str | None = None) -> Sequence[Webhook]:
        """Read the webhooks of a tenant, or of all of them."""
        query = (ALL_WEBHOOKS,) if tenant is None else (WEBHOOKS, tenant)
        return [rows.webhook(row) for row in await self._db.rows(*query)]

    async def switch_webhook(
        self, tenant: str, webhook_id: str, effects: SideEffects = NOTHING, *, active: bool
    ) -> bool:
        """Switch a webhook off, or on again."""
        return await self._apply(SET_ACTIVE, tenant, webhook_id, active, effects=effects) is not None

    async def drop_webhook(self, tenant: str, webhook_id: str, effects: SideEffects = NOTHING) -> bool:
        """Erase a webhook with its deliveries and its signing secret."""

        async def drop(tx: Transaction) -> bool:
            dropped = await tx.one(DROP_WEBHOOK, tenant, webhook_id)
            if dropped is None:
                return False
            await tx.one(DROP_SECRET, dropped[0], tenant)
            await tx.run(DROP_DELIVERIES, tenant, webhook_id)
            await tx.write(effects)
            return True

        return await self._db.change(drop, effects, erases=True)

    async def queue_deliveries(
        self, webhook: Webhook, deliveries: Sequence[Delivery], *, cursor: int, forget_before: int = 0
    ) -> bool:
        """Move the cursor, and write the deliveries up to it."""
        webhook_key = (webhook.tenant, webhook.id)

        async def queue(tx: Transaction) -> bool:
            if await tx.one(MOVE_CURSOR, *webhook_key, webhook.cursor, cursor) is None:
                return False
            await tx.many(ADD_DELIVERIES, [astuple(delivery) for delivery in deliveries])
            await tx.run(FORGET, *webhook_key, forget_before)
            return True

        return await self._db.change(queue)

    async def lease_deliveries(
        self, webhook: Webhook, *, now_ms: int, until_ms: int, limit: int
    ) -> Sequence[Delivery]:
        """Lease the due deliveries of a webhook."""
        due = await self.next_delivery(webhook)
        if due is None or due > now_ms:
            return []  # most looks find nothing, and a write would wait for the disk
        values = (webhook.tenant, webhook.id, now_ms, until_ms, limit)
        leased = await self._db.change(lambda tx: tx.all(LEASE, *values))
        return sorted((rows.delivery(row) for row in leased), key=lambda item: item.id)

    async def next_delivery(self, webhook: Webhook) -> int | None:
        """Read when the next waiting delivery is due."""
        row = await self._db.row(NEXT, webhook.tenant, webhook.id)
        return None if row is None else row[0]

    async def note_attempt(
        self, delivery: Delivery, *, state: DeliveryState, next_at: int, note: str | None
    ) -> bool:
        """Record the outcome of a leased delivery."""
        parameters = (delivery.tenant, delivery.webhook_id, delivery.id, delivery.attempt)
        row = await self._db.change(lambda tx: tx.one(NOTE, *parameters, state.value, next_at, note))
        return row is not None

    async def delivery(self, tenant: str, webhook_id: str, delivery_id: str) -> Delivery | None:
        """Read one delivery."""
        row = await self._db.row(DELIVERY, tenant, webhook_id, delivery_id)
        return None if row is None else rows.delivery(row)

    async def deliveries(
        self, tenant: str, webhook_id: str, *, before: str | None = None, limit: int = 50
    ) -> Sequence[Delivery]:
        """Read deliveries of a webhook, newest first."""
        deliveries = await self._db.page(*deliveries_page(tenant, webhook_id, before=before, limit=limit))
        return [rows.delivery(row) for row in deliveries]

    async def deliver_again(self, delivery: Delivery, effects: SideEffects = NOTHING) -> Delivery:
        """Have a delivery sent again."""
        row = await self._apply(DELIVER_AGAIN, *astuple(delivery), effects=effects)
        assert row is not None, "it was there or it is now"
        return rows.delivery(row)
