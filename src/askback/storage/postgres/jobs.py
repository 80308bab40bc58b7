"""Jobs of the writer: a change that writes events, the keys that keep it apart from other jobs, and its outcome."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic_core import to_json

from askback.domain.access import AccessList
from askback.domain.events import EventDraft
from askback.domain.record import Record
from askback.domain.spec import Spec
from askback.domain.values import frozen
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, SideEffects
from askback.ports.store import AnswerMessage, Claim, Settlement
from askback.ports.threads import Quota
from askback.storage.postgres.connection import Connection

Key = tuple[str, ...]


@frozen(slots=True)
class Insert:
    """A new request."""

    record: Record
    draft: EventDraft
    claim: Claim | None
    effects: SideEffects
    quota: Quota | None

    @property
    def target(self) -> str:
        """The object that a claim is stored for."""
        return self.record.id

    @property
    def has_exclusive_key(self) -> bool:
        """Whether it takes an exclusive key."""
        return self.record.exclusive is not None and not self.record.queued_behind and not self.record.settled

    @property
    def counted(self) -> bool:
        """Whether it is counted as a question of its thread."""
        return self.quota is not None and self.record.kind == "form" and not self.record.settled

    @property
    def rows(self) -> Iterable[Key]:
        """Return the keys of the rows that it changes."""
        record = self.record
        yield "request", record.tenant, record.id
        if self.has_exclusive_key:
            yield "exclusive", record.tenant, record.thread_id, record.requester, record.exclusive or ""
        if (external_id := record.labels.external_id) is not None:
            yield "external", record.tenant, record.thread_id, record.requester, external_id


@frozen(slots=True)
class Settle:
    """A step of the lifecycle."""

    step: Settlement
    claim: Claim | None
    effects: SideEffects

    @property
    def draft(self) -> EventDraft:
        """Its event."""
        return self.step.event

    @property
    def target(self) -> str:
        """The object that a claim is stored for."""
        return self.step.id

    @property
    def rows(self) -> Iterable[Key]:
        """Return the keys of the rows that it changes."""
        yield "request", self.step.tenant, self.step.id


@frozen(slots=True)
class AddMessage:
    """A new message."""

    target: str
    data: str
    draft: EventDraft
    claim: Claim | None
    held: bool
    effects: SideEffects = NOTHING

    @property
    def rows(self) -> Iterable[Key]:
        """Return the keys of the rows that it changes."""
        yield "message", self.draft.tenant, self.draft.thread_id, self.target


@frozen(slots=True)
class AppendText:
    """A text that is added to a message; `room` is how many bytes may have been appended before."""

    target: str
    text: bytes
    draft: EventDraft
    claim: Claim | None
    room: int
    effects: SideEffects = NOTHING

    @property
    def rows(self) -> Iterable[Key]:
        """Return the keys of the rows that it changes."""
        yield "message", self.draft.tenant, self.draft.thread_id, self.target


Change = Insert | Settle | AddMessage | AppendText


@frozen(slots=True)
class EventSlot:
    """The key of an event's thread, the event's number there, and who may see it."""

    thread: int
    seq: int
    access: AccessList


@dataclass(slots=True, eq=False)
class Entry:
    """An event with its slot: its draft, its request's spec and whether that hides names, and its position."""

    draft: EventDraft
    slot: EventSlot
    spec: Spec | None = None
    hides_names: bool = False
    position: int = 0


@dataclass(slots=True, eq=False)
class Job:
    """A change that is written together with others, and the future of its caller.

    No two jobs of a group have a key in common. When the group is written, each has its `outcome` or its `error`. A job
    `holds` its claim unless that was taken before; `target` is the id that the claim was kept for. `row` is the row
    that a step changed, `current` the request that a replayed or lost call returns, and `message_key` the key of the
    message to which a text is added. `slot` is the thread and the number of its event, `message_slot` those of its
    message, and `spec` is the spec of a new form with its number.
    """

    change: Change
    future: asyncio.Future[Any]
    claim_id: bytes | None
    keys: frozenset[Key | bytes]
    outcome: Outcome | None = None
    error: Exception | None = None
    holds: bool = False
    target: str = ""
    row: Any = None
    current: Record | None = None
    message_key: Any = None
    slot: EventSlot | None = None
    message_slot: EventSlot | None = None
    spec: Spec | None = None

    @classmethod
    def of(cls, change: Change, future: asyncio.Future[Any]) -> Job:
        """Make the job of a change."""
        claim_key = None if change.claim is None else claim_id(change.claim)
        keys: set[Key | bytes] = {*change.rows} if claim_key is None else {*change.rows, claim_key}
        return cls(change, future, claim_key, frozenset(keys))

    @property
    def message(self) -> AnswerMessage | None:
        """The message that comes with a step."""
        return self.change.step.message if isinstance(self.change, Settle) else None

    @property
    def drafts(self) -> Iterable[EventDraft]:
        """Return its events, in their order."""
        yield self.change.draft
        if (message := self.message) is not None:
            yield message.event

    @property
    def runs_alone(self) -> bool:
        """Whether it needs its own group: a job that leaves a line first looks up the owner of the key."""
        return isinstance(self.change, Settle) and self.change.step.leave_queue

    @property
    def plain(self) -> bool:
        """Whether it can be written together with others in one call: a request that opens or a step.

        Neither has side effects but resumes.
        A request that hides names is none: its event is built before the commit, and nothing is stored if that fails.
        """
        change = self.change
        if isinstance(change, Insert):
            record = change.record
            is_plain = not (record.settled or record.exclusive is not None or record.hides_names)
        elif isinstance(change, Settle):
            step = change.step
            is_plain = not (step.leave_queue or step.refunds or step.refused or step.message)
        else:
            return False
        return is_plain and change.effects.only_resumes

    @property
    def open(self) -> bool:
        """Whether nothing speaks against it so far."""
        return self.outcome is None and self.error is None

    def begin(self) -> None:
        """Forget the results of a group that was rolled back."""
        self.outcome = self.error = self.row = self.current = self.message_key = None
        self.slot = self.message_slot = self.spec = None
        self.holds, self.target = False, self.change.target


Act = Callable[[Connection], Awaitable[tuple[Any, Sequence[Entry]]]]


@dataclass(slots=True, eq=False)
class ExclusiveJob:
    """Something about a thread as a whole, which shares its group with nothing, and who waits for it.

    `act` is run in the transaction; it returns the result for the caller, and the events, in their places.
    """

    act: Act
    future: asyncio.Future[Any]
    keys: frozenset[Key | bytes] = frozenset()
    runs_alone: bool = True
    plain: bool = False
    error: Exception | None = None
    result: Any = None


def claim_id(claim: Claim) -> bytes:
    """Return the stored name of a key."""
    return hashlib.sha256(to_json((claim.tenant, claim.principal, claim.scope, claim.key))).digest()


ChangeKind = TypeVar("ChangeKind", Insert, Settle, AddMessage, AppendText)


def jobs_of_kind(jobs: Iterable[Job], kind: type[ChangeKind]) -> Sequence[tuple[Job, ChangeKind]]:
    """Return the jobs of one kind that nothing speaks against so far, with their changes."""
    return [(job, job.change) for job in jobs if isinstance(job.change, kind) and job.open]


class Overtaken(Exception):
    """Another server was faster, at a place that could not be locked before: the group has to be written again."""
