"""The `ResumeStore` part of the port on SQLite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Any

from askback.ports.outcome import Outcome
from askback.ports.resumes import Lease, Resume, Standing
from askback.storage.sqlite import resume_queries as queries
from askback.storage.sqlite.connection import Connection
from askback.storage.sqlite.part import Part
from askback.storage.sqlite.rows import read_request


class ResumePart(Part):
    """Resumes. See `askback.ports.resumes` for what each method promises."""

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
        """Lease what is available, oldest first."""
        mine = _mine(tenant, requester, thread_id)
        if not self._readers.point(lambda db: _is_due(db, mine, now_ms)):
            return []  # most looks find nothing, and a write would wait for the disk
        return await self._writer.submit(
            lambda db, _: _lease(db, mine, now_ms=now_ms, until_ms=until_ms, limit=limit)
        )

    async def next_resume(self, tenant: str, requester: str, *, thread_id: str | None = None) -> int | None:
        """Read when the next unfinished resume can be leased."""
        return self._readers.point(lambda db: _next(db, _mine(tenant, requester, thread_id)))

    async def resume_threads(self, tenant: str, requester: str) -> Mapping[str, int]:
        """Read where unfinished resumes are, and when the next one of each thread can be leased."""
        return dict(
            await self._readers.page(lambda db: db.execute(queries.THREADS, (tenant, requester)).fetchall())
        )

    async def finish_resume(
        self, tenant: str, requester: str, resume_id: str, *, attempt: int, now_ms: int
    ) -> Outcome | None:
        """Finish a resume."""
        return await self._writer.submit(
            lambda db, _: _finish(db, (resume_id, tenant, requester), attempt=attempt, now_ms=now_ms)
        )

    async def resume(self, tenant: str, resume_id: str) -> Standing | None:
        """Read where a resume stands."""
        return self._readers.point(lambda db: _standing(db, queries.STANDING, tenant, resume_id))

    async def resume_of(self, tenant: str, request_id: str, cause: str = "") -> Standing | None:
        """Read where the resume of a request stands."""
        return self._readers.point(lambda db: _standing(db, queries.STANDING_OF, tenant, request_id, cause))

    async def lease_resume(self, tenant: str, resume_id: str, *, now_ms: int, until_ms: int) -> Lease | None:
        """Lease this one."""
        return await self._writer.submit(
            lambda db, _: _lease_one(db, (until_ms, tenant, resume_id, now_ms), until_ms=until_ms)
        )

    async def release_resume(self, lease: Lease, *, now_ms: int) -> None:
        """Give a lease back before its end."""
        which = (now_ms, lease.resume.tenant, lease.resume.id, lease.attempt)
        await self._writer.submit(lambda db, _: _release(db, which))

    async def hold_resumes(self, resumes: Sequence[Resume]) -> None:
        """Write resumes after their requests have ended."""
        await self._writer.submit(lambda db, _: _hold(db, resumes))

    async def drop_held(self, tenant: str, request_ids: Sequence[str]) -> None:
        """Drop the held resumes of these requests."""
        await self._writer.submit(lambda db, _: _drop_held(db, tenant, request_ids))


def _mine(tenant: str, requester: str, thread_id: str | None) -> tuple[str, ...]:
    return (tenant, requester) if thread_id is None else (tenant, requester, thread_id)


def _next(db: Connection, mine: tuple[str, ...]) -> int | None:
    return db.execute(queries.next_available(thread=len(mine) > 2), mine).fetchone()[0]


def _is_due(db: Connection, mine: tuple[str, ...], now_ms: int) -> bool:
    at = _next(db, mine)
    return at is not None and at <= now_ms


def _lease(
    db: Connection, mine: tuple[str, ...], *, now_ms: int, until_ms: int, limit: int
) -> Sequence[Lease]:
    sql = queries.lease(thread=len(mine) > 2)
    rows = db.execute(sql, (until_ms, *mine, now_ms, limit)).fetchall()
    return [_leased(db, row, until_ms) for row in sorted(rows)]  # ids sort by time


def _lease_one(db: Connection, which: tuple[int, str, str, int], *, until_ms: int) -> Lease | None:
    row = db.execute(queries.LEASE_ONE, which).fetchone()
    return None if row is None else _leased(db, row, until_ms)


def _leased(db: Connection, row: Sequence[Any], until_ms: int) -> Lease:
    resume = _resume(row)
    record = read_request(db, resume.tenant, resume.request_id)
    assert record is not None, "a resume lives no longer than its request"
    return Lease(resume, record, row[8], until_ms)


def _resume(row: Sequence[Any]) -> Resume:
    return Resume(*row[:6], held=bool(row[6]), cause=row[7])


def _release(db: Connection, which: tuple[int, str, str, int]) -> None:
    db.execute(queries.RELEASE, which)


def _standing(db: Connection, query: str, *which: str) -> Standing | None:
    row = db.execute(query, which).fetchone()
    return None if row is None else Standing(_resume(row), row[8], bool(row[9]))


def _finish(db: Connection, which: tuple[str, str, str], *, attempt: int, now_ms: int) -> Outcome | None:
    if db.execute(queries.FINISH, (now_ms, *which, attempt)).fetchone() is not None:
        return Outcome.APPLIED
    row = db.execute(queries.FINISHED, which).fetchone()
    if row is None:
        return None
    return Outcome.REPLAYED if row[0] else Outcome.LOST


def _hold(db: Connection, resumes: Sequence[Resume]) -> None:
    for resume in resumes:
        db.execute(queries.HOLD, (*astuple(resume), resume.tenant, resume.request_id))


def _drop_held(db: Connection, tenant: str, request_ids: Sequence[str]) -> None:
    for request_id in request_ids:
        db.execute(queries.DROP_HELD, (tenant, request_id))
