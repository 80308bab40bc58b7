"""The part of the store for conversations: the threads that people follow, sorted by last activity.

38. A thread that is not erased is listed at the position of its last message, new request or settlement. Text
    streamed into a message, and notes such as an opened page, do not move it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from askback.domain.record import Record
from askback.ports.threads import ThreadDetails


class ActiveThread(NamedTuple):
    """A thread in the list of conversations; `position` is its place there."""

    position: int
    details: ThreadDetails


class StoredMessage(NamedTuple):
    """A message: `seq` is the number of its event in the thread, `data` its JSON object as text."""

    seq: int
    data: str


class PlacedRequest(NamedTuple):
    """A request with the number of the event that created it."""

    seq: int
    record: Record


class ConversationStore(Protocol):
    """Threads, sorted by last activity."""

    async def active_threads(
        self, tenant: str, *, person: str | None = None, before: int | None = None, limit: int = 50
    ) -> Sequence[ActiveThread]:
        """Return threads with positions below `before`, the most recently active first, including archived ones.

        With a `person`, only those that they may view.
        """
        ...

    async def latest_messages(
        self, tenant: str, thread_ids: Sequence[str], *, limit: int = 1
    ) -> Mapping[str, Sequence[StoredMessage]]:
        """Return up to this many of the newest messages of each of these threads, oldest first."""
        ...

    async def latest_requests(self, tenant: str, thread_ids: Sequence[str]) -> Mapping[str, PlacedRequest]:
        """Return the newest request of each of these threads."""
        ...
