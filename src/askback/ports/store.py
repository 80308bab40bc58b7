"""The store. It keeps everything that was acknowledged, even if the power fails.

Contracts of every backend, each checked by `tests.contracts.store`:

1.  A coroutine that returns has made its change durable; one that raises has changed nothing.
2.  A change and its event are one transaction. `seq` is 1, 2, 3 … in each (tenant, thread), without a
    gap; `position` grows in commit order over all threads of a tenant, so that a reader that sees one sees all below.
3.  `settle` is a compare-and-set on (tenant, id, status in `expected_statuses`, revision): of any number of
    callers at once one gets `APPLIED`, the rest `LOST` with the current row.
4.  A `Claim` makes a write idempotent for as long as the row exists: the same key with the same
    digest replays, with another digest raises `ClaimMismatch`. Keys belong to (tenant, principal, scope).
5.  Committed events are handed to `on_commit` in the order of their positions, after the commit,
    on the event loop; a failing listener does not fail the write.
6.  A failing operation never fails another that shares its commit.
7.  Reads see every commit that returned before they began, and never wait for a writer.
8.  Rows of another tenant look like rows that do not exist.
9.  A store that cannot write raises `Unavailable`; reads continue if possible.
10. A write whose caller is cancelled meanwhile happens completely or not at all.
11. The side effects of a change are written in its transaction if the change is applied, and not at all if it is
    lost or replayed.
12. The audit log of a tenant is one chain: `seq` 1, 2, 3 … without a gap, each entry sealed with the hash of the one
    before (`domain.audit`), the newest hash stored separately and sealed in the transaction that changes it
    (`seal_with`), so that the loss of the last entries is detected as well. A seal that is wrong for the
    entry before is not replaced.
27. A requester has at most one request with the same external id in a thread. Another one is refused with
    `ExternalIdTaken`, in the transaction that would insert it, and is neither counted nor numbered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from askback.domain import jsontext
from askback.domain.access import UNSHARED, AccessList
from askback.domain.events import Event, EventDraft
from askback.domain.faults import Fault
from askback.domain.lifecycle import Status
from askback.domain.record import NO_LABELS, Labels, Record
from askback.domain.runs import Run
from askback.domain.spec import Spec
from askback.domain.state import End, State, end_of
from askback.domain.transcript import MessageChange
from askback.domain.values import frozen
from askback.ports.agents import AgentStore
from askback.ports.agents import Principal as Principal  # noqa: PLC0414 - exported from here too
from askback.ports.conversations import ConversationStore
from askback.ports.files import FileStore
from askback.ports.health import HealthStore
from askback.ports.inbox import InboxStore
from askback.ports.oauth import OauthStore
from askback.ports.outcome import Outcome
from askback.ports.people import PeopleStore
from askback.ports.policy import NOTHING, PolicyStore, SideEffects
from askback.ports.resumes import ResumeStore
from askback.ports.runs import RunStore
from askback.ports.secret_store import SecretStore
from askback.ports.sessions import SessionStore
from askback.ports.threads import Quota, ThreadStore
from askback.ports.webhooks import WebhookStore


@frozen(slots=True)
class Claim:
    """An idempotency key: its principal, its scope (`create`, `answer:req_…`), the key, and a digest of the body."""

    tenant: str
    principal: str
    scope: str
    key: str
    digest: str


class ClaimMismatch(Exception):
    """The key was used before with another body."""


class IdTaken(Exception):
    """The id is in use: for a request or rule in its tenant, for a message in its thread."""


class ExternalIdTaken(Exception):
    """The requester has the request `record` with this external id in this thread; its body was the `same` or not."""

    def __init__(self, record: Record, *, same: bool) -> None:
        super().__init__(record)
        self.record = record
        self.same = same


class MessageMissing(Exception):
    """The thread has no such message of this owner."""


class MessageFull(Exception):
    """The text appended to a message has reached its limit."""


class KeyHeld(Exception):
    """`record` is open and has the same exclusive key, requester and thread."""

    def __init__(self, record: Record) -> None:
        super().__init__(record)
        self.record = record


@frozen(slots=True)
class AnswerMessage:
    """An answer as a message, which nobody can change; the data of the event is the message."""

    id: str
    event: EventDraft


@frozen(slots=True)
class Settlement:
    """A step of the lifecycle to try on one row.

    `revision` None means the current revision. `state` is the new state. With
    `state_before` the step is lost unless the row's state is exactly that text: a vote is added to the
    votes that were read. A step that `asks_again` raises the revision by one; with a `spec` it replaces the
    question. `times` are the new `expires_at` and `due_at`, None if they do not change. With `leave_queue`
    the request leaves the queue of its exclusive key, and the step is lost while another request holds the
    key. A step that `refunds` returns the question to the quota of its thread. For a step `refused` by a
    person, the thread records the time. A `message` is stored with the step, and its event directly follows
    that of the step.
    """

    tenant: str
    id: str
    expected_statuses: frozenset[Status]
    revision: int | None
    status: Status
    state: State
    event: EventDraft
    state_before: State | None = None
    asks_again: bool = False
    spec: Spec | None = None
    times: tuple[int | None, int | None] | None = None
    leave_queue: bool = False
    refunds: bool = False
    refused: bool = False
    message: AnswerMessage | None = None

    @property
    def end(self) -> End:
        """How the request ends with this step."""
        return end_of(self.status, self.state, settled_at=self.event.at)


@frozen(slots=True)
class Change:
    """The row after a call, and whether the call changed it; `warnings` are about values that were accepted."""

    record: Record
    outcome: Outcome
    warnings: Sequence[Fault] = ()


@frozen(slots=True)
class Message:
    """A stored message; `data` is its JSON object as text, `seq` the number of its event in the thread."""

    id: str
    seq: int
    data: str

    @property
    def wire(self) -> str:
        """The message as JSON text in its wire form."""
        return jsontext.with_members(self.data, seq=self.seq)


@frozen(slots=True)
class ThreadView:
    """A snapshot of a thread: `seq` is the cursor after which events continue.

    `requests` pairs each record with the `seq` of its creation. The newest `limit` of each are kept. `runs`
    has the open runs, newest first.
    """

    seq: int
    messages: Sequence[Message]
    requests: Sequence[tuple[int, Record]]
    access: AccessList = UNSHARED
    archived_at: int | None = None
    title: str | None = None
    metadata: str | None = None
    runs: Sequence[Run] = ()


class RequestStore(Protocol):
    """Requests, messages and events."""

    async def insert(
        self,
        record: Record,
        event: EventDraft,
        claim: Claim | None = None,
        effects: SideEffects = NOTHING,
        *,
        quota: Quota | None = None,
    ) -> Change:
        """Store a new request and its `request.created`; return the earlier request if the claim was used before.

        The only event of a request that a rule settled on creation is that of its end.

        Raises `ClaimMismatch`, `IdTaken`, `ExternalIdTaken`, `ThreadArchived`, `KeyHeld`, and `QuotaExceeded`.
        """
        ...

    async def request_of(
        self, tenant: str, thread_id: str, requester: str, external_id: str
    ) -> tuple[Record, str] | None:
        """Return the request of this requester with this external id in this thread, and the digest of its body."""
        ...

    async def get(self, tenant: str, request_id: str) -> Record | None:
        """Read one request by its id."""
        ...

    async def settle(
        self, settlement: Settlement, claim: Claim | None = None, effects: SideEffects = NOTHING
    ) -> Change | None:
        """Try one step of the lifecycle; None if the request does not exist.

        Only an applied step keeps its claim, so a call that lost loses again when it is repeated.
        Raises `ClaimMismatch`.
        """
        ...

    async def find_claim(self, claim: Claim) -> str | None:
        """Return the id of the request or message that this key was used for. Raises `ClaimMismatch`."""
        ...

    async def list_requests(
        self,
        tenant: str,
        *,
        thread_id: str | None = None,
        statuses: frozenset[Status] | None = None,
        kind: str | None = None,
        requester: str | None = None,
        labels: Labels = NO_LABELS,
        person: str | None = None,
        after: str | None = None,
        before: str | None = None,
        limit: int = 50,
    ) -> Sequence[Record]:
        """Return requests, newest first (ids sort by time), with ids between `after` and `before`.

        With `labels`, only those that have all of them; with a `person`, only those of threads that they may view.
        """
        ...

    async def open_requests(self, *, after: Record | None = None, limit: int = 200) -> Sequence[Record]:
        """Return open requests of every tenant, ordered by tenant, kind, status and id, after this one."""
        ...

    async def due(self, now_ms: int, *, limit: int) -> Sequence[Record]:
        """Return open requests of every tenant whose `due_at` has passed, earliest first."""
        ...

    async def next_deadline(self) -> int | None:
        """Return the earliest `due_at` of an open request of any tenant, ms."""
        ...

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
        """Add a message (`data` has no `seq`) with its `message.added`; return its id (the first one's on replay).

        A `held` one has `message.held` until `deliver`. Raises `ClaimMismatch`, `IdTaken`, `ThreadArchived` and
        `FileRefused`.
        """
        ...

    async def append_text(
        self,
        message_id: str,
        text: str,
        event: EventDraft,
        claim: Claim | None = None,
        *,
        limit: int | None = None,
    ) -> Outcome:
        """Append text to a message, with its `message.delta`.

        Raises `MessageMissing`, `MessageFull` above `limit` appended bytes, `ClaimMismatch` and `ThreadArchived`.
        """
        ...

    async def change_message(
        self,
        message_id: str,
        change: MessageChange,
        event: EventDraft,
        effects: SideEffects = NOTHING,
        *,
        limit: int,
    ) -> Outcome:
        """Change a message with its appended text, with its `message.updated`; `REPLAYED` if nothing changes.

        Raises `MessageMissing`, `MessageFull` above `limit` bytes, `ThreadArchived`, `FileRefused`, and the errors of
        `change`.
        """
        ...

    async def access(self, tenant: str, thread_id: str) -> AccessList:
        """Read the access to a thread, which need not exist."""
        ...

    async def set_access(
        self, access: AccessList, event: EventDraft, effects: SideEffects = NOTHING, *, before: AccessList
    ) -> Outcome:
        """Change the access to a thread, with its `thread.access`, creating the thread if necessary.

        `LOST`, without a change, unless its access is `before`. The event and all later ones carry the new access.
        """
        ...

    async def thread(self, tenant: str, thread_id: str, *, limit: int = 500) -> ThreadView | None:
        """Read a thread in one snapshot; None if nothing was ever written to it."""
        ...

    async def thread_events(
        self, tenant: str, thread_id: str, *, after: int, limit: int = 500
    ) -> Sequence[Event]:
        """Return events of a thread with `seq` above `after`, in order."""
        ...

    async def tenant_events(
        self, tenant: str, *, after: int, person: str | None = None, limit: int = 500
    ) -> Sequence[Event]:
        """Return a tenant's events with `position` above `after`, in order; with a `person`, only visible ones."""
        ...

    async def last_position(self, tenant: str) -> int:
        """Return the position of the tenant's newest event, 0 without one."""
        ...


class Store(
    RequestStore,
    SessionStore,
    AgentStore,
    PolicyStore,
    SecretStore,
    ResumeStore,
    RunStore,
    ThreadStore,
    WebhookStore,
    OauthStore,
    HealthStore,
    FileStore,
    InboxStore,
    ConversationStore,
    PeopleStore,
    Protocol,
):
    """All parts of the store, behind one port."""

    async def open(self) -> None:
        """Open the database and migrate it to the newest version."""
        ...

    async def close(self) -> None:
        """Finish pending operations and close."""
        ...
