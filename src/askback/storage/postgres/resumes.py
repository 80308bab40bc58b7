"""The `ResumeStore` part of the port on Postgres."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import astuple

import asyncpg

from askback.ports.outcome import Outcome
from askback.ports.resumes import Lease, Resume, Standing
from askback.storage import rows
from askback.storage.postgres import resume_queries as queries
from askback.storage.postgres.borrowed import Borrowed
from askback.storage.postgres.connection import Connection
from askback.storage.postgres.part import Part
from askback.storage.postgres.together import Key, Together
from askback.storage.postgres.writer import Writer


class ResumePart(Part):
    """Resumes. See `askback.ports.resumes` for what each method promises."""

    def __init__(self, writer: Writer, borrowed: Borrowed) -> None:
        super().__init__(writer, borrowed)
        self._drop = Together(self._drop_all)

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
        due = await self.next_resume(tenant, requester, thread_id=thread_id)
        if due is None or due > now_ms:
            return []  # most looks find nothing, and a write would wait for the disk
        sql, parameters = queries.lease(
            tenant, requester, thread_id, now_ms=now_ms, until_ms=until_ms, limit=limit
        )
        leased = await self._borrowed.change(lambda db: db.fetch(sql, *parameters))
        return [_leased(row, until_ms) for row in leased]

    async def next_resume(self, tenant: str, requester: str, *, thread_id: str | None = None) -> int | None:
        """Read when the next unfinished resume can be leased."""
        sql, parameters = queries.next_available(tenant, requester, thread_id)
        row = await self._borrowed.row(sql, *parameters)
        return None if row is None else row[0]

    async def resume_threads(self, tenant: str, requester: str) -> Mapping[str, int]:
        """Read where unfinished resumes are, and when the next one of each thread can be leased."""
        found = await self._borrowed.rows(queries.THREADS, tenant, requester)
        return {row[0]: row[1] for row in found}

    async def finish_resume(
        self, tenant: str, requester: str, resume_id: str, *, attempt: int, now_ms: int
    ) -> Outcome | None:
        """Finish a resume."""
        which = (resume_id, tenant, requester)

        async def finish(db: Connection) -> Outcome | None:
            if await db.fetchrow(queries.FINISH, now_ms, *which, attempt) is not None:
                return Outcome.APPLIED
            row = await db.fetchrow(queries.FINISHED, *which)
            if row is None:
                return None
            return Outcome.REPLAYED if row[0] else Outcome.LOST

        try:
            return await self._borrowed.change(finish)
        except asyncpg.CharacterNotInRepertoireError:  # no id has a character that Postgres cannot keep
            return None

    async def resume(self, tenant: str, resume_id: str) -> Standing | None:
        """Read where a resume stands."""
        return await self._standing(queries.STANDING, tenant, resume_id)

    async def resume_of(self, tenant: str, request_id: str, cause: str = "") -> Standing | None:
        """Read where the resume of a request stands."""
        return await self._standing(queries.STANDING_OF, tenant, request_id, cause)

    async def lease_resume(self, tenant: str, resume_id: str, *, now_ms: int, until_ms: int) -> Lease | None:
        """Lease this one."""
        which = (tenant, resume_id, now_ms, until_ms)
        row = await self._borrowed.change(lambda db: db.fetchrow(queries.LEASE_ONE, *which))
        return None if row is None else _leased(row, until_ms)

    async def release_resume(self, lease: Lease, *, now_ms: int) -> None:
        """Give a lease back before its end."""
        which = (lease.resume.tenant, lease.resume.id, lease.attempt)
        await self._borrowed.change(lambda db: db.execute(queries.RELEASE, *which, now_ms))

    async def hold_resumes(self, resumes: Sequence[Resume]) -> None:
        """Write resumes after their requests have ended."""
        held = [astuple(resume) for resume in resumes]
        await self._borrowed.change(lambda db: db.executemany(queries.HOLD, held))

    async def drop_held(self, tenant: str, request_ids: Sequence[str]) -> None:
        """Drop the held resumes of these requests."""
        await asyncio.gather(*(self._drop(tenant, request_id) for request_id in request_ids))

    async def _drop_all(self, names: Sequence[Key]) -> Mapping[Key, None]:
        await self._borrowed.change(lambda db: db.execute(queries.DROP_HELD, *zip(*names, strict=True)))
        return {}

    async def _standing(self, query: str, *which: str) -> Standing | None:
        row = await self._borrowed.row(query, *which)
        return None if row is None else Standing(Resume(*row[:8]), row[8], row[9])


def _leased(row: rows.Row, until_ms: int) -> Lease:
    return Lease(Resume(*row[:8]), rows.record(row[9:]), row[8], until_ms)
