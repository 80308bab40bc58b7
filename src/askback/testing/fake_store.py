"""A store in memory that keeps every contract of the port except durability: for tests of services."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from askback.domain import events as domain_events
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

_log = logging.getLogger(__name__)


@dataclass
class _Thread:
    seq: int = 0
    messages: dict[str, Message] = field(default_factory=dict[str, Message])
    owners: dict[str, str] = field(default_factory=dict[str, str])
    appended: dict[str, int] = field(default_factory=dict[str, int])
    events: list[Event] = field(default_factory=list[Event])


class FakeStore(FakeAccess, FakePolicy, FakeSecrets, FakeResumes):
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
            return Change(self._requests[record.tenant, target][1], Outcome.REPLAYED)
        if (record.tenant, record.id) in self._requests:
            raise IdTaken(record.id)
        self._keep(along)
        seq = self._emit(event, record.spec)
        self._requests[record.tenant, record.id] = (seq, record)
        self._finish(claim, record.id)
        return Change(record, Outcome.APPLIED)

    async def get(self, tenant: str, request_id: str) -> Record | None:
        """Read one request by its id."""
        row = self._requests.get((tenant, request_id))
        return row[1] if row else None

    async def settle(
        self, settlement: Settlement, claim: Claim | None = None, along: Along = NOTHING
    ) -> Change | None:
        """Try one step of the lifecycle."""
        self._begin()
        if (target := self._replayed(claim)) is not None:
            return Change(self._requests[settlement.tenant, target][1], Outcome.REPLAYED)
        row = self._requests.get((settlement.tenant, settlement.id))
        if row is None:
            return None
        seq, record = row
        if not _fits(record, settlement):
            return Change(record, Outcome.LOST)
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
        return Change(record, Outcome.APPLIED)

    async def list_requests(
        self,
        tenant: str,
        *,
        thread_id: str | None = None,
        statuses: frozenset[Status] | None = None,
        kind: str | None = None,
        requester: str | None = None,
        before: str | None = None,
        limit: int = 50,
    ) -> Sequence[Record]:
        """Read requests, newest first."""
        found = [
            r
            for _, r in self._requests.values()
            if r.tenant == tenant
            and thread_id in (None, r.thread_id)
            and (statuses is None or r.status in statuses)
            and kind in (None, r.kind)
            and requester in (None, r.requester)
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

    async def thread(self, tenant: str, thread_id: str, *, limit: int = 500) -> ThreadView | None:
        """Read a thread in one snapshot."""
        thread = self._threads.get((tenant, thread_id))
        if thread is None:
            return None
        rows = self._requests.values()
        requests = [row for row in rows if (row[1].tenant, row[1].thread_id) == (tenant, thread_id)]
        requests.sort(key=lambda row: row[0])
        return ThreadView(thread.seq, list(thread.messages.values())[-limit:], requests[-limit:])

    async def thread_events(
        self, tenant: str, thread_id: str, *, after: int, limit: int = 500
    ) -> Sequence[Event]:
        """Read events of a thread after `after`."""
        thread = self._threads.get((tenant, thread_id), _Thread())
        return [e for e in thread.events if e.seq > after][:limit]

    async def tenant_events(self, tenant: str, *, after: int, limit: int = 500) -> Sequence[Event]:
        """Read events of a tenant after `after`."""
        return [e for e in self._tenant(tenant) if e.position > after][:limit]

    async def last_position(self, tenant: str) -> int:
        """Read the position of the tenant's newest event."""
        return max((e.position for e in self._tenant(tenant)), default=0)

    def _tenant(self, tenant: str) -> list[Event]:
        found = (e for (owner, _), thread in self._threads.items() if owner == tenant for e in thread.events)
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
        event = domain_events.commit(draft, seq=thread.seq, position=self._position, spec=spec)
        thread.events.append(event)
        self._fresh.append(event)
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
