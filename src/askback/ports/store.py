"""The store: the truth. Everything acknowledged is in it, and survives the loss of power.

Contracts that every backend keeps, each checked by `tests.contracts.store`:

1.  A coroutine that returns has made its change durable; one that raises has changed nothing.
2.  A change and its event are one transaction. `seq` is 1, 2, 3 … in each (tenant, thread), without a
    gap; `position` grows in commit order over all threads of a tenant, so that whoever sees one sees all below.
3.  `settle` is a compare-and-set on (tenant, id, status in `expected`, revision): of any number of
    callers at once one gets `APPLIED`, the rest `LOST` with the row as it now is.
4.  A `Claim` makes a write idempotent for as long as the row lives: the same key with the same
    digest replays, with another digest raises `ClaimMismatch`. Keys belong to (tenant, principal, scope).
5.  Committed events are handed to `on_commit` in the order of their positions, after the commit,
    on the event loop; a failing listener does not fail the write.
6.  A failing operation never fails another that shares its commit.
7.  Reads see every commit that returned before they began, and never wait for a writer.
8.  Rows of another tenant are as absent as rows that do not exist.
9.  A store that cannot write raises `Unavailable`; reads go on where they can.
10. A write whose caller is cancelled meanwhile either happens whole or not at all.
11. The side effects of a change are written in its transaction if the change is applied, and not at all if it is
    lost or replayed.
12. The audit log of a tenant is one chain: `seq` 1, 2, 3 … without a gap, each entry sealed with the hash of the one
    before (`domain.audit`), the newest hash kept apart and sealed in the transaction that moves it (`seal_with`), so
    that the loss of the last entries shows as well. A seal that is not right for the entry before is kept as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from askback.domain import jsontext
from askback.domain.access import OPEN, Access
from askback.domain.events import Draft, Event
from askback.domain.lifecycle import Status
from askback.domain.record import Record
from askback.domain.spec import Spec
from askback.domain.state import State
from askback.ports.agents import AgentStore
from askback.ports.health import HealthStore
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, PolicyStore, SideEffects
from askback.ports.principal import Principal as Principal  # noqa: PLC0414 - exported from here too
from askback.ports.resumes import ResumeStore
from askback.ports.secret_store import SecretStore
from askback.ports.threads import Quota, ThreadStore
from askback.ports.webhooks import WebhookStore


@dataclass(frozen=True, slots=True)
class Claim:
    """An idempotency key: who, what for (`create`, `answer:req_…`), the key, a digest of the body."""

    tenant: str
    principal: str
    scope: str
    key: str
    digest: str


class ClaimMismatch(Exception):
    """The key was used before with another body."""


class IdTaken(Exception):
    """The id is in use: a request's or a rule's in its tenant, a message's in its thread."""


class MessageMissing(Exception):
    """A delta for a message that this thread does not have, or that another owner wrote."""


class MessageFull(Exception):
    """What was appended to a message has reached its limit."""


class KeyHeld(Exception):
    """An open request of the same requester in this thread has this exclusive key: it is `record`."""

    def __init__(self, record: Record) -> None:
        super().__init__(record)
        self.record = record


@dataclass(frozen=True, slots=True)
class Settlement:
    """A step of the lifecycle that is about to be tried on one row.

    `revision` None means whichever revision is current. `state` is the new state. With
    `state_before` the step is lost unless the row's state is exactly that text: a vote is added to the
    votes that were read. A step that `asks_again` raises the revision by one; with a `spec` it asks something else
    from now on. `times` are the new `expires_at` and `due_at`, None as long as they stay. With `forward` it leaves the
    line that it waits in, and is lost while another has its key. A step that `refunds` gives the question back to its
    thread. Of one that was `refused` by a person its thread notes when.
    """

    tenant: str
    id: str
    expected: frozenset[Status]
    revision: int | None
    status: Status
    state: State
    event: Draft
    state_before: State | None = None
    asks_again: bool = False
    spec: Spec | None = None
    times: tuple[int | None, int | None] | None = None
    forward: bool = False
    refunds: bool = False
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """The row as it is now, and whether this call made it so."""

    record: Record
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Message:
    """A stored message; `data` is its JSON object text, `seq` where it entered the thread."""

    id: str
    seq: int
    data: str

    @property
    def wire(self) -> str:
        """The message as JSON text as readers get it."""
        return jsontext.with_members(self.data, seq=self.seq)


@dataclass(frozen=True, slots=True)
class ThreadView:
    """A thread at one instant: `seq` is the cursor from which events go on.

    `requests` pairs each record with the `seq` of its creation. The newest `limit` of each are kept.
    """

    seq: int
    messages: Sequence[Message]
    requests: Sequence[tuple[int, Record]]
    access: Access = OPEN
    archived_at: int | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """A browser session: its principal, and `half`, the digest of the secret that its pages keep beside the cookie.

    `device` is what the browser says of itself. Times are in milliseconds; `seen_at` is when it was last used.
    """

    id: str
    principal: Principal
    half: str
    device: str
    created_at: int
    seen_at: int
    expires_at: int


@dataclass(frozen=True, slots=True)
class NewSession:
    """A session that a login code opens; see `Session`."""

    id: str
    half: str
    device: str
    created_at: int
    expires_at: int

    def of(self, principal: Principal) -> Session:
        """Return the session of the person whose code it was."""
        at = self.created_at
        return Session(self.id, principal, self.half, self.device, at, at, self.expires_at)


class RequestStore(Protocol):
    """Requests, messages and events."""

    async def insert(
        self,
        record: Record,
        event: Draft,
        claim: Claim | None = None,
        effects: SideEffects = NOTHING,
        *,
        quota: Quota | None = None,
    ) -> Change:
        """Store a new request and its `request.created`; with a claim made before, return that request.

        A request that a rule decided at once comes settled, with the event of its end for its only one.

        Raises `ClaimMismatch`, `IdTaken`, `ThreadArchived`, `KeyHeld`, and `QuotaSpent` when it is one more than the
        quota leaves room for.
        """
        ...

    async def get(self, tenant: str, request_id: str) -> Record | None:
        """Read one request by its id."""
        ...

    async def settle(
        self, settlement: Settlement, claim: Claim | None = None, effects: SideEffects = NOTHING
    ) -> Change | None:
        """Try one step of the lifecycle; None when there is no such request.

        Only an applied step keeps its claim, so a call that lost loses again when it is repeated.
        Raises `ClaimMismatch`.
        """
        ...

    async def claimed(self, claim: Claim) -> str | None:
        """What this key was used for before: the id of a request or a message. Raises `ClaimMismatch`."""
        ...

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
        """Requests, newest first (ids sort by time), older than the id `before`.

        With a `person` only those of threads that they may view.
        """
        ...

    async def open_requests(self, *, after: tuple[str, str] = ("", ""), limit: int = 200) -> Sequence[Record]:
        """Open requests of every tenant, by tenant and id, behind this tenant and id."""
        ...

    async def due(self, now_ms: int, *, limit: int = 200) -> Sequence[Record]:
        """Open requests whose `due_at` has passed, of every tenant, earliest first."""
        ...

    async def next_deadline(self) -> int | None:
        """The earliest `due_at` of an open request, ms, of every tenant."""
        ...

    async def add_message(
        self, message_id: str, data: str, event: Draft, claim: Claim | None = None, *, held: bool = False
    ) -> tuple[str, Outcome]:
        """Add a message (`data` has no `seq`) with its `message.added`; return its id (the first one's on replay).

        One that is `held` comes with its `message.held`, until `deliver`. Raises `ClaimMismatch`, `IdTaken` and
        `ThreadArchived`.
        """
        ...

    async def append_text(
        self,
        message_id: str,
        text: str,
        event: Draft,
        claim: Claim | None = None,
        *,
        most: int | None = None,
    ) -> Outcome:
        """Append to the last text block of a message, with its `message.delta`.

        Raises `MessageMissing`; `MessageFull` when more than `most` bytes would have been appended to it;
        `ClaimMismatch`; `ThreadArchived`.
        """
        ...

    async def access(self, tenant: str, thread_id: str) -> Access:
        """Who may do what in a thread, `OPEN` also for one that is not there."""
        ...

    async def set_access(
        self, access: Access, event: Draft, effects: SideEffects = NOTHING, *, before: Access
    ) -> Outcome:
        """Give a thread another access, with its `thread.access`, and make the thread if need be.

        `LOST`, and nothing is changed, unless its access is `before`. The event carries the new one, as do those that
        come after it.
        """
        ...

    async def thread(self, tenant: str, thread_id: str, *, limit: int = 500) -> ThreadView | None:
        """Read a thread in one snapshot; None when nothing was ever written to it."""
        ...

    async def thread_events(
        self, tenant: str, thread_id: str, *, after: int, limit: int = 500
    ) -> Sequence[Event]:
        """Events of a thread with `seq` above `after`, in order."""
        ...

    async def tenant_events(
        self, tenant: str, *, after: int, person: str | None = None, limit: int = 500
    ) -> Sequence[Event]:
        """Events of a tenant with `position` above `after`, in order; with a `person` of threads that they may view."""
        ...

    async def last_position(self, tenant: str) -> int:
        """The position of the tenant's newest event, 0 without one."""
        ...


class AccessStore(Protocol):
    """Login codes and sessions; only digests of secrets are ever given to it."""

    async def put_login(self, digest: str, principal: Principal, *, expires_at: int) -> None:
        """Make a one-time login code known."""
        ...

    async def open_session(self, login_digest: str, session_digest: str, new: NewSession) -> Session | None:
        """Use up a login code and open a session, in one step; None when it is unknown, used or late."""
        ...

    async def session(self, digest: str, *, now_ms: int) -> Session | None:
        """A session whose time has not passed."""
        ...

    async def touch_session(self, session_id: str, *, now_ms: int) -> None:
        """Note that a session was used; `seen_at` never goes back."""
        ...

    async def sessions(
        self,
        tenant: str | None,
        *,
        now_ms: int,
        person: str | None = None,
        ids: Sequence[str] | None = None,
    ) -> Sequence[Session]:
        """Sessions whose time has not passed, newest first: of a tenant (None for all), a person, these ids."""
        ...

    async def end_sessions(self, ids: Sequence[str], effects: SideEffects = NOTHING) -> None:
        """End sessions."""
        ...

    async def server_id(self) -> str:
        """The id of this store: made once, kept with the data, the same for all servers on it."""
        ...


class Store(
    RequestStore,
    AccessStore,
    AgentStore,
    PolicyStore,
    SecretStore,
    ResumeStore,
    ThreadStore,
    WebhookStore,
    HealthStore,
    Protocol,
):
    """Everything that is kept, behind one port."""

    async def open(self) -> None:
        """Open and migrate; safe to call on an existing database."""
        ...

    async def close(self) -> None:
        """Finish what is under way and close."""
        ...
