"""Which changes of a group their threads take: archived ones nothing new, and none more than its quota allows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from askback.domain.record import Record
from askback.ports.store import KeyHeld
from askback.ports.threads import Quota, QuotaSpent, ThreadArchived, ThreadOfAnother
from askback.storage import rows
from askback.storage.postgres import thread_queries as queries
from askback.storage.postgres import threads
from askback.storage.postgres.connection import Connection
from askback.storage.postgres.jobs import AppendText, Insert, Job, Overtaken, Settle
from askback.storage.postgres.threads import Thread


async def enforce(db: Connection, jobs: Sequence[Job]) -> None:
    """Give jobs their places, in their order; those that their threads do not take have their errors."""
    found = await threads.number(db, (job.change.draft for job in jobs))
    pairs = [(job, found[job.change.draft.tenant, job.change.draft.thread_id]) for job in jobs]
    usage = await _read_usage(db, pairs)
    for job, thread in pairs:
        try:
            _admit(job, thread, usage)
        except (ThreadOfAnother, ThreadArchived, KeyHeld, QuotaSpent) as refused:
            job.error = refused
        else:
            job.place = thread.place(job.change.draft)
    await threads.keep(db, found.values())


class _Usage:
    """Who has which exclusive key, and how many requests are open: in a thread, of a requester.

    What is in a thread is exact, for the thread is locked. The requests of one requester in several threads are counted
    without a lock: groups that are written at the same moment may go over the limit by what they add.
    """

    def __init__(self) -> None:
        self.holders: dict[tuple[int, str, str | None], Record] = {}
        self.in_thread: Counter[int] = Counter()
        self.of_requester: Counter[tuple[str, str]] = Counter()


async def _read_usage(db: Connection, pairs: Sequence[tuple[Job, Thread]]) -> _Usage:
    usage = _Usage()
    inserts = [(job.change, thread) for job, thread in pairs if isinstance(job.change, Insert)]
    keys = [(t.key, i.record.requester, i.record.exclusive) for i, t in inserts if i.takes]
    if keys:
        for row in await db.fetch(queries.HOLDERS, *zip(*keys, strict=True)):
            holder = rows.record(row[1:])
            usage.holders[row[0], holder.requester, holder.exclusive] = holder
    quotas = [(i.record, i.quota, t) for i, t in inserts if i.quota is not None and not i.record.settled]
    in_thread = {t.key: q.pending_in_thread for _, q, t in quotas if q.pending_in_thread is not None}
    of_requester = {
        (r.tenant, r.requester): q.pending_of_requester
        for r, q, _ in quotas
        if q.pending_of_requester is not None
    }
    if in_thread or of_requester:
        tenants, requesters = [tenant for tenant, _ in of_requester], [who for _, who in of_requester]
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
        _note(job, change, thread)
        return
    if thread.archived:
        if isinstance(change, AppendText):
            raise Overtaken  # its message was found in a thread that was not
        raise ThreadArchived(change.draft.thread_id)
    if isinstance(change, Insert) and not change.record.settled:
        holder = usage.holders.get((thread.key, change.record.requester, change.record.exclusive))
        if change.takes and holder is not None:
            raise KeyHeld(holder)
        if change.quota is not None:
            _check(change.record, change.quota, thread, usage)
        usage.in_thread[thread.key] += 1
        usage.of_requester[change.record.tenant, change.record.requester] += 1


def _check(record: Record, quota: Quota, thread: Thread, usage: _Usage) -> None:
    most = quota.pending_in_thread
    if most is not None and usage.in_thread[thread.key] >= most:
        raise QuotaSpent("pending_in_thread", most=most)
    most = quota.pending_of_requester
    if most is not None and usage.of_requester[record.tenant, record.requester] >= most:
        raise QuotaSpent("pending_of_requester", most=most)
    if record.kind != "form":
        return
    most, now = quota.questions, record.created_at
    asked = 0 if thread.asked_from + quota.window_ms <= now else thread.asked
    if most is not None and asked >= most:
        raise QuotaSpent("questions", most=most, again_at=thread.asked_from + quota.window_ms)
    thread.count(window_ms=quota.window_ms, now=now)


def _note(job: Job, change: Settle, thread: Thread) -> None:
    """Note what a step of a request means for its thread."""
    step = change.step
    if step.refunds:
        thread.give_back(created_at=job.found[3])
    if step.refused:
        thread.refuse(at=step.event.at)
