"""The SQL texts of resumes."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askback.storage.postgres.queries import RECORD
from askback.storage.sql.conditions import Conditions

# (the fields of `Resume`): one for each request and cause; a second is no second.
ADD = """
INSERT INTO resumes (id, tenant, thread, requester, request, available_at, held, cause)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (tenant, request, cause) DO NOTHING"""

# The same, for a request that is there.
HOLD = """
INSERT INTO resumes (id, tenant, thread, requester, request, available_at, held, cause)
SELECT $1, $2, $3, $4, $5, $6, $7, $8 WHERE EXISTS (SELECT 1 FROM requests WHERE tenant = $2 AND id = $5)
ON CONFLICT (tenant, request, cause) DO NOTHING"""


_RESUME = "s.id, s.tenant, s.thread, s.requester, s.request, s.available_at, s.held, s.cause, s.attempt"
_LEASED = """
FROM leased AS s JOIN requests AS r ON r.tenant = s.tenant AND r.id = s.request JOIN threads AS t ON t.key = r.thread"""


def _mine(tenant: str, requester: str, thread_id: str | None) -> Conditions:
    where = Conditions()
    where.add("finished_at IS NULL AND tenant = {} AND requester = {}", tenant, requester)
    if thread_id is not None:
        where.add("thread = {}", thread_id)
    return where


def lease(
    tenant: str, requester: str, thread_id: str | None, *, now_ms: int, until_ms: int, limit: int
) -> tuple[str, Sequence[Any]]:
    """Return the query that leases the oldest that are available, and its parameters.

    What another server leases at this moment is passed over. The columns are those of `Resume`, the attempt, then
    those of `Record`.
    """
    where = _mine(tenant, requester, thread_id)
    where.add("available_at <= {}", now_ms)
    most, until = where.parameter(limit), where.parameter(until_ms)
    return (
        f"""
WITH chosen AS MATERIALIZED (
    SELECT key FROM resumes WHERE {where} ORDER BY key LIMIT {most} FOR UPDATE SKIP LOCKED
), leased AS (
    UPDATE resumes AS s SET attempt = s.attempt + 1, available_at = {until}
    FROM chosen WHERE s.key = chosen.key
    RETURNING s.*
)
SELECT {_RESUME}, {RECORD} {_LEASED} ORDER BY s.key""",
        where.parameters,
    )


def next_available(tenant: str, requester: str, thread_id: str | None) -> tuple[str, Sequence[Any]]:
    """Return the query of the next moment, and its parameters."""
    return _mine(tenant, requester, thread_id).query("SELECT min(available_at) FROM resumes")


# By tenant and requester -> thread, when the next one there can be leased.
THREADS = """
SELECT thread, min(available_at) FROM resumes
WHERE finished_at IS NULL AND tenant = $1 AND requester = $2 GROUP BY thread"""

# By tenant and id, and by tenant, request and cause.
_STANDING = f"SELECT {_RESUME}, s.finished_at IS NOT NULL FROM resumes AS s"
STANDING = f"{_STANDING} WHERE s.tenant = $1 AND s.id = $2"
STANDING_OF = f"{_STANDING} WHERE s.tenant = $1 AND s.request = $2 AND s.cause = $3"

# (tenant, id, now, until) -> the row, as of `lease`, when it was there to be leased.
LEASE_ONE = f"""
WITH leased AS (
    UPDATE resumes SET attempt = attempt + 1, available_at = $4
    WHERE tenant = $1 AND id = $2 AND finished_at IS NULL AND available_at <= $3 RETURNING *
)
SELECT {_RESUME}, {RECORD} {_LEASED}"""

# By tenant, id and attempt, with the moment.
RELEASE = """
UPDATE resumes SET available_at = least(available_at, $4)
WHERE tenant = $1 AND id = $2 AND attempt = $3 AND finished_at IS NULL"""

# (now, id, tenant, requester, attempt) -> a row when it was that lease's to finish.
FINISH = """
UPDATE resumes SET finished_at = $1
WHERE id = $2 AND tenant = $3 AND requester = $4 AND finished_at IS NULL AND attempt = $5
RETURNING key"""
FINISHED = "SELECT finished_at IS NOT NULL FROM resumes WHERE id = $1 AND tenant = $2 AND requester = $3"

# By tenants and requests: one that was leased meanwhile is on its way already.
DROP_HELD = """
DELETE FROM resumes AS s USING unnest($1::text[], $2::text[]) AS w (tenant, request)
WHERE s.tenant = w.tenant AND s.request = w.request AND s.held AND s.attempt = 0"""
