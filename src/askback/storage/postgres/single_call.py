"""Writes and commits a group of plain changes in one call of the database function `write_group` (migration 35).

Plain changes (`Job.plain`) are new requests and steps of requests without side effects but resumes: most of what agents
and people do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from askback.domain.access import read_access
from askback.domain.events import EventDraft
from askback.ports.outcome import Outcome
from askback.ports.threads import Quota
from askback.storage.postgres.connection import Connection
from askback.storage.postgres.group import claim_rows, entry_of
from askback.storage.postgres.jobs import Entry, EventSlot, Insert, Job, Settle, jobs_of_kind
from askback.storage.postgres.requests import step_row
from askback.storage.postgres.transactions import single_statement
from askback.storage.sql.resumes import resume_columns

Name = tuple[str, str]
"""A tenant, and the id of one of its threads, requesters or requests."""

_NO_QUOTA = Quota(None, 0)
_LIMITS, _CLAIMS, _STEPS, _THREADS, _REQUESTERS, _REQUESTS = 5, 5, 15, 8, 3, 19
_EVENTS, _RESUMES, _TENANTS = 8, 8, 2
_PARAMETERS = _LIMITS + _CLAIMS + _STEPS + _THREADS + _REQUESTERS + _REQUESTS + _EVENTS + _RESUMES + _TENANTS
_WRITE_GROUP = f"SELECT * FROM write_group({', '.join(f'${n + 1}' for n in range(_PARAMETERS))})"  # noqa: S608


async def write_plain(db: Connection, jobs: Sequence[Job], *, origin: str) -> Sequence[Entry]:
    """Write and commit a group of plain changes; return their events in the order of the jobs.

    Returns nothing, and has written nothing, where not all of the changes are to be applied, or where they cannot be
    written in one call. `group.write_group` then finds the outcome of each.
    """
    for job in jobs:
        job.begin()
    group = _Group(jobs)
    if not group.is_uniform():
        return []
    async with single_statement():
        row = await db.fetchrow(_WRITE_GROUP, origin, *group.parameters())
    assert row is not None
    return [] if row["thread_keys"] is None else list(group.entries(row))


class _Group:
    """The arguments of `write_group` for some changes, and what its results mean for each.

    Threads, tenants, requesters and steps are sorted, and results come in the same order.
    """

    def __init__(self, jobs: Sequence[Job]) -> None:
        self._jobs = jobs
        self._drafts = [job.change.draft for job in jobs]
        self._inserts = [change for _, change in jobs_of_kind(jobs, Insert)]
        self._steps = sorted(
            jobs_of_kind(jobs, Settle), key=lambda pair: (pair[1].step.tenant, pair[1].step.id)
        )
        self._agents = {(_name(draft), draft.agent) for draft in self._drafts if draft.agent is not None}
        self._quotas = {change.quota for change in self._inserts if change.quota is not None}
        self._quota = next(iter(self._quotas), _NO_QUOTA)
        self._events = dict(sorted(Counter(map(_name, self._drafts)).items()))
        self._tenants = dict(sorted(Counter(draft.tenant for draft in self._drafts).items()))
        self._slots = list(self._number())
        self._questions_after = self._number_questions()

    def _number(self) -> Iterator[tuple[int, int, int, int]]:
        """Give of each event the place of its thread and how many events of that come after it, then of its tenant."""
        threads = {name: index for index, name in enumerate(self._events, 1)}
        tenants = {tenant: index for index, tenant in enumerate(self._tenants, 1)}
        of_thread, of_tenant = self._events.copy(), self._tenants.copy()
        for draft in self._drafts:
            name = _name(draft)
            of_thread[name] -= 1
            of_tenant[draft.tenant] -= 1
            yield threads[name], of_thread[name], tenants[draft.tenant], of_tenant[draft.tenant]

    def _number_questions(self) -> Mapping[Name, int]:
        """Return by the tenant and the id of each question how many questions of its thread come after it."""
        counts_after, remaining_forms = (
            dict[Name, int](),
            Counter(_name(form.draft) for form in self._forms()),
        )
        for form in self._forms():
            remaining_forms[_name(form.draft)] -= 1
            counts_after[form.record.tenant, form.record.id] = remaining_forms[_name(form.draft)]
        return counts_after

    def is_uniform(self) -> bool:
        """Return whether all share one quota without tool limits, and each thread has one agent and no excess forms."""
        forms, limit = Counter(_name(form.draft) for form in self._forms()), self._quota.questions
        return (
            len(self._quotas) <= 1
            and not self._quota.limits
            and len(self._agents) == len({name for name, _ in self._agents})
            and (limit is None or max(forms.values(), default=0) <= limit)
        )

    def parameters(self) -> Iterator[Any]:
        """Give the arguments after the first."""
        quota = self._quota
        yield from (quota.window_ms, quota.questions, quota.pending_in_thread, quota.pending_of_requester)
        yield from _columns(claim_rows(self._jobs), _CLAIMS)
        yield from _columns([step_row(change.step) for _, change in self._steps], _STEPS)
        yield from _columns(self._thread_rows(), _THREADS)
        yield from _columns(self._requester_rows(), _REQUESTERS)
        yield from _columns(self._request_rows(), _REQUESTS)
        events = zip(self._slots, self._drafts, strict=True)
        yield from _columns([(*slot, d.type, d.request_id, d.at, d.data) for slot, d in events], _EVENTS)
        resumes = (resume for job in self._jobs for resume in job.change.effects.resumes)
        yield from _columns(map(resume_columns, resumes), _RESUMES)
        yield from _columns(self._tenants.items(), _TENANTS)

    def _forms(self) -> Iterable[Insert]:
        """Give the requests that are counted as questions."""
        return (change for change in self._inserts if change.counted)

    def _open_inserts(self) -> Iterable[Insert]:
        return (change for change in self._inserts if not change.record.settled)

    def _thread_rows(self) -> Sequence[tuple[Any, ...]]:
        agents = {name: agent.stored_text for name, agent in self._agents}
        forms = Counter[Name]()
        window_starts = dict[Name, int]()
        for form in self._forms():
            forms[_name(form.draft)] += 1
            window_starts.setdefault(_name(form.draft), form.record.created_at)
        threads_of_inserts = {_name(change.draft) for change in self._inserts}
        opened_counts = Counter(_name(change.draft) for change in self._open_inserts())
        return [
            (
                *name,
                events,
                agents.get(name),
                forms[name],
                window_starts.get(name, 0),
                name in threads_of_inserts,
                opened_counts[name],
            )
            for name, events in self._events.items()
        ]

    def _requester_rows(self) -> Sequence[tuple[Any, ...]]:
        opened_counts = Counter(
            (change.record.tenant, change.record.requester) for change in self._open_inserts()
        )
        return [(*name, count) for name, count in opened_counts.items()]

    def _request_rows(self) -> Sequence[tuple[Any, ...]]:
        return [
            (
                slot[0], slot[1], record.tenant, record.id, record.kind, record.requester, record.status.value,
                record.revision, record.created_at, record.expires_at, record.state.text,
                record.spec.text
                if (question_number := self._questions_after.get((record.tenant, record.id))) is None
                else record.spec.unclosed_text,
                record.digest, record.due_at,
                labels.run_id, labels.tool_call_id, labels.external_id, labels.body_digest, question_number,
            )
            for slot, job in zip(self._slots, self._jobs, strict=True)
            if isinstance(job.change, Insert) and (record := job.change.record) and (labels := record.labels)
        ]  # fmt: skip

    def entries(self, row: Any) -> Iterator[Entry]:
        """Give the event of each change, which has its outcome then, from the results of the call."""
        positions, keys, seqs, access, agents, question_counts, *columns = row
        if self._steps:
            for (job, _), values in zip(self._steps, zip(*columns, strict=True), strict=True):
                job.row = values
        for job, (thread, seq_after, tenant, tenant_after) in zip(self._jobs, self._slots, strict=True):
            thread_index = thread - 1
            job.slot = EventSlot(
                keys[thread_index],
                seqs[thread_index] - seq_after,
                read_access(access[thread_index], agents[thread_index]),
            )
            job.outcome = Outcome.APPLIED
            if isinstance(job.change, Insert) and job.change.counted:
                record = job.change.record
                ordinal = question_counts[thread_index] - self._questions_after[record.tenant, record.id]
                job.spec = record.spec.with_ordinal(ordinal, self._quota.questions)
            yield entry_of(job, position=positions[tenant - 1] - tenant_after)


def _name(draft: EventDraft) -> Name:
    return draft.tenant, draft.thread_id


def _columns(rows: Iterable[Sequence[Any]], count: int) -> Iterable[Sequence[Any] | None]:
    """Turn rows into columns; each is NULL without rows, which the driver encodes faster than an empty array."""
    return tuple(zip(*rows, strict=True)) or [None] * count
