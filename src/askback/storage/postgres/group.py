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
from askback.domain.spec import Spec
from askback.ports.outcome import Outcome
from askback.ports.store import Change
from askback.storage.postgres import claims, messages, quota, requests
from askback.storage.postgres.connection import Connection
from askback.storage.postgres.database import PostgresTransaction
from askback.storage.postgres.jobs import AddMessage, Entry, Insert, Job, Settle
from askback.storage.sql.side_effects import write_side_effects


async def write_group(db: Connection, jobs: Sequence[Job]) -> Sequence[Entry]:
    """Write a group within a transaction; return the events of what was applied, which are yet to be logged.

    All jobs have their outcomes or errors then. After any exception the transaction must not be committed: `Overtaken`
    says that the group can be written again, `IdTaken`, `VersionTaken` and `ValueError` that one of it cannot.
    """
    for job in jobs:
        job.begin()
    await claims.take(db, jobs)
    await requests.settle(db, jobs)
    await messages.extend(db, jobs)
    fitting = [job for job in jobs if job.open]
    if fitting:
        await quota.enforce(db, fitting)
        await requests.add(db, fitting)
        await messages.add(db, fitting)
        await messages.add_deltas(db, fitting)
        effects = (job.change.effects for job in fitting if job.open)
        await write_side_effects(PostgresTransaction(db), *effects)
    await claims.give_back(db, jobs)
    await requests.look_up(db, jobs)
    applied = [job for job in fitting if job.open]
    for job in applied:
        job.outcome = Outcome.APPLIED
    return [_entry(job) for job in applied]


def event_of(entry: Entry) -> Event:
    """Return an event that has been logged."""
    place = entry.place
    return domain_events.commit(
        entry.draft,
        seq=place.seq,
        position=entry.position,
        spec=entry.spec,
        access=place.access,
        hides_names=entry.hides_names,
    )


def result_of(job: Job) -> Any:
    """Return what the caller of a job is told."""
    assert job.outcome is not None
    if isinstance(job.change, Insert | Settle):
        record = _written(job) if job.outcome is Outcome.APPLIED else job.found
        return None if record is None else Change(record, job.outcome)
    return (job.target, job.outcome) if isinstance(job.change, AddMessage) else job.outcome


def _entry(job: Job) -> Entry:
    assert job.place is not None
    spec, hides_names = None, False
    if isinstance(job.change, Insert):
        spec, hides_names = job.change.record.spec, job.change.record.hides_names
    elif isinstance(job.change, Settle):
        spec, hides_names = Spec(job.found[5]), job.found[10]
    return Entry(job.change.draft, job.place, spec, hides_names)


def _written(job: Job) -> Record:
    assert job.place is not None
    access = job.place.access
    if isinstance(job.change, Insert):
        record = job.change.record
        return record if record.access is access else replace(record, access=access)
    assert isinstance(job.change, Settle)
    step = job.change.step
    kind, requester, revision, created_at, expires_at, spec, digest, due_at, *line = job.found
    return Record(
        step.id, step.tenant, step.event.thread_id, kind, requester, step.status, revision,
        created_at, expires_at, Spec(spec), step.state, digest, due_at, access, *line,
    )  # fmt: skip
