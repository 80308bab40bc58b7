"""The part of the store that is about threads as a whole: how much is left, what waits, the archive, erasure.

Contracts 1, 2, 5, 8, 9, 10 and 11 of `askback.ports.store` hold here as well, and

21. An archived thread takes no new request and no new message (`ThreadArchived`); what is open in it can end. It is
    `archiving` until it was said once that nothing is left open.
22. Of the requests of one requester in one thread with the same exclusive key, one at most is open and not in line.
    Those in line come forward one at a time, oldest first, each when nobody has the key.
23. A thread counts its forms as they are asked, from the first one of each window; a reset begins a new window. What a
    `Quota` refuses is neither stored nor counted.
24. A held message is delivered once, with its `message.added`, when nothing is open in its thread; its place is then
    where it was delivered.
25. An erased thread has none of its requests, messages and events any more, nor what belongs to them: claims, grants,
    executions, resumes, candidates, the secrets of its session and of its requests, its rules and settings. Its `seq`
    goes on, with `thread.erased`, and its access stays. The audit log stays whole. After `scrub` nothing of what was
    erased is in any file of the store.
26. A thread belongs to the first agent of whom something new was stored in it. An event with an `agent` that was not
    let into its thread is not written (`ThreadOfAnother`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from askback.domain.access import OPEN, Access
from askback.domain.events import Draft
from askback.domain.record import Record
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, SideEffects


class ThreadArchived(Exception):
    """The thread is archived: it takes nothing new."""


class ThreadOfAnother(Exception):
    """The thread belongs to another agent, and the one that writes was not let in."""


class QuotaSpent(Exception):
    """There is no room for another: in what, how many are the most, and when there is room again (ms) if time tells."""

    def __init__(self, what: Spent, most: int, again_at: int | None = None) -> None:
        super().__init__(what, most, again_at)
        self.what = what
        self.most = most
        self.again_at = again_at


Spent = Literal["questions", "pending_in_thread", "pending_of_requester"]


@dataclass(frozen=True, slots=True)
class Quota:
    """How many there may be; None is without a limit.

    `questions` are forms that a thread is asked within a window of `window_ms`, however they end; the others are how
    many requests of any kind are open, in the thread and of the requester, with those in line.
    """

    questions: int | None
    window_ms: int
    pending_in_thread: int | None = None
    pending_of_requester: int | None = None


@dataclass(frozen=True, slots=True)
class Terms:
    """What holds in a thread: the settings of the tenant and its own, as JSON, and who may do what there.

    `refused_at` is when a form was last refused, ms.
    """

    everywhere: str | None
    here: str | None
    refused_at: int | None
    access: Access = OPEN


@dataclass(frozen=True, slots=True)
class Use:
    """The forms that a thread was asked since `asked_from` (ms), and its open requests of any kind."""

    asked: int
    asked_from: int
    pending: int


@dataclass(frozen=True, slots=True)
class Idle:
    """A thread with nothing open, and when something last happened in it, ms."""

    tenant: str
    thread_id: str
    since: int


class ThreadStore(Protocol):
    """Threads as a whole."""

    async def terms(self, tenant: str, thread_id: str) -> Terms:
        """What holds in a thread, also in one that is not there."""
        ...

    async def use(self, tenant: str, thread_id: str) -> Use:
        """How much a thread has used; zeros for one that is not there."""
        ...

    async def reset_use(self, tenant: str, thread_id: str, effects: SideEffects = NOTHING) -> None:
        """Begin to count the questions of a thread anew."""
        ...

    async def set_archived(
        self, event: Draft, effects: SideEffects = NOTHING, *, archived_at: int | None
    ) -> Outcome:
        """Archive a thread, or take it back (None), and make it if need be; `REPLAYED` when it is so already."""
        ...

    async def archiving(self, *, before_ms: int, limit: int = 200) -> Sequence[tuple[str, str]]:
        """Threads, as tenant and id, that were archived before and may have something open since."""
        ...

    async def archiving_ended(self, tenant: str, thread_id: str) -> None:
        """Say that nothing is left open in an archived thread; does nothing while something is."""
        ...

    async def next_in_line(self, *, limit: int = 200) -> Sequence[Record]:
        """Requests that can come forward, of every tenant: the oldest in each line whose key nobody has."""
        ...

    async def deliverable(self, *, limit: int = 200) -> Sequence[tuple[str, str]]:
        """Threads, as tenant and id, that hold messages while nothing is open in them."""
        ...

    async def deliver(self, tenant: str, thread_id: str, *, at: int) -> int:
        """Deliver what a thread holds, in order, unless something is open in it; return how many messages."""
        ...

    async def erase_thread(self, event: Draft, effects: SideEffects = NOTHING) -> bool:
        """Erase a thread; False when there is none."""
        ...

    async def idle_threads(
        self, *, before_ms: int, after: tuple[str, str] = ("", ""), limit: int = 100
    ) -> Sequence[Idle]:
        """Threads with nothing open in which nothing has happened since, by tenant and id, that are not erased."""
        ...

    async def scrub(self) -> None:
        """Leave nothing of what was erased in the files of the store: it may take long, as these are large."""
        ...
