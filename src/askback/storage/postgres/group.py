"""What is written in one transaction, a group of changes at a time: each step is one statement for all of them.

Every server takes its locks in one order: claims, requests, messages, threads, what comes along, the heads of the
audit log, positions; and within each kind in the order of the keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from askback.domain import events as domain_events
from askback.domain.events import Event
from askback.domain.record import Record
from askback.ports.outcome import Outcome
from askback.ports.store import Change
from askback.storage.postgres import claims, messages, requests, threads
from askback.storage.postgres.along import write_along
from askback.storage.postgres.connection import Connection
from askback.storage.postgres.jobs import AddMessage, Insert, Job, Settle


async def write_group(db: Connection, jobs: Sequence[Job], *, origin: str) -> Sequence[Job]:
    """Write a group within a transaction; return the jobs that were applied, in the order of their positions.

    All of them have their outcomes or errors. After any exception the transaction must not be committed: `Overtaken`
    says that the group can be written again, `IdTaken`, `VersionTaken` and `ValueError` that one of it cannot.
    """
    for job in jobs:
        job.begin()
    await claims.take(db, jobs)
    await requests.settle(db, jobs)
    await messages.extend(db, jobs)
    await threads.check_access(db, jobs)
    applied = [job for job in jobs if job.open]
    if applied:
        await threads.number(db, applied)
        await requests.add(db, applied)
        await messages.add(db, applied)
        await messages.add_deltas(db, applied)
        await threads.set_access(db, applied)
        await write_along(db, *(job.change.along for job in applied))
    await claims.give_back(db, jobs)
    await requests.look_up(db, jobs)
    if applied:
        await threads.log(db, applied, origin=origin)
        for job in applied:
            job.outcome = Outcome.APPLIED
    return applied


def event_of(job: Job) -> Event:
    """Return the event of an applied job."""
    assert job.place is not None
    change, spec = job.change, None
    if isinstance(change, Insert):
        spec = change.record.spec
    elif isinstance(change, Settle):
        spec = job.found[5]
    return domain_events.commit(
        change.draft, seq=job.place.seq, position=job.position, spec=spec, access=job.place.access
    )


def result_of(job: Job) -> Any:
    """Return what the caller of a job is told."""
    assert job.outcome is not None
    if isinstance(job.change, Insert | Settle):
        record = _written(job) if job.outcome is Outcome.APPLIED else job.found
        return None if record is None else Change(record, job.outcome)
    return (job.target, job.outcome) if isinstance(job.change, AddMessage) else job.outcome


def _written(job: Job) -> Record:
    assert job.place is not None
    if isinstance(job.change, Insert):
        return replace(job.change.record, access=job.place.access)
    assert isinstance(job.change, Settle)
    step = job.change.step
    kind, requester, revision, created_at, expires_at, spec, digest, due_at = job.found
    return Record(
        step.id, step.tenant, step.event.thread_id, kind, requester, step.status, revision,
        created_at, expires_at, spec, step.state, digest, due_at, job.place.access,
    )  # fmt: skip
