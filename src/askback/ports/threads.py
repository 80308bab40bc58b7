"""The part of the store for threads as a whole: quotas, queues, held messages, the archive, erasure.

Contracts 1, 2, 5, 8, 9, 10 and 11 of `askback.ports.store` apply here as well, and

21. An archived thread accepts no new request and no new message (`ThreadArchived`); its open requests can end. It is
    `archiving` until `archiving_ended` was called with nothing left open.
22. A requester has at most one request in a thread that is open and not queued with the same exclusive key.
    Queued ones leave the queue one at a time, oldest first, each when no other has the key.
23. A thread counts its forms from the first one of each window; a reset begins a new window. A request that a `Quota`
    refuses is neither stored nor counted.
24. A held message is delivered once, with its `message.added`, when no request is open in its thread; its `seq` is that
    of the delivery.
25. Erasing a thread removes its requests, messages and events and everything that belongs to them: claims, grants,
    executions, resumes, candidates, the secrets of its session and of its requests, its rules and settings. Its `seq`
    continues, with `thread.erased`, and its access stays. The audit log stays complete. After `scrub` no file of the
    store contains any of the erased data.
26. A thread belongs to the agent that first wrote in it. An event with an `agent` that has no access to its thread is
    not written (`ThreadOfAnother`).
28. A list of threads has each thread that is not erased once: all of them, or those that an agent may use. An
    erased thread is listed again after the next write; its title, metadata and settings are gone.
33. The message of a step is stored with it, or not at all; its event directly follows that of the step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Protocol, TypedDict

from askback.domain.access import UNSHARED, AccessList
from askback.domain.events import EventDraft
from askback.domain.record import Record
from askback.domain.values import frozen
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, SideEffects


class ThreadArchived(Exception):
    """The thread is archived and accepts no new requests or messages."""


class ThreadOfAnother(Exception):
    """The thread belongs to another agent, and the writing agent has no access."""


class QuotaExceeded(Exception):
    """A quota is used up: its name, its maximum, and if that depends on time, when it has room again (ms).

    `limit` is the name of the limit, if it is that of a tool or an agent.
    """

    def __init__(
        self, quota: QuotaName, maximum: int, retry_at: int | None = None, *, limit: str | None = None
    ) -> None:
        super().__init__(quota, maximum, retry_at)
        self.limit = limit
        self.quota = quota
        self.maximum = maximum
        self.retry_at = retry_at


QuotaName = Literal["questions", "pending_in_thread", "pending_of_requester"]


@frozen(slots=True)
class CountLimit:
    """A limit of the forms that are counted under a name in a thread; None is the window of the quota.

    A limit set by the agent has its own window.
    """

    name: str
    maximum: int
    window_ms: int | None = None

    @property
    def agent_limit(self) -> int | None:
        """The limit, if the agent set it: it is stored with the count, so that it can be listed."""
        return None if self.window_ms is None else self.maximum


class QuestionCount(NamedTuple):
    """The number of forms counted under a name, the start of the count (ms), and the agent's last limit."""

    question_count: int
    since: int
    agent_limit: int | None = None


@frozen(slots=True)
class Quota:
    """Maximum counts; None means no limit.

    `questions` are forms created in a thread within a window of `window_ms`, however they end; the others are open
    requests of any kind, queued ones included, in the thread and of the requester. `limits` are those of the tool and
    the agent of the form; the limit named `numbered_by` gives a form its number, else `questions` does.
    """

    questions: int | None
    window_ms: int
    pending_in_thread: int | None = None
    pending_of_requester: int | None = None
    limits: tuple[CountLimit, ...] = ()
    numbered_by: str | None = None

    def window_of(self, limit: CountLimit) -> int:
        """Return the window of one of the limits, ms."""
        return self.window_ms if limit.window_ms is None else limit.window_ms


@frozen(slots=True)
class ThreadConfig:
    """The policy settings of the tenant and of the thread, as JSON (None: none are set), and the access to the thread.

    `refused_at` is when a form was last refused, ms. With `answers_as_messages` answers are also written as messages.
    """

    tenant_settings: str | None
    thread_settings: str | None
    refused_at: int | None
    access: AccessList = UNSHARED
    answers_as_messages: bool = False


@frozen(slots=True)
class ThreadUse:
    """The number of forms created in a thread since `counted_since` (ms), and of its open requests of any kind."""

    question_count: int
    counted_since: int
    pending: int


@frozen(slots=True)
class IdleThread:
    """A thread without open requests, and the time of its last event, ms."""

    tenant: str
    thread_id: str
    since: int


@frozen(slots=True)
class ThreadDetails:
    """A thread in a list: `key` is its place in it, `metadata` is JSON text, times are ms."""

    key: int
    id: str
    title: str | None
    metadata: str | None
    answers_as_messages: bool
    archived_at: int | None
    updated_at: int | None
    pending: int
    access: AccessList


class ThreadChanges(TypedDict, total=False):
    """The changes of a thread; `metadata` is JSON text."""

    title: str | None
    metadata: str | None
    answers_as_messages: bool


class ThreadStore(Protocol):
    """Threads as a whole."""

    async def list_threads(
        self,
        tenant: str,
        *,
        readers: Sequence[str] = ("",),
        archived: bool = False,
        named: str | None = None,
        words: Sequence[str] = (),
        person: str | None = None,
        before: int | None = None,
        limit: int = 50,
    ) -> Sequence[ThreadDetails]:
        """Return threads that are not erased, newest first, with keys below `before`.

        `readers` are ids of agents that may use a thread, or `user:` and the person all of whose agents may;
        an empty list means all threads. With `named`, only the thread with this id and those whose titles
        have all `words`; with a `person`, only those that they may view.
        """
        ...

    async def thread_details(self, tenant: str, thread_id: str) -> ThreadDetails | None:
        """Return a thread in its list form."""
        ...

    async def update_thread(self, event: EventDraft, details: ThreadChanges) -> Outcome:
        """Change a thread, with its event, creating the thread if necessary.

        The store writes the data of the event. `REPLAYED`, without an event, if nothing changes. Raises
        `ThreadArchived` and `ThreadOfAnother`.
        """
        ...

    async def thread_config(self, tenant: str, thread_id: str) -> ThreadConfig:
        """Read the configuration of a thread, which need not exist."""
        ...

    async def question_counts(
        self, tenant: str, thread_id: str, names: Sequence[str]
    ) -> Mapping[str, QuestionCount]:
        """Return the counts of a thread under these names and under the names that an agent limited.

        At most `MAX_LIMITS` of the latter are read.
        """
        ...

    async def use(self, tenant: str, thread_id: str) -> ThreadUse:
        """Read the usage of a thread; zeros if it does not exist."""
        ...

    async def reset_use(self, tenant: str, thread_id: str, effects: SideEffects = NOTHING) -> None:
        """Reset the question count of a thread."""
        ...

    async def set_archived(
        self, event: EventDraft, effects: SideEffects = NOTHING, *, archived_at: int | None
    ) -> Outcome:
        """Archive or unarchive (None) a thread, creating it if necessary; `REPLAYED` if nothing changes."""
        ...

    async def archiving(self, *, before_ms: int, limit: int = 200) -> Sequence[tuple[str, str]]:
        """Return threads, as tenant and id, that were archived before `before_ms` and may still have open requests."""
        ...

    async def end_archiving(self, tenant: str, thread_id: str) -> None:
        """Mark an archived thread as having no open requests; does nothing if it has some."""
        ...

    async def next_in_line(self) -> Sequence[Record]:
        """Return the requests of every tenant that can leave their queue: the oldest of each whose key is free."""
        ...

    async def deliverable(self) -> Sequence[tuple[str, str]]:
        """Return threads, as tenant and id, with held messages and no open request."""
        ...

    async def deliver(self, tenant: str, thread_id: str, *, at: int) -> int:
        """Deliver the held messages of a thread in order, unless it has an open request; return their number."""
        ...

    async def erase_thread(
        self, event: EventDraft, effects: SideEffects = NOTHING, *, idle_since: int | None = None
    ) -> bool:
        """Erase a thread; False if it does not exist.

        With `idle_since`, also False, and nothing is erased, if a request is open in the thread or an event happened
        after that time (ms).
        """
        ...

    async def idle_threads(
        self, *, before_ms: int, after: tuple[str, str] = ("", ""), limit: int = 100
    ) -> Sequence[IdleThread]:
        """Return threads without open requests and without events since `before_ms`, by tenant and id, not erased."""
        ...

    async def scrub(self) -> None:
        """Remove erased data from the files of the store; takes long if they are large."""
        ...
