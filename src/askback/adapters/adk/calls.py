"""Ask about the calls for which a run has paused, and answer them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from google.adk.events import Event
from google.adk.tools import BaseTool, ToolContext
from google.genai import types

from askback.adapters.asking import AskOptions, PausePoint, approve_once, ask_once
from askback.adapters.asktools import (
    ASK_TOOLS,
    ASK_USER,
    REQUEST_APPROVAL,
    REQUEST_ENV_VARS,
    AskOutcome,
    AskResult,
    AskTool,
)
from askback.adapters.openquestion import members_of, typed_form
from askback.client.async_client import AsyncClient
from askback.domain.lifecycle import Status
from askback.domain.modeltext import model_text
from askback.domain.request import InputRequest

CONFIRM, INPUT = "adk_request_confirmation", "adk_request_input"
_NO_HINT = "Please approve or reject the tool call "
"""The start of the framework's default message."""


class _AskTool(BaseTool):
    """A tool for which the framework pauses; the answer is its result."""

    def __init__(self, kind: AskTool) -> None:
        super().__init__(name=kind.name, description=kind.description, is_long_running=True)
        self._kind = kind

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(
            name=self.name, description=self.description, parameters_json_schema=self._kind.schema
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> None:
        """Return nothing, which is how a tool of ADK waits."""


ask_user = _AskTool(ASK_USER)
request_approval = _AskTool(REQUEST_APPROVAL)
request_env_vars = _AskTool(REQUEST_ENV_VARS)


@dataclass(frozen=True, slots=True)
class Pause:
    """A call for which a run has paused, and its pause point, which has the id of the call that the model made."""

    call: types.FunctionCall
    point: PausePoint


def open_pauses(events: Iterable[Event], point: PausePoint) -> Sequence[Pause]:
    """Return the unanswered pauses of a session. A new user message discards the pauses before it.

    A confirmation without a later response to its call is unanswered, too: the process died while the tool ran. The
    calls of long-running tools have none.
    """
    pauses, confirmed, long_running_ids = (
        dict[str | None, Pause](),
        dict[str | None, Pause](),
        set[str | None](),
    )
    for event in events:
        responses = event.get_function_responses()
        long_running_ids.update(event.long_running_tool_ids or ())
        if event.author == "user" and not responses:
            pauses.clear()
            confirmed.clear()
        for item in responses:
            confirmed.pop(item.id, None)
            pause = pauses.pop(item.id, None)
            if (
                pause is not None
                and pause.call.name == CONFIRM
                and pause.point.tool_call_id not in long_running_ids
            ):
                confirmed[pause.point.tool_call_id] = pause
        for call in event.get_function_calls():
            if call.id in (event.long_running_tool_ids or ()) and is_ours(call.name):
                pauses[call.id] = Pause(call, _pause_point(call, event, point))
    return [*confirmed.values(), *pauses.values()]


def _pause_point(call: types.FunctionCall, event: Event, point: PausePoint) -> PausePoint:
    original = (call.args or {})["originalFunctionCall"]["id"] if call.name == CONFIRM else call.id
    return replace(
        point,
        id=f"{point.id}:{event.invocation_id}:{call.id}",
        run_id=event.invocation_id,
        tool_call_id=original,
        agent=event.author,
    )


def is_ours(name: str | None) -> bool:
    """Return whether askback answers a call with this name: the others run elsewhere."""
    return name in {CONFIRM, INPUT} or name in ASK_TOOLS


async def outcome(ask: AsyncClient, pause: Pause, options: AskOptions) -> AskOutcome:
    """Ask about a pause."""
    args = pause.call.args or {}
    if pause.call.name != CONFIRM:
        return await answer_to(ask, pause.call.name or "", args, pause.point, options)
    call, hint = args["originalFunctionCall"], args["toolConfirmation"].get("hint", "")
    reason = None if hint.startswith(_NO_HINT) else hint or None
    details = {**call.get("args", {}), **_payload(pause.call)}
    return await approve_once(
        ask, call["name"], details, pause.point, allow_edit=True, reason=reason, **options
    )


async def answer_to(
    ask: AsyncClient, name: str, args: Mapping[str, Any], point: PausePoint, options: AskOptions
) -> InputRequest | AskResult:
    """Send the question of a call of an ask tool or of `adk_request_input`."""
    if name in ASK_TOOLS:
        return await ASK_TOOLS[name].call(ask, args, point, wait=options.get("wait", True))
    return await ask_once(ask, typed_form(args["message"], _schema(args)).form, point, **options)


def response(call: types.FunctionCall, outcome: AskOutcome) -> dict[str, Any]:
    """Return the response that the framework expects for a call."""
    if isinstance(outcome, AskResult):
        return {"result": outcome.text}
    if isinstance(outcome, InputRequest):
        if outcome.status is not Status.ANSWERED or outcome.answer is None:
            return {"result": model_text(outcome)}
        args = call.args or {}
        return {"result": typed_form(args["message"], _schema(args)).instance(outcome.answer.values)}
    payload = {name: outcome.input.get(name) for name in _payload(call)} if outcome else {}
    return {"confirmed": bool(outcome), **({"payload": payload} if payload else {})}


def _payload(call: types.FunctionCall) -> Mapping[str, Any]:
    """Return the payload fields that a tool requests, with suggested values; the card shows them."""
    payload = (call.args or {})["toolConfirmation"].get("payload")
    return members_of(payload)


def _schema(args: Mapping[str, Any]) -> Mapping[str, Any]:
    return args.get("response_schema") or {"type": "string"}
