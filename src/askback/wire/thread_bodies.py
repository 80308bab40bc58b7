"""The bodies of the operations on threads, their messages and runs, as closed models."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from askback.domain.model import Model
from askback.domain.request import AgentLike


class ThreadBody(Model):
    """`PATCH /v1/threads/{id}`: a member that is left out stays unchanged, null removes it."""

    title: str | None = None
    metadata: JsonValue = None
    answers_as_messages: bool | None = None


class RunBody(Model):
    """`POST /v1/threads/{id}/runs`; without a `run_id` the server makes one."""

    run_id: str | None = None
    metadata: JsonValue = None


class EndRunBody(Model):
    """`POST /v1/threads/{id}/runs/{run_id}/end`: the reason, and whether to cancel its open requests."""

    reason: str | None = None
    cancel: bool = False


class TextBlock(Model):
    """Text, shown as it is written."""

    type: Literal["text"] = "text"
    text: str


ToolStatus = Literal["calling", "waiting", "running", "done", "failed"]


class ToolBlock(Model):
    """A tool call; requests with the same `tool_call_id` are shown after it.

    `status` is `calling`, `waiting` (for a person), `done` or `failed`; `running` is an older word for
    `calling`. A result is shown to people like the input. `duration_ms` is the duration of the call.
    """

    type: Literal["tool"] = "tool"
    tool_call_id: str
    name: str
    input: JsonValue = None
    status: ToolStatus | None = None
    result: JsonValue = None
    duration_ms: int | None = None


class ImageBlock(Model):
    """An image with an https or `data:image/…` URL, and its alternative text."""

    type: Literal["image"] = "image"
    url: str
    alt: str


class RequestBlock(Model):
    """The place of a request in the conversation."""

    type: Literal["request"] = "request"
    request_id: str


class FileBlock(Model):
    """A file by its id, which an agent uploaded for its messages, or an answer in this thread names.

    The writer must be able to read it. A picture is shown with `alt`, its alternative text.
    """

    type: Literal["file"] = "file"
    file: str
    alt: str | None = None


Block = Annotated[TextBlock | ToolBlock | ImageBlock | RequestBlock | FileBlock, Field(discriminator="type")]


class MessageBody(Model):
    """A whole message for a thread; `agent` is the agent's description of itself, such as a sub-agent."""

    content: list[Block]
    agent: AgentLike | None = None
    run_id: str | None = None
    id: str | None = None
    metadata: JsonValue = None


class AppendBody(Model):
    """More at the end of a message: `text`, or parts as `content`."""

    append_to: str
    text: str | None = None
    content: list[Block] | None = None


class ToolCallBody(Model):
    """`PATCH /v1/threads/{id}/messages/{id}`: the changes of a tool call in the message."""

    tool_call_id: str
    status: ToolStatus | None = None
    input: JsonValue = None
    result: JsonValue = None
    duration_ms: int | None = None
