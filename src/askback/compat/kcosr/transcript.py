"""The transcript of a session, as kcosr/assistant's page reads it: projected from the events of a thread."""

import json
import time
from collections.abc import Iterator, Mapping

from askback.compat.kcosr import outcomes
from askback.compat.kcosr.schema import errors_by_field, is_expressible, questionnaire
from askback.domain.faults import join
from askback.domain.lifecycle import Status
from askback.domain.model import without_none
from askback.domain.request import InputRequest
from askback.domain.timestamps import rfc3339
from askback.messages import translate
from askback.ports.systems import Api, Json

_KINDS = {
    "message": "user_message",
    "request": "interaction_request",
    "response": "interaction_response",
    "submission": "interaction_response",
}
"""The kind of an event by the end of its type; of the others it is `interaction_update`."""
_POSED_MEMBERS = "questionnaireRequestId toolCallId status"
_PAYLOADS = {
    "interaction_pending": "toolCallId toolName pending presentation",
    "interaction_request": "toolCallId toolName interactionId interactionType presentation prompt approvalScopes "
    "inputSchema completedView timeoutMs errorSummary fieldErrors",
    "interaction_response": "toolCallId interactionId action approvalScope input reason",
    "questionnaire_request": f"{_POSED_MEMBERS} toolName mode prompt schema completedView autoResume createdAt "
    "sourceInteractionId",
    "questionnaire_reprompt": f"{_POSED_MEMBERS} updatedAt errorSummary fieldErrors initialValues",
    "questionnaire_submission": f"{_POSED_MEMBERS} submittedAt interactionId answers",
    "questionnaire_update": f"{_POSED_MEMBERS} updatedAt reason",
}
"""The members of the payload of each event about a request; a member without a value is left out."""
_STATUSES = {Status.PENDING: "pending", Status.RESOLVING: "pending", Status.ANSWERED: "submitted"}
_ASKING_EVENTS = {"request.created", "request.reprompted", "request.updated", "request.detached"}
_ENDED = {f"request.{status}" for status in ("answered", "declined", "cancelled", "expired")}


class Transcript:
    """Projects the events of one thread, in order from the first; `sequence` is the number of the next one.

    `seq` is the number of the last event of the thread.
    """

    def __init__(self, session: str, locale: str) -> None:
        self.seq = 0
        self.sequence = 0
        self.revision = 0
        self._session = session
        self._locale = locale
        self._open: dict[str, Json] = {}
        self._responded: set[str] = set()

    def project(self, event: Json) -> list[Json]:
        """Return the transcript entries of an event."""
        self.seq = event["seq"]
        if event["type"] == "thread.erased":
            self.sequence, self.revision = 0, event["seq"]
            self._open.clear()
        events = [self._event(event, i, *part) for i, part in enumerate(self._parts(event))]
        self.sequence += len(events)
        return events

    def ask_again(self, shown: Json, values: Json, errors: Mapping[str, str], number: int) -> Json:
        """Return the event that asks one person again after their `number`th refused answer, which is not stored."""
        changes = {
            "submitted": {"values": values},
            "field_errors": [{"path": join("values", id_), "message": text} for id_, text in errors.items()],
            "error_summary": translate("fault.reprompted", self._locale),
        }
        now = {"at": rfc3339(int(time.time() * 1000)), "seq": f"{self.seq}.refused{number}"}
        [(kind, payload)] = self._parts({**now, "type": "request.reprompted", "request": shown | changes})
        if "interactionId" in payload:
            payload["interactionId"] += f".{number}"
        return self._event(now, 0, kind, payload)

    def _event(self, event: Json, part: int, type_: str, payload: Json) -> Json:
        id_ = f"{event['seq']}.{part}"
        interaction = payload.get("interactionId") or payload.get("sourceInteractionId")
        about = {"sessionId": self._session, "revision": self.revision, "sequence": self.sequence + part}
        about |= {"requestId": f"request:{id_}", "eventId": id_, "timestamp": event["at"]}
        about |= without_none(toolCallId=payload.get("toolCallId"), interactionId=interaction)
        kind = _KINDS.get(type_.partition("_")[2], "interaction_update")
        return {**about, "kind": kind, "chatEventType": type_, "payload": payload}

    def _parts(self, event: Json) -> Iterator[tuple[str, Json]]:
        if event["type"] == "message.added" and event["message"]["role"] == "user":
            texts = [part["text"] for part in event["message"]["content"] if part["type"] == "text"]
            yield "user_message", {"text": "\n".join(texts)}
        shown = event.get("request")
        if shown is None or shown["kind"] not in ("form", "approval"):
            return
        request = InputRequest.model_validate(shown)
        if request.form is not None and not is_expressible(request.form):
            return
        for type_ in self._types(event["type"], request, shown.get("form", {})):
            members = self._members(event, request, shown)
            yield type_, without_none(**{name: members.get(name) for name in _PAYLOADS[type_].split()})

    def _types(self, event: str, request: InputRequest, form: Json) -> list[str]:
        """Return the types of the events that an event about a request is here."""
        earlier_form, waits = self._open.get(request.id), not outcomes.is_async(request)
        if event in _ASKING_EVENTS:
            self._open[request.id] = form
            self._responded.discard(request.id)
            if waits:
                pending = [] if earlier_form is not None else ["interaction_pending"]
                return [*pending, "interaction_request"]
            if event == "request.detached":
                return ["questionnaire_request", "interaction_pending"]
            message_types = [] if earlier_form == form else ["questionnaire_request"]
            return [*message_types, "questionnaire_reprompt"] if request.error_summary else message_types
        if event in _ENDED and earlier_form is not None:
            del self._open[request.id]
            if not waits:
                is_answered = request.status is Status.ANSWERED
                return ["questionnaire_submission" if is_answered else "questionnaire_update"]
            response = [] if request.id in self._responded else ["interaction_response"]
            return [*response, "interaction_pending"]
        if event == "request.resolving" and earlier_form is not None and waits and not _is_late(request):
            self._responded.add(request.id)
            return ["interaction_response"]
        return []

    def _members(self, event: Json, request: InputRequest, shown: Json) -> Json:
        """Return everything that a payload can have."""
        reply, waits = outcomes.response(request), not outcomes.is_async(request)
        typed = request.submitted.values if request.submitted else None
        timeout_ms = int((request.timeout_s or 0) * 1000)
        errors = errors_by_field(request.form, shown.get("field_errors", ())) if request.form else None
        members = {"questionnaireRequestId": request.id, **outcomes.ids(request)}
        members |= {"toolName": outcomes.tool_name(request)}
        members |= {"sourceInteractionId": members["interactionId"] if request.detached else None}
        members |= {**reply, "answers": reply.get("input"), "pending": waits and not request.settled}
        members |= {"status": _STATUSES.get(request.status, "cancelled"), "mode": "async"}
        members |= {"interactionType": "input" if request.approval is None else "approval"}
        members |= {"presentation": outcomes.PRESENTATIONS[request.presentation]}
        members |= {"autoResume": None if request.auto_resume else False, "initialValues": typed or {}}
        members |= {"timeoutMs": timeout_ms if timeout_ms not in (0, outcomes.SYNC_MS) else None}
        members |= {"errorSummary": request.error_summary, "fieldErrors": errors or (None if waits else {})}
        members |= {"createdAt": shown["created_at"], "updatedAt": event["at"], "submittedAt": event["at"]}
        if request.approval is None:
            own_data = request.metadata.get("kcosr") if isinstance(request.metadata, dict) else None
            prompt = own_data.get("prompt") if isinstance(own_data, dict) else None
            questions = questionnaire(shown["form"], prompt if isinstance(prompt, int) else 0, self._locale)
            initial = {} if typed is None else {"initialValues": typed}
            return members | questions | {"inputSchema": questions["schema"] | initial}
        scopes = [outcomes.SCOPES[scope] for scope in request.approval.scopes if scope in outcomes.SCOPES]
        return members | {"prompt": _call_text(request), "approvalScopes": scopes}


async def replay(api: Api, session: str) -> tuple[Transcript, list[Json]]:
    """Return the transcript of a session so far, and its events."""
    transcript, events = Transcript(session, api.locale), list[Json]()
    for event in await api.history(session):
        if event["type"] == "thread.erased":
            events.clear()
        events += transcript.project(event)
    return transcript, events


def _is_late(request: InputRequest) -> bool:
    """Return whether a hook decides about the deadline, which is no response of a person."""
    return request.held is not None and request.held.event == "timeout"


def _call_text(request: InputRequest) -> str:
    """Return the text that a person approves: the prompt alone, or the agent's words before the whole input."""
    assert request.approval is not None
    call_input = request.approval.input
    agent_text = request.approval.reason or request.approval.title
    text = call_input if isinstance(call_input, str) else json.dumps(call_input, ensure_ascii=False, indent=2)
    return f"{agent_text}\n\n{text}" if isinstance(agent_text, str) else text
