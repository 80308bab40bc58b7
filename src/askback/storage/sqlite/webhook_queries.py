"""The SQL texts of webhooks and their deliveries. Parameters are positional, as in `queries`."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

_WEBHOOK = "id, tenant, url, requester, events, secret, created_at, cursor, active"
_DELIVERY = "id, tenant, webhook, type, subject, since, next_at, state, attempt, again, log"

# (the fields of `Webhook`, tenant, most) -> a row unless there are as many.
ADD_WEBHOOK = f"""
INSERT INTO webhooks ({_WEBHOOK}) SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?
WHERE (SELECT count(*) FROM webhooks WHERE tenant = ?) < ? RETURNING key"""
WEBHOOK = f"SELECT {_WEBHOOK} FROM webhooks WHERE tenant = ? AND id = ?"
WEBHOOKS = f"SELECT {_WEBHOOK} FROM webhooks WHERE tenant = ? ORDER BY id"
ALL_WEBHOOKS = f"SELECT {_WEBHOOK} FROM webhooks ORDER BY id"
# (active, tenant, id, active) -> a row unless it is so.
SWITCH = "UPDATE webhooks SET active = ? WHERE tenant = ? AND id = ? AND active <> ? RETURNING key"
DROP_WEBHOOK = "DELETE FROM webhooks WHERE tenant = ? AND id = ? RETURNING key"
DROP_DELIVERIES = "DELETE FROM deliveries WHERE tenant = ? AND webhook = ?"

# (new cursor, tenant, id, old cursor) -> a row when nobody was first.
MOVE_CURSOR = "UPDATE webhooks SET cursor = ? WHERE tenant = ? AND id = ? AND cursor = ? RETURNING key"
_ADD = f"INSERT INTO deliveries ({_DELIVERY}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
ADD_DELIVERY = f"{_ADD} ON CONFLICT (tenant, webhook, type, subject) DO NOTHING"
FORGET = "DELETE FROM deliveries WHERE tenant = ? AND webhook = ? AND state <> 'waiting' AND since < ?"

# The raised attempt takes the lease of whoever is at it just now: what comes of that is not what was asked for.
DELIVER_AGAIN = f"""
{_ADD} ON CONFLICT (tenant, webhook, type, subject) DO UPDATE SET
    since = excluded.since, next_at = excluded.next_at, state = excluded.state, again = excluded.again,
    attempt = deliveries.attempt + 1
RETURNING {_DELIVERY}"""

# Parameters: until, tenant, webhook, now, limit, and again tenant, webhook.
LEASE = f"""
UPDATE deliveries SET attempt = attempt + 1, next_at = ?
WHERE key IN (
    SELECT key FROM deliveries WHERE tenant = ? AND webhook = ? AND state = 'waiting' AND next_at <= ?
    ORDER BY next_at, key LIMIT ?
) AND EXISTS (SELECT 1 FROM webhooks WHERE tenant = ? AND id = ? AND active)
RETURNING {_DELIVERY}"""
NEXT = "SELECT min(next_at) FROM deliveries WHERE tenant = ? AND webhook = ? AND state = 'waiting'"

# (state, next_at, tenant, webhook, id, attempt), and with a note before the tenant.
_NOTE = "UPDATE deliveries SET state = ?, next_at = ?"
_LEASED = "WHERE tenant = ? AND webhook = ? AND id = ? AND attempt = ? AND state = 'waiting' RETURNING key"
NOTE = f"{_NOTE}, log = json_insert(log, '$[#]', json(?)) {_LEASED}"
NOTE_NOTHING = f"{_NOTE} {_LEASED}"

DELIVERY = f"SELECT {_DELIVERY} FROM deliveries WHERE tenant = ? AND webhook = ? AND id = ?"


def deliveries(*, before: bool) -> str:
    """Return the query of a page: tenant, webhook, the id before if there is one, and the limit."""
    older = " AND id < ?" if before else ""
    return (
        f"SELECT {_DELIVERY} FROM deliveries WHERE tenant = ? AND webhook = ?{older} ORDER BY id DESC LIMIT ?"
    )
