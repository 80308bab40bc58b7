"""The requests of a group: apply steps, add new requests, and look up those that a step came too late for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askback.ports.outcome import Outcome
from askback.ports.store import IdTaken, Settlement
from askback.storage import rows
from askback.storage.postgres import queries
from askback.storage.postgres.connection import Connection
from askback.storage.postgres.jobs import Insert, Job, Settle, jobs_of_kind
from askback.storage.sql.requests import FIND
from askback.storage.sql.threads import HELD_BY_ANOTHER


async def settle(db: Connection, jobs: Sequence[Job]) -> None:
    """Try steps of the lifecycle, each on another request; those that do not fit their rows are lost."""
    steps = jobs_of_kind(jobs, Settle)
    if not steps:
        return
    for job, change in steps:
        if change.step.leave_queue and await _is_held_by_another(db, change.step):
            job.outcome = Outcome.LOST
    steps = jobs_of_kind(jobs, Settle)
    if not steps:
        return
    columns = zip(*((*step_row(change.step), change.step.leave_queue) for _, change in steps), strict=True)
    settled_rows = {(row[0], row[1]): row[2:] for row in await db.fetch(queries.SETTLE, *columns)}
    for job, change in steps:
        job.row = settled_rows.get((change.step.tenant, change.step.id))
        if job.row is None:
            job.outcome = Outcome.LOST


def step_row(step: Settlement) -> tuple[Any, ...]:
    """Return the columns of a step."""
    expires_at, due_at = step.times or (None, None)
    return (
        step.tenant, step.id, " ".join(step.expected_statuses), step.revision,
        step.state_before and step.state_before.text, step.status.value, step.state.text, int(step.asks_again),
        step.spec and step.spec.text, step.times is not None, expires_at, due_at,
        *step.end,
    )  # fmt: skip


async def _is_held_by_another(db: Connection, step: Settlement) -> bool:
    return await db.fetchrow(HELD_BY_ANOTHER, step.tenant, step.id) is not None


async def add(db: Connection, jobs: Sequence[Job]) -> None:
    """Store new requests, whose threads are known; raises `IdTaken`."""
    inserts = jobs_of_kind(jobs, Insert)
    if not inserts:
        return
    columns = zip(*(_request(job, change) for job, change in inserts), strict=True)
    stored_keys = {tuple(row) for row in await db.fetch(queries.ADD_REQUESTS, *columns)}
    existing_ids = [
        change.target for _, change in inserts if (change.record.tenant, change.record.id) not in stored_keys
    ]
    if existing_ids:
        raise IdTaken(existing_ids[0])


def _request(job: Job, change: Insert) -> tuple[Any, ...]:
    assert job.slot is not None
    record, labels = change.record, change.record.labels
    return (
        record.tenant, record.id, job.slot.thread, record.kind, record.requester, record.status.value,
        record.revision, record.created_at, record.expires_at, job.slot.seq, record.state.text,
        (job.spec or record.spec).text,
        record.digest, record.due_at, record.exclusive, record.queued_behind, record.hides_names,
        labels.run_id, labels.tool_call_id, labels.external_id, labels.body_digest, *record.end,
    )  # fmt: skip


async def look_up(db: Connection, jobs: Sequence[Job]) -> None:
    """Find the requests of calls that were replayed or lost, as they are now."""
    late_jobs = [
        job
        for job in jobs
        if isinstance(job.change, Insert | Settle) and job.outcome in {Outcome.REPLAYED, Outcome.LOST}
    ]
    if not late_jobs:
        return
    keys = [(job.change.draft.tenant, job.target) for job in late_jobs]
    records = [rows.record(row[2:]) for row in await db.fetch(FIND, *zip(*keys, strict=True))]
    by_key = {(record.tenant, record.id): record for record in records}
    for job, name in zip(late_jobs, keys, strict=True):
        job.current = by_key.get(name)
