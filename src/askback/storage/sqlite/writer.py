"""The one thread that writes: all operations that wait while a commit runs share the next one.

A commit costs a sync of the disk however many changes it holds, so grouping is worth three times
the throughput on a fast disk and thirty times on a slow one, and one writer never waits for another.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from askback.domain.events import Event
from askback.errors import Unavailable
from askback.ports.health import Pressure
from askback.storage.sql.transaction import closed_error
from askback.storage.sqlite.connection import Connection, Damage, empty_log, refused_by_disk

_log = logging.getLogger(__name__)

T = TypeVar("T")
Operation = Callable[[Connection, list[Event]], T]
"""Changes rows, appends the events that it wrote, returns its result. It may run again after a rollback."""

LARGEST_GROUP = 512
ERASE_AGAIN_S = 1.0
READ_ONLY_RETRY_S = 5.0


@dataclass(slots=True)
class Job:
    """One queued operation: its waiter, and its outcome."""

    operation: Operation[Any]
    future: asyncio.Future[Any]
    erases: bool
    outdates: bool = False
    rebuilds: bool = False
    result: Any = None
    error: Exception | None = None


_END: list[Job] = []


class _PartialChange(Exception):
    """An operation failed after it had changed rows: the group has to start again."""


class Writer:
    """Runs operations on its own thread and connection, in groups that are each one transaction.

    `connect` and `close` run on that thread too. Results reach their futures, and events reach
    `on_commit`, on the event loop, by one call per group and never before the commit.
    """

    def __init__(
        self,
        connect: Callable[[], Connection],
        *,
        on_commit: Callable[[Sequence[Event]], None] | None = None,
        on_outdated: Callable[[], None] | None = None,
    ) -> None:
        self._connect = connect
        self._on_commit = on_commit
        self._on_outdated = on_outdated
        self._job_queue: queue.SimpleQueue[list[Job]] = queue.SimpleQueue()
        self._waiting: list[Job] = []
        self._busy = False
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed: asyncio.Future[None] | None = None
        self._erase_due: float | None = 0.0
        self._groups = self._changes = 0
        self.read_only: str | None = None
        """Why the writer was not started, if the disk is not writable."""
        self.damage = Damage()

    async def start(self, connection: Connection | None = None) -> None:
        """Start the thread and wait until it has its connection, this one or what `connect` opens.

        Raises what `connect` raised.
        """
        self._loop = asyncio.get_running_loop()
        is_ready: asyncio.Future[None] = self._loop.create_future()
        self._closed = self._loop.create_future()
        self._thread = threading.Thread(
            target=self._run, args=(is_ready, connection), name="askback-writer", daemon=True
        )
        self._thread.start()
        try:
            await is_ready
        except BaseException:
            self._thread = None
            raise
        self.read_only = None

    def submit(
        self, operation: Operation[T], *, erases: bool = False, outdates: bool = False
    ) -> asyncio.Future[T]:
        """Queue an operation; the future is done once it is durable, or holds why nothing was changed.

        After one that `outdates` what the store has cached (`ReadCache`), `on_outdated` is called first.

        Data that an operation `erases` has also left the write-ahead log by then; if a reader needs the earlier state,
        the data leave the log after that reader.

        A future that is cancelled before its group begins takes its operation with it; later, the
        operation is completed and nobody is notified.
        """
        if self._thread is None or self._loop is None:
            raise self._not_started()
        future: asyncio.Future[T] = self._loop.create_future()
        self._put(Job(operation, future, erases, outdates))
        return future

    async def rebuild(self) -> None:
        """Rewrite the whole file, after everything that was submitted before: no erased data is left in it or its log.

        Writers wait for it. Raises `Unavailable` if it fails.
        """
        if self._thread is None or self._loop is None:
            raise self._not_started()
        future: asyncio.Future[None] = self._loop.create_future()
        self._put(Job(_nothing, future, erases=True, rebuilds=True))
        await future

    def pressure(self) -> Pressure:
        """Return the numbers of written groups and operations, and of waiting operations."""
        return Pressure(self._groups, self._changes, len(self._waiting))

    async def close(self) -> None:
        """Finish everything that was submitted, then end the thread and close its connection."""
        if self._thread is None or self._closed is None:
            return
        self._thread = None
        if self._waiting:
            self._job_queue.put(self._waiting)
            self._waiting = []
        self._job_queue.put(_END)
        await self._closed

    def _not_started(self) -> Unavailable:
        if self.read_only is None:
            return closed_error()
        return Unavailable(
            f"The database is read-only ({self.read_only}). Nothing was stored; try again later.",
            retry_after=READ_ONLY_RETRY_S,
        )

    # On the writer thread

    def _run(self, is_ready: asyncio.Future[None], connection: Connection | None) -> None:
        try:
            connection = connection or self._connect()
        except BaseException as error:  # noqa: BLE001 - open() raises it instead of waiting forever
            self._post(_fail, is_ready, error)
            return
        self._post(_succeed, is_ready)
        jobs = None
        while jobs != _END:
            jobs = self._take_jobs()
            group = [job for job in jobs or () if not job.future.cancelled()]
            events = self._write(connection, group) if group else []
            self._rebuild(connection, [job for job in group if job.rebuilds and job.error is None])
            self._erase(connection)
            if jobs:
                self._post(self._deliver, group, events)
        try:
            connection.close()
        except sqlite3.Error as error:
            _log.error("the database did not close cleanly, and nothing acknowledged is lost: %s", error)
        self._post(_succeed, self._closed)

    def _take_jobs(self) -> list[Job] | None:
        """Return the next group, or None if erased data has to be removed before one has come."""
        timeout = None if self._erase_due is None else max(0.0, self._erase_due - time.monotonic())
        try:
            return self._job_queue.get(timeout=timeout)
        except queue.Empty:
            return None

    def _write(self, connection: Connection, group: list[Job]) -> list[Event]:
        """Commit a group, or fail every operation in it."""
        try:
            try:
                return self._transact(connection, group, isolate=False)
            except _PartialChange:
                connection.execute("ROLLBACK")
                return self._transact(connection, group, isolate=True)
        except Exception as error:  # noqa: BLE001 - every caller of the group gets the error
            _log.error("a group of %d changes was not stored: %s", len(group), error)
            self.damage.note(error)
            self._abandon(connection)
            for job in group:
                job.error = unavailable(error)
            return []

    def _transact(self, connection: Connection, group: list[Job], *, isolate: bool) -> list[Event]:
        """Run a group as one transaction.

        A savepoint around each operation would cost more than the operation's own rows, and
        hardly any fails. So the first try has none: an operation that failed before it changed a
        row leaves nothing to undo, and for one that failed later the group is tried again with them.
        """
        events: list[Event] = []
        connection.execute("BEGIN IMMEDIATE")
        for job in group:
            changes, event_count = connection.total_changes, len(events)
            job.result = job.error = None
            if isolate:
                connection.execute("SAVEPOINT operation")
            try:
                job.result = job.operation(connection, events)
            except Exception as error:
                if refused_by_disk(error) or not connection.in_transaction:
                    raise  # some errors end the transaction: later operations would commit separately
                job.error = error
                del events[event_count:]
                if isolate:
                    connection.execute("ROLLBACK TO operation")
                elif connection.total_changes != changes:
                    raise _PartialChange from error
            if isolate:
                connection.execute("RELEASE operation")
        connection.execute("COMMIT")
        self._groups += 1
        self._changes += len(group)
        if any(job.erases for job in group):
            self._erase_due = 0.0
        return events

    def _rebuild(self, connection: Connection, jobs: list[Job]) -> None:
        """Rewrite the file: a balanced page may still hold rows that it gave away, and nothing overwrites them."""
        if not jobs:
            return
        try:
            connection.execute("VACUUM")
        except sqlite3.Error as error:
            _log.error("the database could not be rewritten: %s", error)
            for job in jobs:
                job.error = unavailable(error)

    def _erase(self, connection: Connection) -> None:
        """Remove erased data from the log, if there is any and the last try was not just now.

        There may be some when the thread begins: a process that was killed leaves its log.
        """
        if self._erase_due is None or time.monotonic() < self._erase_due:
            return
        try:
            is_emptied = empty_log(connection)
        except sqlite3.Error as error:
            _log.warning("what was erased is still in the log of the database: %s", error)
            is_emptied = False
        self._erase_due = None if is_emptied else time.monotonic() + ERASE_AGAIN_S

    def _abandon(self, connection: Connection) -> None:
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except sqlite3.Error as error:
            _log.error(
                "the failed transaction could not be rolled back; the next group tries again: %s", error
            )

    def _post(self, call: Callable[..., None], *arguments: object) -> None:
        assert self._loop is not None
        try:
            self._loop.call_soon_threadsafe(call, *arguments)
        except RuntimeError:
            _log.warning("the event loop ended before the store was closed")

    # On the event loop

    def _put(self, job: Job) -> None:
        """Queue a job until the current group is written, or until this turn ends: waking a thread is expensive."""
        self._waiting.append(job)
        if not self._busy and len(self._waiting) == 1:
            assert self._loop is not None
            self._loop.call_soon(self._hand_over)

    def _hand_over(self) -> None:
        if self._waiting and not self._busy:
            self._busy = True
            group, self._waiting = self._waiting[:LARGEST_GROUP], self._waiting[LARGEST_GROUP:]
            self._job_queue.put(group)

    def _deliver(self, group: list[Job], events: list[Event]) -> None:
        if self._on_outdated is not None and any(job.outdates for job in group):
            self._on_outdated()
        for job in group:
            if job.future.done():
                continue
            if job.error is None:
                job.future.set_result(job.result)
            else:
                job.future.set_exception(job.error)
        if events and self._on_commit is not None:
            try:
                self._on_commit(events)
            except Exception:  # noqa: BLE001 - the port: a failing listener does not fail the write
                _log.exception("a listener failed; the events are stored")
        self._busy = False
        self._hand_over()


def _nothing(_connection: Connection, _events: list[Event]) -> None:
    """Change nothing: the work comes after the commit."""


def unavailable(error: BaseException) -> Unavailable:
    """Return the error that the database cannot be used now, with the reason."""
    return Unavailable(
        f"The database is currently unavailable ({error}). Nothing was stored; try again.", retry_after=1
    )


def _succeed(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def _fail(future: asyncio.Future[None], error: BaseException) -> None:
    if not future.done():
        future.set_exception(error)
