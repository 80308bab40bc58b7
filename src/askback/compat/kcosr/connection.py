"""The WebSocket of a person's page."""

from __future__ import annotations

import asyncio
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from askback.compat.kcosr.operations import issues
from askback.compat.kcosr.outcomes import NATIVE_SCOPES, NEW_MESSAGE
from askback.compat.kcosr.schema import OpenPart, Part, arguments, errors_by_field
from askback.compat.kcosr.transcript import Transcript, replay
from askback.compat.open_requests import open_requests
from askback.compat.system import Channel, Json, Problem, Watch
from askback.domain.faults import Fault, Faults, fault
from askback.domain.fields import Form
from askback.domain.lifecycle import Status
from askback.errors import Conflict, NotFound, Refused

PROTOCOL = 2
_INTERACTION = re.compile(r"(.+?)\.([0-9]{1,9})(?:\..+)?")
_NOT_FOUND = "There is no such request."
_IGNORED = frozenset(
    "set_modes control cancel_queued_message panel_event set_session_model set_session_thinking".split()
)
_MEMBERS = {
    "approval": {"approve": "approvalScope", "deny": "", "cancel": ""},
    "form": {"submit": "input", "cancel": ""},
}
"""What a person may do with each kind, and the member that the message then may have."""


class ClientError(Exception):
    """A message that is refused in the source's own words."""

    def __init__(self, code: str, message: str, **details: object) -> None:
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


@dataclass
class Session:
    """A session that a page sees: the task that sends its events, and the watch that they come from."""

    transcript: Transcript
    mask: Mask
    watch: Watch | None = None
    sending: asyncio.Task[Any] | None = None


class Connection:
    """One page: what it subscribes to, and what it sends."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._api = channel.api
        self._sessions: dict[str, Session] = {}
        self._interaction: InteractionState | None = None
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
            return ClientError(problem.code, problem.message).frame
        submitted = frame is not None and frame.get("type") == "questionnaire_submit"
        found = issues(problem, values="answers" if submitted else "input")
        error = ClientError("invalid_client_message", "Client message validation failed", issues=found)
        if frame is None and found[0]["code"] != "wrong_type":
            error = ClientError("invalid_json", "Client message was not valid JSON", issues=found)
        return error.frame

    async def _hello(
        self,
        *,
        protocol_version: int,
        subscriptions: list[Subscription] | None = None,
        interaction: InteractionState | None = None,
        **_more: object,
    ) -> None:
        if self._interaction is not None:
            raise ClientError("duplicate_hello", "hello has already been received")
        self._interaction = interaction or InteractionState()
        if protocol_version != PROTOCOL:
            text = f"Unsupported protocol version: {protocol_version}"
            await self._channel.send(ClientError("unsupported_protocol_version", text).frame)
            await self._channel.close()
            return
        for wanted in subscriptions or ():
            if wanted.session_id.strip():
                await self._subscribe(session_id=wanted.session_id, mask=wanted.mask)

    async def _subscribe(self, *, session_id: str, mask: Mask | None = None, **_more: object) -> None:
        id_ = _id(session_id, "Subscription session")
        session = self._sessions.get(id_)
        if session is None:
            transcript, _ = await replay(self._api, id_)
            session, opened = Session(transcript, mask or Mask()), asyncio.Event()
            session.sending = self._channel.start(self._follow(id_, session, opened))
            await opened.wait()
            if session.watch is None:
                return
            self._sessions[id_] = session
        session.mask = mask or Mask()
        told = {} if mask is None else {"mask": mask.model_dump(by_alias=True, exclude_unset=True)}
        await self._channel.send({"type": "subscribed", "sessionId": id_, **told})

    async def _unsubscribe(self, *, session_id: str, **_more: object) -> None:
        id_ = _id(session_id, "Unsubscription session")
        if (session := self._sessions.pop(id_, None)) and session.sending:
            session.sending.cancel()
        await self._channel.send({"type": "unsubscribed", "sessionId": id_})

    async def _set_mode(self, *, enabled: bool, **_more: object) -> None:
        state = self._interaction or InteractionState()
        self._interaction = state.model_copy(update={"enabled": enabled})
        for session in self._sessions.values():
            if session.watch:
                await session.watch.set_readonly(readonly=self._is_readonly)

    async def _ping(self, *, nonce: str | None = None, **_more: object) -> None:
        told = {} if nonce is None else {"nonce": nonce}
        await self._channel.send({"type": "pong", **told, "timestampMs": int(time.time() * 1000)})

    async def _follow(self, id_: str, session: Session, opened: asyncio.Event) -> None:
        """Send what happens in a session from now on; others see this page once it is `opened`."""
        after = session.transcript.seq
        try:
            async with self._api.watch(id_, after=after, readonly=self._is_readonly) as session.watch:
                opened.set()
                async for event in session.watch:
                    for each in session.transcript.project(event):
                        if session.mask.lets_pass(each):
                            await self._channel.send({"type": "transcript_event", "event": each})
        finally:
            opened.set()

    @property
    def _is_readonly(self) -> bool:
        return self._interaction is None or not (self._interaction.supported and self._interaction.enabled)

    async def _say(self, *, session_id: str, text: str, client_message_id: str = "", **_more: object) -> None:
        """Post a message; what waits for this person is over with it."""
        session = self._subscribed(session_id, "write")
        for shown in await open_requests(self._api, thread_id=session):
            with suppress(Refused):
                await self._settle(shown, "cancel", reason=NEW_MESSAGE)
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
        reason: str = "",
    ) -> None:
        session = self._subscribed(session_id, "respond to an interaction")
        found = _INTERACTION.fullmatch(interaction_id)
        try:
            shown = await self._find(session, found[1] if found else "-", *_MEMBERS)
            asked = shown.get("tool_call_id") or shown["id"], str(shown["revision"])
            if found is None or asked != (call_id, found[2]):
                raise NotFound(_NOT_FOUND)
            members = _MEMBERS[shown["kind"]]
            if action not in members:
                raise Faults([fault("action", "unknown_value", allowed=", ".join(members))])
            sent = {"input": input_, "approvalScope": approval_scope}
            if extra := [name for name in sent if sent[name] and name != members[action]]:
                raise Faults([fault(name, "contradiction.action") for name in extra])
            if action == "submit" and input_ is None:
                raise Faults([Fault("input", "missing_input", "missing_required")])
            await self._settle(shown, action, scope=approval_scope, values=input_, reason=reason)
        except (NotFound, Conflict) as error:
            text = "Interaction response did not match a pending request"
            raise ClientError("interaction_not_found", text) from error

    async def _submit(self, *, session_id: str, questionnaire_request_id: str, answers: Json) -> None:
        await self._end(session_id, questionnaire_request_id, "submit", values=answers)

    async def _cancel(self, *, session_id: str, questionnaire_request_id: str, reason: str = "") -> None:
        await self._end(session_id, questionnaire_request_id, "cancel", reason=reason)

    async def _end(self, session_id: str, questionnaire_request_id: str, action: str, **said: Any) -> None:
        """Submit or cancel a questionnaire."""
        session, id_ = _id(session_id, "Session"), _id(questionnaire_request_id, "Questionnaire request")
        self._subscribed(session, f"{action} a questionnaire")
        about = {"sessionId": session, "questionnaireRequestId": id_}
        try:
            await self._settle(await self._find(session, id_, "form"), action, **said)
        except NotFound as error:
            text = "Questionnaire request was not found"
            raise ClientError("questionnaire_not_found", text, **about) from error
        except Conflict as error:
            now = error.request or {}
            about["status"] = "submitted" if now.get("status") in ("answered", "resolving") else "cancelled"
            text = "Questionnaire is no longer pending"
            raise ClientError("questionnaire_not_pending", text, **about) from error

    async def _find(self, session: str, id_: str, *kinds: str) -> Json:
        """Return a pending request of a session; raises `NotFound`, and `Conflict` for one that is not pending."""
        shown = await self._api.call("get_request", request_id=id_)
        if shown["thread_id"] != session or shown["kind"] not in kinds:
            raise NotFound(_NOT_FOUND)
        if shown["status"] != Status.PENDING:
            raise Conflict("The request is not pending.", request=shown)
        return shown

    async def _settle(
        self,
        shown: Json,
        action: str,
        *,
        scope: str | None = None,
        values: Json | None = None,
        reason: str = "",
    ) -> None:
        """Do what a person did; if only fields are wrong, this page is asked again, as after each wrong answer."""
        body: Json = {"revision": shown["revision"], "decision": action, "note": reason or None}
        if action == "submit":
            await self._answer(shown, values or {})
        elif action == "cancel":
            body = {"reason": "dismissed", "note": reason or None, "remember": False}
            await self._api.call("decline_request", body, request_id=shown["id"])
        else:
            approved = {"scope": NATIVE_SCOPES[scope]} if scope else {}
            body |= {"remember": False} if action == "deny" else approved
            await self._api.call("answer_request", body, request_id=shown["id"])

    async def _answer(self, shown: Json, values: Json) -> None:
        form = Form.model_validate(shown["form"])
        try:
            sent = values or dict.fromkeys(field.id for field in form.all_fields)
            body = {"revision": shown["revision"], "values": sent}
            await self._api.call("answer_request", body, request_id=shown["id"])
        except Faults as error:
            errors = errors_by_field(form, self._api.explain(error).field_errors)
            if errors is None:
                raise
            self._refused += 1
            transcript = self._sessions[shown["thread_id"]].transcript
            again = transcript.ask_again(shown, values, errors, self._refused)
            await self._channel.send({"type": "transcript_event", "event": again})

    def _subscribed(self, session: str, verb: str) -> str:
        session = _id(session, "Session")
        if session not in self._sessions:
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
