"""The frames of Gobby's chat: what its page sends, and how the card of a request begins and ends."""

from __future__ import annotations

import re
from collections.abc import Sequence

from askback.compat.claude_questions import card_of
from askback.compat.gobby.permission import ASK_USER, EXIT_PLAN, NAME, answers, denial
from askback.domain.faults import rename_path
from askback.domain.questiontext import quote
from askback.domain.request import InputRequest
from askback.ports.systems import Json, Problem

MAX_ECHO = 200
"""Characters of a name that an error repeats."""

ACCEPT_EDITS, NORMAL = "accept_edits", "normal"
_PATHS = (
    (r"values.*", "answers"),
    (r"note", "feedback"),
    (r"scope", "decision"),
    (r"thread_id", "conversation_id"),
    (r"Idempotency-Key", "request_id"),
)
"""The members of a frame by those of our answer."""


def kind_of(request: InputRequest) -> str | None:
    """Return what a request asks for, `question`, `approval` or `plan`; None if no card of Gobby can ask it."""
    if request.approval is not None:
        return "approval" if request.approval.plan is None else "plan"
    return None if card_of(request.form) is None else "question"


def opening(request: InputRequest, languages: Sequence[str], *, recovered: bool) -> list[Json]:
    """Return the frames that show an open request; none if a card of Gobby cannot ask it."""
    asked = request.approval
    if asked is not None and asked.plan is not None:
        own = request.metadata.get(NAME) if isinstance(request.metadata, dict) else None  # may be anybody's
        prompts = own.get("allowed_prompts") if isinstance(own, dict) else None
        plan: Json = {"type": "plan_pending_approval", "conversation_id": request.thread_id}
        plan |= {"plan_content": asked.plan, "allowed_prompts": prompts}
        calling = _status(request, "calling", tool_name=EXIT_PLAN, arguments={"plan": asked.plan})
        return [calling, {**plan, "recovered": True} if recovered else plan]
    if asked is not None:
        return [_status(request, "pending_approval", tool_name=asked.tool, arguments=asked.input)]
    if (questions := card_of(request.form, languages)) is None:
        return []
    arguments = {"questions": [each.wire for each in questions]}
    return [_status(request, "calling", tool_name=ASK_USER, arguments=arguments)]


def closing(request: InputRequest, languages: Sequence[str]) -> list[Json]:
    """Return the frames that say how a request ended."""
    if (why := denial(request)) is not None:
        return [_status(request, "error", result=None, error=why)]
    answer = request.answer
    content = {"decision": answer and answer.decision}
    if request.form is not None:
        content = {"answers": answers(request, languages)}
    completed = _status(request, "completed", result={"content": content}, error=None)
    if request.approval is None or request.approval.plan is None:
        return [completed]
    mode = ACCEPT_EDITS if answer and answer.mode == ACCEPT_EDITS else NORMAL
    about = {"conversation_id": request.thread_id, "mode": mode, "reason": "plan_approved"}
    return [completed, {"type": "mode_changed", **about}]


def _status(request: InputRequest, status: str, **more: object) -> Json:
    """Return a `tool_status`; Gobby's page takes one without a `request_id` only if that is null."""
    own = {"message_id": request.message_id or request.id, "tool_call_id": request.tool_call_id or request.id}
    about = {"conversation_id": request.thread_id, **own, "request_id": None}
    return {"type": "tool_status", **about, "status": status, **more}


def error_of(problem: Problem, frame: Json | None) -> Json:
    """Return the error frame for a refusal; `field_errors` has its places in the frame that was sent."""
    if frame is None and problem.code == "invalid":
        return {"type": "error", "code": "ERROR", "message": "Invalid JSON format"}
    faults = list[Json]()
    for each in problem.field_errors:
        question = re.match(r"values\.q(\d+)", each["path"])
        text = f"Question {question[1]}: {each['message']}" if question else each["message"]
        faults.append({**each, "path": rename_path(each["path"], _PATHS), "message": text})
    message = "; ".join(f"{each['path']}: {each['message']}" for each in faults) or problem.message
    told: Json = {"type": "error", "code": problem.code.upper(), "message": message}
    if isinstance(request_id := (frame or {}).get("request_id"), str):
        told["request_id"] = request_id
    return {**told, "field_errors": faults} if faults else told


def echo(value: object) -> str:
    """Return a name that a page sent, as an error repeats it: on one line, and not longer than a name is."""
    return quote((value if isinstance(value, str) else "None")[:MAX_ECHO])[1:-1]
