"""The outcome of a request in the words of kcosr/assistant: tool results, responses, and the text of the next turn."""

from xml.sax.saxutils import escape

from askback.compat.package_data import read_data
from askback.domain.lifecycle import Status
from askback.domain.questiontext import quote
from askback.domain.request import Answer, InputRequest
from askback.domain.timestamps import rfc3339
from askback.ports.systems import Json

TOOL = "questions_ask"
TIMED_OUT = "Interaction timed out"
NEW_MESSAGE = "User sent new message"
SCOPES = {"once": "once", "thread": "session", "always": "always"}
"""The scopes of an approval, and their names in this system."""
NATIVE_SCOPES = {ours: native for native, ours in SCOPES.items()}
PRESENTATIONS = {"inline": "tool", "standalone": "questionnaire", "composer": "composer"}
NATIVE_PRESENTATIONS = {ours: native for native, ours in PRESENTATIONS.items()}
SYNC_MS = 300_000
"""How long a tool waits for a person when it does not say."""


class ToolError(Exception):
    """A tool call that ended without a result: its code, and the sentence for the model."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def seconds(milliseconds: float) -> float:
    """Return how long to wait in seconds, which is at least one."""
    return max(1, milliseconds / 1000)


def ids(request: InputRequest) -> Json:
    """Return the ids of a request: each time that a person is asked is an interaction; a call may be without a name."""
    call = request.tool_call_id or request.id
    return {"toolCallId": call, "interactionId": f"{request.id}.{request.revision}"}


def tool_name(request: InputRequest) -> str:
    """Return the name of the tool that asks."""
    if request.approval is not None:
        return request.approval.tool
    return (request.agent.tool if request.agent else None) or TOOL


def is_async(request: InputRequest) -> bool:
    """Return whether nobody waits for the answer: it starts a new turn."""
    return request.delivery == "resume" or request.detached


def result(request: InputRequest) -> Json:
    """Return the result of the tool for a form, for each of its statuses; raises `ToolError` if nobody saw it."""
    if request.reason == "not_shown":
        raise_without_response(request)
    if request.status is Status.ANSWERED:
        return {"ok": True, "answers": (request.answer or Answer()).values}
    if request.status is Status.EXPIRED:
        return {"ok": False, "error": TIMED_OUT}
    if request.settled:
        return {"ok": False, "cancelled": True, **reason_of(request)}
    return pending(request)


def pending(request: InputRequest) -> Json:
    """Return the result of the tool for a questionnaire that is answered in another turn."""
    converted = request.detached and request.delivery != "resume"
    message = f"Questionnaire {'timed out and ' if converted else ''}remains open for a later response."
    reply: Json = {"ok": True, "pending": True, "mode": "async", "questionnaireRequestId": request.id}
    reply |= {"toolCallId": ids(request)["toolCallId"], "message": message}
    reply |= {"convertedFromSync": True} if converted else {}
    return reply if request.auto_resume else {**reply, "autoResume": False}


def response(request: InputRequest) -> Json:
    """Return the person's action, once it was sent or the request has ended."""
    is_sent = request.status is Status.RESOLVING and request.held is None
    answer = request.answer or (request.submitted if is_sent else None)
    if answer is None:
        return {"action": "cancel", **reason_of(request)}
    if request.approval is None:
        return {"action": "submit", "input": answer.values}
    reply: Json = {"action": answer.decision} | ({"reason": answer.note} if answer.note else {})
    if answer.decision == "approve":
        reply["approvalScope"] = SCOPES.get(answer.scope or "once", "once")
    return reply


def user_response(request: InputRequest) -> Json:
    """Return the result of an interaction; raises `ToolError` if there is no response, or a denial."""
    raise_without_response(request)
    reply = response(request)
    if reply["action"] == "deny":
        why = f": {reply['reason']}" if "reason" in reply else ""
        raise ToolError("tool_denied", f'User denied execution of tool "{tool_name(request)}"{why}')
    return reply


def raise_without_response(request: InputRequest) -> None:
    """Raise `ToolError` for an end that is no response of a person."""
    if request.status is Status.EXPIRED or request.reason == "timeout":
        raise ToolError("interaction_timeout", TIMED_OUT)
    if request.reason == "not_shown":
        raise ToolError("interaction_unavailable", read_data(__file__)["unavailable"][request.kind])
    if request.status is Status.CANCELLED and request.reason != "user_message":
        raise ToolError("tool_aborted", "Tool execution aborted")


def reason_of(request: InputRequest) -> Json:
    """Return why there is no answer, if there is more to say than that the person cancelled or the time was over."""
    ended = {Status.CANCELLED: request.reason, Status.EXPIRED: TIMED_OUT}.get(request.status)
    reason = request.note or (request.held.note if request.held else None) or ended
    if reason in (None, "timeout"):
        return {}
    return {"reason": NEW_MESSAGE if reason == "user_message" else reason}


def follow_up(request: InputRequest) -> str:
    """Return the outcome of a form as one XML element on one line; typed text stays within its attribute."""
    native = ids(request)
    tag = {"questionnaire-request-id": request.id, "tool-call-id": native["toolCallId"]}
    if request.status is Status.ANSWERED:
        tag |= {"interaction-id": native["interactionId"], "tool": tool_name(request)}
        if request.form and isinstance(title := request.form.title, str):
            tag["schema-title"] = " ".join(title.split())
        ended_at = request.settled_at or request.created_at
        tag["submitted-at"] = rfc3339(int(ended_at.timestamp() * 1000))
        tag["answers-json"] = quote((request.answer or Answer()).values)
    else:
        tag |= {"status": str(request.status), "reason-json": quote(request.note or request.reason)}
    quotes = {'"': "&quot;", "'": "&apos;"}
    attributes = [f'{name}="{escape(value, quotes)}"' for name, value in tag.items()]
    return f"<questionnaire-response {' '.join(attributes)} />"
