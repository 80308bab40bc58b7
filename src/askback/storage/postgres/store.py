"""The `Store` port on Postgres: changes with an event are written in groups, all others on connections from a pool."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from askback.domain.access import AccessList
from askback.domain.events import Event, EventDraft
from askback.domain.record import Record
from askback.errors import StoreUnusable, Unavailable
from askback.ports.bus import FeedItem, Subscription, UnstoredMessage
from askback.ports.health import Pressure, Schema
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, SideEffects
from askback.ports.store import Change, Claim, ClaimMismatch, Settlement
from askback.ports.threads import Quota
from askback.storage.postgres import queries, schema, thread_operations, thread_queries
from askback.storage.postgres.batch_loader import BatchLoader, Key, let_more_join
from askback.storage.postgres.clock import DatabaseClock
from askback.storage.postgres.connection import Database, refused_by_database
from askback.storage.postgres.database import PostgresDatabase
from askback.storage.postgres.jobs import AddMessage, AppendText, Insert, Settle, claim_id
from askback.storage.postgres.key_reader import KeyReader
from askback.storage.postgres.listening import NOTIFY, listen, payload
from askback.storage.postgres.pool import Pool
from askback.storage.postgres.presence import PresenceRegister
from askback.storage.postgres.writer import Writer
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
from askback.storage.sql.resumes import DROP_HELD, ResumeArea
from askback.storage.sql.rules import RuleArea
from askback.storage.sql.runs import RunArea
from askback.storage.sql.secrets import SecretArea
from askback.storage.sql.sessions import SessionArea
from askback.storage.sql.thread_lists import ThreadListArea
from askback.storage.sql.threads import ThreadArea
from askback.storage.sql.transaction import ThreadOperation
from askback.storage.sql.webhooks import WebhookArea

_ENDLESS = 2**62
# No row is changed, but a server that only reads, or a lock that is held, refuses it as it would any change.
_TOUCH = "UPDATE webhooks SET active = active WHERE false"


class PostgresStore(
    AgentArea, AuditArea, ConversationArea, ExecutionArea, FileArea, HealthArea, InboxArea, MessageArea, OauthArea,
    PeopleArea, RequestArea, ResumeArea, RuleArea, RunArea, SecretArea, SessionArea, ThreadArea, ThreadListArea,
    WebhookArea,
):  # fmt: skip
    """Everything in one database, which other servers may use as well. It is also the `Feed` of a shared bus.

    `on_commit` gets committed events on the event loop. `origin` identifies this server's notices;
    `clock` follows the time of the database, and `register` has who is there at each server.
    """

    def __init__(
        self, database: Database, *, on_commit: Callable[[Sequence[Event]], None] | None = None
    ) -> None:
        self.origin = secrets.token_hex(8)
        self._database = database
        self._version = 0
        self._sealing = database.sealing
        self._writer = Writer(database, origin=self.origin, on_commit=on_commit)
        self._pool = Pool(database)
        self._by_key = KeyReader(database)
        self._db = PostgresDatabase(self._pool, self._by_key, self._change_thread)
        self._claims = BatchLoader(self._find_claims)
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
                problem = f"{error}" or type(error).__name__
                raise StoreUnusable(f"The database {self._database} cannot be used: {problem}") from error
            raise
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Finish pending operations and close."""
        await self._writer.close()
        await self.clock.stop()
        await self._by_key.close()
        await self._pool.close()

    async def _upgrade(self) -> None:
        db = await self._database.connect()
        try:
            _, self._version = await schema.upgrade(db)
        finally:
            await db.close()

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
        return await self._writer.submit(Insert(record, event, claim, effects, quota))

    async def settle(
        self, settlement: Settlement, claim: Claim | None = None, effects: SideEffects = NOTHING
    ) -> Change | None:
        """Try one step of the lifecycle."""
        return await self._writer.submit(Settle(settlement, claim, effects))

    async def find_claim(self, claim: Claim) -> str | None:
        """Read the earlier use of an idempotency key."""
        claims = await self._claims(claim_id(claim).hex())
        if claims is None:
            return None
        digest, target = claims
        if digest != claim.digest:
            raise ClaimMismatch(claim.key)
        return target

    async def _find_claims(self, ids: Sequence[Key]) -> Mapping[Key, tuple[str, str]]:
        claims = await self._by_key.rows(queries.CLAIMS, [bytes.fromhex(claim) for (claim,) in ids])
        return {(claim.hex(),): (digest, target) for claim, digest, target in claims}

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
        return await self._writer.submit(AddMessage(message_id, data, event, claim, held, effects))

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
        added = text.encode()
        remaining_bytes = _ENDLESS if limit is None else limit - len(added)
        return await self._writer.submit(AppendText(message_id, added, event, claim, remaining_bytes))

    async def set_access(
        self, access: AccessList, event: EventDraft, effects: SideEffects = NOTHING, *, before: AccessList
    ) -> Outcome:
        """Change the access to a thread."""
        return await self._writer.submit_exclusive(
            lambda db: thread_operations.set_access(db, access, event, effects, before=before)
        )

    async def set_archived(
        self, event: EventDraft, effects: SideEffects = NOTHING, *, archived_at: int | None
    ) -> Outcome:
        """Archive a thread, or take it back."""
        return await self._writer.submit_exclusive(
            lambda db: thread_operations.set_archived(db, event, effects, archived_at=archived_at)
        )

    async def _change_thread(self, event: EventDraft, operation: ThreadOperation[Any], new: bool) -> Any:
        return await self._writer.submit_exclusive(
            lambda db: thread_operations.change(db, event, operation, new=new)
        )

    async def deliver(self, tenant: str, thread_id: str, *, at: int) -> int:
        """Deliver the messages that a thread holds."""
        return await self._writer.submit_exclusive(
            lambda db: thread_operations.deliver(db, tenant, thread_id, now=at)
        )

    async def erase_thread(
        self, event: EventDraft, effects: SideEffects = NOTHING, *, idle_since: int | None = None
    ) -> bool:
        """Erase a thread."""
        return await self._writer.submit_exclusive(
            lambda db: thread_operations.erase(db, event, effects, idle_since=idle_since)
        )

    async def scrub(self) -> None:
        """Vacuum the tables: erased rows are dead until then, and their space is free afterwards.

        The write-ahead log, archives and replicas are the operator's, see `docs/how-to/postgres.md`.
        """
        await self._pool.maintain(thread_queries.SCRUB)

    # Resumes

    async def drop_held(self, requests: Collection[tuple[str, str]]) -> None:
        """Drop the held resumes of these requests, in one statement; after several, more can join the next one."""
        columns = tuple(map(list, zip(*requests, strict=True)))
        await self._pool.change(lambda db: db.execute(DROP_HELD, *columns), single=True)
        await let_more_join(len(requests))

    # Health

    async def check_writable(self) -> None:
        """Try a change that changes nothing."""
        await self._db.change(lambda tx: tx.run(_TOUCH))

    def read_only(self) -> str | None:
        """Return None: a server without its database does not start."""
        return None

    def schema(self) -> Schema:
        """Return the schema that the database had when this server was started."""
        return Schema("postgres", self._version)

    async def recover(self) -> None:
        """Do nothing: there is nothing to recover from."""

    def pressure(self) -> Pressure:
        """Return the counts of the writer."""
        return self._writer.pressure()

    # Messages between servers

    async def subscribe(self, receive: Callable[[FeedItem], None]) -> Subscription:
        """Listen for new messages."""
        return await listen(self._database, receive)

    async def tell(self, message: UnstoredMessage) -> None:
        """Notify every server."""
        await self._pool.change(lambda db: db.execute(NOTIFY, payload(message)), single=True)

    async def positions(self) -> Mapping[str, int]:
        """Read the position of the newest event of every tenant."""
        positions = await self._pool.rows(queries.POSITIONS)
        return {tenant: position for tenant, position in positions}  # noqa: C416 - rows of a driver are no pairs
