"""Changes that write an event, on their way: what each needs, what it is kept apart from, and what became of it."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from askback.domain.access import Access
from askback.domain.events import Draft
from askback.domain.record import Record
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, Along
from askback.ports.store import Claim, Settlement

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Insert:
    """A new request."""

    record: Record
    draft: Draft
    claim: Claim | None
    along: Along

    @property
    def target(self) -> str:
        """What a claim is kept for."""
        return self.record.id

    @property
    def row(self) -> Key:
        """The row that it changes."""
        return "request", self.record.tenant, self.record.id


@dataclass(frozen=True, slots=True)
class Settle:
    """A step of the lifecycle."""

    step: Settlement
    claim: Claim | None
    along: Along

    @property
    def draft(self) -> Draft:
        """Its event."""
        return self.step.event

    @property
    def target(self) -> str:
        """What a claim is kept for."""
        return self.step.id

    @property
    def row(self) -> Key:
        """The row that it changes."""
        return "request", self.step.tenant, self.step.id


@dataclass(frozen=True, slots=True)
class AddMessage:
    """A new message."""

    target: str
    data: str
    draft: Draft
    claim: Claim | None
    along: Along = NOTHING

    @property
    def row(self) -> Key:
        """The row that it changes."""
        return "message", self.draft.tenant, self.draft.thread_id, self.target


@dataclass(frozen=True, slots=True)
class AppendText:
    """A text that is added to a message; `room` is how many bytes may have been appended before."""

    target: str
    text: bytes
    draft: Draft
    claim: Claim | None
    room: int
    along: Along = NOTHING

    @property
    def row(self) -> Key:
        """The row that it changes."""
        return "message", self.draft.tenant, self.draft.thread_id, self.target


@dataclass(frozen=True, slots=True)
class SetAccess:
    """Another access to a thread, which the events after it carry: it shares its group with nothing."""

    access: Access
    before: Access
    draft: Draft
    along: Along
    claim: None = None
    target: str = ""

    @property
    def row(self) -> Key:
        """The row that it changes."""
        return "thread", self.draft.tenant, self.draft.thread_id


Change = Insert | Settle | AddMessage | AppendText | SetAccess


@dataclass(frozen=True, slots=True)
class Place:
    """Where an event comes: the key of its thread, its number, and who may see it."""

    thread: int
    seq: int
    access: Access


@dataclass(slots=True, eq=False)
class Job:
    """One change, and who waits for it.

    No two jobs of a group have a key in common. When the group is written, each has its `outcome` or its `error`. A job
    `holds` its claim unless that was taken before; `target` is the id that the claim was kept for. `found` is what a
    step found in its row, or the row as it is, or the key of a message; `place` and `position` are those of its event.
    """

    change: Change
    future: asyncio.Future[Any]
    claim_id: bytes | None
    keys: frozenset[Key | bytes]
    outcome: Outcome | None = None
    error: Exception | None = None
    holds: bool = False
    target: str = ""
    found: Any = None
    place: Place | None = None
    position: int = 0

    @classmethod
    def of(cls, change: Change, future: asyncio.Future[Any]) -> Job:
        """Make the job of a change."""
        claim_id = None if change.claim is None else _digest(change.claim)
        keys = {change.row} if claim_id is None else {change.row, claim_id}
        return cls(change, future, claim_id, frozenset(keys), target=change.target)

    @property
    def alone(self) -> bool:
        """Whether it needs a group of its own."""
        return isinstance(self.change, SetAccess)

    @property
    def open(self) -> bool:
        """Whether nothing speaks against it so far."""
        return self.outcome is None and self.error is None

    def begin(self) -> None:
        """Forget what a group that was undone has found."""
        self.outcome = self.error = self.found = self.place = None
        self.holds, self.target = False, self.change.target


def _digest(claim: Claim) -> bytes:
    text = json.dumps([claim.tenant, claim.principal, claim.scope, claim.key])
    return hashlib.sha256(text.encode()).digest()


C = TypeVar("C", Insert, Settle, AddMessage, AppendText, SetAccess)


def of_kind(jobs: Iterable[Job], kind: type[C]) -> Sequence[tuple[Job, C]]:
    """Return the jobs of one kind that nothing speaks against so far, with their changes."""
    return [(job, job.change) for job in jobs if isinstance(job.change, kind) and job.open]


class Overtaken(Exception):
    """Another server was faster, at a place that could not be locked before: the group has to be written again."""
