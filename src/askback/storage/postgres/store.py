"""The `Store` port on Postgres: what has an event is written in groups, all else on connections from a pool."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence

from askback.domain.access import Access
from askback.domain.events import Draft, Event
from askback.domain.record import Record
from askback.errors import StoreUnusable, Unavailable
from askback.ports.bus import Arrival, Dismissal, News, Subscription
from askback.ports.health import Pressure
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, SideEffects
from askback.ports.store import Change, Claim, ClaimMismatch, Settlement
from askback.ports.threads import Quota
from askback.storage.postgres import queries, schema, thread_operations, thread_queries
from askback.storage.postgres.batch_loader import BatchLoader, Key
from askback.storage.postgres.clock import DatabaseClock
from askback.storage.postgres.connection import Database, refused_by_database
from askback.storage.postgres.database import PostgresDatabase
from askback.storage.postgres.jobs import AddMessage, AppendText, Insert, Settle, claim_id
from askback.storage.postgres.listening import TELL, listen, payload
from askback.storage.postgres.pool import Pool
from askback.storage.postgres.presence import PresenceRegister
from askback.storage.postgres.writer import Writer
from askback.storage.sql.agents import AgentArea
from askback.storage.sql.audit import AuditArea
from askback.storage.sql.executions import ExecutionArea
from askback.storage.sql.health import HealthArea
from askback.storage.sql.requests import RequestArea
from askback.storage.sql.resumes import DROP_HELD, ResumeArea
from askback.storage.sql.rules import RuleArea
from askback.storage.sql.secrets import SecretArea
from askback.storage.sql.sessions import SessionArea
from askback.storage.sql.threads import ThreadArea
from askback.storage.sql.webhooks import WebhookArea

_ENDLESS = 2**62
# No row is changed, but a server that only reads, or a lock that is held, refuses it as it would any change.
_TOUCH = "UPDATE webhooks SET active = active WHERE false"


class PostgresStore(
    AgentArea, AuditArea, ExecutionArea, HealthArea, RequestArea, ResumeArea, RuleArea, SecretArea, SessionArea,
    ThreadArea, WebhookArea,
):  # fmt: skip
    """Everything in one database, which other servers may use as well. It is also the `Feed` of a shared bus.

    `on_commit` hears of committed events on the event loop. `origin` is what this server's notices are known by;
    `clock` follows the time of the database, and `register` has who is there at each server.
    """

    def __init__(
        self, database: Database, *, on_commit: Callable[[Sequence[Event]], None] | None = None
    ) -> None:
        self.origin = secrets.token_hex(8)
        self._database = database
        self._sealing = database.sealing
        self._writer = Writer(database, origin=self.origin, on_commit=on_commit)
        self._pool = Pool(database)
        self._db = PostgresDatabase(self._pool)
        self._drop = BatchLoader(self._drop_held)
        self.clock = DatabaseClock(self._pool)
        self.register = PresenceRegister(self._pool)

    async def open(self) -> None:
        """Migrate and connect; raises `StoreUnusable` when that cannot be done."""
        try:
            await self._upgrade()
            await self._pool.open()
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
        await self._pool.close()

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
        effects: SideEffects = NOTHING,
        *,
        quota: Quota | None = None,
    ) -> Change:
        """Store a new request and its event."""
        return await self._writer.submit(Insert(record, event, claim, effects, quota))

    async def settle(
        self, settlement: Settlement, claim: Claim | None = None, effects: SideEffects = NOTHING
    ) -> Change | None:
        """Try one step of the lifecycle."""
        return await self._writer.submit(Settle(settlement, claim, effects))

    async def claimed(self, claim: Claim) -> str | None:
        """Read what a key was used for before."""
        row = await self._pool.row(queries.CLAIM, claim_id(claim))
        if row is None:
            return None
        if row[0] != claim.digest:
            raise ClaimMismatch(claim.key)
        return row[1]

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

    async def set_access(
        self, access: Access, event: Draft, effects: SideEffects = NOTHING, *, before: Access
    ) -> Outcome:
        """Give a thread another access."""
        return await self._writer.submit_exclusive(
            lambda db: thread_operations.set_access(db, access, event, effects, before=before)
        )

    async def set_archived(
        self, event: Draft, effects: SideEffects = NOTHING, *, archived_at: int | None
    ) -> Outcome:
        """Archive a thread, or take it back."""
        return await self._writer.submit_exclusive(
            lambda db: thread_operations.set_archived(db, event, effects, archived_at=archived_at)
        )

    async def deliver(self, tenant: str, thread_id: str, *, at: int) -> int:
        """Deliver the messages that a thread holds."""
        return await self._writer.submit_exclusive(
            lambda db: thread_operations.deliver(db, tenant, thread_id, now=at)
        )

    async def erase_thread(self, event: Draft, effects: SideEffects = NOTHING) -> bool:
        """Erase a thread."""
        return await self._writer.submit_exclusive(lambda db: thread_operations.erase(db, event, effects))

    async def scrub(self) -> None:
        """Have Postgres clean the tables up: what was erased is dead until then, and its space is free after it.

        The write-ahead log, archives and replicas are the operator's, see `docs/how-to/postgres.md`.
        """
        await self._pool.maintain(thread_queries.SCRUB)

    # Resumes

    async def drop_held(self, tenant: str, request_ids: Sequence[str]) -> None:
        """Drop the held resumes of these requests, together with those that others drop."""
        await asyncio.gather(*(self._drop(tenant, request_id) for request_id in request_ids))

    async def _drop_held(self, names: Sequence[Key]) -> Mapping[Key, None]:
        await self._db.change(lambda tx: tx.many(DROP_HELD, names))
        return {}

    # Health

    async def check_writable(self) -> None:
        """Try a change that changes nothing."""
        await self._db.change(lambda tx: tx.run(_TOUCH))

    def read_only(self) -> str | None:
        """Return None: a server without its database does not start."""
        return None

    async def recover(self) -> None:
        """Do nothing: there is nothing to recover from."""

    def pressure(self) -> Pressure:
        """Return what the writer has done and has to do."""
        return self._writer.pressure()

    # What servers hear of each other

    async def subscribe(self, heard: Callable[[News], None]) -> Subscription:
        """Listen to what is committed and told from now on."""
        return await listen(self._database, heard)

    async def tell(self, news: Dismissal | Arrival) -> None:
        """Tell every server."""
        await self._pool.change(lambda db: db.execute(TELL, payload(news)))

    async def positions(self) -> Mapping[str, int]:
        """Read the position of the newest event of every tenant."""
        found = await self._pool.rows(queries.POSITIONS)
        return {tenant: position for tenant, position in found}  # noqa: C416 - rows of a driver are no pairs
