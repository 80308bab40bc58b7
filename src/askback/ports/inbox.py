"""The part of the store for the inbox: history, reminders, missed requests and comments.

35. A settled request is in the history once, by the time of its end; `settled_at` equals that of its state.
36. Reminders and seen marks belong to one person and one request. A reminder ends with its request.
37. Comments belong to a request, oldest first, up to a maximum. All of this is erased with the thread.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from askback.domain.access import AccessList
from askback.domain.record import Record
from askback.domain.timestamps import rfc3339
from askback.domain.values import frozen
from askback.ports.policy import NOTHING, SideEffects

HistoryPosition = tuple[str, str]
"""A place in the history: `settled_at` and the id of the request."""


@frozen(slots=True)
class HistoryRow:
    """A settled request in the history.

    `outcome` is a decision (`approve`, `deny`), the outcome of an action (`done`, `failed`), the reason of a
    decline, or the status.
    """

    settled_at: str
    request_id: str
    kind: str
    requester: str
    outcome: str
    thread_id: str
    thread_title: str | None
    access: AccessList

    @property
    def place(self) -> HistoryPosition:
        """Its place in the history."""
        return self.settled_at, self.request_id


@frozen(slots=True)
class Comment:
    """A person's comment on a request for other people; `author` is a JSON object, `created_at` in ms."""

    id: str
    request_id: str
    author: str
    text: str
    created_at: int

    @property
    def wire(self) -> dict[str, Any]:
        """The comment in its wire form."""
        author = json.loads(self.author)
        return {"id": self.id, "author": author, "text": self.text, "created_at": rfc3339(self.created_at)}


class InboxStore(Protocol):
    """History, reminders, missed requests and comments."""

    async def history(
        self,
        tenant: str,
        *,
        thread_id: str | None = None,
        requester: str | None = None,
        person: str | None = None,
        since: str | None = None,
        until: str | None = None,
        before: HistoryPosition | None = None,
        limit: int = 50,
    ) -> Sequence[HistoryRow]:
        """Return requests settled from `since` on and before `until`, the most recently settled first."""
        ...

    async def requests(self, tenant: str, request_ids: Sequence[str]) -> Mapping[str, Record]:
        """Return requests by their ids; unknown ones are left out."""
        ...

    async def set_reminder(self, tenant: str, request_id: str, person: str, at: int | None) -> None:
        """Set or remove (None) the time, in ms, at which a person is reminded of an open request."""
        ...

    async def reminders(self, tenant: str, person: str, *, after: int) -> Mapping[str, int]:
        """Return the reminders of a person that are due after a time in ms, by request."""
        ...

    async def missed(
        self,
        tenant: str,
        person: str,
        *,
        since: str,
        viewer: str | None = None,
        before: HistoryPosition | None = None,
        limit: int = 50,
    ) -> Sequence[tuple[str, Record]]:
        """Return requests that expired after `since` and that a person has not seen, each after its `settled_at`.

        The last that expired comes first. With a `viewer`, only those of threads that they may view.
        """
        ...

    async def mark_seen(self, tenant: str, person: str, request_ids: Sequence[str]) -> None:
        """Record that a person has seen these requests."""
        ...

    async def set_missed_until(self, tenant: str, person: str, until: str) -> None:
        """Record that a person has seen all requests that expired until then; the time never decreases."""
        ...

    async def add_comment(
        self, tenant: str, comment: Comment, effects: SideEffects = NOTHING, *, limit: int
    ) -> bool:
        """Add a comment; False, without a write, if the request has `limit` comments or does not exist."""
        ...

    async def comments(self, tenant: str, request_id: str) -> Sequence[Comment]:
        """Return the comments of a request, oldest first."""
        ...

    async def delete_comment(
        self, tenant: str, request_id: str, comment_id: str, effects: SideEffects = NOTHING
    ) -> bool:
        """Delete a comment; False, without a write, if it does not exist."""
        ...
