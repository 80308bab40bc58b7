"""Answer the permission prompts of Claude Code, in its own format.

A prompt may end before anybody has decided, at a limit of the client or because a process was killed. Claude Code then
tells the model that the call was denied, and the model makes the call again, with another id. The new prompt takes over
the earlier request and its answer. An approval is used once, so that it counts for one of several equal calls.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from mcp_types import CallToolResult

from askback.adapters.arguments import QuestionForm
from askback.adapters.links import why_not_by_rule
from askback.adapters.mcp.arguments import ApprovalPrompt
from askback.adapters.mcp.asking import earlier_request, settle
from askback.adapters.mcp.forms import prompted_form
from askback.adapters.mcp.outcomes import failure_text, result
from askback.adapters.mcp.tool_call import APPROVAL_S, ToolCall
from askback.client.options import call_key
from askback.compat.claude_questions import annotated, plan_of
from askback.domain.approval import Approval
from askback.domain.canonicaljson import NotCanonical
from askback.domain.decision import Decision
from askback.domain.lifecycle import TERMINAL, Status
from askback.domain.modeltext import model_text
from askback.domain.policy.digest import call_digest
from askback.domain.request import InputRequest
from askback.errors import AskbackError, Conflict, Gone, NotFound, Refused

OPEN = (
    "{pending} The request stays open as {request}: end your turn or continue with other work, and call get_answer "
    "with this request_id to wait. The person can answer at {url}. Afterwards make exactly the same call again: it "
    "gets this answer, and nobody is asked twice."
)
NOT_RUN = "The call was not run."
PAGE_LIMIT = 50
"""How many earlier requests are looked through, the newest first."""
MAX_PROMPTS = 1000
"""How many prompts without an answer are remembered."""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Prompt:
    """A prompt: what it asks, the form if that is a question of Claude's, and the digest of both."""

    call: ToolCall
    arguments: ApprovalPrompt
    form: QuestionForm | None
    digest: str

    @property
    def plan(self) -> str | None:
        """The plan that Claude wants to carry out, if the prompt is about that."""
        return plan_of(self.arguments.tool_name, self.arguments.input)

    @property
    def metadata(self) -> Json:
        """The metadata of its request: a prompt with the same asks the same."""
        return {"mcp": {"prompt": self.digest, "folder": self.call.connection.folder}}

    @property
    def key(self) -> tuple[str, str]:
        """The key of its request while no answer has been returned."""
        return self.call.connection.thread_id, self.digest

    @property
    def kind(self) -> str:
        """The kind of its request."""
        return "approval" if self.form is None else "form"


async def approval_prompt(call: ToolCall, arguments: ApprovalPrompt) -> CallToolResult:
    """Answer a permission prompt of Claude Code in its own format, with no structured content."""
    form = prompted_form(arguments.tool_name, arguments.input)
    try:
        prompt = _Prompt(call, arguments, form, call_digest(arguments.tool_name, arguments.input))
        reply = await _answer(prompt)
    except NotCanonical as error:
        reply = _denial(f"{NOT_RUN} Its input cannot be shown to a person: {error}.")
    except AskbackError as error:
        reply = _denial(failure_text(error, consequence=NOT_RUN))
    return result(json.dumps(reply, ensure_ascii=False))


def forget_prompt(call: ToolCall, request: InputRequest) -> None:
    """Forget a prompt whose answer the model has read in another way. A call that was approved still runs once."""
    if request.status in TERMINAL and not (request.approval is not None and Decision.from_request(request)):
        for key in [key for key, id_ in call.prompts.items() if id_ == request.id]:
            del call.prompts[key]


async def _answer(prompt: _Prompt) -> Json:
    async for earlier in _earlier_requests(prompt):
        if (reply := await _reply(prompt, earlier, is_new=False)) is not None:
            return reply
    prompt.call.asking = asyncio.ensure_future(_ask(prompt))
    request = await asyncio.shield(prompt.call.asking)
    return await _reply(prompt, request, is_new=True) or _denial(NOT_RUN)


async def _earlier_requests(prompt: _Prompt) -> AsyncIterator[InputRequest]:
    """Yield requests about the same call that no prompt has returned an answer of, as far as that is known."""
    requests = prompt.call.connection.client.requests
    if (id_ := prompt.call.prompts.get(prompt.key)) is not None:
        with suppress(NotFound):
            yield await requests.get(id_)
    for item in await requests.list(kind=prompt.kind, status="pending", limit=PAGE_LIMIT):
        if item.id != id_ and item.metadata == prompt.metadata:
            yield item
    if prompt.form is not None or prompt.plan is not None:
        return
    for item in await requests.list(kind="approval", status="answered", limit=PAGE_LIMIT, brief=True):
        is_unused = item.source == "responder" and item.used_at is None and item.id != id_
        if is_unused and item.approval is not None and item.approval.digest == prompt.digest:
            approved = await requests.get(item.id)
            if approved.metadata == prompt.metadata and Decision.from_request(approved):
                yield approved


async def _ask(prompt: _Prompt) -> InputRequest:
    """Create the request of a prompt."""
    call, arguments = prompt.call, prompt.arguments
    if prompt.form is not None:
        content = prompt.form.form
    elif prompt.plan is not None:
        content = Approval(plan=prompt.plan)
    else:
        content = Approval(tool=arguments.tool_name, input=arguments.input, allow_edit=True)
    try:
        return await call.connection.client.requests.create(
            content,
            thread_id=call.connection.thread_id,
            idempotency_key=call_key("mcp", {"run_id": "prompt", "tool_call_id": arguments.tool_call_id}),
            tool_call_id=arguments.tool_call_id,
            timeout_s=APPROVAL_S,
            metadata=prompt.metadata,
        )
    except Refused as error:
        if error.code != "idempotency_mismatch":
            raise
        return await earlier_request(
            call, arguments.tool_call_id, lambda request: request.metadata == prompt.metadata
        )


async def _reply(prompt: _Prompt, request: InputRequest, *, is_new: bool) -> Json | None:
    """Wait, and return the reply. None if an earlier request can no longer answer: it was withdrawn, or is used."""
    call = prompt.call
    call.asking = asyncio.get_running_loop().create_future()
    call.asking.set_result(request)
    call.prompts[prompt.key] = request.id
    if len(call.prompts) > MAX_PROMPTS:
        del call.prompts[next(iter(call.prompts))]
    request = await settle(call, request, call.prompt_patience)
    if request.status not in TERMINAL:
        text = OPEN.format(
            pending=model_text(request), request=request.id, url=call.connection.page(request.id)
        )
        return _denial(text)
    call.prompts.pop(prompt.key, None)
    if request.status is Status.CANCELLED and not is_new:
        return None
    if prompt.form is not None:
        return _answers(prompt, prompt.form, request)
    decision = Decision.from_request(request)
    if not decision:
        return _denial(decision.text)
    if prompt.plan is not None:
        return {"behavior": "allow", "updatedInput": prompt.arguments.input}
    link = why_not_by_rule(decision, prompt.arguments.tool_name, call.connection.folder)
    if link is not None:
        return _denial(link)
    if decision.source != "policy":
        try:
            await call.connection.client.consume(request, _execution_id(prompt))
        except (Conflict, Gone) as error:
            return _denial(error.message) if is_new else None
    return {"behavior": "allow", "updatedInput": decision.input}


def _execution_id(prompt: _Prompt) -> str:
    """Return the id of the only call that may use the approval; the same prompt may be repeated."""
    return f"exe_{prompt.arguments.tool_call_id or secrets.token_urlsafe(16)}"


def _answers(prompt: _Prompt, form: QuestionForm, request: InputRequest) -> Json:
    if request.status is not Status.ANSWERED or request.answer is None:
        return _denial(model_text(request))
    answers = form.answers(request.answer.values)
    return {
        "behavior": "allow",
        "updatedInput": {**prompt.arguments.input, **annotated(prompt.arguments.input, answers)},
    }


def _denial(text: str) -> Json:
    return {"behavior": "deny", "message": text}
