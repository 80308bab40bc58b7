"""Assign, postpone and comment on requests, and list conversations and history."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypedDict, Unpack

from askback.client.frames import frame
from askback.client.methods import method
from askback.client.resources.base import Page, Resource, id_of
from askback.domain.request import InputRequest
from askback.wire.inbox import Comment, Conversation, KnownPerson, Reminder


class HistoryFilter(TypedDict, total=False):
    """The filters of `inbox.history`; times are RFC 3339 texts or have a time zone."""

    kind: str
    agent: str
    thread_id: str
    by: str
    outcome: str
    settled_after: datetime | str
    settled_before: datetime | str


class Inbox(Resource):
    """`client.inbox`: conversations, assignments, reminders, comments, and missed and settled requests."""

    @method
    async def assign(self, request: InputRequest | str, assignees: Sequence[str] | None) -> InputRequest:
        """Assign a request to people (`id` of `people()`) or groups (`group:NAME`), who replace its assignees.

        None assigns it again to those whom the agent named. Raises `Invalid` for somebody who could not answer,
        `Forbidden`, `NotFound`, and `Conflict` or `Gone` for a request that has ended.
        """
        body = {"assignees": None if assignees is None else list(assignees)}
        op = frame("assign_request", request_id=id_of(request), body=body)
        return InputRequest.model_validate(await self._call(op))

    @method
    async def people(
        self, request: InputRequest | str | None = None, *, limit: int = 50, cursor: str | None = None
    ) -> Page[KnownPerson]:
        """Read a page of people, by id; with a request, only those who can answer it if it is assigned to them."""
        request_id = None if request is None else id_of(request)
        reply = await self._call(frame("list_people", request_id=request_id, limit=limit, cursor=cursor))
        return Page([KnownPerson.model_validate(person) for person in reply["people"]], reply["next_cursor"])

    @method
    async def remind(self, request: InputRequest | str, at: datetime | str | None) -> Reminder | None:
        """Remind the caller of an open request at a time with an offset; None takes the reminder back.

        Raises `Invalid` for a time that has passed, `NotFound`, and `Conflict` or `Gone` for a request that has ended.
        """
        request_id = id_of(request)
        if at is None:
            await self._call(frame("delete_reminder", request_id=request_id))
            return None
        body = {"at": at.isoformat() if isinstance(at, datetime) else at}
        return Reminder.model_validate(
            await self._call(frame("set_reminder", request_id=request_id, body=body))
        )

    @method
    async def reminders(self) -> Sequence[Reminder]:
        """Read the reminders of the caller that are not due yet, the next one first."""
        reply = await self._call(frame("list_reminders"))
        return [Reminder.model_validate(reminder) for reminder in reply["reminders"]]

    @method
    async def comment(self, request: InputRequest | str, text: str) -> Comment:
        """Comment on a request for other people; agents never read it. Raises `Invalid`, `NotFound` and `Conflict`.

        It is not sent again when the connection breaks, because that could add it twice.
        """
        return Comment.model_validate(
            await self._http("add_comment", {"text": text}, retry=False, request_id=id_of(request))
        )

    @method
    async def comments(self, request: InputRequest | str) -> Sequence[Comment]:
        """Read the comments of a request, oldest first. Raises `NotFound`."""
        reply = await self._call(frame("list_comments", request_id=id_of(request)))
        return [Comment.model_validate(comment) for comment in reply["comments"]]

    @method
    async def delete_comment(self, request: InputRequest | str, comment: Comment | str) -> None:
        """Delete a comment of the caller. Raises `NotFound` and `Forbidden`."""
        op = frame("delete_comment", request_id=id_of(request), comment_id=id_of(comment))
        await self._call(op)

    @method
    async def conversations(
        self,
        query: str | None = None,
        *,
        archived: bool = False,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Conversation]:
        """Read a page of conversations, the last active first; it can have fewer than `limit`.

        `query` are texts of which each is in the title, the id or the newest 50 messages.
        """
        op = frame("list_conversations", q=query, archived=archived or None, limit=limit, cursor=cursor)
        reply = await self._call(op)
        conversations = [Conversation.model_validate(conversation) for conversation in reply["conversations"]]
        return Page(conversations, reply["next_cursor"])

    @method
    async def missed(self, *, limit: int = 50, cursor: str | None = None) -> Page[InputRequest]:
        """Read a page of requests that expired and that the caller could have answered and has not seen."""
        return _page(await self._call(frame("list_missed", limit=limit, cursor=cursor)))

    @method
    async def mark_seen(self, requests: Sequence[InputRequest | str]) -> None:
        """Note that the caller has seen requests that they missed."""
        await self._call(frame("mark_seen", body={"request_ids": [id_of(request) for request in requests]}))

    @method
    async def history(
        self,
        query: str | None = None,
        *,
        limit: int = 50,
        cursor: str | None = None,
        **filters: Unpack[HistoryFilter],
    ) -> Page[InputRequest]:
        """Read a page of settled requests, the most recently settled first; it can have fewer than `limit`.

        `query` are texts that the title, the agent or the thread contains. `by` is the `user` or id of the person who
        settled it, `outcome` a decision (`approve`, `deny`), `answered`, `done`, `failed`, a reason of a decline,
        `cancelled` or `expired`. Raises `Invalid`.
        """
        times = {
            name: value.isoformat() if isinstance(value, datetime) else value
            for name, value in filters.items()
        }
        return _page(await self._call(frame("list_history", q=query, limit=limit, cursor=cursor, **times)))


def _page(reply: dict[str, Any]) -> Page[InputRequest]:
    requests = [InputRequest.model_validate(request) for request in reply["requests"]]
    return Page(requests, reply["next_cursor"])
