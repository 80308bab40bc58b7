"""Bodies and replies of the operations of the inbox."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from askback.domain.access import Actor
from askback.domain.model import Model
from askback.domain.request import InputRequest
from askback.domain.view_model import Rich
from askback.wire.replies import Reply, Thread


class AssignBody(Model):
    """`POST /v1/requests/{id}/assign`: the new assignees, as ids of `GET /v1/people` or `group:NAME`.

    null assigns it back to the agent's assignees.
    """

    assignees: list[str] | None


class ReminderBody(Model):
    """`PUT /v1/requests/{id}/reminder`: when to be reminded (RFC 3339), at most 30 days from now."""

    at: str


class CommentBody(Model):
    """`POST /v1/requests/{id}/comments`: a text for other people."""

    text: str


class MarkdownBody(Model):
    """`POST /v1/markdown`: texts of at most 256 KiB in total."""

    texts: list[str]


class MarkdownTrees(Reply):
    """The tree of each text, in order; None for a text without markup, which is shown unchanged."""

    trees: list[list[Rich] | None]


class LatestMessage(Reply):
    """The author of the newest message of a conversation, and one line of it without markup."""

    role: Literal["agent", "user"]
    name: str | None = None
    at: datetime
    text: str


class Conversation(Thread):
    """A thread with its newest message, and its newest request if that came later."""

    message: LatestMessage | None = None
    request: InputRequest | None = None


class ConversationPage(Reply):
    """Conversations, sorted by last activity."""

    conversations: list[Conversation]
    next_cursor: str | None


class SeenBody(Model):
    """`POST /v1/missed/seen`: the ids of requests that the person has seen."""

    request_ids: list[str]


class KnownPerson(Reply):
    """A person who has signed in or has a token; `id` is their id in `assignees` and in the `people` of a thread."""

    id: str
    name: str
    groups: list[str]


class PersonPage(Reply):
    """People, by id."""

    people: list[KnownPerson]
    next_cursor: str | None


class Reminder(Reply):
    """The caller's reminder of a request."""

    request_id: str
    at: datetime


class ReminderList(Reply):
    """The reminders of the caller that are not due yet, the next one first."""

    reminders: list[Reminder]


class Comment(Reply):
    """A person's comment on a request for other people."""

    id: str
    author: Actor
    text: str
    created_at: datetime


class CommentList(Reply):
    """The comments of a request, oldest first."""

    comments: list[Comment]
