"""The questions of tools and agents in the threads of a group, which are locked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from askback.domain.policy.question_limits import count_names
from askback.domain.spec import Spec
from askback.ports.threads import QuestionCount, Quota, QuotaExceeded
from askback.storage.postgres import thread_queries as queries
from askback.storage.postgres.connection import Connection
from askback.storage.postgres.jobs import Insert, Job, Settle
from askback.storage.postgres.threads import Thread

Name = tuple[int, str]
"""The key of a thread, and the name of a count."""


class QuestionCounts:
    """The counts by name."""

    def __init__(self, counts: Mapping[Name, QuestionCount]) -> None:
        self._counts = dict(counts)
        self._changed = set[Name]()

    def count(self, thread: int, quota: Quota, *, now: int) -> tuple[int, int] | None:
        """Count a form under each of its limits; return its number and the limit if one of them numbers it.

        Raises `QuotaExceeded`, and counts nothing, if one is used up.
        """
        new_counts = dict[Name, QuestionCount]()
        number = None
        for limit in quota.limits:
            window = quota.window_of(limit)
            asked_count, window_start, agent_limit = self._counts.get(
                (thread, limit.name), QuestionCount(0, now)
            )
            if window_start + window <= now:
                asked_count, window_start = 0, now
            if asked_count >= limit.maximum:
                raise QuotaExceeded("questions", limit.maximum, window_start + window, limit=limit.name)
            if limit.agent_limit is not None:
                agent_limit = limit.agent_limit
            new_counts[thread, limit.name] = QuestionCount(asked_count + 1, window_start, agent_limit)
            if limit.name == quota.numbered_by:
                number = asked_count + 1, limit.maximum
        self._counts |= new_counts
        self._changed |= new_counts.keys()
        return number

    def give_back(self, thread: int, job: Job) -> None:
        """Uncount a form that was counted in the current window."""
        for name in _names(job):
            count = self._counts.get((thread, name), QuestionCount(0, 0))
            if count.question_count > 0 and count.since <= job.row[3]:
                self._counts[thread, name] = count._replace(question_count=count.question_count - 1)
                self._changed.add((thread, name))

    async def keep(self, db: Connection) -> None:
        """Write the changed counts."""
        rows = [(*name, *self._counts[name]) for name in sorted(self._changed)]
        if rows:
            await db.execute(queries.KEEP_COUNTS, *zip(*rows, strict=True))


async def read(db: Connection, pairs: Sequence[tuple[Job, Thread]]) -> QuestionCounts:
    """Read the counts that a group may change; its threads are locked."""
    names = {(thread.key, name) for job, thread in pairs for name in _names(job)}
    if not names:
        return QuestionCounts({})
    counts = await db.fetch(queries.COUNTS, *zip(*names, strict=True))
    return QuestionCounts({(row[0], row[1]): QuestionCount(*row[2:]) for row in counts})


def _names(job: Job) -> Iterable[str]:
    change = job.change
    if isinstance(change, Insert) and change.counted and change.quota is not None:
        return [limit.name for limit in change.quota.limits]
    if isinstance(change, Settle) and change.step.refunds:
        return count_names(Spec(job.row[5]).tool, job.row[1])
    return ()
