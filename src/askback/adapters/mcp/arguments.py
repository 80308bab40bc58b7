"""The arguments of the tools. Models read the docstrings and descriptions, which explain each tool.

`adapters/arguments.py` has those for every framework; these are only for MCP clients.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from askback.adapters import arguments
from askback.adapters.asking import short_id
from askback.domain.model import Model

_Seconds = Annotated[float, Field(ge=0)]
Wait = Annotated[
    _Seconds | None,
    Field(
        description="Wait at most this many seconds for the person; 0 returns immediately. Normally leave it out."
    ),
]
Timeout = Annotated[
    float | None,
    Field(gt=0, description="Close the request after this many seconds. Without it, it stays open."),
]
Thread = Annotated[
    str | None, Field(description="The conversation to ask in. Normally leave it out.", min_length=1)
]
RequestId = Annotated[str, Field(description="The request_id of an earlier result.", min_length=1)]


class _Ask(Model):
    """If a call fails because the connection was lost, the person may have been asked all the same.

    Call list_requests before you ask again, and get_answer with the request_id that you find.
    """

    thread_id: Thread = None


class AskUser(_Ask, arguments.AskUser):
    """The result has answers.

    If its status is pending, the person has not answered yet: continue with other work or end your turn, and call
    get_answer with the request_id.
    """

    wait_s: Wait = None
    timeout_s: Timeout = None


class RequestApproval(_Ask, arguments.RequestApproval):
    """If the status is pending, do not run the call: call get_answer with the request_id later."""

    wait_s: Wait = None
    timeout_s: Annotated[
        float | None,
        Field(
            gt=0,
            description="Close the request after this many seconds. Without it, it stays open for a day.",
        ),
    ] = None


class RequestEnvVars(_Ask, arguments.RequestEnvVars):
    """The status requested means that the person was asked.

    End your turn then, or continue with other work, and call get_answer with the request_id. With already_present or
    answered the names can be used.
    """

    wait_s: Annotated[
        _Seconds | None,
        Field(description="Wait this many seconds for the person. Without it, the call returns immediately."),
    ] = None


class GetAnswer(Model):
    """Read the outcome of a request, and wait for the person if it is still open.

    The result is that of the tool that asked. If the status is pending, nobody has answered yet: end your turn, or
    call it again later. Do not ask the same again with another tool.
    """

    request_id: RequestId
    wait_s: Wait = None


class CancelRequest(Model):
    """Withdraw an open request that is no longer needed. The person sees that it is closed."""

    request_id: RequestId
    reason: str | None = Field(default=None, description="Why, in one sentence for the person.")


class ListRequests(Model):
    """List your requests, the newest first.

    Use it to find the request_id of a question that you asked before, even if the call failed because the connection
    was lost. Programs that share your token see the same list: take only a request with exactly what you asked.
    """

    thread_id: Annotated[
        str | None, Field(description="Only the requests of this conversation.", min_length=1)
    ] = None
    status: Literal["pending", "resolving", "answered", "declined", "cancelled", "expired"] | None = None
    limit: Annotated[int, Field(ge=1, le=100)] = 20


class ReadInView(Model):
    """Read a request. For askback's view, not for models."""

    request_id: RequestId


class AnswerInView(Model):
    """Answer a request. For askback's view, not for models."""

    request_id: RequestId
    action: Literal["answer", "decline"]
    body: dict[str, Any]
    key: str


class ApprovalPrompt(Model, extra="ignore", json_schema_extra={"additionalProperties": False}):
    """Decide whether a tool call may run. For the client's own permission prompts, not for models.

    Claude Code calls it with `--permission-prompt-tool mcp__askback__approval_prompt`. Other keys, which a
    later version may send, are ignored.
    """

    tool_name: str = Field(min_length=1)
    input: dict[str, Any]
    tool_use_id: str | None = None

    @property
    def tool_call_id(self) -> str | None:
        """The id of the call as a request has it."""
        return self.tool_use_id and short_id(self.tool_use_id)
