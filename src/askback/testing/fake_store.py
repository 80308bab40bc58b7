"""A store in memory that keeps every contract of the port except durability: for tests of services."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from askback.domain import events as domain_events
from askback.domain.access import OPEN, Access, Level
from askback.domain.events import Draft, Event
from askback.domain.lifecycle import TERMINAL, Status
from askback.domain.record import Record
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, Along
from askback.ports.store import (
    Change,
    Claim,
    ClaimMismatch,
    IdTaken,
    Message,
    MessageFull,
    MessageMissing,
    Settlement,
    ThreadView,
)
from askback.storage.transcript import extend
from askback.testing.fake_access import FakeAccess
from askback.testing.fake_policy import FakePolicy
from askback.testing.fake_resumes import FakeResumes
from askback.testing.fake_secrets import FakeSecrets
from askback.testing.fake_webhooks import FakeWebhooks

_log = logging.getLogger(__name__)


@dataclass
class _Thread:
    seq: int = 0
    messages: dict[str, Message] = field(default_factory=dict[str, Message])
    owners: dict[str, str] = field(default_factory=dict[str, str])
    appended: dict[str, int] = field(default_factory=dict[str, int])
    events: list[_Written] = field(default_factory=list["_Written"])


@dataclass(frozen=True)
class _Written:
    """An event as it was written: who may see it is looked up when it is read."""

    draft: Draft
    seq: int
    position: int
    spec: str | None

    def read(self, access: Access) -> Event:
        return domain_events.commit(
            self.draft, seq=self.seq, position=self.position, spec=self.spec, access=access
        )


class FakeStore(FakeAccess, FakePolicy, FakeSecrets, FakeResumes, FakeWebhooks):
    """The port in dictionaries. Each call is atomic: none awaits between its first read and last write.

    `offline = True` makes every write raise `Unavailable`, as a full disk does.
    """

    def __init__(self, *, on_commit: Callable[[Sequence[Event]], None] | None = None) -> None:
        super().__init__()
        self._on_commit = on_commit
        self._position = 0
        self._fresh: list[Event] = []
        self._requests: dict[tuple[str, str], tuple[int, Record]] = {}
        self._threads: dict[tuple[str, str], _Thread] = {}
        self._claims: dict[tuple[str, str, str, str], tuple[str, str]] = {}

    async def open(self) -> None:
        """Do nothing: there is nothing to open."""

    async def close(self) -> None:
        """Do nothing: what was stored stays until the object goes."""

    # Requests

    async def insert(
        self, record: Record, event: Draft, claim: Claim | None = None, along: Along = NOTHING
    ) -> Change:
        """Store a new request and its event."""
        self._begin()
        if (target := self._replayed(claim)) is not None:
            return Change(self._read(record.tenant, target), Outcome.REPLAYED)
        if (record.tenant, record.id) in self._requests:
            raise IdTaken(record.id)
        self._keep(along)
        seq = self._emit(event, record.spec)
        self._requests[record.tenant, record.id] = (seq, record)
        self._finish(claim, record.id)
        return Change(self._read(record.tenant, record.id), Outcome.APPLIED)

    async def get(self, tenant: str, request_id: str) -> Record | None:
        """Read one request by its id."""
        return self._read(tenant, request_id) if (tenant, request_id) in self._requests else None

    async def settle(
        self, settlement: Settlement, claim: Claim | None = None, along: Along = NOTHING
    ) -> Change | None:
        """Try one step of the lifecycle."""
        self._begin()
        if (target := self._replayed(claim)) is not None:
            return Change(self._read(settlement.tenant, target), Outcome.REPLAYED)
        row = self._requests.get((settlement.tenant, settlement.id))
        if row is None:
            return None
        seq, record = row
        if not _fits(record, settlement):
            return Change(self._read(record.tenant, record.id), Outcome.LOST)
        self._keep(along)
        revision = record.revision + settlement.asks_again
        record = replace(record, status=settlement.status, state=settlement.state, revision=revision)
        if settlement.spec is not None:
            record = replace(record, spec=settlement.spec)
        if settlement.times is not None:
            record = replace(record, expires_at=settlement.times[0], due_at=settlement.times[1])
        self._emit(settlement.event, record.spec)
        self._requests[record.tenant, record.id] = (seq, record)
        self._finish(claim, record.id)
        return Change(self._read(record.tenant, record.id), Outcome.APPLIED)

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
        found = [
            r
            for r in (self._read(*key) for key in self._requests)
            if r.tenant == tenant
            and thread_id in (None, r.thread_id)
            and (statuses is None or r.status in statuses)
            and kind in (None, r.kind)
            and requester in (None, r.requester)
            and (person is None or r.access.level(person) >= Level.VIEW)
            and (before is None or r.id < before)
        ]
        return sorted(found, key=lambda r: r.id, reverse=True)[:limit]

    async def last_with_digest(
        self, tenant: str, thread_id: str, requester: str, digest: str
    ) -> Record | None:
        """Read the newest request about a call that a person dealt with."""
        found = await self.list_requests(
            tenant, thread_id=thread_id, requester=requester, limit=len(self._requests)
        )
        dealt = (Status.ANSWERED, Status.DECLINED)
        return next((r for r in found if r.digest == digest and r.status in dealt), None)

    async def due(self, now_ms: int, *, limit: int = 200) -> Sequence[Record]:
        """Read open requests that are due, earliest first."""
        return [r for at, r in self._deadlines() if at <= now_ms][:limit]

    async def next_deadline(self) -> int | None:
        """Read the earliest deadline of an open request."""
        return next((at for at, _ in self._deadlines()), None)

    def _deadlines(self) -> list[tuple[int, Record]]:
        rows = (r for _, r in self._requests.values() if r.status not in TERMINAL)
        return sorted(((r.due_at, r) for r in rows if r.due_at is not None), key=lambda pair: pair[0])

    def _read(self, tenant: str, request_id: str) -> Record:
        record = self._requests[tenant, request_id][1]
        return replace(record, access=self._shared.get((tenant, record.thread_id), OPEN))

    # Threads

    async def add_message(
        self, message_id: str, data: str, event: Draft, claim: Claim | None = None
    ) -> tuple[str, Outcome]:
        """Add a message and its event."""
        self._begin()
        if (target := self._replayed(claim)) is not None:
            return target, Outcome.REPLAYED
        thread = self._threads.get((event.tenant, event.thread_id))
        if thread is not None and message_id in thread.messages:
            raise IdTaken(message_id)
        seq = self._emit(event, None)
        thread = self._threads[event.tenant, event.thread_id]
        thread.messages[message_id] = Message(message_id, seq, data)
        thread.owners[message_id] = event.owner
        self._finish(claim, message_id)
        return message_id, Outcome.APPLIED

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
        self._begin()
        if self._replayed(claim) is not None:
            return Outcome.REPLAYED
        thread = self._threads.get((event.tenant, event.thread_id))
        if thread is None or thread.owners.get(message_id) != event.owner:
            raise MessageMissing(message_id)
        size = thread.appended.get(message_id, 0) + len(text.encode())
        if most is not None and size > most:
            raise MessageFull(message_id)
        thread.appended[message_id] = size
        message = thread.messages[message_id]
        thread.messages[message_id] = replace(message, data=extend(message.data, text))
        self._emit(event, None)
        self._finish(claim, message_id)
        return Outcome.APPLIED

    async def access(self, tenant: str, thread_id: str) -> Access:
        """Read who may do what in a thread."""
        return self._shared.get((tenant, thread_id), OPEN)

    async def set_access(
        self, access: Access, event: Draft, along: Along = NOTHING, *, before: Access
    ) -> Outcome:
        """Give a thread another access."""
        self._begin()
        if self._shared.get((event.tenant, event.thread_id), OPEN) != before:
            return Outcome.LOST
        self._keep(along)
        self._shared[event.tenant, event.thread_id] = access
        self._emit(event, None)
        self._finish()
        return Outcome.APPLIED

    async def thread(self, tenant: str, thread_id: str, *, limit: int = 500) -> ThreadView | None:
        """Read a thread in one snapshot."""
        thread = self._threads.get((tenant, thread_id))
        if thread is None:
            return None
        rows = [(seq, self._read(tenant, r.id)) for seq, r in self._requests.values() if r.tenant == tenant]
        requests = sorted((row for row in rows if row[1].thread_id == thread_id), key=lambda row: row[0])
        messages = list(thread.messages.values())[-limit:]
        return ThreadView(
            thread.seq, messages, requests[-limit:], self._shared.get((tenant, thread_id), OPEN)
        )

    async def thread_events(
        self, tenant: str, thread_id: str, *, after: int, limit: int = 500
    ) -> Sequence[Event]:
        """Read events of a thread after `after`."""
        access = self._shared.get((tenant, thread_id), OPEN)
        thread = self._threads.get((tenant, thread_id), _Thread())
        return [e.read(access) for e in thread.events if e.seq > after][:limit]

    async def tenant_events(
        self, tenant: str, *, after: int, person: str | None = None, limit: int = 500
    ) -> Sequence[Event]:
        """Read events of a tenant after `after`."""
        found = [e for e in self._tenant(tenant) if e.position > after]
        return [e for e in found if person is None or e.access.level(person) >= Level.VIEW][:limit]

    async def last_position(self, tenant: str) -> int:
        """Read the position of the tenant's newest event."""
        return max((e.position for e in self._tenant(tenant)), default=0)

    def _tenant(self, tenant: str) -> list[Event]:
        found = [
            written.read(self._shared.get(name, OPEN))
            for name, thread in self._threads.items()
            if name[0] == tenant
            for written in thread.events
        ]
        return sorted(found, key=lambda e: e.position)

    # What every write does

    def _replayed(self, claim: Claim | None) -> str | None:
        if claim is None:
            return None
        digest, target = self._claims.get(_name(claim), (claim.digest, None))
        if digest != claim.digest:
            raise ClaimMismatch(claim.key)
        return target

    def _emit(self, draft: Draft, spec: str | None) -> int:
        thread = self._threads.setdefault((draft.tenant, draft.thread_id), _Thread())
        thread.seq += 1
        self._position += 1
        written = _Written(draft, thread.seq, self._position, spec)
        thread.events.append(written)
        self._fresh.append(written.read(self._shared.get((draft.tenant, draft.thread_id), OPEN)))
        return thread.seq

    def _finish(self, claim: Claim | None = None, target: str = "") -> None:
        """Keep the claim, then tell what was written: the listener finds the whole change in place."""
        if claim is not None:
            self._claims[_name(claim)] = (claim.digest, target)
        fresh, self._fresh = self._fresh, []
        if self._on_commit is None:
            return
        try:
            self._on_commit(fresh)
        except Exception:  # noqa: BLE001 - the port: a failing listener does not fail the write
            _log.exception("a listener failed; the event is stored")


def _fits(record: Record, step: Settlement) -> bool:
    return (
        record.status in step.expected
        and step.revision in (None, record.revision)
        and step.state_before in (None, record.state)
    )


def _name(claim: Claim) -> tuple[str, str, str, str]:
    return claim.tenant, claim.principal, claim.scope, claim.key
