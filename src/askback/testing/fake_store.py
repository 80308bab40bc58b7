"""A store in memory that keeps every contract of the port except durability: for tests of services."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from askback.domain.access import Access, Level
from askback.domain.events import Draft, Event
from askback.domain.lifecycle import TERMINAL, Status
from askback.domain.record import Record
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, Along
from askback.ports.store import (
    Change,
    Claim,
    IdTaken,
    Message,
    MessageFull,
    MessageMissing,
    Settlement,
    ThreadView,
)
from askback.ports.threads import Quota
from askback.storage.transcript import extend
from askback.testing.fake_access import FakeAccess
from askback.testing.fake_agents import FakeAgents
from askback.testing.fake_health import FakeHealth
from askback.testing.fake_policy import FakePolicy
from askback.testing.fake_resumes import FakeResumes
from askback.testing.fake_rows import KeptThread
from askback.testing.fake_secrets import FakeSecrets
from askback.testing.fake_threads import FakeThreads


class FakeStore(FakeThreads, FakeAccess, FakeAgents, FakePolicy, FakeSecrets, FakeResumes, FakeHealth):
    """The port in dictionaries. Each call is atomic: none awaits between its first read and last write.

    `offline = True` makes every write raise `Unavailable`, as a full disk does.
    """

    async def open(self) -> None:
        """Do nothing: there is nothing to open."""

    async def close(self) -> None:
        """Do nothing: what was stored stays until the object goes."""

    # Sessions

    async def end_sessions(self, ids: Sequence[str], along: Along = NOTHING) -> None:
        """End sessions."""
        self._begin()
        self._sessions = {key: each for key, each in self._sessions.items() if each.id not in ids}
        self._keep(along)

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
        self._begin()
        if (target := self._replayed(claim)) is not None:
            return Change(self._read(record.tenant, target), Outcome.REPLAYED)
        if (record.tenant, record.id) in self._requests:
            raise IdTaken(record.id)
        self._admit(record, event, quota)
        self._keep(along)
        seq = self._emit(event, record)
        self._count(record, quota)
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
        held = settlement.forward and self._holder(record) is not None
        if held or not _fits(record, settlement):
            return Change(self._read(record.tenant, record.id), Outcome.LOST)
        self._keep(along)
        revision = record.revision + settlement.asks_again
        record = replace(record, status=settlement.status, state=settlement.state, revision=revision)
        if settlement.spec is not None:
            record = replace(record, spec=settlement.spec)
        if settlement.times is not None:
            record = replace(record, expires_at=settlement.times[0], due_at=settlement.times[1])
        record = replace(record, behind=record.behind and not settlement.forward)
        self._emit(settlement.event, record)
        self._note(settlement, record)
        self._requests[record.tenant, record.id] = (seq, record)
        self._finish(claim, record.id)
        return Change(self._read(record.tenant, record.id), Outcome.APPLIED)

    async def claimed(self, claim: Claim) -> str | None:
        """Read what a key was used for before."""
        return self._replayed(claim)

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

    async def open_requests(self, *, after: tuple[str, str] = ("", ""), limit: int = 200) -> Sequence[Record]:
        """Read open requests of every tenant."""
        left = [name for name, (_, r) in self._requests.items() if not r.settled and name > after]
        return [self._read(*name) for name in sorted(left)[:limit]]

    async def due(self, now_ms: int, *, limit: int = 200) -> Sequence[Record]:
        """Read open requests that are due, earliest first."""
        return [r for at, r in self._deadlines() if at <= now_ms][:limit]

    async def next_deadline(self) -> int | None:
        """Read the earliest deadline of an open request."""
        return next((at for at, _ in self._deadlines()), None)

    def _kinds(self) -> list[tuple[str, Status]]:
        return [(record.kind, record.status) for _, record in self._requests.values()]

    def _deadlines(self) -> list[tuple[int, Record]]:
        rows = (r for _, r in self._requests.values() if r.status not in TERMINAL)
        return sorted(((r.due_at, r) for r in rows if r.due_at is not None), key=lambda pair: pair[0])

    # Threads

    async def add_message(
        self, message_id: str, data: str, event: Draft, claim: Claim | None = None, *, held: bool = False
    ) -> tuple[str, Outcome]:
        """Add a message and its event."""
        self._begin()
        if (target := self._replayed(claim)) is not None:
            return target, Outcome.REPLAYED
        self._check_takes(event)
        thread = self._threads.get((event.tenant, event.thread_id))
        if thread is not None and message_id in thread.messages:
            raise IdTaken(message_id)
        seq = self._emit(event, None)
        thread = self._threads[event.tenant, event.thread_id]
        thread.messages[message_id] = Message(message_id, seq, data)
        thread.owners[message_id] = event.owner
        if held:
            thread.held.add(message_id)
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
        self._check_takes(event)
        thread.appended[message_id] = size
        message = thread.messages[message_id]
        thread.messages[message_id] = replace(message, data=extend(message.data, text))
        self._emit(event, None)
        self._finish(claim, message_id)
        return Outcome.APPLIED

    async def access(self, tenant: str, thread_id: str) -> Access:
        """Read who may do what in a thread."""
        return self._access_to(tenant, thread_id)

    async def set_access(
        self, access: Access, event: Draft, along: Along = NOTHING, *, before: Access
    ) -> Outcome:
        """Give a thread another access."""
        self._begin()
        if self._access_to(event.tenant, event.thread_id) != before:
            return Outcome.LOST
        self._check_agent(event)
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
            thread.seq,
            messages,
            requests[-limit:],
            self._access_to(tenant, thread_id),
            thread.archived_at,
        )

    async def thread_events(
        self, tenant: str, thread_id: str, *, after: int, limit: int = 500
    ) -> Sequence[Event]:
        """Read events of a thread after `after`."""
        access = self._access_to(tenant, thread_id)
        thread = self._threads.get((tenant, thread_id), KeptThread())
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
            written.read(self._access_to(*name))
            for name, thread in self._threads.items()
            if name[0] == tenant
            for written in thread.events
        ]
        return sorted(found, key=lambda e: e.position)


def _fits(record: Record, step: Settlement) -> bool:
    return (
        record.status in step.expected
        and step.revision in (None, record.revision)
        and step.state_before in (None, record.state)
    )
