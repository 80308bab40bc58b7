"""The threads and events of a group: numbers without a gap, and who may see what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from askback.domain.access import read_access
from askback.ports.outcome import Outcome
from askback.storage.postgres import queries
from askback.storage.postgres.connection import Connection
from askback.storage.postgres.jobs import Job, Overtaken, Place, SetAccess, of_kind


async def number(db: Connection, jobs: Sequence[Job]) -> None:
    """Give each job the next number in its thread, in the order of the jobs."""
    drafts = [job.change.draft for job in jobs]
    counts = Counter((draft.tenant, draft.thread_id) for draft in drafts)
    columns = zip(*((*thread, count) for thread, count in counts.items()), strict=True)
    threads = {
        (tenant, thread_id): Place(key, last - counts[tenant, thread_id], read_access(access))
        for tenant, thread_id, key, last, access in await db.fetch(queries.NUMBER, *columns)
    }
    for job, draft in zip(jobs, drafts, strict=True):
        before = threads[draft.tenant, draft.thread_id]
        job.place = threads[draft.tenant, draft.thread_id] = replace(before, seq=before.seq + 1)


async def check_access(db: Connection, jobs: Sequence[Job]) -> None:
    """Lose what is to change another access to a thread than it has; the thread is locked from here, if it is there."""
    for job, change in of_kind(jobs, SetAccess):
        text = await db.fetchval(queries.LOCK_ACCESS, change.draft.tenant, change.draft.thread_id)
        if read_access(text) != change.before:
            job.outcome = Outcome.LOST


async def set_access(db: Connection, jobs: Sequence[Job]) -> None:
    """Give threads another access, which their events carry."""
    for job, change in of_kind(jobs, SetAccess):
        assert job.place is not None
        if job.place.access != change.before:
            raise Overtaken  # somebody made the thread meanwhile, and shared it
        await db.execute(queries.SET_ACCESS, change.access.text, job.place.thread)
        job.place = replace(job.place, access=change.access)


async def log(db: Connection, jobs: Sequence[Job], *, origin: str) -> None:
    """Write the events of numbered jobs, give them their positions, and tell the other servers."""
    after = Counter(job.change.draft.tenant for job in jobs)
    tenants = dict(after)
    events: list[tuple[str, int, int, int, str, str | None, int, str]] = []
    for job in jobs:
        assert job.place is not None
        draft, place = job.change.draft, job.place
        after[draft.tenant] -= 1
        at = (draft.tenant, after[draft.tenant], place.thread, place.seq)
        events.append((*at, draft.type, draft.request_id, draft.at, draft.data))
    columns = zip(*events, strict=True)
    placed = await db.fetch(queries.LOG, list(tenants), list(tenants.values()), origin, *columns)
    newest = {tenant: position for tenant, position, _ in placed}
    for job, event in zip(jobs, events, strict=True):
        job.position = newest[event[0]] - event[1]
