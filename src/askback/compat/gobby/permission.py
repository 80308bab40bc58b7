"""The agent's side: Claude's `can_use_tool` as a call that is held until it is decided, with Claude's own result."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal

from pydantic import JsonValue

from askback.compat.claude_questions import card_of, form_of, read_questions, write_answers
from askback.compat.package_data import read_data
from askback.domain.lifecycle import TERMINAL, Status
from askback.domain.model import Model
from askback.domain.modeltext import model_text
from askback.domain.request import InputRequest
from askback.domain.validation.structure import parse
from askback.errors import Conflict, NotFound
from askback.ports.systems import Api, ApiCall, Json, JsonReply

ASK_USER, ENTER_PLAN, EXIT_PLAN = "AskUserQuestion", "EnterPlanMode", "ExitPlanMode"
NAME = "gobby"
"""Whose metadata it is."""
PATIENCE_S = {ASK_USER: 600, EXIT_PLAN: 600}
TOOL_PATIENCE_S = 300
TEXTS = read_data(__file__)


class PreToolUse(Model):
    """The decision of the hook of the same name; its denial overrides a person's approval."""

    decision: Literal["allow", "approve", "ask", "deny", "block"] | None = None
    reason: str | None = None


class ToolUse(Model):
    """The body of `can_use_tool`."""

    tool_name: str
    input: dict[str, JsonValue]
    tool_use_id: str
    agent_id: str | None = None
    pre_tool_use: PreToolUse | None = None


class Interrupt(Model):
    """The body of `interrupt`."""

    tool_use_id: str


async def can_use_tool(call: ApiCall) -> JsonReply:
    """Hold a call of a tool until it is decided: `{"behavior": "allow", "updatedInput"}` or `deny` with a `message`.

    The same `tool_use_id` in the same conversation is the same request, also after a restart of the server.
    """
    use = parse(ToolUse, call.json())
    hook = use.pre_tool_use
    if hook is not None and hook.decision in ("deny", "block"):
        return JsonReply(_deny(hook.reason or TEXTS["blocked"]))
    if use.tool_name == ENTER_PLAN:  # it only lets the agent do less
        return JsonReply(_allow(use.input))
    plan = use.input.get("plan")
    if use.tool_name == EXIT_PLAN and not (isinstance(plan, str) and plan.strip()):
        return JsonReply(_deny(TEXTS["no_plan"]))
    try:
        request = await call.api.call("create_request", _body(call, use), paths=TEXTS["paths_of_calls"])
    except Conflict as error:
        if error.code != "external_id_taken":
            raise
        raise Conflict(TEXTS["taken"], code=error.code, request=error.request) from None
    if request["status"] not in TERMINAL:
        request = await call.api.outcome(request["id"])
    decided = InputRequest.model_validate(request)
    return JsonReply(await _result(call.api, decided, use), outcome_of=decided.id)


async def interrupt(call: ApiCall) -> JsonReply:
    """Cancel the requests that a tool call waits for: the held call gets a denial, and every card closes."""
    use, thread = parse(Interrupt, call.json()), call.path["conversation"]
    page = await call.api.call("list_requests", thread_id=thread, external_id=use.tool_use_id, limit=1)
    if not page["requests"]:
        raise NotFound("This conversation has no such call of a tool.")
    id_, reason = page["requests"][0]["id"], {"reason": "agent_aborted"}
    cancelled = await call.api.call("cancel_request", reason, request_id=id_)
    return JsonReply({"tool_use_id": use.tool_use_id, "status": cancelled["status"]})


def _body(call: ApiCall, use: ToolUse) -> Json:
    """Return the request for a call of a tool."""
    ids = {"external_id": use.tool_use_id, "tool_call_id": use.tool_use_id}
    body: Json = {"thread_id": call.path["conversation"], **ids}
    body |= {"timeout_s": PATIENCE_S.get(use.tool_name, TOOL_PATIENCE_S)}
    body |= {name: call.query[name] for name in ("timeout_s", "require_client") if name in call.query}
    with suppress(KeyError, ValueError):  # the native checks refuse it if it is not a number
        body["timeout_s"] = float(call.query["timeout_s"])
    if use.agent_id is not None:
        body["agent"] = {"name": use.agent_id, "tool": use.tool_name}
    if use.tool_name == ASK_USER:
        return {**body, "kind": "form", "form": form_of(read_questions(use.input)), "repeat": "ask"}
    if use.tool_name != EXIT_PLAN:
        return {**body, "kind": "approval", "approval": {"tool": use.tool_name, "input": use.input}}
    # A newer plan takes the place of an open one: an answer to a plan does not name its call.
    body |= {"exclusive_key": f"{NAME}:plan", "kind": "approval", "approval": {"plan": use.input["plan"]}}
    return {**body, "metadata": {NAME: {"allowed_prompts": use.input.get("allowedPrompts")}}}


async def _result(api: Api, request: InputRequest, use: ToolUse) -> Json:
    if (why := denial(request)) is not None:
        return _deny(why)
    if request.form is not None:
        return _allow({"questions": use.input["questions"], "answers": answers(request)})
    try:
        used = await api.call("consume_approval", {"execution_id": use.tool_use_id}, request_id=request.id)
    except Conflict as error:  # it was revoked, or a rule now refuses it
        return _deny(error.message)
    return _allow(use.input if use.tool_name == EXIT_PLAN else used["input"])


def prompts_of(request: InputRequest) -> Any:
    """Return the prompts that a plan allows; the metadata may be anybody's."""
    data = request.metadata.get(NAME) if isinstance(request.metadata, dict) else None
    return data.get("allowed_prompts") if isinstance(data, dict) else None


def answers(request: InputRequest, languages: Sequence[str] = ()) -> Mapping[str, str]:
    """Return the answers to questions by their texts."""
    values = {} if request.answer is None else request.answer.values
    return write_answers(card_of(request.form, languages) or (), values)


def denial(request: InputRequest) -> str | None:
    """Return why a call of a tool may not run, for the model; None if it may."""
    answer, approval = request.answer, request.approval
    if request.status is Status.ANSWERED and answer is not None and answer.decision != "deny":
        return None
    if answer is not None and request.source == "responder" and not request.repeated and approval is not None:
        if approval.plan is not None:
            return TEXTS["changes"].format(feedback=answer.note or "").strip()
        sentence = TEXTS["rejected"].format(tool=approval.tool)
        return f"{sentence}. {answer.note}" if answer.note else sentence
    text = model_text(request)
    return f"{TEXTS['timed_out']}. {text}" if request.status is Status.EXPIRED else text


def _allow(tool_input: Any) -> Json:
    return {"behavior": "allow", "updatedInput": tool_input}


def _deny(message: str) -> Json:
    return {"behavior": "deny", "message": message}
