"""What writes events: changes that wait while a group is written share the next one.

A commit costs a sync of the disk and a few round trips however many changes it holds. Two connections take turns: while
one waits for its commit, the other does what comes before that. Changes of the same row, or with the same idempotency
key, are in one group after another, in the order in which they came.
"""

from __future__ import annotations

import asyncio
import copy
import logging
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import asyncpg

from askback.domain.events import Event
from askback.errors import Unavailable
from askback.ports.health import Pressure
from askback.storage.postgres.commit_sequencer import CommitSequencer, Turn
from askback.storage.postgres.connection import Connection, Database, unavailable, worth_another_try
from askback.storage.postgres.group import event_of, result_of, write_group
from askback.storage.postgres.jobs import Act, Change, Entry, ExclusiveJob, Job, Key, Overtaken
from askback.storage.postgres.pool import closed
from askback.storage.postgres.threads import log
from askback.storage.postgres.transactions import transaction
from askback.storage.postgres.writer_connection import WriterConnection

_log = logging.getLogger(__name__)

CONNECTIONS = 2
LARGEST_GROUP = 256
TRIES = 5

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
        self._connections = [WriterConnection(database) for _ in range(CONNECTIONS)]
        self._tasks: list[asyncio.Task[None]] = []
        self._waiting: deque[Job | ExclusiveJob] = deque()
        self._busy: set[Key | bytes] = set()
        self._something = asyncio.Event()
        self._sequencer = CommitSequencer()
        self._open = False
        self._groups = self._changes = 0

    async def start(self) -> None:
        """Open the connections; raises `Unavailable` when that is not possible."""
        for connection in self._connections:
            await connection.connection()
        self._open = True
        self._tasks = [
            asyncio.get_running_loop().create_task(self._run(connection)) for connection in self._connections
        ]

    def submit_exclusive(self, act: Act) -> asyncio.Future[Any]:
        """Queue something about a thread as a whole, which is a group of its own; the future is as that of `submit`."""
        future = self._queue_up()
        self._waiting.append(ExclusiveJob(act, future))
        return future

    def submit(self, change: Change) -> asyncio.Future[Any]:
        """Queue a change; the future is done once it is durable, or holds why it is not, or that nobody knows.

        A future that is cancelled before its group begins takes its change with it; later, the change happens whole
        and nobody hears of it.
        """
        future = self._queue_up()
        self._waiting.append(Job.of(change, future))
        return future

    def _queue_up(self) -> asyncio.Future[Any]:
        if not self._open:
            raise closed()
        self._something.set()
        return asyncio.get_running_loop().create_future()

    def pressure(self) -> Pressure:
        """Return what was written so far, and how many changes wait."""
        return Pressure(self._groups, self._changes, len(self._waiting))

    async def close(self) -> None:
        """Finish everything that was submitted, then close the connections."""
        self._open = False
        self._something.set()
        await asyncio.gather(*self._tasks)
        self._tasks = []
        for connection in self._connections:
            await connection.close()

    async def _run(self, connection: WriterConnection) -> None:
        while group := await self._next_group():
            try:
                await self._write(connection, group)
            finally:
                for job in group:
                    self._busy -= job.keys
                self._something.set()

    async def _next_group(self) -> Group:
        """Wait for jobs; none once the writer is closed and all is done."""
        while not (group := self._take()):
            if not self._open and not self._waiting:
                break
            self._something.clear()
            await self._something.wait()
        return group

    def _take(self) -> Group:
        """Take jobs that have nothing to do with each other or with a group that is being written."""
        group: list[Job | ExclusiveJob] = []
        passed: deque[Job | ExclusiveJob] = deque()
        theirs: set[Key | bytes] = set()
        while self._waiting and len(group) < LARGEST_GROUP and len(passed) < LARGEST_GROUP:
            job = self._waiting.popleft()
            if job.future.cancelled():
                continue
            free = self._busy.isdisjoint(job.keys) and theirs.isdisjoint(job.keys)
            if not free or (job.alone and group):
                theirs |= job.keys
                passed.append(job)
                continue
            group.append(job)
            self._busy |= job.keys
            if job.alone:
                break
        self._waiting.extendleft(reversed(passed))
        return group

    async def _write(self, connection: WriterConnection, group: Group) -> None:
        """Write a group; when one of it cannot be written, halves of it, until it is found."""
        try:
            await self._try(connection, group)
        except Unavailable as error:
            _log.error("a group of %d changes was not stored: %s", len(group), error)
            connection.drop()
            for job in group:
                self._fail(job, copy.copy(error))  # each caller its own: it remembers where it was raised
        except Exception as error:  # noqa: BLE001 - it belongs to one of the callers, whatever it is
            if len(group) == 1:
                self._fail(group[0], error)
                return
            middle = len(group) // 2
            await self._write(connection, group[:middle])
            await self._write(connection, group[middle:])

    async def _try(self, connection: WriterConnection, group: Group) -> None:
        for left in reversed(range(TRIES)):
            try:
                await self._transact(connection, group)
            except (Overtaken, asyncpg.PostgresError) as error:
                if not isinstance(error, Overtaken) and not worth_another_try(error):
                    raise
                if not left:
                    raise unavailable(error) from error
            else:
                return

    async def _transact(self, connection: WriterConnection, group: Group) -> None:
        db = await connection.connection()
        turn: Turn | None = None
        events: list[Event] = []
        try:
            async with transaction(db):
                entries = await _write(db, group)
                if entries:
                    await log(db, entries, origin=self._origin)
                    # Before the commit: what cannot be told must not be stored, or nobody could read past it.
                    events = [event_of(entry) for entry in entries]
                    turn = self._sequencer.take()
            self._groups += 1
            self._changes += len(group)
        except BaseException:
            if turn is not None:
                self._sequencer.settle(turn, _nothing)
            raise
        if turn is None:
            self._deliver(group, events)
        else:
            self._sequencer.settle(turn, partial(self._deliver, group, events))

    def _deliver(self, group: Group, events: Sequence[Event]) -> None:
        if events and self._on_commit is not None:
            try:
                self._on_commit(events)
            except Exception:  # noqa: BLE001 - the port: a failing listener does not fail the write
                _log.exception("a listener failed; the events are stored")
        for job in group:
            if job.future.done():
                continue
            if job.error is None:
                job.future.set_result(job.result if isinstance(job, ExclusiveJob) else result_of(job))
            else:
                job.future.set_exception(job.error)

    @staticmethod
    def _fail(job: Job | ExclusiveJob, error: Exception) -> None:
        if not job.future.done():
            job.future.set_exception(error)


async def _write(db: Connection, group: Group) -> Sequence[Entry]:
    """Write a group, but for its events."""
    (first, *others) = group
    if isinstance(first, ExclusiveJob):
        first.result, entries = await first.act(db)
        return entries
    return await write_group(db, [first, *(job for job in others if isinstance(job, Job))])


def _nothing() -> None:
    """Do nothing: the group was undone."""
