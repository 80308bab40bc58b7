"""AG-UI 1.0, both ways: people answer the interrupts of any AG-UI agent, and requests are interrupts of your own agent.

    async for event in run_agent(ask, send, RunAgentInput(…)): …      # a host: asks, and continues the run
    resume = await answer_interrupts(ask, finished.outcome.interrupts, thread_id=finished.thread_id)

    interrupts = await as_interrupts(ask, requests)                   # an agent: ends its run with them
    requests = await take_resume(ask, requests, run_input.resume)     # reads the answers of the front end

An interrupt is known by its id, here and there, so that asking or answering again changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, cast
from uuid import uuid4

from ag_ui.core import (
    AssistantMessage,
    BaseEvent,
    Interrupt,
    Message,
    MessagesSnapshotEvent,
    ResumeEntry,
    RunAgentInput,
    RunFinishedEvent,
    RunFinishedInterruptOutcome,
    ToolCallArgsEvent,
    ToolCallStartEvent,
)

from askback.adapters.asking import PausePoint, approve_once, ask_once, read_arguments
from askback.adapters.openquestion import members_of, open_answer, open_form, typed_form
from askback.client.async_client import AsyncClient
from askback.client.forms import outcome_of
from askback.client.gather import gather_all
from askback.compat.mcp_elicitation import read_answer, write_elicitation
from askback.compat.translation import NotExpressible
from askback.domain import questiontext
from askback.domain.request import Answer, InputRequest
from askback.errors import AskbackError, Conflict
from askback.messages.languages import choose
from askback.wire.admin_replies import CurrentSession

Send = Callable[[RunAgentInput], AsyncIterator[BaseEvent]]
"""Sends the input to an agent and yields the events of its run, such as over SSE."""

APPROVED, EDITED, REASON = "approved", "editedArgs", "reason"
UNKNOWN_TOOL = "ag_ui_tool_call"
"""The tool name for an interrupt without a known call; the card shows the interrupt's message."""


@dataclass(frozen=True, slots=True)
class AgentToolCall:
    """A tool call of an agent: its name, and its arguments as JSON."""

    name: str
    arguments: str = ""


async def run_agent(
    ask: AsyncClient, send: Send, run_input: RunAgentInput, *, timeout_s: float | None = None
) -> AsyncIterator[BaseEvent]:
    """Run an agent, and each time that it is interrupted, ask a person and continue; yields the events of all runs.

    The conversation on the page is the thread of the input. Without `timeout_s` a request waits as long as its
    interrupt (`expiresAt`) does.
    """
    calls = calls_of(run_input.messages)
    while True:
        finished: RunFinishedEvent | None = None
        async for event in send(run_input):
            run_input = _with_event(run_input, calls, event)
            finished = event if isinstance(event, RunFinishedEvent) else finished
            yield event
        if finished is None or not isinstance(finished.outcome, RunFinishedInterruptOutcome):
            return
        resume = await answer_interrupts(
            ask,
            finished.outcome.interrupts,
            thread_id=run_input.thread_id,
            run_id=run_input.run_id,
            calls=calls,
            timeout_s=timeout_s,
        )
        run_input = run_input.model_copy(update={"run_id": uuid4().hex, "resume": resume})


def calls_of(messages: Iterable[Message]) -> dict[str, AgentToolCall]:
    """Return the tool calls in the messages of a conversation, by id."""
    answers = [message for message in messages if isinstance(message, AssistantMessage)]
    listed = (call for message in answers for call in message.tool_calls or ())
    return {call.id: AgentToolCall(call.function.name, call.function.arguments) for call in listed}


def _with_event(run_input: RunAgentInput, calls: dict[str, AgentToolCall], event: BaseEvent) -> RunAgentInput:
    """Note the tool calls of an event; returns the input with the agent's newest messages."""
    if isinstance(event, ToolCallStartEvent):
        calls[event.tool_call_id] = AgentToolCall(event.tool_call_name)
    elif isinstance(event, ToolCallArgsEvent) and event.tool_call_id in calls:
        call = calls[event.tool_call_id]
        calls[event.tool_call_id] = replace(call, arguments=call.arguments + event.delta)
    elif isinstance(event, MessagesSnapshotEvent):
        calls.update(calls_of(event.messages))
        return run_input.model_copy(update={"messages": event.messages})
    return run_input


async def answer_interrupts(
    ask: AsyncClient,
    interrupts: Sequence[Interrupt],
    *,
    thread_id: str,
    run_id: str | None = None,
    calls: Mapping[str, AgentToolCall] | None = None,
    timeout_s: float | None = None,
) -> list[ResumeEntry]:
    """Ask a person about all interrupts of a run together, and return the `resume` of the next one.

    `calls` are the tool calls of the conversation, see `calls_of`: without them the card cannot show the arguments.
    Called again with the same interrupts, also in another process, it finds the requests that were asked before. Raises
    `NoFormFor` for a `responseSchema` that no form can ask for.
    """
    point = PausePoint(id="ag-ui", thread_id=thread_id, run_id=run_id)
    return [
        *await gather_all(_answer(ask, interrupt, point, calls or {}, timeout_s) for interrupt in interrupts)
    ]


async def _answer(
    ask: AsyncClient,
    interrupt: Interrupt,
    point: PausePoint,
    calls: Mapping[str, AgentToolCall],
    timeout_s: float | None,
) -> ResumeEntry:
    interrupt_point = replace(point, id=f"{point.id}:{interrupt.id}", tool_call_id=interrupt.tool_call_id)
    remaining_s = _seconds_left(interrupt)
    if remaining_s is not None and remaining_s <= 0:
        return ResumeEntry(interrupt_id=interrupt.id, status="cancelled")
    limit = min((item for item in (remaining_s, timeout_s) if item is not None), default=None)
    if interrupt.tool_call_id is not None and _is_approval(interrupt):
        payload = await _decision(ask, interrupt, interrupt_point, calls.get(interrupt.tool_call_id), limit)
        return ResumeEntry(interrupt_id=interrupt.id, status="resolved", payload=payload)
    question = {"message": interrupt.message or interrupt.reason, **(interrupt.metadata or {})}
    question_text = question if interrupt.metadata else question["message"]
    form_of_schema = (
        typed_form(question_text, interrupt.response_schema) if interrupt.response_schema else None
    )
    request = await ask_once(
        ask,
        form_of_schema.form if form_of_schema else open_form(question_text),
        interrupt_point,
        timeout_s=limit,
    )
    outcome = outcome_of(request)
    if not isinstance(outcome, Answer):
        return ResumeEntry(interrupt_id=interrupt.id, status="cancelled")
    payload = form_of_schema.instance(outcome.values) if form_of_schema else open_answer(request)
    return ResumeEntry(interrupt_id=interrupt.id, status="resolved", payload=payload)


def _is_approval(interrupt: Interrupt) -> bool:
    """Return whether an interrupt needs a decision about a tool call, which is always so without a schema."""
    return interrupt.response_schema is None or APPROVED in _properties(interrupt)


async def _decision(
    ask: AsyncClient,
    interrupt: Interrupt,
    point: PausePoint,
    call: AgentToolCall | None,
    timeout_s: float | None,
) -> dict[str, Any]:
    """Ask about a tool call, use the approval, and return the payload; everything but an approval is a denial."""
    decided_call = call or AgentToolCall(
        UNKNOWN_TOOL, json.dumps({"message": interrupt.message, "id": interrupt.id})
    )
    arguments = read_arguments(decided_call.arguments)
    decision = await approve_once(
        ask,
        decided_call.name,
        arguments,
        point,
        timeout_s=timeout_s,
        allow_edit=call is not None and EDITED in _properties(interrupt),
        reason=interrupt.message if call else None,
    )
    final_decision = await ask.use(decision)
    if not final_decision:
        return {APPROVED: False, REASON: final_decision.text}
    return {APPROVED: True, **({EDITED: final_decision.input} if final_decision.input != arguments else {})}


def _properties(interrupt: Interrupt) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", (interrupt.response_schema or {}).get("properties") or {})


def _seconds_left(interrupt: Interrupt) -> float | None:
    """Return the seconds until an interrupt expires; one whose time cannot be read does not."""
    try:
        moment = datetime.fromisoformat(interrupt.expires_at or "")
    except ValueError:
        return None
    return ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - datetime.now(UTC)).total_seconds()


async def as_interrupts(ask: AsyncClient, requests: Iterable[InputRequest]) -> list[Interrupt]:
    """Return open requests as interrupts of an agent's run, by their ids.

    A form has a `responseSchema`. So has an approval where the server takes reports about approvals; otherwise, and for
    secrets, files and dangerous calls, the interrupt has the reason `askback:page`, and a person answers on the page.
    """
    caller = await ask.sessions.current()
    return [_interrupt(request, caller) for request in requests]


def _interrupt(request: InputRequest, caller: CurrentSession) -> Interrupt:
    schema = _response_schema(request, caller)
    bound = request.approval is not None and request.tool_call_id is not None
    reason = "askback:page" if schema is None else "tool_call" if bound else "input_required"
    return Interrupt(
        id=request.id,
        reason=reason,
        message=_message(request),
        tool_call_id=request.tool_call_id,
        response_schema=schema,
        expires_at=request.expires_at.isoformat() if request.expires_at else None,
        metadata={"askback": {"kind": request.kind, "path": f"/r/{request.id}"}},
    )


def _response_schema(request: InputRequest, caller: CurrentSession) -> dict[str, Any] | None:
    """Return the schema of the answer for a front end, or None if only askback's page may ask."""
    approval = request.approval
    if request.assignees:
        return None
    if request.form is not None:
        try:
            return write_elicitation(request.form).params["requestedSchema"]
        except NotExpressible:
            return None
    if approval is None or not caller.reported_approvals or approval.quorum > 1 or approval.exclude_requester:
        return None
    if approval.risk.level == "danger":
        return None
    properties = {APPROVED: {"type": "boolean"}, REASON: {"type": "string"}}
    return {"type": "object", "properties": properties, "required": [APPROVED]}


def _message(request: InputRequest) -> str:
    if request.approval is not None:
        return f"{request.approval.tool} {questiontext.quote(request.approval.input)}"
    if request.form is not None:
        texts = (request.form.title, request.form.description)
        return "\n\n".join(choose(text) for text in texts if text) or questiontext.question_text(request)
    return choose(request.secret.reason) if request.secret else request.summary or request.kind


async def take_resume(
    ask: AsyncClient, requests: Sequence[InputRequest], resume: Sequence[ResumeEntry] | None
) -> list[InputRequest]:
    """Report the answers of an AG-UI front end to these requests, and return their new state.

    One that is still open, such as a question for the page, is an interrupt of the next run again. Raises
    `AskbackError` for a resume that leaves out a request or names another one, and `Invalid` for a payload that the
    form refuses: send its text as RUN_ERROR.
    """
    entries = {entry.interrupt_id: entry for entry in resume or ()}
    if entries.keys() != {request.id for request in requests}:
        raise AskbackError(
            "The resume must have one entry for each open interrupt of the thread, and no other."
        )
    return [await _report(ask, request, entries[request.id]) for request in requests]


async def _report(ask: AsyncClient, request: InputRequest, entry: ResumeEntry) -> InputRequest:
    current_request = await ask.requests.get(request.id)
    if current_request.settled or _response_schema(current_request, await ask.sessions.current()) is None:
        return current_request
    payload = members_of(entry.payload)
    try:
        if entry.status == "cancelled":
            return await ask.requests.report_answer(current_request, declined="dismissed")
        if current_request.form is not None:
            answer = read_answer(current_request.form, payload)
            return await ask.requests.report_answer(current_request, **answer)
        if not isinstance(payload.get(APPROVED), bool):
            raise AskbackError(f"The payload of {entry.interrupt_id} must have `approved`, true or false.")
        note = payload.get(REASON)
        return await ask.requests.report_answer(
            current_request,
            decision="approve" if payload[APPROVED] else "deny",
            note=note if isinstance(note, str) and note.strip() else None,
        )
    except Conflict:  # somebody was faster on the page
        return await ask.requests.get(request.id)
