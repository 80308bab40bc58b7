"""The HTTP operations: the questionnaire tool and interactions of agents, and the transcript of a page."""

import re
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import Field

from askback.compat.kcosr import outcomes
from askback.compat.kcosr.outcomes import ToolError
from askback.compat.kcosr.schema import TEXTS, CompletedView, Questionnaire, camel, form_body, path_here
from askback.compat.kcosr.transcript import replay
from askback.compat.keys import key_of
from askback.domain.faults import Faults, fault, join, require
from askback.domain.fields import Number_
from askback.domain.request import InputRequest
from askback.domain.validation.arguments import arguments
from askback.domain.validation.texts import is_deceptive
from askback.ports.systems import Api, ApiCall, Json, JsonReply, Problem

_Milliseconds = Annotated[Number_, Field(gt=0)]
_CURSOR = re.compile("([0-9]{1,18}):([0-9]{1,18})")
_ON_TIMEOUT = {"error": "expire", "async": "resume", "cancel": "cancel"}
_STRUCTURE = frozenset({"wrong_type", "missing_required", "unknown_value", "below_min"})


async def ask(call: ApiCall) -> JsonReply:
    """`POST /api/plugins/questions/operations/ask`."""
    if session := call.header("x-session-id") or call.query.get("sessionId"):
        return await _ask(call, session, "schema", _questionnaire, outcomes.result)
    return _error("interaction_unavailable", "Interactive tools are not available in this environment.")


async def interact(call: ApiCall) -> JsonReply:
    """`POST /api/sessions/{session}/interactions`: returns the response of the person."""
    return await _ask(call, call.path["session"], "inputSchema", _interaction, outcomes.user_response)


async def events(call: ApiCall) -> JsonReply:
    """`POST /api/plugins/sessions/operations/events`: the transcript, or its entries after a cursor."""
    return _ok(await _events(call.api, **arguments(_events, call.json(), alias=camel)))


def refuse(
    problem: Problem, *, form: str = "schema", read: Callable[[], Any] | None = None
) -> tuple[int, Json]:
    """Return a refusal over HTTP: the source's sentence, and every error with its path in `details`.

    `form` is the name of the questionnaire in the arguments, which `read` returns.
    """
    if not problem.field_errors:
        return problem.status, {"error": problem.message, "code": problem.code}
    faults = issues(problem, form=form)
    path, code, message = faults[0]["path"], faults[0]["code"], faults[0]["message"]
    field = re.fullmatch(r"(.*\.fields\[[0-9]+\])\.\w+", path)
    if code in TEXTS["fields"] and field and read:
        now = read()
        for step in re.findall(r"\w+", field[1]):
            now = now[int(step) if step.isdecimal() else step]
        text = TEXTS["fields"][code].format(id=now["id"])
    elif code in _STRUCTURE and path in TEXTS["arguments"]:
        text = TEXTS["arguments"][path]
    elif path.startswith(form):
        text = f"{form} is invalid: " + "; ".join(item["message"] for item in faults[:3])
    else:
        text = f"{path}: {message}" if path else message
    return 400, {"error": text, "code": "invalid_arguments", "details": {"issues": faults}}


def issues(problem: Problem, *, form: str = "schema", values: str = "input") -> list[Json]:
    """Return the errors with their paths here."""
    return [{**error, "path": path_here(error, form=form, values=values)} for error in problem.field_errors]


async def _events(
    api: Api, *, session_id: str, after_cursor: str = "", force: bool = False, **_: object
) -> Json:
    session = session_id.strip()
    transcript, events = await replay(api, session)
    revision, cursor = transcript.revision, _CURSOR.fullmatch(after_cursor.strip())
    is_known = cursor is not None and int(cursor[1]) == revision and not force
    after = int(cursor[2]) if cursor and is_known else -1
    following = {"nextCursor": f"{revision}:{transcript.sequence - 1}"} if events else {}
    new = [event for event in events if event["sequence"] > after]
    return {"sessionId": session, "revision": revision, "reset": not is_known, **following, "events": new}


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
    waits = {"on_timeout": _ON_TIMEOUT[on_timeout], "timeout_s": outcomes.seconds(timeout_ms)}
    body = _form(schema_, prompt) | {"presentation": "standalone", "auto_resume": auto_resume}
    return body | ({"delivery": "resume"} if mode == "async" else waits)


def _interaction(
    *,
    type: Literal["approval", "input"],  # noqa: A002 - the names of `InteractionRequest`
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
    if type == "approval":
        require(input_schema is None, "type", "unknown_type", allowed="input")
        called: Json = {"input": prompt} if args is None else {"input": args, "reason": prompt or None}
        if approval_scopes is not None:
            called["scopes"] = [outcomes.NATIVE_SCOPES[scope] for scope in approval_scopes]
        body: Json = {"kind": "approval", "approval": {"tool": tool_name or None, **called}}
    elif input_schema is None:
        raise Faults([fault("inputSchema", "missing_required")])
    else:
        ids = {field.id for part in (input_schema, *input_schema.sections) for field in part.fields}
        for id_ in field_errors or ():
            require(id_ in ids, join("fieldErrors", id_), "unknown_field")
        errors = [{"path": join("values", id_), "message": m} for id_, m in (field_errors or {}).items()]
        body = _form(input_schema, prompt, tool_name, completed_view)
        body |= {"field_errors": errors, **({"error_summary": error_summary} if error_summary else {})}
    body |= {"tool_call_id": tool_call_id} if tool_call_id else {}
    native = outcomes.NATIVE_PRESENTATIONS[presentation]
    return {**body, "presentation": native, "timeout_s": outcomes.seconds(timeout_ms)}


def _form(schema: Questionnaire, prompt: str, tool: str = "", view: CompletedView | None = None) -> Json:
    prompt, agent = prompt.strip(), {"name": "assistant", "tool": tool or outcomes.TOOL}
    about = {"metadata": {"kcosr": {"prompt": len(prompt)}}} if prompt else {}
    require(not is_deceptive(prompt, lines=True), "prompt", "control_chars")
    form = form_body(schema, prompt, view)
    return {"kind": "form", "form": form, "agent": agent, "repeat": "ask", **about}


async def _ask(
    call: ApiCall, session: str, form: str, read: Callable[..., Json], write: Callable[[InputRequest], Json]
) -> JsonReply:
    """Ask, and wait for the reply unless it comes in another turn or the caller asks later."""
    try:
        request = await _create(call, session, read)
    except Faults as error:
        status, body = refuse(call.api.explain(error), form=form, read=call.json)
        return JsonReply(body, status=status)
    if request.delivery == "resume":
        return _ok(outcomes.pending(request))
    if call.query.get("wait") == "0" and not request.settled:
        message = "Interaction remains open for a later response."
        return _ok({"pending": True, "message": message, **outcomes.ids(request)})
    settled = InputRequest.model_validate(await call.api.outcome(request.id))
    try:
        body = write(settled)
    except ToolError as error:
        return _error(error.code, error.message, outcome_of=settled.id)
    if body.get("action") == "approve":
        used = {"execution_id": outcomes.ids(settled)["toolCallId"]}
        await call.api.call("consume_approval", used, request_id=settled.id)
    return _ok(body, outcome_of=settled.id if settled.settled else "")


async def _create(call: ApiCall, session: str, read: Callable[..., Json]) -> InputRequest:
    """Create the request of a call. Repeated with the same arguments, the call gets the same request again."""
    data = call.json()
    body: Json = read(**arguments(read, data, alias=camel)) | {"thread_id": session}
    if call_id := body.get("tool_call_id") or call.header("x-tool-call-id"):
        body["tool_call_id"] = call_id
    if "delivery" not in body:
        body["require_client"] = call.query.get("require_client", "fail_fast")
    key = key_of("kcosr", session, call_id, data) if call_id else None
    error_paths = [item["path"].replace("values", "fieldErrors", 1) for item in body.get("field_errors", ())]
    paths = [(rf"field_errors\[{i}\]\.\w+", path.replace("\\", r"\\")) for i, path in enumerate(error_paths)]
    described: str = body.get("form", {}).get("description", "")
    if body.get("metadata") == {"kcosr": {"prompt": len(described)}}:
        paths.append((r"form\.description", "prompt"))
    return InputRequest.model_validate(await call.api.call("create_request", body, key=key, paths=paths))


def _ok(body: Json, *, outcome_of: str = "") -> JsonReply:
    return JsonReply({"ok": True, "result": body}, outcome_of=outcome_of)


def _error(code: str, message: str, *, outcome_of: str = "") -> JsonReply:
    status = 503 if code == "interaction_unavailable" else 409
    return JsonReply({"error": message, "code": code}, status=status, outcome_of=outcome_of)
