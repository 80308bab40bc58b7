"""The questionnaires of kcosr/assistant (S004): what its tool returns, and the text that begins the turn after."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, unescape

from askback.domain.lifecycle import Status
from askback.domain.request import Answer, InputRequest

ELEMENT = "questionnaire-response"
TIMED_OUT = "Interaction timed out"
STILL_OPEN = "Questionnaire remains open for a later response."

_QUOTE = {'"': "&quot;"}
_WRITTEN = re.compile(rf'<{ELEMENT}((?: [a-z-]+="[^"<]*")*)/>')
_ATTRIBUTE = re.compile(r' ([a-z-]+)="([^"<]*)"')
_NOT_ON_A_LINE = re.compile("[^ -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What ends a line for somebody, and what XML has no way to spell."""


class FollowUp(NamedTuple):
    """What stands in the text of a turn: which form, how it ended, its answers by field id, or why there are none."""

    request_id: str
    tool_call_id: str | None
    status: str
    answers: dict[str, Any] | None
    reason: str | None


def result(request: InputRequest) -> dict[str, Any]:
    """Return what the tool returns for a form, in each of its states."""
    if request.status is Status.ANSWERED:
        return {"ok": True, "answers": (request.answer or Answer()).values}
    if request.status is Status.EXPIRED:
        return {"ok": False, "error": TIMED_OUT}
    if request.settled:
        return {"ok": False, "cancelled": True, "reason": _why(request)}
    call = {} if request.tool_call_id is None else {"toolCallId": request.tool_call_id}
    open_ = {"ok": True, "pending": True, "mode": "async", "questionnaireRequestId": request.id}
    return {**open_, **call, "message": STILL_OPEN}


def follow_up(request: InputRequest) -> str:
    """Return how a form ended, as one XML element on one line: whatever somebody typed stays within its attribute."""
    said = {"questionnaire-request-id": request.id, "status": str(request.status)}
    if request.tool_call_id is not None:
        said["tool-call-id"] = request.tool_call_id
    if request.status is Status.ANSWERED:
        said["answers-json"] = _json((request.answer or Answer()).values)
    else:
        said["reason-json"] = _json(_why(request))
    attributes = [f'{name}="{escape(value, _QUOTE)}"' for name, value in said.items()]
    return f"<{ELEMENT} {' '.join(attributes)}/>"


def read_follow_up(text: str) -> FollowUp:
    """Read what `follow_up` wrote; raises ValueError for anything else."""
    found = _WRITTEN.fullmatch(text)
    if found is None:
        raise ValueError(f"That is no <{ELEMENT}/> of ours.")
    said = {name: unescape(value, {"&quot;": '"'}) for name, value in _ATTRIBUTE.findall(found[1])}
    answers, reason = (json.loads(said.get(f"{name}-json", "null")) for name in ("answers", "reason"))
    return FollowUp(
        said["questionnaire-request-id"], said.get("tool-call-id"), said["status"], answers, reason
    )


def _why(request: InputRequest) -> str | None:
    """Return why a form has no answer: in the words of whoever ended it, or else as one of ours."""
    return request.note or request.reason


def _json(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return _NOT_ON_A_LINE.sub(lambda found: json.dumps(found[0])[1:-1], text)
