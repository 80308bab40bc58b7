"""Write a group of changes in one transaction: each step is one statement for all changes.

Every server takes its locks in one order: claims, requests, messages, threads, side effects, the heads of the
audit log, positions; and within each kind in the order of the keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from askback.domain import events as domain_events
from askback.domain.events import Event
from askback.domain.record import Record
from askback.domain.spec import Spec
from askback.ports.outcome import Outcome
from askback.ports.store import Change, ClaimMismatch, IdTaken, MessageFull, MessageMissing
from askback.ports.threads import ThreadArchived
from askback.storage.postgres import queries, quota, requests
from askback.storage.postgres.connection import Connection
from askback.storage.postgres.database import PostgresTransaction
from askback.storage.postgres.jobs import (
    AddMessage,
    AppendText,
    Entry,
    Insert,
    Job,
    Overtaken,
    Settle,
    jobs_of_kind,
)
from askback.storage.sql.side_effects import write_side_effects


async def write_group(db: Connection, jobs: Sequence[Job]) -> Sequence[Entry]:
    """Write a group within a transaction; return the events of the applied changes, which are not logged yet.

    All jobs have their outcomes or errors then. After any exception the transaction must not be committed: `Overtaken`
    says that the group can be written again, `IdTaken`, `VersionTaken` and `ValueError` that one of it cannot.
    """
    for job in jobs:
        job.begin()
    await take_claims(db, jobs)
    await requests.settle(db, jobs)
    await lock_messages(db, jobs)
    open_jobs = [job for job in jobs if job.open]
    if open_jobs:
        await quota.enforce(db, open_jobs)
        await requests.add(db, open_jobs)
        await add_messages(db, open_jobs)
        await add_deltas(db, open_jobs)
        effects = (job.change.effects for job in open_jobs if job.open)
        await write_side_effects(PostgresTransaction(db), *effects)
    await give_claims_back(db, jobs)
    await requests.look_up(db, jobs)
    applied_jobs = [job for job in open_jobs if job.open]
    for job in applied_jobs:
        job.outcome = Outcome.APPLIED
    return [entry for job in applied_jobs for entry in _entries_of(job)]


def event_of(entry: Entry) -> Event:
    """Return an event that has been logged."""
    slot = entry.slot
    return domain_events.committed_event(
        entry.draft,
        seq=slot.seq,
        position=entry.position,
        spec=entry.spec,
        access=slot.access,
        hides_names=entry.hides_names,
    )


def result_of(job: Job) -> Any:
    """Return the result for the caller of a job."""
    assert job.outcome is not None
    if isinstance(job.change, Insert | Settle):
        record = _settled_record(job) if job.outcome is Outcome.APPLIED else job.current
        return None if record is None else Change(record, job.outcome)
    return (job.target, job.outcome) if isinstance(job.change, AddMessage) else job.outcome


def entry_of(job: Job, *, position: int = 0) -> Entry:
    """Return the event of an applied job, in its place."""
    assert job.slot is not None
    spec, hides_names = None, False
    if isinstance(job.change, Insert):
        spec, hides_names = job.spec or job.change.record.spec, job.change.record.hides_names
    elif isinstance(job.change, Settle):
        spec, hides_names = Spec(job.row[5]), job.row[10]
    return Entry(job.change.draft, job.slot, spec, hides_names, position)


def _entries_of(job: Job) -> Iterable[Entry]:
    yield entry_of(job)
    if job.message is not None and job.message_slot is not None:
        yield Entry(job.message.event, job.message_slot)


def _settled_record(job: Job) -> Record:
    assert job.slot is not None
    access = job.slot.access
    if isinstance(job.change, Insert):
        return replace(job.change.record, access=access, spec=job.spec or job.change.record.spec)
    assert isinstance(job.change, Settle)
    step = job.change.step
    kind, requester, revision, created_at, expires_at, spec, digest, due_at, *line = job.row
    return Record(
        step.id, step.tenant, step.event.thread_id, kind, requester, step.status, revision,
        created_at, expires_at, Spec(spec), step.state, digest, due_at, access, *line,
    )  # fmt: skip


def claim_rows(jobs: Sequence[Job]) -> Sequence[tuple[Any, ...]]:
    """Return id, tenant, thread, digest and target of each key of some jobs."""
    return [
        (job.claim_id, claim.tenant, job.change.draft.thread_id, claim.digest, job.target)
        for job in jobs
        if (claim := job.change.claim) is not None
    ]


async def take_claims(db: Connection, jobs: Sequence[Job]) -> None:
    """Take the keys of jobs; a job whose key was taken before is replayed, or refused when its body is another."""
    claims = claim_rows(jobs)
    if not claims:
        return
    free_claims = {row[0] for row in await db.fetch(queries.TAKE_CLAIMS, *zip(*claims, strict=True))}
    for job in jobs:
        job.holds = job.claim_id in free_claims
    jobs_without_claim = [job for job in jobs if job.claim_id is not None and not job.holds]
    if jobs_without_claim:
        await _replay(db, jobs_without_claim)


async def give_claims_back(db: Connection, jobs: Sequence[Job]) -> None:
    """Give back the keys of jobs that changed nothing: only applied jobs keep their keys."""
    returned_claims = [job.claim_id for job in jobs if job.holds and not job.open]
    if returned_claims:
        await db.execute(queries.GIVE_CLAIMS_BACK, returned_claims)


async def _replay(db: Connection, jobs: Sequence[Job]) -> None:
    claims = await db.fetch(queries.CLAIMS, [job.claim_id for job in jobs])
    targets = {claim_id: (digest, target) for claim_id, digest, target in claims}
    for job in jobs:
        assert job.claim_id is not None
        assert job.change.claim is not None
        if job.claim_id not in targets:
            raise Overtaken
        digest, job.target = targets[job.claim_id]
        if digest == job.change.claim.digest:
            job.outcome = Outcome.REPLAYED
        else:
            job.error = ClaimMismatch(job.change.claim.key)


async def lock_messages(db: Connection, jobs: Sequence[Job]) -> None:
    """Lock the messages of texts, each another one; texts for which there is no room have their errors."""
    texts = jobs_of_kind(jobs, AppendText)
    if not texts:
        return
    message_keys = [
        (text.draft.tenant, text.draft.thread_id, text.target, text.draft.owner) for _, text in texts
    ]
    columns = tuple(zip(*message_keys, strict=True))
    locked = await db.fetch(queries.EXTEND, *columns, [text.room for _, text in texts])
    keys = {tuple(row[:3]): row[3] for row in locked}
    refused_jobs = [job for (job, _), name in zip(texts, message_keys, strict=True) if name[:3] not in keys]
    archived = await _find_messages(db, columns) if refused_jobs else dict[Any, bool]()
    for (job, text), name in zip(texts, message_keys, strict=True):
        job.message_key = keys.get(name[:3])
        if job.message_key is None:
            job.error = _refusal(text, archived=archived.get(name[:3]))


async def _find_messages(db: Connection, names: Sequence[Sequence[str]]) -> Mapping[Any, bool]:
    """Return the existing messages, and whether their threads are archived."""
    return {tuple(row[:3]): row[3] for row in await db.fetch(queries.MESSAGES_THERE, *names)}


def _refusal(text: AppendText, *, archived: bool | None) -> Exception:
    if archived is None:
        return MessageMissing(text.target)
    return ThreadArchived(text.draft.thread_id) if archived else MessageFull(text.target)


async def add_messages(db: Connection, jobs: Sequence[Job]) -> None:
    """Store new messages, whose threads are known; raises `IdTaken`."""
    rows = [
        (job.slot.thread, message.target, message.draft.owner, job.slot.seq, message.data, message.held)
        for job, message in jobs_of_kind(jobs, AddMessage)
        if job.slot is not None
    ] + [
        (slot.thread, message.id, message.event.owner, slot.seq, message.event.data, False)
        for job in jobs
        if job.open and (message := job.message) is not None and (slot := job.message_slot) is not None
    ]
    if not rows:
        return
    stored_keys = {tuple(row) for row in await db.fetch(queries.ADD_MESSAGES, *zip(*rows, strict=True))}
    existing_ids = [row[1] for row in rows if row[:2] not in stored_keys]
    if existing_ids:
        raise IdTaken(existing_ids[0])


async def add_deltas(db: Connection, jobs: Sequence[Job]) -> None:
    """Store the texts for which there is room, and count their bytes."""
    deltas = [
        (job.message_key, job.slot.seq, text.text)
        for job, text in jobs_of_kind(jobs, AppendText)
        if job.slot is not None
    ]
    if deltas:
        await db.execute(queries.ADD_DELTAS, *zip(*deltas, strict=True))
