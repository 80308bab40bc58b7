"""Which changes of a group their threads take: archived ones nothing new, and none more than its quota allows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from askback.domain.record import Record
from askback.domain.spec import Spec
from askback.ports.store import ExternalIdTaken, KeyHeld
from askback.ports.threads import Quota, QuotaExceeded, ThreadArchived, ThreadOfAnother
from askback.storage import rows
from askback.storage.postgres import question_counts, threads
from askback.storage.postgres import thread_queries as queries
from askback.storage.postgres.connection import Connection
from askback.storage.postgres.jobs import AppendText, Insert, Job, Overtaken, Settle
from askback.storage.postgres.question_counts import QuestionCounts
from askback.storage.postgres.threads import Thread


async def enforce(db: Connection, jobs: Sequence[Job]) -> None:
    """Give jobs their slots, in their order; those that their threads do not take have their errors."""
    threads_by_key = await threads.number(db, (draft for job in jobs for draft in job.drafts))
    pairs = [(job, threads_by_key[job.change.draft.tenant, job.change.draft.thread_id]) for job in jobs]
    usage = await _read_usage(db, pairs)
    usage.counts = await question_counts.read(db, pairs)
    for job, thread in pairs:
        try:
            _admit(job, thread, usage)
        except (ExternalIdTaken, ThreadOfAnother, ThreadArchived, KeyHeld, QuotaExceeded) as error:
            job.error = error
        else:
            job.slot = thread.next_slot(job.change.draft)
            if (message := job.message) is not None:
                job.message_slot = thread.next_slot(message.event)
    await threads.keep(db, threads_by_key.values())
    await usage.counts.keep(db)


class _Usage:
    """The holders of exclusive keys and external ids, and the numbers of open requests by thread and by requester.

    The counts of a thread are exact, because the thread is locked. The requests of one requester in several threads are
    counted without a lock: concurrent groups may exceed that limit by the requests that they add.
    """

    def __init__(self) -> None:
        self.holders: dict[tuple[int, str, str | None], Record] = {}
        self.external: dict[tuple[int, str, str | None], tuple[str, Record]] = {}
        self.in_thread: Counter[int] = Counter()
        self.of_requester: Counter[tuple[str, str]] = Counter()
        self.counts = QuestionCounts({})


async def _read_usage(db: Connection, pairs: Sequence[tuple[Job, Thread]]) -> _Usage:
    usage = _Usage()
    inserts = [(job.change, thread) for job, thread in pairs if isinstance(job.change, Insert)]
    keys = [(t.key, i.record.requester, i.record.exclusive) for i, t in inserts if i.has_exclusive_key]
    if keys:
        for row in await db.fetch(queries.HOLDERS, *zip(*keys, strict=True)):
            holder = rows.record(row[1:])
            usage.holders[row[0], holder.requester, holder.exclusive] = holder
    names = [
        (t.key, i.record.requester, external_id)
        for i, t in inserts
        if (external_id := i.record.labels.external_id)
    ]
    if names:
        for row in await db.fetch(queries.EXTERNAL, *zip(*names, strict=True)):
            usage.external[row[0], row[1], row[2]] = (row[3], rows.record(row[4:]))
    quotas = [(i.record, i.quota, t) for i, t in inserts if i.quota is not None and not i.record.settled]
    in_thread = {t.key: q.pending_in_thread for _, q, t in quotas if q.pending_in_thread is not None}
    of_requester = {
        (r.tenant, r.requester): q.pending_of_requester
        for r, q, _ in quotas
        if q.pending_of_requester is not None
    }
    if in_thread or of_requester:
        tenants, requesters = (
            [tenant for tenant, _ in of_requester],
            [requester_id for _, requester_id in of_requester],
        )
        columns = (
            list(in_thread),
            list(in_thread.values()),
            tenants,
            requesters,
            list(of_requester.values()),
        )
        for key, tenant, requester, pending in await db.fetch(queries.PENDING, *columns):
            if key is not None:
                usage.in_thread[key] = pending
            else:
                usage.of_requester[tenant, requester] = pending
    return usage


def _admit(job: Job, thread: Thread, usage: _Usage) -> None:
    """Take note of a change, or raise why its thread does not take it."""
    change = job.change
    thread.admit(change.draft)
    if isinstance(change, Settle):
        _note(job, change, thread, usage)
        return
    if isinstance(change, Insert):
        _require_new(change.record, thread, usage)
    if thread.archived:
        if isinstance(change, AppendText):
            raise Overtaken  # its message was found in a thread that was not
        raise ThreadArchived(change.draft.thread_id)
    if isinstance(change, Insert) and not change.record.settled:
        holder = usage.holders.get((thread.key, change.record.requester, change.record.exclusive))
        if change.has_exclusive_key and holder is not None:
            raise KeyHeld(holder)
        if change.quota is not None:
            _check(change.record, change.quota, thread, usage)
            if change.counted:
                job.spec = _number(change.record, change.quota, thread, usage)
        usage.in_thread[thread.key] += 1
        usage.of_requester[change.record.tenant, change.record.requester] += 1


def _require_new(record: Record, thread: Thread, usage: _Usage) -> None:
    existing = usage.external.get((thread.key, record.requester, record.labels.external_id))
    if existing is not None:
        digest, record_id = existing
        raise ExternalIdTaken(record_id, same=digest == record.labels.body_digest)


def _check(record: Record, quota: Quota, thread: Thread, usage: _Usage) -> None:
    limit = quota.pending_in_thread
    if limit is not None and usage.in_thread[thread.key] >= limit:
        raise QuotaExceeded("pending_in_thread", maximum=limit)
    limit = quota.pending_of_requester
    if limit is not None and usage.of_requester[record.tenant, record.requester] >= limit:
        raise QuotaExceeded("pending_of_requester", maximum=limit)


def _number(record: Record, quota: Quota, thread: Thread, usage: _Usage) -> Spec:
    """Count a form, and return its spec with its number."""
    limit, created_at = quota.questions, record.created_at
    asked_count = 0 if thread.counted_since + quota.window_ms <= created_at else thread.question_count
    if limit is not None and asked_count >= limit:
        raise QuotaExceeded("questions", maximum=limit, retry_at=thread.counted_since + quota.window_ms)
    number = usage.counts.count(thread.key, quota, now=created_at)
    in_thread = thread.count(window_ms=quota.window_ms, now=created_at)
    return record.spec.with_ordinal(*(number or (in_thread, limit)))


def _note(job: Job, change: Settle, thread: Thread, usage: _Usage) -> None:
    """Update the counts of a thread for a step of a request."""
    step = change.step
    if step.refunds:
        thread.give_back(created_at=job.row[3])
        usage.counts.give_back(thread.key, job)
    if step.refused:
        thread.refuse(refused_at=step.event.at)
