"""The events of threads, in their wire form; see "Events" in docs/reference/wire.md."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from askback.domain.access import Actor
from askback.domain.request import InputRequest
from askback.wire.replies import MessagePart, Reply, Run, ThreadAccess, UnplacedMessage
from askback.wire.thread_bodies import ToolStatus


class _Event(Reply):
    seq: int
    position: int
    thread_id: str
    at: datetime


class RequestEvent(_Event):
    """A request was created or has changed; `request` is its state at that time."""

    type: Literal[
        "request.created", "request.lined_up", "request.shown", "request.voted", "request.attempted",
        "request.escalated", "request.assigned", "request.noted", "request.detached", "request.resolving",
        "request.reprompted", "request.updated", "request.answered", "request.used", "request.revoked",
        "request.declined", "request.cancelled", "request.expired",
    ]  # fmt: skip
    request: InputRequest


class MessageEvent(_Event):
    """A message was delivered, or is held until no request is open."""

    type: Literal["message.added", "message.held"]
    message: UnplacedMessage


class MessageDelta(Reply):
    """More text at the end of the message `id`: in its last part if that is a text, else as a new part."""

    id: str
    text: str


class ToolCallUpdate(Reply):
    """A change of a tool call; members that are left out are not changed."""

    tool_call_id: str
    status: ToolStatus | None = None
    input: JsonValue = None
    result: JsonValue = None
    duration_ms: int | None = None


class MessageUpdate(Reply):
    """A change of the message `id`: `content` is added at its end, or a tool call has changed."""

    id: str
    content: list[MessagePart] | None = None
    tool_call: ToolCallUpdate | None = None


class MessageUpdateEvent(_Event):
    """A message has new parts, or one of its tool calls has changed."""

    type: Literal["message.updated"]
    update: MessageUpdate


class DeltaEvent(_Event):
    """A message has more text."""

    type: Literal["message.delta"]
    delta: MessageDelta


class AccessEvent(_Event):
    """Other people or agents may use the thread."""

    type: Literal["thread.access"]
    access: ThreadAccess


class ArchiveEvent(_Event):
    """A thread was archived, unarchived or erased; `by` is null if the server did it."""

    type: Literal["thread.archived", "thread.unarchived", "thread.erased"]
    by: Actor | None


class ThreadNames(Reply):
    """The properties of a thread that an agent has set."""

    title: str | None
    metadata: JsonValue
    answers_as_messages: bool = False


class UpdateEvent(_Event):
    """The thread has another title, other metadata or another setting."""

    type: Literal["thread.updated"]
    thread: ThreadNames


class Answering(Reply):
    """A person is answering a request now, or has stopped. It is not an event: it is not stored, and may be lost.

    An `active` report is valid for ten seconds; `by` is never the reader.
    """

    thread_id: str
    request_id: str
    by: Actor
    active: bool


class PersonalChange(Reply):
    """There is something to read again: the comments of a request, or the reader's own reminders or missed requests.

    `conversation` is a change other than one of requests: a message, another title, the archive; its `request_id` is
    empty. It is not an event: it is not stored, and may be lost. Agents never get it.
    """

    thread_id: str
    request_id: str
    what: Literal["comments", "conversation", "reminder", "seen"]


class RunEvent(_Event):
    """A run has begun or ended."""

    type: Literal["run.started", "run.ended"]
    run: Run


ThreadEvent = Annotated[
    RequestEvent
    | MessageEvent
    | DeltaEvent
    | MessageUpdateEvent
    | AccessEvent
    | ArchiveEvent
    | UpdateEvent
    | RunEvent,
    Field(discriminator="type"),
]
"""An event of a thread; see "Events" in docs/reference/wire.md."""
