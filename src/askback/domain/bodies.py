"""The bodies of the other operations, as closed models."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from askback.domain.fields import Model


class AnswerBody(Model):
    """`POST /v1/requests/{id}/answer`: the revision that the person saw, and the values by field id."""

    revision: int
    values: JsonValue


class DeclineBody(Model):
    """`POST /v1/requests/{id}/decline`."""

    reason: Literal["skipped", "dismissed", "refused"]
    note: str | None = None


class CancelBody(Model):
    """`POST /v1/requests/{id}/cancel`; the reason defaults to what the caller is."""

    reason: (
        Literal[
            "agent_aborted",
            "user_message",
            "superseded",
            "thread_archived",
            "admin",
            "shutdown",
            "not_shown",
            "failed",
        ]
        | None
    ) = None
    note: str | None = None


class TextBlock(Model):
    """Text, shown as it is written."""

    type: Literal["text"] = "text"
    text: str


class ToolBlock(Model):
    """A tool call; requests with the same `tool_call_id` are shown after it."""

    type: Literal["tool"] = "tool"
    tool_call_id: str
    name: str
    input: JsonValue = None
    status: Literal["running", "done", "failed"] | None = None


class ImageBlock(Model):
    """A picture by https or `data:image/…` address, with the text for those who cannot see it."""

    type: Literal["image"] = "image"
    url: str
    alt: str


class RequestBlock(Model):
    """The place of a request in the conversation."""

    type: Literal["request"] = "request"
    request_id: str


Block = Annotated[TextBlock | ToolBlock | ImageBlock | RequestBlock, Field(discriminator="type")]


class MessageBody(Model):
    """A whole message for a thread."""

    content: list[Block]
    run_id: str | None = None
    id: str | None = None


class AppendBody(Model):
    """More text for the last text block of a message."""

    append_to: str
    text: str
