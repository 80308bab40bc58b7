"""The SQL texts of webhooks and their deliveries."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askback.storage.sql.conditions import Conditions

_WEBHOOK = "id, tenant, url, requester, events, secret, created_at, cursor, active"
_DELIVERY = "id, tenant, webhook, type, subject, since, next_at, state, attempt, again, log"

# Let nobody else add one to this tenant until the commit: to count rows locks none.
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('webhooks of ' || $1, 0))"
# (the fields of `Webhook`, most) -> a row unless there are as many.
ADD_WEBHOOK = f"""
INSERT INTO webhooks ({_WEBHOOK}) SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9
WHERE (SELECT count(*) FROM webhooks WHERE tenant = $2) < $10 RETURNING id"""
WEBHOOK = f"SELECT {_WEBHOOK} FROM webhooks WHERE tenant = $1 AND id = $2"
WEBHOOKS = f"SELECT {_WEBHOOK} FROM webhooks WHERE tenant = $1 ORDER BY id"
ALL_WEBHOOKS = f"SELECT {_WEBHOOK} FROM webhooks ORDER BY id"
# (tenant, id, active) -> a row unless it is so.
SWITCH = "UPDATE webhooks SET active = $3 WHERE tenant = $1 AND id = $2 AND active <> $3 RETURNING id"
DROP_WEBHOOK = "DELETE FROM webhooks WHERE tenant = $1 AND id = $2 RETURNING id"
DROP_DELIVERIES = "DELETE FROM deliveries WHERE tenant = $1 AND webhook = $2"

# (tenant, id, old cursor, new cursor) -> a row when nobody was first.
MOVE_CURSOR = "UPDATE webhooks SET cursor = $4 WHERE tenant = $1 AND id = $2 AND cursor = $3 RETURNING id"
# A column for each field of `Delivery`. What is there already stays as it is.
ADD_DELIVERIES = f"""
INSERT INTO deliveries ({_DELIVERY})
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[],
                     $8::text[], $9::integer[], $10::boolean[], $11::text[])
ON CONFLICT (tenant, webhook, type, subject) DO NOTHING"""
FORGET = "DELETE FROM deliveries WHERE tenant = $1 AND webhook = $2 AND state <> 'waiting' AND since < $3"

# (the fields of `Delivery`). The raised attempt takes the lease of whoever is at it just now: what comes of that is not
# what was asked for.
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
          ELSE left(log, -1) || ',' || $7 || ']' END
WHERE tenant = $1 AND webhook = $2 AND id = $3 AND attempt = $4 AND state = 'waiting' RETURNING id"""

DELIVERY = f"SELECT {_DELIVERY} FROM deliveries WHERE tenant = $1 AND webhook = $2 AND id = $3"


def deliveries(tenant: str, webhook_id: str, *, before: str | None, limit: int) -> tuple[str, Sequence[Any]]:
    """Return the query of a page of deliveries, and its parameters."""
    where = Conditions()
    where.add("tenant = {} AND webhook = {}", tenant, webhook_id)
    if before is not None:
        where.add("id < {}", before)
    return where.query(
        f"SELECT {_DELIVERY} FROM deliveries", f"ORDER BY id DESC LIMIT {where.parameter(limit)}"
    )
