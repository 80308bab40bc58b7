"""Resumes."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from operator import attrgetter
from typing import Any

from askback.ports.outcome import Outcome
from askback.ports.resumes import Lease, Resume, ResumeStatus
from askback.storage import rows
from askback.storage.sql.requests import RECORD, REQUEST
from askback.storage.sql.transaction import Area, Transaction

_FIELDS = ("id", "tenant", "thread", "requester", "request", "available_at", "held", "cause")
# The values of those of a `Resume`. `dataclasses.astuple` copies each value, which takes twenty times as long.
resume_columns = attrgetter(
    "id", "tenant", "thread_id", "requester", "request_id", "available_at", "held", "cause"
)
_RESUME = ", ".join(f"s.{name}" for name in (*_FIELDS, "attempt"))
# (the fields of `Resume`): one for each request and cause; a second is no second.
ADD_RESUME = f"""
INSERT INTO resumes ({", ".join(_FIELDS)}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (tenant, request, cause) DO NOTHING"""
# The same for many, of requests that are there.
HOLD = f"""
INSERT INTO resumes ({", ".join(_FIELDS)})
SELECT {", ".join(f"n.{name}" for name in _FIELDS)}
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::boolean[], $8::text[])
    AS n (id, tenant, thread, requester, request, available_at, held, cause)
WHERE EXISTS (SELECT 1 FROM requests AS r WHERE r.tenant = n.tenant AND r.id = n.request)
ON CONFLICT (tenant, request, cause) DO NOTHING"""

_OF_REQUESTER = "finished_at IS NULL AND tenant = $1 AND requester = $2"
_LEASED = """
FROM leased AS s JOIN requests AS r ON r.tenant = s.tenant AND r.id = s.request JOIN threads AS t ON t.key = r.thread"""
# Lease the oldest that are available: (tenant, requester, now, until, limit), in a thread also its id -> the fields of
# `Resume`, the attempt and the request. What another server leases at this moment is passed over.
LEASE, LEASE_IN_THREAD = (
    f"""
WITH chosen AS MATERIALIZED (
    SELECT key FROM resumes WHERE {_OF_REQUESTER}{in_thread} AND available_at <= $3
    ORDER BY key LIMIT $5 FOR UPDATE SKIP LOCKED
), leased AS (
    UPDATE resumes AS s SET attempt = s.attempt + 1, available_at = $4
    FROM chosen WHERE s.key = chosen.key RETURNING s.*
)
SELECT {_RESUME}, {RECORD} {_LEASED} ORDER BY s.key"""
    for in_thread in ("", " AND thread = $6")
)
# (tenant, id, now, until) -> the same, when it was there to be leased.
LEASE_ONE = f"""
WITH leased AS (
    UPDATE resumes SET attempt = attempt + 1, available_at = $4
    WHERE tenant = $1 AND id = $2 AND finished_at IS NULL AND available_at <= $3 RETURNING *
)
SELECT {_RESUME}, {RECORD} {_LEASED}"""
# (tenant, requester), in a thread also its id -> the next time.
NEXT = f"SELECT min(available_at) FROM resumes WHERE {_OF_REQUESTER}"
NEXT_IN_THREAD = f"{NEXT} AND thread = $3"
# (tenant, requester) -> thread, when the next one there can be leased.
RESUME_THREADS = f"SELECT thread, min(available_at) FROM resumes WHERE {_OF_REQUESTER} GROUP BY thread"

# By tenant and id, and by tenant, request and cause.
_RESUME_WITH_STATE = f"SELECT {_RESUME}, s.finished_at IS NOT NULL FROM resumes AS s"
RESUME_WITH_STATE = f"{_RESUME_WITH_STATE} WHERE s.tenant = $1 AND s.id = $2"
RESUME_OF_REQUEST = f"{_RESUME_WITH_STATE} WHERE s.tenant = $1 AND s.request = $2 AND s.cause = $3"

# By tenant, id and attempt, with the time.
RELEASE = """
UPDATE resumes SET available_at = least(available_at, $4)
WHERE tenant = $1 AND id = $2 AND attempt = $3 AND finished_at IS NULL"""
# (now, id, tenant, requester, attempt) -> a row when it was that lease's to finish.
FINISH = """
UPDATE resumes SET finished_at = $1
WHERE id = $2 AND tenant = $3 AND requester = $4 AND finished_at IS NULL AND attempt = $5
RETURNING key"""
FINISHED = "SELECT finished_at IS NOT NULL FROM resumes WHERE id = $1 AND tenant = $2 AND requester = $3"
# Tenant and request of each: one that was leased meanwhile has already been sent.
DROP_HELD = """
DELETE FROM resumes AS s USING unnest($1::text[], $2::text[]) AS w (tenant, request)
WHERE s.tenant = w.tenant AND s.request = w.request AND s.held AND s.attempt = 0"""


async def add_resumes(tx: Transaction, resumes: Sequence[Resume]) -> None:
    """Write the resumes that come with a change."""
    for resume in resumes:
        await tx.run(ADD_RESUME, *resume_columns(resume))


class ResumeArea(Area):
    """See `askback.ports.resumes` for what each method promises."""

    async def lease_resumes(
        self,
        tenant: str,
        requester: str,
        *,
        thread_id: str | None = None,
        now_ms: int,
        until_ms: int,
        limit: int = 20,
    ) -> Sequence[Lease]:
        """Lease available resumes, oldest first."""
        due = await self.next_resume(tenant, requester, thread_id=thread_id)
        if due is None or due > now_ms:
            return []  # most looks find nothing, and a write would wait for the disk
        values = (tenant, requester, now_ms, until_ms, limit)
        if thread_id is None:
            return await self._lease(LEASE, *values, until_ms=until_ms)
        return await self._lease(LEASE_IN_THREAD, *values, thread_id, until_ms=until_ms)

    async def next_resume(self, tenant: str, requester: str, *, thread_id: str | None = None) -> int | None:
        """Read when the next unfinished resume can be leased."""
        if thread_id is None:
            row = await self._db.row(NEXT, tenant, requester)
        else:
            row = await self._db.row(NEXT_IN_THREAD, tenant, requester, thread_id)
        return None if row is None else row[0]

    async def resume_threads(self, tenant: str, requester: str) -> Mapping[str, int]:
        """Read where unfinished resumes are, and when the next one of each thread can be leased."""
        return {row[0]: row[1] for row in await self._db.page(RESUME_THREADS, tenant, requester)}

    async def finish_resume(
        self, tenant: str, requester: str, resume_id: str, *, attempt: int, now_ms: int
    ) -> Outcome | None:
        """Finish a resume."""
        parameters = (resume_id, tenant, requester)
        if not self._db.can_store(resume_id):
            return None

        async def finish(tx: Transaction) -> Outcome | None:
            if await tx.one(FINISH, now_ms, *parameters, attempt) is not None:
                return Outcome.APPLIED
            row = await tx.one(FINISHED, *parameters)
            if row is None:
                return None
            return Outcome.REPLAYED if row[0] else Outcome.LOST

        return await self._db.change(finish)

    async def resume(self, tenant: str, resume_id: str) -> ResumeStatus | None:
        """Read the state of a resume."""
        return _resume_status(await self._db.row(RESUME_WITH_STATE, tenant, resume_id))

    async def resume_of(self, tenant: str, request_id: str, cause: str = "") -> ResumeStatus | None:
        """Read the state of the resume of a request."""
        return _resume_status(await self._db.row(RESUME_OF_REQUEST, tenant, request_id, cause))

    async def lease_resume(self, tenant: str, resume_id: str, *, now_ms: int, until_ms: int) -> Lease | None:
        """Lease this one."""
        leases = await self._lease(LEASE_ONE, tenant, resume_id, now_ms, until_ms, until_ms=until_ms)
        return leases[0] if leases else None

    async def release_resume(self, lease: Lease, *, now_ms: int) -> None:
        """Give a lease back before its end."""
        parameters = (lease.resume.tenant, lease.resume.id, lease.attempt)
        await self._db.change(lambda tx: tx.run(RELEASE, *parameters, now_ms))

    async def hold_resumes(self, resumes: Sequence[Resume]) -> None:
        """Write resumes after their requests have ended."""
        held_rows = [resume_columns(resume) for resume in resumes]
        await self._db.change(lambda tx: tx.many(HOLD, held_rows))

    async def drop_held(self, requests: Collection[tuple[str, str]]) -> None:
        """Drop the held resumes of these requests."""
        await self._db.change(lambda tx: tx.many(DROP_HELD, list(requests)))

    async def _lease(self, sql: str, *values: Any, until_ms: int) -> Sequence[Lease]:
        async def lease(tx: Transaction) -> Sequence[Lease]:
            return [await _leased(tx, row, until_ms) for row in await tx.all(sql, *values)]

        return await self._db.change(lease)


async def _leased(tx: Transaction, row: rows.Row, until_ms: int) -> Lease:
    """Make a lease. SQLite cannot join other tables in RETURNING, so the request is read separately."""
    request = row[9:] or await tx.one(REQUEST, row[1], row[4])
    assert request is not None, "a resume lives no longer than its request"
    return Lease(_resume(row), rows.record(request), row[8], until_ms)


def _resume(row: rows.Row) -> Resume:
    return Resume(*row[:6], held=bool(row[6]), cause=row[7])


def _resume_status(row: rows.Row | None) -> ResumeStatus | None:
    return None if row is None else ResumeStatus(_resume(row), row[8], bool(row[9]))
