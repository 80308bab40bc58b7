"""The WebSocket of a person's page."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any, ClassVar, Literal

from askback.compat.kcosr.operations import issues
from askback.compat.kcosr.outcomes import NATIVE_SCOPES, NEW_MESSAGE, tool_call_id
from askback.compat.kcosr.schema import OpenPart, Part, arguments, field_ids
from askback.compat.kcosr.transcript import Transcript, replay
from askback.compat.system import Channel, Problem
from askback.domain.faults import Fault, Faults, fault, join
from askback.domain.lifecycle import Status
from askback.domain.request import InputRequest
from askback.errors import Conflict, NotFound, Refused

Json = dict[str, Any]

PROTOCOL = 2
_INTERACTION = re.compile(r"(.+?)\.([0-9]{1,9})(?:\..+)?")
_VALUE = re.compile(r'values(?:\.[\w-]+|\["(?:\\.|[^"\\])*"\])')
_IGNORED = frozenset(
    "set_modes control cancel_queued_message panel_event set_session_model set_session_thinking".split()
)
_ACTIONS = {"approval": "approve, deny, cancel", "form": "submit, cancel"}
_MEMBERS = {"approve": "approvalScope", "submit": "input"}


class ClientError(Exception):
    """A message that is refused in the source's own words."""

    def __init__(self, code: str, message: str, **details: str) -> None:
        super().__init__(message)
        self.frame: Json = {"type": "error", "code": code, "message": message}
        if details:
            self.frame["details"] = details


class Mask(OpenPart):
    """Which events a subscription gets."""

    chat_event_types: list[str] | None = None
    tool_names: list[str] | None = None

    def lets_pass(self, event: Json) -> bool:
        """Whether an event is wanted."""
        tool = event["payload"].get("toolName")
        kinds = self.chat_event_types is None or event["chatEventType"] in self.chat_event_types
        return kinds and (self.tool_names is None or tool is None or tool in self.tool_names)


class Subscription(OpenPart):
    """A session that a page wants to see."""

    session_id: str
    mask: Mask | None = None


class InteractionState(Part):
    """Whether the page can answer, and does."""

    supported: bool = False
    enabled: bool = False


class Connection:
    """One page: what it subscribes to, and what it sends."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._api = channel.api
        self._masks: dict[str, Mask] = {}
        self._reading: dict[str, asyncio.Task[None]] = {}
        self._transcripts: dict[str, Transcript] = {}
        self._state: InteractionState | None = None
        self._refused = 0

    async def opened(self) -> None:
        """Wait for `hello`."""

    async def take(self, frame: Json) -> None:
        """Handle a message."""
        members = dict(frame)
        type_ = members.pop("type", None)
        if not isinstance(type_, str):
            raise Faults([fault("type", "wrong_type.string" if "type" in frame else "missing_required")])
        if type_ not in self._HANDLERS and type_ not in _IGNORED:
            raise Faults([fault("type", "unknown_type", allowed=", ".join(self._HANDLERS))])
        try:
            if handler := self._HANDLERS.get(type_):
                await handler(self, **arguments(handler, members))
        except ClientError as error:
            await self._channel.send(error.frame)

    def failed(self, frame: Json | None, problem: Problem) -> Json:
        """Return the error for a message that was refused."""
        if problem.status != 422:
            return {"type": "error", "code": problem.code, "message": problem.message}
        submitted = frame is not None and frame.get("type") == "questionnaire_submit"
        details = {"issues": issues(problem, values="answers" if submitted else "input")}
        code, message = "invalid_client_message", "Client message validation failed"
        if frame is None and details["issues"][0]["code"] != "wrong_type":
            code, message = "invalid_json", "Client message was not valid JSON"
        return {"type": "error", "code": code, "message": message, "details": details}

    async def _hello(
        self,
        *,
        protocol_version: int,
        subscriptions: list[Subscription] | None = None,
        interaction: InteractionState | None = None,
        **_more: object,
    ) -> None:
        if self._state is not None:
            raise ClientError("duplicate_hello", "hello has already been received")
        self._state = interaction or InteractionState()
        if protocol_version != PROTOCOL:
            text = f"Unsupported protocol version: {protocol_version}"
            await self._channel.send(ClientError("unsupported_protocol_version", text).frame)
            await self._channel.close()
            return
        for wanted in subscriptions or ():
            if wanted.session_id.strip():
                await self._subscribe(session_id=wanted.session_id, mask=wanted.mask)

    async def _subscribe(self, *, session_id: str, mask: Mask | None = None, **_more: object) -> None:
        session = _id(session_id, "Subscription session")
        self._masks[session] = mask or Mask()
        if session not in self._reading:
            await self._read(session)
        told = {} if mask is None else {"mask": mask.model_dump(by_alias=True, exclude_unset=True)}
        await self._channel.send({"type": "subscribed", "sessionId": session, **told})

    async def _unsubscribe(self, *, session_id: str, **_more: object) -> None:
        session = _id(session_id, "Unsubscription session")
        if reading := self._reading.pop(session, None):
            reading.cancel()
        await self._channel.send({"type": "unsubscribed", "sessionId": session})

    async def _set_mode(self, *, enabled: bool, **_more: object) -> None:
        """Count as somebody who can answer, or not any more."""
        supported = self._state is not None and self._state.supported
        self._state = InteractionState(supported=supported, enabled=enabled)
        for session, reading in tuple(self._reading.items()):
            await self._read(session)
            reading.cancel()

    async def _ping(self, *, nonce: str | None = None, **_more: object) -> None:
        told = {} if nonce is None else {"nonce": nonce}
        await self._channel.send({"type": "pong", **told, "timestampMs": int(time.time() * 1000)})

    async def _read(self, session: str) -> None:
        """Begin to send what happens in a session from now on; others see this page once it returns."""
        self._transcripts[session], _ = await replay(self._api, session)
        begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._channel.start(self._follow(session, begun))
        await begun

    async def _follow(self, session: str, begun: asyncio.Future[None]) -> None:
        transcript = self._transcripts[session]
        disabled = self._state is None or not (self._state.supported and self._state.enabled)
        task = asyncio.current_task()
        assert task is not None
        try:
            async with self._api.watch(session, after=transcript.seq, readonly=disabled) as events:
                self._reading[session] = task
                begun.set_result(None)
                async for event in events:
                    for each in transcript.project(event):
                        if self._masks[session].lets_pass(each):
                            await self._channel.send({"type": "transcript_event", "event": each})
        except Refused as error:
            if begun.done():
                raise
            begun.set_exception(error)

    async def _say(
        self, *, session_id: str, text: str, client_message_id: str | None = None, **_more: object
    ) -> None:
        """Post a message; what waits for this person is over with it."""
        session = self._session(session_id, "write")
        open_ = await self._api.call("list_requests", thread_id=session, status=[Status.PENDING])
        for request in reversed(open_["requests"]):
            with suppress(Refused):
                await self._decline(request["id"], NEW_MESSAGE)
        key = f"kcosr:{client_message_id}" if client_message_id else None
        content = {"content": [{"type": "text", "text": text}]}
        await self._api.call("post_message", content, thread_id=session, key=key)

    async def _respond(
        self,
        *,
        session_id: str,
        call_id: str,
        interaction_id: str,
        action: Literal["approve", "deny", "submit", "cancel"],
        approval_scope: Literal["once", "session", "always"] | None = None,
        input_: Json | None = None,
        reason: str | None = None,
    ) -> None:
        session = self._session(session_id, "respond to an interaction")
        found = _INTERACTION.fullmatch(interaction_id)
        try:
            shown = await self._api.call("get_request", request_id=found[1] if found else "-")
            request = InputRequest.model_validate(shown)
            if found is None or (request.thread_id, tool_call_id(request)) != (session, call_id):
                raise NotFound("")
            if action not in (allowed := _ACTIONS[request.kind]):
                raise Faults([fault("action", "unknown_value", allowed=allowed)])
            sent = {"input": input_, "approvalScope": approval_scope}
            extra = [name for name, value in sent.items() if value and name != _MEMBERS.get(action)]
            if extra:
                raise Faults([fault(name, "contradiction.action") for name in extra])
            revision = int(found[2])
            if action == "cancel":
                await self._decline(request.id, reason)
            elif action == "submit" and input_ is None:
                raise Faults([Fault("input", "missing_input", "missing_required")])
            elif action == "submit":
                await self._answer(request, shown["form"], revision, input_ or {})
            else:
                decision = {"revision": revision, "decision": action, "note": reason or None}
                if action == "deny":
                    decision["remember"] = False
                elif approval_scope is not None:
                    decision["scope"] = NATIVE_SCOPES[approval_scope]
                await self._api.call("answer_request", decision, request_id=request.id)
        except (NotFound, Conflict) as error:
            text = "Interaction response did not match a pending request"
            raise ClientError("interaction_not_found", text) from error

    async def _submit(self, *, session_id: str, questionnaire_request_id: str, answers: Json) -> None:
        request, form = await self._pending(session_id, questionnaire_request_id, "submit")
        with _no_longer_pending(request):
            await self._answer(request, form, request.revision, answers)

    async def _cancel(
        self, *, session_id: str, questionnaire_request_id: str, reason: str | None = None
    ) -> None:
        request, _ = await self._pending(session_id, questionnaire_request_id, "cancel")
        with _no_longer_pending(request):
            await self._decline(request.id, reason)

    async def _answer(self, request: InputRequest, form: Json, revision: int, values: Json) -> None:
        """Answer; if only fields are wrong, this page is asked again, as after each wrong answer."""
        sent = values or dict.fromkeys(field_ids(form, required=True))
        try:
            body = {"revision": revision, "values": sent}
            await self._api.call("answer_request", body, request_id=request.id)
        except Faults as error:
            ids = {join("values", id_): id_ for id_ in field_ids(form)}
            errors: dict[str, str] = {}
            for each in self._api.explain(error).field_errors:
                path = _VALUE.match(each["path"])
                if path is None or path[0] not in ids:
                    raise
                errors.setdefault(ids[path[0]], each["message"])
            self._refused += 1
            transcript = self._transcripts[request.thread_id]
            again = transcript.refused(request, form, values, errors, self._refused)
            await self._channel.send({"type": "transcript_event", "event": again})

    async def _decline(self, request_id: str, reason: str | None) -> None:
        ended = {"reason": "dismissed", "note": reason or None, "remember": False}
        await self._api.call("decline_request", ended, request_id=request_id)

    async def _pending(self, session: str, id_: str, verb: str) -> tuple[InputRequest, Json]:
        session = _id(session, "Session")
        id_ = _id(id_, "Questionnaire request")
        session = self._session(session, f"{verb} a questionnaire")
        try:
            shown = await self._api.call("get_request", request_id=id_)
        except NotFound:
            shown: Json = {}
        if shown.get("thread_id") != session or shown["kind"] != "form":
            text = "Questionnaire request was not found"
            raise ClientError("questionnaire_not_found", text, sessionId=session, questionnaireRequestId=id_)
        request = InputRequest.model_validate(shown)
        if request.status is not Status.PENDING:
            raise _not_pending(request)
        return request, shown["form"]

    def _session(self, session: str, verb: str) -> str:
        session = _id(session, "Session")
        if session not in self._reading:
            text = f"Cannot {verb} for a session that this connection is not subscribed to"
            raise ClientError("invalid_session_id", text, sessionId=session)
        return session

    _HANDLERS: ClassVar[dict[str, Any]] = {
        "hello": _hello,
        "subscribe": _subscribe,
        "unsubscribe": _unsubscribe,
        "set_interaction_mode": _set_mode,
        "ping": _ping,
        "text_input": _say,
        "tool_interaction_response": _respond,
        "questionnaire_submit": _submit,
        "questionnaire_cancel": _cancel,
    }


def _id(sent: str, name: str) -> str:
    """Return an id without space around it; an empty one is refused."""
    if not (id_ := sent.strip()):
        code = "session" if name.lower().endswith("session") else "questionnaire_request"
        raise ClientError(f"invalid_{code}_id", f"{name} id must not be empty")
    return id_


def _not_pending(request: InputRequest) -> ClientError:
    submitted = request.status in (Status.ANSWERED, Status.RESOLVING)
    return ClientError(
        "questionnaire_not_pending",
        "Questionnaire is no longer pending",
        sessionId=request.thread_id,
        questionnaireRequestId=request.id,
        status="submitted" if submitted else "cancelled",
    )


@contextmanager
def _no_longer_pending(request: InputRequest) -> Generator[None]:
    try:
        yield
    except Conflict as error:
        now = InputRequest.model_validate(error.request) if error.request else request
        raise _not_pending(now) from error
