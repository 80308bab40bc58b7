"""What the tools do: each takes a call and its arguments, and returns the result."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_types import CallToolResult, InputRequiredResult, Tool, ToolAnnotations

from askback.adapters.arguments import description_of, form_for
from askback.adapters.mcp.arguments import (
    AnswerInView,
    ApprovalPrompt,
    AskUser,
    CancelRequest,
    GetAnswer,
    ListRequests,
    ReadInView,
    RequestApproval,
    RequestEnvVars,
)
from askback.adapters.mcp.asking import (
    Question,
    Unaskable,
    ask,
    earlier_request,
    settle,
)
from askback.adapters.mcp.dialogs import what_it_asks
from askback.adapters.mcp.forms import is_flat
from askback.adapters.mcp.outcomes import QUESTIONS, request_result, result
from askback.adapters.mcp.prompts import approval_prompt, forget_prompt
from askback.adapters.mcp.schemas import schema_of
from askback.adapters.mcp.tool_call import APPROVAL_S, ToolCall
from askback.adapters.mcp.view import answer_in_view, read_in_view
from askback.domain.approval import Approval
from askback.domain.lifecycle import TERMINAL, Status
from askback.domain.model import Model
from askback.domain.modeltext import model_text
from askback.domain.questiontext import call_text, form_title
from askback.domain.request import InputRequest
from askback.domain.validation.ask import check_form
from askback.errors import Conflict, Refused

Reply = CallToolResult | InputRequiredResult


async def ask_user(call: ToolCall, arguments: AskUser) -> Reply:
    """Ask one question, several questions, or a form."""
    form_request = form_for(arguments)

    async def create(assignees: list[str] | None) -> InputRequest:
        return await call.connection.client.requests.create(
            form_request.form,
            thread_id=arguments.thread_id or call.connection.thread_id,
            idempotency_key=call.key,
            tool_call_id=call.call_id,
            timeout_s=arguments.timeout_s,
            metadata=QUESTIONS if form_request.answers_by_text else None,
            assignees=assignees,
        )

    seconds = call.seconds(arguments.wait_s)
    return await _ask(
        call,
        Question(
            create=create,
            is_asked_by=lambda request: request.form == check_form(form_request.form),
            fits_dialog=is_flat(form_request.form),
            dialog_s=seconds,
            wait_s=seconds,
        ),
    )


async def request_approval(call: ToolCall, arguments: RequestApproval) -> Reply:
    """Ask whether a tool call may run."""
    approval = Approval(tool=arguments.tool, input=arguments.input, reason=arguments.reason, allow_edit=True)

    async def create(_assignees: list[str] | None) -> InputRequest:
        return await call.connection.client.requests.create(
            approval,
            thread_id=arguments.thread_id or call.connection.thread_id,
            idempotency_key=call.key,
            tool_call_id=call.call_id,
            timeout_s=arguments.timeout_s or APPROVAL_S,
        )

    seconds = call.seconds(arguments.wait_s)

    def is_asked_by(request: InputRequest) -> bool:
        approval = request.approval
        return approval is not None and (approval.tool, approval.input) == (arguments.tool, arguments.input)

    question = Question(
        create=create, is_asked_by=is_asked_by, fits_dialog=True, dialog_s=seconds, wait_s=seconds
    )
    return await _ask(call, question)


async def request_env_vars(call: ToolCall, arguments: RequestEnvVars) -> Reply:
    """Ask for secrets; nothing that is returned or sent to the client has a value."""
    options: dict[str, Any] = (
        {} if arguments.default_scope is None else {"default_scope": arguments.default_scope}
    )

    async def create(assignees: list[str] | None) -> InputRequest:
        result = await call.connection.client.secrets.request(
            arguments.names,
            reason=arguments.reason,
            instructions=arguments.instructions,
            thread_id=arguments.thread_id or call.connection.thread_id,
            wait=False,
            idempotency_key=call.key,
            tool_call_id=call.call_id,
            assignees=assignees,
            delivery="block" if arguments.wait_s else "resume",
            **options,
        )
        if result.request is None:
            raise Unaskable(result.text)
        return result.request

    seconds = 0.0 if arguments.wait_s is None else call.seconds(arguments.wait_s)
    dialog_s = call.seconds(arguments.wait_s)

    def is_asked_by(request: InputRequest) -> bool:
        return request.secret is not None and [*request.secret.names] == arguments.names

    question = Question(
        create=create,
        is_asked_by=is_asked_by,
        fits_dialog=False,
        dialog_s=dialog_s,
        wait_s=seconds,
        is_secret=True,
    )
    return await _ask(call, question)


async def get_answer(call: ToolCall, arguments: GetAnswer) -> Reply:
    """Return the outcome of a request."""
    request = await call.connection.client.requests.get(arguments.request_id)
    request = await settle(call, request, call.seconds(arguments.wait_s))
    forget_prompt(call, request)
    return _result(call, request)


async def cancel_request(call: ToolCall, arguments: CancelRequest) -> Reply:
    """Withdraw a request; one that has ended stays as it is, and its outcome is returned."""
    try:
        request = await call.connection.client.requests.cancel(arguments.request_id, note=arguments.reason)
    except Conflict as error:
        if error.request is None:
            raise
        request = InputRequest.model_validate(error.request)
    if request.status is not Status.CANCELLED:
        return _result(call, request)
    return result(model_text(request), {"status": str(request.status), "request_id": request.id})


async def list_requests(call: ToolCall, arguments: ListRequests) -> Reply:
    """Return the caller's requests."""
    page = await call.connection.client.requests.list(
        thread_id=arguments.thread_id, status=arguments.status, limit=arguments.limit
    )
    request_list = [
        {
            "request_id": item.id,
            "kind": item.kind,
            "status": str(item.status),
            "title": _title(item),
            "url": call.connection.page(item.id),
        }
        for item in page
    ]
    return result(json.dumps(request_list, ensure_ascii=False), {"requests": request_list})


def _title(request: InputRequest) -> str:
    """Return what a request asks, of an approval with the call, by which a model knows its own."""
    if request.form is not None:
        return form_title(request)
    sentence = what_it_asks(request)
    return sentence if request.approval is None else f"{sentence} {call_text(request)}"


async def _ask(call: ToolCall, question: Question) -> Reply:
    outcome = await _outcome(call, question)
    if isinstance(outcome, InputRequiredResult):
        call.is_continued = True
        return outcome
    return _result(call, outcome)


async def _outcome(call: ToolCall, question: Question) -> InputRequest | InputRequiredResult:
    try:
        return await ask(call, question)
    except Refused as error:
        if error.code != "idempotency_mismatch":
            raise
        earlier = await earlier_request(call, call.call_id, question.is_asked_by)
        return await settle(call, earlier, question.wait_s)


def _result(call: ToolCall, request: InputRequest) -> CallToolResult:
    call.settled_id = request.id if request.status in TERMINAL else None
    return request_result(request, call.connection.page(request.id))


@dataclass(frozen=True, slots=True)
class ToolKind:
    """A tool: the model of its arguments, what it does, and whether it changes nothing."""

    arguments: type[Model]
    run: Callable[[ToolCall, Any], Awaitable[Reply]]
    reads: bool = False
    has_view: bool = False
    """Whether a view shows its result."""
    ends_with_client: bool = False
    """Whether its request is withdrawn when the client has ended, because nobody else can use the answer."""

    @property
    def asks(self) -> bool:
        """Whether it asks a person."""
        return not issubclass(self.arguments, GetAnswer | CancelRequest | ListRequests)

    def describe(self, name: str, *, run: str | None = None, meta: dict[str, Any] | None = None) -> Tool:
        """Return the tool as clients list it; `run` is the command that runs a program with the caller's secrets."""
        description = description_of(self.arguments)
        if run is not None and self.arguments is RequestEnvVars:
            description += f" Here the command, with the name of each secret, is: {run}"
        annotations = ToolAnnotations(
            title=name.replace("_", " ").capitalize(),
            read_only_hint=self.reads,
            destructive_hint=False,
            open_world_hint=False,  # Codex asks before each call of a tool that may reach into the world
        )
        return Tool(
            name=name,
            description=" ".join(description.split()),
            input_schema=schema_of(self.arguments),
            annotations=annotations,
            _meta=meta,
        )


TOOLS: Mapping[str, ToolKind] = {
    "ask_user": ToolKind(AskUser, ask_user, has_view=True),
    "request_approval": ToolKind(RequestApproval, request_approval, has_view=True),
    "request_env_vars": ToolKind(RequestEnvVars, request_env_vars, has_view=True),
    "get_answer": ToolKind(GetAnswer, get_answer, reads=True),
    "cancel_request": ToolKind(CancelRequest, cancel_request),
    "list_requests": ToolKind(ListRequests, list_requests, reads=True),
    "approval_prompt": ToolKind(ApprovalPrompt, approval_prompt, ends_with_client=True),
}
"""The tools for models and clients."""

VIEW_TOOLS: Mapping[str, ToolKind] = {
    "read_in_view": ToolKind(ReadInView, read_in_view, reads=True),
    "answer_in_view": ToolKind(AnswerInView, answer_in_view),
}
"""The tools for the view, of which clients without views are not told."""
