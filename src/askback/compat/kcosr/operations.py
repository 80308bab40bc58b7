"""The HTTP operations: the questionnaire tool and interactions of agents, and the transcript of a page."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import Field

from askback.compat.kcosr import outcomes
from askback.compat.kcosr.outcomes import ToolError
from askback.compat.kcosr.schema import CompletedView, Questionnaire, arguments, form_body, path_here
from askback.compat.kcosr.transcript import replay
from askback.compat.system import Answer, Api, Call, Problem
from askback.domain.faults import Faults, fault
from askback.domain.fields import Number_
from askback.domain.request import InputRequest

Json = dict[str, Any]
_Milliseconds = Annotated[Number_, Field(gt=0)]

_ON_TIMEOUT = {"error": "expire", "async": "resume", "cancel": "cancel"}
_SENTENCES = {
    "": "Arguments must be an object",
    "schema": "schema is required and must be an object",
    "prompt": "prompt must be a string",
    "mode": 'mode must be "sync" or "async"',
    "onTimeout": 'onTimeout must be "error", "async", or "cancel"',
    "timeoutMs": "timeoutMs must be a positive number",
    "validate": "validate must be a boolean",
    "autoResume": "autoResume must be a boolean",
}
_OF_FIELDS = {
    "duplicate_id": "Duplicate field id: {id}",
    "option_required": 'Field "{id}" requires options',
    "invalid_pattern": 'Invalid pattern for field "{id}"',
}


async def ask(call: Call) -> Answer:
    """`POST /api/plugins/questions/operations/ask`."""
    session = call.header("x-session-id") or call.query.get("sessionId")
    if not session:
        text = "Interactive tools are not available in this environment."
        return _error(ToolError("interaction_unavailable", text))
    try:
        request = await _create(call, session, _questionnaire)
    except Faults as error:
        return _invalid(call, error, form="schema")
    if request.delivery == "resume":
        return _ok(outcomes.result(request.model_copy(update={"status": "pending"})))
    return await _held(call.api, request, _tool_result)


async def interact(call: Call) -> Answer:
    """`POST /api/sessions/{session}/interactions`: returns the response of the person."""
    try:
        request = await _create(call, call.path["session"], _interaction)
    except Faults as error:
        return _invalid(call, error, form="inputSchema")
    if call.query.get("wait") == "0" and not request.settled:
        waiting = {
            "interactionId": outcomes.interaction_id(request),
            "toolCallId": outcomes.tool_call_id(request),
        }
        return _ok({"pending": True, "message": f"Interaction {outcomes.OPEN}", **waiting})
    return await _held(call.api, request, _user_response)


async def events(call: Call) -> Answer:
    """`POST /api/plugins/sessions/operations/events`: the transcript, or what is new after a cursor of it."""
    return _ok(await _events(call.api, **arguments(_events, call.json())))


def refuse(problem: Problem) -> tuple[int, Json]:
    """Return a refusal over HTTP."""
    if problem.status == 422:
        return 400, {"error": problem.message, "code": "invalid_arguments"}
    return problem.status, {"error": problem.message, "code": problem.code}


def issues(problem: Problem, *, form: str = "schema", values: str = "input") -> list[Json]:
    """Return the broken rules with their paths here."""
    return [
        {**each, "path": path_here(each["path"], form=form, values=values)} for each in problem.field_errors
    ]


async def _events(
    api: Api, *, session_id: str, after_cursor: str = "", force: bool = False, **_more: object
) -> Json:
    session = session_id.strip()
    transcript, found = await replay(api, session)
    revision, _, sequence = after_cursor.rpartition(":")
    is_known = revision == str(transcript.revision) and sequence.isdecimal() and not force
    after = int(sequence) if is_known else -1
    return {
        "sessionId": session,
        "revision": transcript.revision,
        "reset": not is_known,
        **({"nextCursor": f"{transcript.revision}:{transcript.sequence - 1}"} if found else {}),
        "events": [each for each in found if each["sequence"] > after],
    }


def _questionnaire(
    *,
    schema_: Questionnaire,
    prompt: str = "",
    mode: Literal["sync", "async"] = "async",
    timeout_ms: _Milliseconds = outcomes.SYNC_MS,
    on_timeout: Literal["error", "async", "cancel"] = "error",
    auto_resume: bool = True,
    validate_: bool = True,  # noqa: ARG001 - a form always checks its answers
) -> Json:
    body = _form(schema_, prompt) | {"presentation": "standalone", "auto_resume": auto_resume}
    if mode == "async":
        return body | {"delivery": "resume"}
    return body | {"on_timeout": _ON_TIMEOUT[on_timeout], **_deadline(timeout_ms)}


def _interaction(
    *,
    type: str,  # noqa: A002 - the names of `InteractionRequest`
    tool_call_id: str = "",
    tool_name: str = "",
    prompt: str = "",
    presentation: Literal["tool", "questionnaire", "composer"] = "tool",
    approval_scopes: list[Literal["once", "session", "always"]] | None = None,
    args: Any = None,
    input_schema: Questionnaire | None = None,
    timeout_ms: _Milliseconds = outcomes.SYNC_MS,
    completed_view: CompletedView | None = None,
    error_summary: str | None = None,
    field_errors: dict[str, str] | None = None,
) -> Json:
    allowed = ["input"] if input_schema else ["approval", "input"]
    if type not in allowed:
        raise Faults([fault("type", "unknown_type", allowed=", ".join(allowed))])
    if type == "approval":
        called: Json = {"input": prompt} if args is None else {"input": args, "reason": prompt or None}
        if approval_scopes is not None:
            called["scopes"] = [outcomes.NATIVE_SCOPES[each] for each in approval_scopes]
        body: Json = {"kind": "approval", "approval": {"tool": tool_name or None, **called}}
    elif input_schema is None:
        raise Faults([fault("inputSchema", "missing_required")])
    else:
        errors = [{"path": f"values.{id_}", "message": text} for id_, text in (field_errors or {}).items()]
        told: Json = {"error_summary": error_summary, "field_errors": errors}
        body = _form(input_schema, prompt, tool_name, completed_view) | {k: v for k, v in told.items() if v}
    body |= {"presentation": outcomes.NATIVE_PRESENTATIONS[presentation], **_deadline(timeout_ms)}
    return body | ({"tool_call_id": tool_call_id} if tool_call_id else {})


def _form(schema: Questionnaire, prompt: str, tool: str = "", view: CompletedView | None = None) -> Json:
    return {
        "kind": "form",
        "form": form_body(schema, prompt, view),
        "agent": {"name": "assistant", "tool": tool or outcomes.TOOL},
        "repeat": "ask",
        **({"metadata": {"kcosr": {"prompt": len(prompt)}}} if prompt else {}),
    }


def _deadline(timeout_ms: Number_) -> Json:
    return {"timeout_s": max(1, timeout_ms / 1000)}


async def _create(call: Call, session: str, read: Callable[..., Json]) -> InputRequest:
    """Ask; the same call with the same arguments finds its request again, other arguments ask beside it."""
    sent = call.json()
    body = read(**arguments(read, sent)) | {"thread_id": session}
    key = None
    if call_id := body.get("tool_call_id") or call.header("x-tool-call-id"):
        body["tool_call_id"] = call_id
        text = json.dumps([session, call_id, sent], sort_keys=True)
        key = f"kcosr:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"
    if "delivery" not in body:
        body["require_client"] = call.query.get("require_client", "fail_fast")
    return InputRequest.model_validate(await call.api.call("create_request", body, key=key))


async def _held(api: Api, request: InputRequest, write: Any) -> Answer:
    """Wait for the end of a request, or for the deadline after which nobody waits for it, and write the reply."""
    waits = [asyncio.ensure_future(api.outcome(request.id))]
    if request.on_timeout == "resume":
        waits.append(asyncio.ensure_future(_detached(api, request)))
    try:
        done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        ended = InputRequest.model_validate(done.pop().result())
    finally:
        for each in waits:
            each.cancel()
        await asyncio.wait(waits)
    try:
        body = await write(api, ended)
    except ToolError as error:
        return _error(error, outcome_of=ended.id)
    return Answer({"ok": True, "result": body}, outcome_of=ended.id if ended.settled else "")


async def _tool_result(_api: Api, request: InputRequest) -> Json:
    if request.reason == "not_shown":
        outcomes.raise_without_response(request)
    return outcomes.result(request)


async def _user_response(api: Api, request: InputRequest) -> Json:
    outcomes.raise_without_response(request)
    said = outcomes.response(request)
    if said["action"] == "deny":
        why = f": {said['reason']}" if "reason" in said else ""
        raise ToolError("tool_denied", f'User denied execution of tool "{outcomes.tool_name(request)}"{why}')
    if said["action"] == "approve":
        await api.call(
            "consume_approval", {"execution_id": outcomes.tool_call_id(request)}, request_id=request.id
        )
    return said


async def _detached(api: Api, request: InputRequest) -> Json:
    async with api.watch(request.thread_id, readonly=True) as changes:
        now = await api.call("get_request", request_id=request.id)
        if outcomes.is_async(InputRequest.model_validate(now)):
            return now
        async for event in changes:
            now = event.get("request", {})
            if now.get("id") == request.id and now.get("detached"):
                return now
    return await api.outcome(request.id)


def _ok(body: Json) -> Answer:
    return Answer({"ok": True, "result": body})


def _error(error: ToolError, *, outcome_of: str = "") -> Answer:
    body = {"error": error.message, "code": error.code}
    return Answer(body, status=503 if error.code == "interaction_unavailable" else 409, outcome_of=outcome_of)


def _invalid(call: Call, error: Faults, *, form: str) -> Answer:
    """Say what is wrong in the source's sentence, and all of it with paths in `details`."""
    found = issues(call.api.explain(error), form=form)
    path, code = found[0]["path"], found[0]["code"]
    text = _SENTENCES.get(path) if form == "schema" else None
    if path == "" and code != "wrong_type":
        text = found[0]["message"]
    if code in _OF_FIELDS:
        at: Any = call.json()
        for step in re.findall(r"\w+", path.rpartition("]")[0]):
            at = at[int(step) if step.isdecimal() else step]
        text = _OF_FIELDS[code].format(id=at["id"])
    text = text or f"{form} is invalid: " + "; ".join(each["message"] for each in found[:3])
    body = {"error": text, "code": "invalid_arguments", "details": {"issues": found}}
    return Answer(body, status=400)
