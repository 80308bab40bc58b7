"""The `Store` port on SQLite: hands writes to the writer thread and reads to the readers."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Generic

from askback.domain.access import AccessList
from askback.domain.events import Event, EventDraft
from askback.domain.record import Record
from askback.errors import StoreUnusable
from askback.ports.health import Pressure, Schema
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, PolicyView, SideEffects
from askback.ports.store import Change, Claim, Settlement
from askback.ports.threads import Quota, ThreadConfig
from askback.storage.sql.agents import AgentArea
from askback.storage.sql.audit import AuditArea
from askback.storage.sql.conversations import ConversationArea
from askback.storage.sql.executions import ExecutionArea
from askback.storage.sql.files import FileArea
from askback.storage.sql.health import HealthArea
from askback.storage.sql.inbox import InboxArea
from askback.storage.sql.messages import MessageArea
from askback.storage.sql.oauth import OauthArea
from askback.storage.sql.people import PeopleArea
from askback.storage.sql.requests import RequestArea
from askback.storage.sql.resumes import ResumeArea
from askback.storage.sql.rules import RuleArea
from askback.storage.sql.runs import RunArea
from askback.storage.sql.secrets import SecretArea
from askback.storage.sql.sessions import SessionArea
from askback.storage.sql.side_effects import erases
from askback.storage.sql.thread_lists import ThreadListArea
from askback.storage.sql.threads import ThreadArea
from askback.storage.sql.transaction import Sealing
from askback.storage.sql.webhooks import WebhookArea
from askback.storage.sqlite import changes, schema, threads
from askback.storage.sqlite.connection import (
    Connect,
    Connection,
    WriterConnection,
    connect,
    connect_read_only,
    write_refusal,
)
from askback.storage.sqlite.database import SqliteDatabase
from askback.storage.sqlite.file_lock import FileLock, make_folder, require_free_space
from askback.storage.sqlite.readers import Readers
from askback.storage.sqlite.writer import Operation, T, Writer, unavailable


class SqliteStore(
    AgentArea, AuditArea, ConversationArea, ExecutionArea, FileArea, HealthArea, InboxArea, MessageArea, OauthArea,
    PeopleArea, RequestArea, ResumeArea, RuleArea, RunArea, SecretArea, SessionArea, ThreadArea, ThreadListArea,
    WebhookArea,
):  # fmt: skip
    """Everything in one file. See `askback.ports.store` for what each method promises.

    `on_commit` gets committed events on the event loop. `connect` opens a connection to the
    file; a test passes one whose disk fails. The folder is made if it does not exist.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        on_commit: Callable[[Sequence[Event]], None] | None = None,
        connect: Connect = connect,
    ) -> None:
        self._path = Path(path)
        self._connect = connect
        self._lock = FileLock(self._path)
        self._version = 0
        self._sealing = Sealing()
        self._thread_configs = ReadCache[ThreadConfig](lasts=lambda config: config.access.agents is not None)
        self._policies = ReadCache[PolicyView]()
        self._writer = Writer(self._open_writer, on_commit=on_commit, on_outdated=self._forget)
        self._readers = Readers(lambda: connect(self._path), damage=self._writer.damage)
        self._db = SqliteDatabase(self._writer, self._readers)

    async def open(self) -> None:
        """Lock, open and migrate the file; if the disk is not writable, open it for reading (`read_only`).

        Raises `StoreUnusable` when neither can be done.
        """
        try:
            try:
                make_folder(self._path.parent)
                self._lock.acquire()
                await self._writer.start()
                self._readers.open()
            except (OSError, sqlite3.Error) as error:
                reason = write_refusal(error)
                if reason is None or not self._path.is_file() or not self._path.stat().st_size:
                    raise
                self._open_read_only(reason)
        except (OSError, sqlite3.Error) as error:
            await self.close()
            raise StoreUnusable(f"The database {self._path} cannot be opened: {error}.") from error
        except BaseException:
            await self.close()
            raise

    def _open_read_only(self, reason: str) -> None:
        self._lock.acquire(read_only=True)
        with closing(connect_read_only(self._path)) as db:
            schema.require_newest(db, f"{reason}: the disk is not writable")
            self._version = schema.version(db)
        self._readers.reading(lambda: connect_read_only(self._path))
        self._writer.read_only = reason

    async def recover(self) -> None:
        """Open the file for writes as well, if the disk takes writes again."""
        if self._writer.read_only is None:
            return
        try:
            await asyncio.to_thread(require_free_space, self._path.parent)
            self._lock.acquire()
            connection = await self._readers.change(
                lambda: self._connect(self._path), action=self._open_writer
            )
        except (OSError, sqlite3.Error) as error:
            raise unavailable(error) from error
        await self._writer.start(connection)

    async def close(self) -> None:
        """Finish pending operations and close; the writer last, because the last connection removes the log."""
        try:
            await self._readers.close()
            await self._writer.close()
        finally:
            self._forget()  # from now on others may write the file
            self._lock.release()

    def _open_writer(self) -> Connection:
        require_free_space(self._path.parent)  # on a full disk a file can be opened, and then takes nothing
        connection = self._connect(self._path)
        try:
            _, self._version = schema.upgrade(connection)
        except BaseException:
            connection.close()
            raise
        return WriterConnection(connection, self._sealing)

    # Health

    async def check_writable(self) -> None:
        """Commit a change that changes nothing, take room on the disk, and look for damage."""
        await self._writer.submit(lambda db, _: _touch(db))
        await self._readers.page(self._writer.damage.look)

    def read_only(self) -> str | None:
        """Return why the disk took no writes when the file was opened."""
        return self._writer.read_only

    def schema(self) -> Schema:
        """Return the schema that the file has since it was opened."""
        return Schema("sqlite", self._version)

    def pressure(self) -> Pressure:
        """Return the finished and waiting work of the writer thread."""
        return self._writer.pressure()

    # Requests

    async def insert(
        self,
        record: Record,
        event: EventDraft,
        claim: Claim | None = None,
        effects: SideEffects = NOTHING,
        *,
        quota: Quota | None = None,
    ) -> Change:
        """Store a new request and its event."""
        return await self._change(
            lambda db, events: changes.insert(db, events, record, event, claim, effects, quota), effects
        )

    async def settle(
        self, settlement: Settlement, claim: Claim | None = None, effects: SideEffects = NOTHING
    ) -> Change | None:
        """Try one step of the lifecycle."""
        return await self._change(
            lambda db, events: changes.settle(db, events, settlement, claim, effects),
            effects,
            outdates=settlement.refused,
        )

    async def find_claim(self, claim: Claim) -> str | None:
        """Read the target of the call that used a key."""
        return self._readers.point(lambda db: changes.find_claim(db, claim))

    # Threads

    async def add_message(
        self,
        message_id: str,
        data: str,
        event: EventDraft,
        claim: Claim | None = None,
        effects: SideEffects = NOTHING,
        *,
        held: bool = False,
    ) -> tuple[str, Outcome]:
        """Add a message and its event."""
        return await self._change(
            lambda db, events: changes.add_message(
                db, events, message_id, data, event, claim, effects, held=held
            ),
            effects,
        )

    async def append_text(
        self,
        message_id: str,
        text: str,
        event: EventDraft,
        claim: Claim | None = None,
        *,
        limit: int | None = None,
    ) -> Outcome:
        """Append text to a message."""
        return await self._writer.submit(
            lambda db, events: changes.append_text(db, events, message_id, text, event, claim, limit=limit)
        )

    async def set_access(
        self, access: AccessList, event: EventDraft, effects: SideEffects = NOTHING, *, before: AccessList
    ) -> Outcome:
        """Replace the access list of a thread."""
        return await self._change(
            lambda db, events: changes.set_access(db, events, access, event, effects, before=before),
            effects,
            outdates=True,
        )

    async def thread_config(self, tenant: str, thread_id: str) -> ThreadConfig:
        """Read the settings and the access of a thread, which hardly ever change."""
        read = super().thread_config
        return await self._thread_configs.get((tenant, thread_id), lambda: read(tenant, thread_id))

    async def policy(
        self, tenant: str, *, thread_id: str, project: str | None, now_ms: int, agent: str = ""
    ) -> PolicyView:
        """Read what decides about a call, which hardly ever changes."""
        read_policy = super().policy
        view = await self._policies.get(
            (tenant, thread_id, project, agent),
            lambda: read_policy(tenant, thread_id=thread_id, project=project, now_ms=now_ms, agent=agent),
        )
        return view.at(now_ms)

    async def access(self, tenant: str, thread_id: str) -> AccessList:
        """Read the access levels of a thread."""
        return (await self.thread_config(tenant, thread_id)).access

    async def set_archived(
        self, event: EventDraft, effects: SideEffects = NOTHING, *, archived_at: int | None
    ) -> Outcome:
        """Archive a thread, or unarchive it."""
        return await self._change(
            lambda db, events: threads.set_archived(db, events, event, effects, archived_at=archived_at),
            effects,
        )

    async def deliver(self, tenant: str, thread_id: str, *, at: int) -> int:
        """Deliver the messages that a thread holds."""
        return await self._writer.submit(
            lambda db, events: threads.deliver(db, events, tenant, thread_id, now=at)
        )

    async def erase_thread(
        self, event: EventDraft, effects: SideEffects = NOTHING, *, idle_since: int | None = None
    ) -> bool:
        """Erase a thread."""
        return await self._writer.submit(
            lambda db, events: threads.erase(db, events, event, effects, idle_since=idle_since),
            erases=True,
            outdates=True,
        )

    async def scrub(self) -> None:
        """Rewrite the file."""
        await self._writer.rebuild()

    def _change(
        self, operation: Operation[T], effects: SideEffects, *, outdates: bool = False
    ) -> asyncio.Future[T]:
        """Run an operation on the writer with its side effects, and leave nothing in the file of what those erase."""
        return self._writer.submit(
            operation, erases=erases(effects), outdates=outdates or bool(effects.policies or effects.rules)
        )

    def _forget(self) -> None:
        self._thread_configs.forget()
        self._policies.forget()


def _touch(db: Connection) -> None:
    """Check for free disk space, since a change may fit into free pages of a full disk; then commit a small change."""
    try:
        require_free_space(Path(db.execute("PRAGMA database_list").fetchone()[2]).parent)
    except OSError as error:
        raise unavailable(error) from None
    db.execute(f"PRAGMA user_version = {schema.version(db)}")


CACHED = 2_048


class ReadCache(Generic[T]):
    """A cache of rarely changed data that every request or every answer reads.

    Only this process writes the file, so a cached value is valid until it commits a change. A change that may concern
    any such value empties the cache on the event loop before its caller gets the result: no later read finds the old
    value. Values that any write may change are not cached: `lasts` says which are.
    """

    __slots__ = ("_entries", "_is_cacheable", "_limit")

    def __init__(self, *, lasts: Callable[[T], bool] = lambda _: True, limit: int = CACHED) -> None:
        self._entries: OrderedDict[tuple[str | None, ...], T] = OrderedDict()
        self._is_cacheable = lasts
        self._limit = limit

    async def get(self, key: tuple[str | None, ...], read: Callable[[], Awaitable[T]]) -> T:
        """Return the value of a key from the cache, or `read` it; one that may change meanwhile is not kept."""
        entries = self._entries
        cached = entries.get(key)
        if cached is None:
            cached = await read()
            if self._is_cacheable(cached) and entries is self._entries:
                entries[key] = cached
            if len(entries) > self._limit:
                entries.popitem(last=False)
        return cached

    def forget(self) -> None:
        """Empty the cache."""
        self._entries = OrderedDict()
