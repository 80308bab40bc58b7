"""The transcript of a session, as kcosr/assistant's page reads it: projected from the events of a thread."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from typing import Any

from askback.compat.kcosr import outcomes
from askback.compat.kcosr.schema import is_expressible, questionnaire
from askback.compat.system import Api
from askback.domain.lifecycle import Status
from askback.domain.request import InputRequest
from askback.domain.timestamps import rfc3339
from askback.messages import translate

Json = dict[str, Any]
_Parts = Iterator[tuple[str, Json]]

_KINDS = {
    "interaction_request": "interaction_request",
    "questionnaire_request": "interaction_request",
    "interaction_pending": "interaction_update",
    "questionnaire_reprompt": "interaction_update",
    "questionnaire_update": "interaction_update",
    "interaction_response": "interaction_response",
    "questionnaire_submission": "interaction_response",
    "user_message": "user_message",
}
_ASKED = {"request.created", "request.reprompted", "request.updated", "request.detached"}
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
        """Return what an event is in the transcript."""
        self.seq = event["seq"]
        if event["type"] == "thread.erased":
            self.sequence, self.revision = 0, event["seq"]
            self._open.clear()
            return []
        found = [self._event(event, i, *each) for i, each in enumerate(self._parts(event))]
        self.sequence += len(found)
        return found

    def refused(
        self, request: InputRequest, form: Json, values: Json, errors: Mapping[str, str], number: int
    ) -> Json:
        """Return the event that asks one person again after their `number`th refused answer, which is not stored."""
        at = rfc3339(int(time.time() * 1000))
        event = {"at": at, "seq": f"{self.seq}.refused{number}"}
        told = {"errorSummary": self._summary(), "fieldErrors": dict(errors)}
        if outcomes.is_async(request):
            payload = {**_pending(request), "updatedAt": at, **told, "initialValues": values}
            return self._event(event, 0, "questionnaire_reprompt", payload)
        asked = self._interaction(request, {"form": form})
        asked["inputSchema"]["initialValues"] = values
        asked["interactionId"] += f".{number}"
        return self._event(event, 0, "interaction_request", asked | told)

    def _event(self, event: Json, part: int, kind: str, payload: Json) -> Json:
        id_ = f"{event['seq']}.{part}"
        return {
            "sessionId": self._session,
            "revision": self.revision,
            "sequence": self.sequence + part,
            "requestId": f"request:{id_}",
            "eventId": id_,
            "kind": _KINDS[kind],
            "chatEventType": kind,
            "timestamp": event["at"],
            **{name: payload[name] for name in ("toolCallId", "interactionId") if name in payload},
            "payload": payload,
        }

    def _parts(self, event: Json) -> _Parts:
        if event["type"] == "message.added" and event["message"]["role"] == "user":
            texts = [part["text"] for part in event["message"]["content"] if part["type"] == "text"]
            yield "user_message", {"text": "\n".join(texts)}
        shown = event.get("request")
        if shown is None or shown["kind"] not in ("form", "approval"):
            return
        if shown["kind"] == "form" and not is_expressible(shown["form"]):
            return
        request = InputRequest.model_validate(shown)
        if event["type"] in _ASKED:
            yield from (self._posed if outcomes.is_async(request) else self._asked)(event, request, shown)
            self._open[request.id] = shown.get("form", {})
            self._responded.discard(request.id)
        elif (
            event["type"] == "request.resolving"
            and request.id in self._open
            and not outcomes.is_async(request)
        ):
            if request.held is None or request.held.event != "timeout":
                self._responded.add(request.id)
                yield "interaction_response", {**_call(request), **outcomes.response(request)}
        elif event["type"] in _ENDED and self._open.pop(request.id, None) is not None:
            yield from self._ended(event, request)

    def _asked(self, _event: Json, request: InputRequest, shown: Json) -> _Parts:
        if request.id not in self._open:
            yield "interaction_pending", _waiting(request, pending=True)
        yield "interaction_request", self._interaction(request, shown)

    def _posed(self, event: Json, request: InputRequest, shown: Json) -> _Parts:
        detached = event["type"] == "request.detached"
        if detached or self._open.get(request.id) != shown["form"]:
            yield (
                "questionnaire_request",
                {
                    **_pending(request),
                    "toolName": outcomes.tool_name(request),
                    "mode": "async",
                    **questionnaire(shown["form"], _prompt_length(request), self._locale),
                    **({} if request.auto_resume else {"autoResume": False}),
                    "createdAt": shown["created_at"],
                    **({"sourceInteractionId": outcomes.interaction_id(request)} if detached else {}),
                },
            )
        if detached:
            yield "interaction_pending", _waiting(request, pending=False)
        elif request.field_errors or request.error_summary:
            told = {"errorSummary": request.error_summary or self._summary(), "fieldErrors": _errors(request)}
            values = request.submitted.values if request.submitted else {}
            again = {**_pending(request), "updatedAt": event["at"], **told, "initialValues": values}
            yield "questionnaire_reprompt", again

    def _ended(self, event: Json, request: InputRequest) -> _Parts:
        if not outcomes.is_async(request):
            if request.id not in self._responded:
                yield "interaction_response", {**_call(request), **outcomes.response(request)}
            self._responded.discard(request.id)
            yield "interaction_pending", _waiting(request, pending=False)
        elif request.status is Status.ANSWERED:
            said = {
                "interactionId": outcomes.interaction_id(request),
                "answers": outcomes.response(request)["input"],
            }
            sent = {"status": "submitted", "submittedAt": event["at"], **said}
            yield "questionnaire_submission", {**_pending(request), **sent}
        else:
            ended = {"status": "cancelled", "updatedAt": event["at"], **outcomes.reason_of(request)}
            yield "questionnaire_update", {**_pending(request), **ended}

    def _interaction(self, request: InputRequest, shown: Json) -> Json:
        payload: Json = {
            **_call(request),
            "toolName": outcomes.tool_name(request),
            "interactionType": "input" if request.approval is None else "approval",
            "presentation": outcomes.PRESENTATIONS[request.presentation],
        }
        if request.approval is not None:
            payload["prompt"] = _call_text(request)
            payload["approvalScopes"] = [
                outcomes.SCOPES[each] for each in request.approval.scopes if each in outcomes.SCOPES
            ]
        else:
            asked = questionnaire(shown["form"], _prompt_length(request), self._locale)
            payload |= {"inputSchema": asked.pop("schema"), **asked}
            if request.submitted is not None:
                payload["inputSchema"]["initialValues"] = request.submitted.values
        told = {
            "timeoutMs": int((request.timeout_s or 0) * 1000),
            "errorSummary": request.error_summary,
            "fieldErrors": _errors(request),
        }
        return payload | {name: value for name, value in told.items() if value and value != outcomes.SYNC_MS}

    def _summary(self) -> str:
        return translate("fault.reprompted", self._locale)


async def replay(api: Api, session: str) -> tuple[Transcript, list[Json]]:
    """Return the transcript of a session so far, and its events."""
    transcript, found = Transcript(session, api.locale), list[Json]()
    async with api.watch(session, readonly=True) as now:
        end = now.cursor
    if end:
        async with api.watch(session, after=0, readonly=True) as events:
            async for event in events:
                if event["type"] == "thread.erased":
                    found.clear()
                found += transcript.project(event)
                if event["seq"] >= end:
                    break
    return transcript, found


def _call(request: InputRequest) -> Json:
    return {"toolCallId": outcomes.tool_call_id(request), "interactionId": outcomes.interaction_id(request)}


def _pending(request: InputRequest) -> Json:
    call = {"questionnaireRequestId": request.id, "toolCallId": outcomes.tool_call_id(request)}
    return {**call, "status": "pending"}


def _waiting(request: InputRequest, *, pending: bool) -> Json:
    presentation = outcomes.PRESENTATIONS[request.presentation]
    call = {"toolCallId": outcomes.tool_call_id(request), "toolName": outcomes.tool_name(request)}
    return {**call, "pending": pending, "presentation": presentation}


def _errors(request: InputRequest) -> dict[str, str]:
    return {each.path.removeprefix("values."): each.message for each in request.field_errors}


def _prompt_length(request: InputRequest) -> int:
    kept = request.metadata.get("kcosr") if isinstance(request.metadata, dict) else None
    length = kept.get("prompt") if isinstance(kept, dict) else None
    return length if isinstance(length, int) else 0


def _call_text(request: InputRequest) -> str:
    """Return what a person approves: the prompt alone, or the agent's words before the whole input."""
    assert request.approval is not None
    asked = request.approval.input
    told = request.approval.reason or request.approval.title
    text = asked if isinstance(asked, str) else json.dumps(asked, ensure_ascii=False, indent=2)
    return f"{told}\n\n{text}" if isinstance(told, str) else text
