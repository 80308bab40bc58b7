"""What writes events: changes that wait while a group is written share the next one.

A commit costs a sync of the disk and a round trip however many changes it holds, so after a group of several the writer
lets what has already arrived join the next one. There is one connection, so groups are committed and delivered in one
order. Changes of the same row, or with the same idempotency key, are in one group after another, in the order in which
they came. Plain changes, which are most, go to the database in a single call; they are in groups of their own.
"""

from __future__ import annotations

import asyncio
import copy
import logging
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import asyncpg

from askback.domain.events import Event
from askback.errors import Unavailable
from askback.ports.health import Pressure
from askback.storage.postgres.batch_loader import let_more_join
from askback.storage.postgres.connection import Connection, Database, is_retryable, unavailable
from askback.storage.postgres.group import event_of, result_of, write_group
from askback.storage.postgres.jobs import Act, Change, Entry, ExclusiveJob, Job, Key, Overtaken
from askback.storage.postgres.kept_connection import KeptConnection
from askback.storage.postgres.single_call import write_plain
from askback.storage.postgres.threads import log
from askback.storage.postgres.transactions import transaction
from askback.storage.sql.transaction import closed_error

_log = logging.getLogger(__name__)

MAX_GROUP = 256
MAX_TRIES = 5

Group = Sequence[Job | ExclusiveJob]


class Writer:
    """Writes changes in groups that are each one transaction.

    Results reach their futures, and events reach `on_commit`, after the commit and in the order of the positions.
    `origin` is what this server's notices are known by.
    """

    def __init__(
        self, database: Database, *, origin: str, on_commit: Callable[[Sequence[Event]], None] | None = None
    ) -> None:
        self._origin = origin
        self._on_commit = on_commit
        self._connection = KeptConnection(database)
        self._task: asyncio.Task[None] | None = None
        self._waiting: deque[Job | ExclusiveJob] = deque()
        self._has_work = asyncio.Event()
        self._open = False
        self._groups = self._changes = 0

    async def start(self) -> None:
        """Open the connection; raises `Unavailable` when that is not possible."""
        await self._connection.connection()
        self._open = True
        self._task = asyncio.get_running_loop().create_task(self._run())

    def submit_exclusive(self, act: Act) -> asyncio.Future[Any]:
        """Queue something about a thread as a whole, as a separate group; the future is like that of `submit`."""
        future = self._queue_up()
        self._waiting.append(ExclusiveJob(act, future))
        return future

    def submit(self, change: Change) -> asyncio.Future[Any]:
        """Queue a change; the future completes once it is durable, or has the error, which may be that this is unknown.

        A future that is cancelled before its group begins takes its change with it; later, the change happens whole
        and nobody is notified.
        """
        future = self._queue_up()
        self._waiting.append(Job.of(change, future))
        return future

    def _queue_up(self) -> asyncio.Future[Any]:
        if not self._open:
            raise closed_error()
        self._has_work.set()
        return asyncio.get_running_loop().create_future()

    def pressure(self) -> Pressure:
        """Return the numbers of written groups and changes, and of waiting changes."""
        return Pressure(self._groups, self._changes, len(self._waiting))

    async def close(self) -> None:
        """Finish everything that was submitted, then close the connection."""
        self._open = False
        self._has_work.set()
        task, self._task = self._task, None
        if task is not None:
            await task
        await self._connection.close()

    async def _run(self) -> None:
        while group := await self._next_group():
            await self._write(group)
            await let_more_join(len(group))

    async def _next_group(self) -> Group:
        """Wait for jobs; none once the writer is closed and all is done."""
        while not (group := self._take_group()):
            if not self._open and not self._waiting:
                break
            self._has_work.clear()
            await self._has_work.wait()
        return group

    def _take_group(self) -> Group:
        """Take jobs that have nothing to do with each other: plain ones alone, or others alone."""
        group: list[Job | ExclusiveJob] = []
        postponed: deque[Job | ExclusiveJob] = deque()
        busy: set[Key | bytes] = set()
        while self._waiting and len(group) < MAX_GROUP and len(postponed) < MAX_GROUP:
            job = self._waiting.popleft()
            if job.future.cancelled():
                continue
            may_join = not group or (job.plain == group[0].plain and not job.runs_alone)
            if may_join and busy.isdisjoint(job.keys):
                group.append(job)
            else:
                postponed.append(job)
            busy |= job.keys
            if job.runs_alone and group == [job]:
                break
        self._waiting.extendleft(reversed(postponed))
        return group

    async def _write(self, group: Group) -> None:
        """Write a group; when one of it cannot be written, halves of it, until it is found."""
        try:
            await self._try(group)
        except Unavailable as error:
            _log.error("a group of %d changes was not stored: %s", len(group), error)
            self._connection.drop()
            for job in group:
                self._fail(job, copy.copy(error))  # each caller its own: it remembers where it was raised
        except Exception as error:  # noqa: BLE001 - it belongs to one of the callers, whatever it is
            if len(group) == 1:
                self._fail(group[0], error)
                return
            middle = len(group) // 2
            await self._write(group[:middle])
            await self._write(group[middle:])

    async def _try(self, group: Group) -> None:
        for tries_left in reversed(range(MAX_TRIES)):
            try:
                await self._transact(group)
            except (Overtaken, asyncpg.PostgresError) as error:
                if not isinstance(error, Overtaken) and not is_retryable(error):
                    raise
                if not tries_left:
                    raise unavailable(error) from error
            else:
                return

    async def _transact(self, group: Group) -> None:
        db = await self._connection.connection()
        events: list[Event] = []
        if group[0].plain:
            entries = await write_plain(db, _jobs(group), origin=self._origin)
            events = [event_of(entry) for entry in entries]
        if not events:
            async with transaction(db):
                entries = await _write(db, group)
                if entries:
                    await log(db, entries, origin=self._origin)
                    # Before the commit: no reader could get past an event that cannot be built.
                    events = [event_of(entry) for entry in entries]
        self._groups += 1
        self._changes += len(group)
        self._deliver(group, events)

    def _deliver(self, group: Group, events: Sequence[Event]) -> None:
        for job in group:
            if job.future.done():
                continue
            if job.error is None:
                job.future.set_result(job.result if isinstance(job, ExclusiveJob) else result_of(job))
            else:
                job.future.set_exception(job.error)
        if events and self._on_commit is not None:
            try:
                self._on_commit(events)
            except Exception:  # noqa: BLE001 - the port: a failing listener does not fail the write
                _log.exception("a listener failed; the events are stored")

    @staticmethod
    def _fail(job: Job | ExclusiveJob, error: Exception) -> None:
        if not job.future.done():
            job.future.set_exception(error)


async def _write(db: Connection, group: Group) -> Sequence[Entry]:
    """Write a group, but for its events."""
    first_job = group[0]
    if isinstance(first_job, ExclusiveJob):
        first_job.result, entries = await first_job.act(db)
        return entries
    return await write_group(db, _jobs(group))


def _jobs(group: Group) -> Sequence[Job]:
    return [job for job in group if isinstance(job, Job)]
