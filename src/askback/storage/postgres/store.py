"""The `Store` port on Postgres: what has an event is written in groups, all else on connections that are borrowed."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence

from askback.domain.access import OPEN, Access, read_access
from askback.domain.events import Draft, Event
from askback.domain.lifecycle import TERMINAL, Status
from askback.domain.record import Record
from askback.errors import StoreUnusable, Unavailable
from askback.ports.bus import Arrival, Dismissal, News, Subscription
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, Along
from askback.ports.store import Change, Claim, ClaimMismatch, Settlement, ThreadView
from askback.ports.threads import Quota
from askback.storage import rows
from askback.storage.postgres import queries, schema, wholes
from askback.storage.postgres.access import AccessPart
from askback.storage.postgres.borrowed import Borrowed
from askback.storage.postgres.clock import DatabaseClock
from askback.storage.postgres.connection import Database, refused_by_database
from askback.storage.postgres.health import HealthPart
from askback.storage.postgres.jobs import AddMessage, AppendText, Insert, Settle, claim_id
from askback.storage.postgres.listening import TELL, listen, payload
from askback.storage.postgres.policy import PolicyPart
from askback.storage.postgres.presence import PresenceRegister
from askback.storage.postgres.resumes import ResumePart
from askback.storage.postgres.secrets import SecretPart
from askback.storage.postgres.threadpart import ThreadPart
from askback.storage.postgres.together import Key, Together
from askback.storage.postgres.transaction import PostgresDatabase
from askback.storage.postgres.webhooks import WebhookPart
from askback.storage.postgres.writer import Writer
from askback.storage.sql.agents import AgentArea

_ENDLESS = 2**62


class PostgresStore(
    PolicyPart, SecretPart, ResumePart, ThreadPart, WebhookPart, HealthPart, AccessPart, AgentArea
):
    """Everything in one database, which other servers may use as well. It is also the `Feed` of a shared bus.

    `on_commit` hears of committed events on the event loop. `origin` is what this server's notices are known by;
    `clock` follows the time of the database, and `register` has who is there at each server.
    """

    def __init__(
        self, database: Database, *, on_commit: Callable[[Sequence[Event]], None] | None = None
    ) -> None:
        self.origin = secrets.token_hex(8)
        self._database = database
        borrowed = Borrowed(database)
        self.clock = DatabaseClock(borrowed)
        self.register = PresenceRegister(borrowed)
        super().__init__(Writer(database, origin=self.origin, on_commit=on_commit), borrowed)
        self._db = PostgresDatabase(borrowed)
        self._request = Together(self._ask_requests)
        self._access = Together(self._ask_access)

    async def open(self) -> None:
        """Migrate and connect; raises `StoreUnusable` when that cannot be done."""
        try:
            await self._upgrade()
            await self._borrowed.open()
            await self.clock.start()
            await self._writer.start()
        except Exception as error:
            await self.close()
            if isinstance(error, Unavailable) or refused_by_database(error):
                why = f"{error}" or type(error).__name__
                raise StoreUnusable(f"The database {self._database} cannot be used: {why}") from error
            raise
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Finish what is under way and close."""
        await self._writer.close()
        await self.clock.stop()
        await self._borrowed.close()

    async def _upgrade(self) -> None:
        db = await self._database.connect()
        try:
            await schema.upgrade(db)
        finally:
            await db.close()

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
        return await self._writer.submit(Insert(record, event, claim, along, quota))

    async def get(self, tenant: str, request_id: str) -> Record | None:
        """Read one request by its id."""
        return await self._request(tenant, request_id)

    async def settle(
        self, settlement: Settlement, claim: Claim | None = None, along: Along = NOTHING
    ) -> Change | None:
        """Try one step of the lifecycle."""
        return await self._writer.submit(Settle(settlement, claim, along))

    async def claimed(self, claim: Claim) -> str | None:
        """Read what a key was used for before."""
        row = await self._borrowed.row(queries.CLAIM, claim_id(claim))
        if row is None:
            return None
        if row[0] != claim.digest:
            raise ClaimMismatch(claim.key)
        return row[1]

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
        if statuses is not None and not statuses:
            return []
        sql, parameters = queries.list_requests(
            tenant,
            thread_id=thread_id,
            statuses=None if statuses is None else [status.value for status in statuses],
            only_open=bool(statuses) and not (statuses & TERMINAL),
            kind=kind,
            requester=requester,
            person=person,
            before=before,
            limit=limit,
        )
        return [rows.record(row) for row in await self._borrowed.rows(sql, *parameters)]

    async def open_requests(self, *, after: tuple[str, str] = ("", ""), limit: int = 200) -> Sequence[Record]:
        """Read open requests of every tenant."""
        return [rows.record(row) for row in await self._borrowed.rows(queries.OPEN_REQUESTS, *after, limit)]

    async def due(self, now_ms: int, *, limit: int = 200) -> Sequence[Record]:
        """Read open requests that are due, earliest first."""
        return [rows.record(row) for row in await self._borrowed.rows(queries.DUE, now_ms, limit)]

    async def next_deadline(self) -> int | None:
        """Read when the next open request is due."""
        row = await self._borrowed.row(queries.NEXT_DEADLINE)
        return None if row is None else row[0]

    async def _ask_requests(self, names: Sequence[Key]) -> Mapping[Key, Record]:
        found = await self._borrowed.rows(queries.GET, *zip(*names, strict=True))
        return {(record.tenant, record.id): record for record in map(rows.record, found)}

    # Threads

    async def add_message(
        self, message_id: str, data: str, event: Draft, claim: Claim | None = None, *, held: bool = False
    ) -> tuple[str, Outcome]:
        """Add a message and its event."""
        return await self._writer.submit(AddMessage(message_id, data, event, claim, held))

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
        added = text.encode()
        room = _ENDLESS if most is None else most - len(added)
        return await self._writer.submit(AppendText(message_id, added, event, claim, room))

    async def access(self, tenant: str, thread_id: str) -> Access:
        """Read who may do what in a thread."""
        return await self._access(tenant, thread_id) or OPEN

    async def _ask_access(self, names: Sequence[Key]) -> Mapping[Key, Access]:
        found = await self._borrowed.rows(queries.ACCESS, *zip(*names, strict=True))
        return {(tenant, thread_id): read_access(*texts) for tenant, thread_id, *texts in found}

    async def set_access(
        self, access: Access, event: Draft, along: Along = NOTHING, *, before: Access
    ) -> Outcome:
        """Give a thread another access."""
        return await self._writer.submit_whole(
            lambda db: wholes.set_access(db, access, event, along, before=before)
        )

    async def thread(self, tenant: str, thread_id: str, *, limit: int = 500) -> ThreadView | None:
        """Read a thread in one snapshot."""
        if "\0" in thread_id:
            return None  # no text of Postgres can be that
        async with self._borrowed.snapshot() as db:
            thread = await db.fetchrow(queries.THREAD, tenant, thread_id)
            if thread is None:
                return None
            key, *about = thread
            messages = await db.fetch(queries.THREAD_MESSAGES, key, limit)
            requests = await db.fetch(queries.THREAD_REQUESTS, key, limit)
        told = [rows.message((*row[:3], (row[3] or b"").decode())) for row in messages]
        return rows.thread_view(about, told, requests)

    async def thread_events(
        self, tenant: str, thread_id: str, *, after: int, limit: int = 500
    ) -> Sequence[Event]:
        """Read events of a thread after `after`."""
        found = await self._borrowed.rows(queries.THREAD_EVENTS, tenant, thread_id, after, limit)
        return [rows.event(row) for row in found]

    async def tenant_events(
        self, tenant: str, *, after: int, person: str | None = None, limit: int = 500
    ) -> Sequence[Event]:
        """Read events of a tenant after `after`."""
        if person is None:
            found = await self._borrowed.rows(queries.TENANT_EVENTS, tenant, after, limit)
        else:
            found = await self._borrowed.rows(queries.PERSONS_EVENTS, tenant, after, limit, person)
        return [rows.event(row) for row in found]

    async def last_position(self, tenant: str) -> int:
        """Read the position of the tenant's newest event."""
        row = await self._borrowed.row(queries.LAST_POSITION, tenant)
        return 0 if row is None else row[0]

    # What servers hear of each other

    async def subscribe(self, heard: Callable[[News], None]) -> Subscription:
        """Listen to what is committed and told from now on."""
        return await listen(self._database, heard)

    async def tell(self, news: Dismissal | Arrival) -> None:
        """Tell every server."""
        await self._borrowed.change(lambda db: db.execute(TELL, payload(news)))

    async def positions(self) -> Mapping[str, int]:
        """Read the position of the newest event of every tenant."""
        found = await self._borrowed.rows(queries.POSITIONS)
        return {tenant: position for tenant, position in found}  # noqa: C416 - rows of a driver are no pairs
