"""The `Store` port on SQLite: hands writes to the writer thread and reads to the readers."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from askback.domain.access import Access
from askback.domain.events import Draft, Event
from askback.domain.lifecycle import Status
from askback.domain.record import Record
from askback.errors import StoreUnusable
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, Along
from askback.ports.store import Change, Claim, NewSession, Principal, Session, Settlement, ThreadView
from askback.ports.threads import Quota
from askback.storage.sql.agents import AgentArea
from askback.storage.sqlite import changes, rows, schema
from askback.storage.sqlite.connection import (
    Connect,
    Connection,
    Sealed,
    connect,
    connect_read_only,
    takes_no_writes,
)
from askback.storage.sqlite.health import HealthPart
from askback.storage.sqlite.place import FileLock, make_folder, take_room
from askback.storage.sqlite.policy import PolicyPart
from askback.storage.sqlite.readers import Readers
from askback.storage.sqlite.resumes import ResumePart
from askback.storage.sqlite.secrets import SecretPart
from askback.storage.sqlite.threadpart import ThreadPart
from askback.storage.sqlite.transaction import SqliteDatabase
from askback.storage.sqlite.webhooks import WebhookPart
from askback.storage.sqlite.writer import Writer, unavailable


class SqliteStore(PolicyPart, SecretPart, ResumePart, ThreadPart, WebhookPart, HealthPart, AgentArea):
    """Everything in one file. See `askback.ports.store` for what each method promises.

    `on_commit` hears of committed events on the event loop. `connect` opens a connection to the
    file; a test gives one whose disk fails. The folder is made when it is not there.
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
        writer = Writer(self._open_writer, on_commit=on_commit, on_outdated=self._forget)
        super().__init__(writer, Readers(lambda: connect(self._path), damage=writer.damage))
        self._db = SqliteDatabase(writer, self._readers)

    async def open(self) -> None:
        """Lock, open and migrate the file; where the disk takes no writes, open it for reading (`read_only`).

        Raises `StoreUnusable` when neither can be done.
        """
        try:
            try:
                make_folder(self._path.parent)
                self._lock.acquire()
                await self._writer.start()
                self._readers.open()
            except (OSError, sqlite3.Error) as error:
                reason = takes_no_writes(error)
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
            schema.require_newest(db, f"{reason}: the disk takes no writes")
        self._readers.reading(lambda: connect_read_only(self._path))
        self._writer.read_only = reason

    async def recover(self) -> None:
        """Open the file for writes as well, if the disk takes them by now."""
        if self._writer.read_only is None:
            return
        try:
            await asyncio.to_thread(take_room, self._path.parent)
            self._lock.acquire()
            connection = await self._readers.change(
                lambda: self._connect(self._path), between=self._open_writer
            )
        except (OSError, sqlite3.Error) as error:
            raise unavailable(error) from error
        await self._writer.start(connection)

    async def close(self) -> None:
        """Finish what is under way and close; the writer last, because the last to leave tidies the log."""
        try:
            await self._readers.close()
            await self._writer.close()
        finally:
            self._forget()  # from now on others may write the file
            self._lock.release()

    def _forget(self) -> None:
        self._terms.forget()

    def _open_writer(self) -> Connection:
        take_room(self._path.parent)  # on a full disk a file can be opened, and then takes nothing
        connection = self._connect(self._path)
        try:
            schema.upgrade(connection)
        except BaseException:
            connection.close()
            raise
        return Sealed(connection, self._sealing)

    # Requests

    async def insert(
        self,
        record: Record,
        event: Draft,
        claim: Claim | None = None,
        along: Along = NOTHING,
        *,
        quota: Quota | None = None,
    ) -> Change:
        """Store a new request and its event."""
        return await self._change(
            lambda db, events: changes.insert(db, events, record, event, claim, along, quota), along
        )

    async def get(self, tenant: str, request_id: str) -> Record | None:
        """Read one request by its id."""
        return self._readers.point(lambda db: rows.read_request(db, tenant, request_id))

    async def settle(
        self, settlement: Settlement, claim: Claim | None = None, along: Along = NOTHING
    ) -> Change | None:
        """Try one step of the lifecycle."""
        return await self._change(
            lambda db, events: changes.settle(db, events, settlement, claim, along),
            along,
            outdates=settlement.refused,
        )

    async def claimed(self, claim: Claim) -> str | None:
        """Read what a key was used for before."""
        return self._readers.point(lambda db: changes.claimed(db, claim))

    async def list_requests(
        self,
        tenant: str,
        *,
        thread_id: str | None = None,
        statuses: frozenset[Status] | None = None,
        kind: str | None = None,
        requester: str | None = None,
        person: str | None = None,
        before: str | None = None,
        limit: int = 50,
    ) -> Sequence[Record]:
        """Read requests, newest first."""
        return await self._readers.page(
            lambda db: rows.read_requests(
                db,
                tenant,
                thread_id=thread_id,
                statuses=statuses,
                kind=kind,
                requester=requester,
                person=person,
                before=before,
                limit=limit,
            )
        )

    async def open_requests(self, *, after: tuple[str, str] = ("", ""), limit: int = 200) -> Sequence[Record]:
        """Read open requests of every tenant."""
        return await self._readers.page(lambda db: rows.read_open(db, *after, limit=limit))

    async def due(self, now_ms: int, *, limit: int = 200) -> Sequence[Record]:
        """Read open requests whose deadline has passed, earliest first."""
        return await self._readers.page(lambda db: rows.read_due(db, now_ms, limit=limit))

    async def next_deadline(self) -> int | None:
        """Read the earliest deadline of an open request."""
        return self._readers.point(rows.read_next_deadline)

    # Threads

    async def add_message(
        self, message_id: str, data: str, event: Draft, claim: Claim | None = None, *, held: bool = False
    ) -> tuple[str, Outcome]:
        """Add a message and its event."""
        return await self._writer.submit(
            lambda db, events: changes.add_message(db, events, message_id, data, event, claim, held=held)
        )

    async def append_text(
        self,
        message_id: str,
        text: str,
        event: Draft,
        claim: Claim | None = None,
        *,
        most: int | None = None,
    ) -> Outcome:
        """Append to the last text block of a message."""
        return await self._writer.submit(
            lambda db, events: changes.append_text(db, events, message_id, text, event, claim, most=most)
        )

    async def set_access(
        self, access: Access, event: Draft, along: Along = NOTHING, *, before: Access
    ) -> Outcome:
        """Give a thread another access."""
        return await self._change(
            lambda db, events: changes.set_access(db, events, access, event, along, before=before),
            along,
            outdates=True,
        )

    async def thread(self, tenant: str, thread_id: str, *, limit: int = 500) -> ThreadView | None:
        """Read a thread in one snapshot."""
        return await self._readers.page(lambda db: rows.read_thread(db, tenant, thread_id, limit=limit))

    async def thread_events(
        self, tenant: str, thread_id: str, *, after: int, limit: int = 500
    ) -> Sequence[Event]:
        """Read events of a thread after `after`."""
        return await self._readers.page(
            lambda db: rows.read_thread_events(db, tenant, thread_id, after=after, limit=limit)
        )

    async def tenant_events(
        self, tenant: str, *, after: int, person: str | None = None, limit: int = 500
    ) -> Sequence[Event]:
        """Read events of a tenant after `after`."""
        return await self._readers.page(
            lambda db: rows.read_tenant_events(db, tenant, after=after, person=person, limit=limit)
        )

    async def last_position(self, tenant: str) -> int:
        """Read the position of the tenant's newest event."""
        return self._readers.point(lambda db: rows.read_last_position(db, tenant))

    # Access

    async def put_login(self, digest: str, principal: Principal, *, expires_at: int) -> None:
        """Make a one-time login code known."""
        await self._writer.submit(
            lambda db, _: changes.put_login(db, digest, principal, expires_at=expires_at)
        )

    async def open_session(self, login_digest: str, session_digest: str, new: NewSession) -> Session | None:
        """Use up a login code and open a session."""
        return await self._writer.submit(
            lambda db, _: changes.open_session(db, login_digest, session_digest, new)
        )

    async def session(self, digest: str, *, now_ms: int) -> Session | None:
        """Read a session that has not ended."""
        return self._readers.point(lambda db: rows.read_session(db, digest, now_ms=now_ms))

    async def touch_session(self, session_id: str, *, now_ms: int) -> None:
        """Note that a session was used."""
        await self._writer.submit(lambda db, _: changes.touch_session(db, session_id, now_ms))

    async def sessions(
        self,
        tenant: str | None,
        *,
        now_ms: int,
        person: str | None = None,
        ids: Sequence[str] | None = None,
    ) -> Sequence[Session]:
        """Read sessions, newest first."""
        return await self._readers.page(
            lambda db: rows.read_sessions(db, tenant, now_ms=now_ms, person=person, ids=ids)
        )

    async def end_sessions(self, ids: Sequence[str], along: Along = NOTHING) -> None:
        """End sessions."""
        await self._change(lambda db, _: changes.end_sessions(db, ids, along), along)

    async def server_id(self) -> str:
        """Read the id of this store."""
        return self._readers.point(rows.read_server_id)
