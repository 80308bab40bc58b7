"""Bodies and replies of the operations of the inbox."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from askback.domain.access import Actor
from askback.domain.display import Rich
from askback.domain.model import Model
from askback.domain.request import InputRequest
from askback.wire.replies import Reply, Thread


class AssignBody(Model):
    """`POST /v1/requests/{id}/assign`: who may answer from now on, as the ids of `GET /v1/people` or `group:NAME`.

    null assigns it again to those whom the agent named.
    """

    assignees: list[str] | None


class ReminderBody(Model):
    """`PUT /v1/requests/{id}/reminder`: when to be reminded (RFC 3339), at most 30 days from now."""

    at: str


class CommentBody(Model):
    """`POST /v1/requests/{id}/comments`: a text for other people."""

    text: str


class MarkdownBody(Model):
    """`POST /v1/markdown`: texts of together at most 256 KiB."""

    texts: list[str]


class MarkdownTrees(Reply):
    """The tree of each text, in order; None for one that has no markup and is shown as it is."""

    trees: list[list[Rich] | None]


class LatestMessage(Reply):
    """Who wrote the newest message of a conversation, and one line of it without markup."""

    role: Literal["agent", "user"]
    name: str | None = None
    at: datetime
    text: str


class Conversation(Thread):
    """A thread with its newest message, and its newest request if that came later."""

    message: LatestMessage | None = None
    request: InputRequest | None = None


class ConversationPage(Reply):
    """Conversations, the last active first."""

    conversations: list[Conversation]
    next_cursor: str | None


class SeenBody(Model):
    """`POST /v1/missed/seen`: the ids of requests that the person has seen."""

    request_ids: list[str]


class KnownPerson(Reply):
    """A person who has signed in or has a token; `id` is what `assignees` and `people` of a thread name them by."""

    id: str
    name: str
    groups: list[str]


class PeopleList(Reply):
    """People, by id."""

    people: list[KnownPerson]
    next_cursor: str | None


class Reminder(Reply):
    """When the caller is reminded of a request."""

    request_id: str
    at: datetime


class ReminderList(Reply):
    """The reminders of the caller that are not due yet, the next one first."""

    reminders: list[Reminder]


class Comment(Reply):
    """What a person wrote about a request for other people."""

    id: str
    author: Actor
    text: str
    created_at: datetime


class CommentList(Reply):
    """The comments of a request, oldest first."""

    comments: list[Comment]
