"""The WebSocket of a person's page."""

import asyncio
import time
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator
from pydantic_core import PydanticKnownError

from askback.compat.kcosr.operations import issues
from askback.compat.kcosr.outcomes import NATIVE_SCOPES, NEW_MESSAGE
from askback.compat.kcosr.schema import OF_TEXT, TEXTS, OpenPart, camel, errors_by_field
from askback.compat.kcosr.transcript import Transcript, replay
from askback.compat.keys import key_of
from askback.domain.faults import Fault, Faults, fault, require
from askback.domain.fields import Form
from askback.domain.lifecycle import Status
from askback.domain.model import without_none
from askback.domain.validation.arguments import arguments
from askback.errors import Conflict, NotFound, Refused
from askback.ports.systems import Channel, Json, Problem, Watch

PROTOCOLS = range(2, 6)
"""The versions of the protocol whose messages about sessions, interactions and questionnaires are these."""
_TYPES = (
    "hello subscribe unsubscribe set_interaction_mode ping text_input tool_interaction_response "
    "questionnaire_submit questionnaire_cancel"
).split()
"""The types of messages; the method for each has its name."""
_IGNORED = (
    "set_modes control cancel_queued_message panel_event set_session_model set_session_thinking".split()
)
_MEMBERS = {
    "approval": {"approve": "approvalScope", "deny": "", "cancel": ""},
    "form": {"submit": "input", "cancel": ""},
}
"""The actions for each kind of request, and the member that the message of each may have."""
_Name = Annotated[str, Field(min_length=1)]


class ClientError(Exception):
    """A message that is refused in the source's own words."""

    def __init__(self, code: str, message: str, **details: object) -> None:
        super().__init__(message)
        self.frame = without_none(type="error", code=code, message=message, details=details or None)


class Mask(OpenPart):
    """The events of a subscription. None of those that are sent here has the name of a tool or a phase to filter by."""

    server_message_types: list[str] = Field(default=["transcript_event"], min_length=1)
    chat_event_types: list[str] = Field(default=[], min_length=1)
    tool_names: list[_Name] = Field(default=[], min_length=1)
    message_phases: list[str] = Field(default=[], min_length=1)

    @field_validator("server_message_types", "chat_event_types", "message_phases")
    @classmethod
    def _check(cls, names: list[str], info: ValidationInfo) -> list[str]:
        if not set(names) <= set(allowed := TEXTS[info.field_name]):
            raise PydanticKnownError("literal_error", {"expected": str(allowed)[1:-1]})
        return names

    def allows(self, event: Json) -> bool:
        """Return whether an event passes the mask."""
        event_types = self.chat_event_types or (event["chatEventType"],)
        return "transcript_event" in self.server_message_types and event["chatEventType"] in event_types


class Subscription(OpenPart):
    """A subscription of a page to a session."""

    session_id: str
    mask: Mask = Mask()


def _with_session_id(subscription: object) -> object:
    """Return a subscription of the second version of the protocol, which is the id of a session, as a later one."""
    return {"sessionId": subscription} if isinstance(subscription, str) else subscription


class InteractionState(OpenPart):
    """Whether the page can answer, and does."""

    supported: bool
    enabled: bool

    @property
    def is_readonly(self) -> bool:
        """Whether nobody can answer on this page."""
        return not (self.supported and self.enabled)


class Session:
    """A session that a page sees: its transcript, the watch that the events come from, and the task that sends them."""

    mask = Mask()
    watch: Watch
    sending: asyncio.Task[Any]

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript
        self.opened = asyncio.Event()


class PageConnection:
    """The connection of one page: its subscriptions and its messages."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._api = channel.api
        self._sessions: dict[str, Session] = {}
        self._interaction = InteractionState(supported=False, enabled=False)
        self._is_greeted = False
        self._refused = 0

    async def on_open(self) -> None:
        """Wait for `hello`."""

    async def take(self, frame: Json) -> None:
        """Handle a message."""
        members = dict(frame)
        type_ = members.pop("type", None)
        require("type" in frame, "type", "missing_required")
        require(isinstance(type_, str), "type", "wrong_type.string")
        require(type_ in {*_TYPES, *_IGNORED}, "type", "unknown_type", allowed=", ".join(_TYPES))
        try:
            if type_ in _TYPES:
                handler = getattr(PageConnection, f"_{type_}")
                await handler(self, **arguments(handler, members, alias=camel))
        except ClientError as error:
            await self._channel.send(error.frame)

    def error_frame(self, frame: Json | None, problem: Problem) -> Json:
        """Return the error for a message that was refused."""
        if not problem.field_errors:
            return ClientError(problem.code, problem.message).frame
        submitted = (frame or {}).get("type") == "questionnaire_submit"
        problems = issues(problem, values="answers" if submitted else "input")
        if frame is None and problems[0]["code"] != "wrong_type":
            return ClientError("invalid_json", "Client message was not valid JSON", issues=problems).frame
        text = "Client message validation failed"
        return ClientError("invalid_client_message", text, issues=problems).frame

    async def _hello(
        self,
        *,
        protocol_version: Annotated[int, Field(gt=0)] = PROTOCOLS[-1],
        subscriptions: list[Annotated[Subscription, BeforeValidator(_with_session_id)]] | None = None,
        interaction: InteractionState | None = None,
        **_: object,
    ) -> None:
        if self._is_greeted:
            raise ClientError("duplicate_hello", "hello has already been received")
        self._is_greeted, self._interaction = True, interaction or self._interaction
        if protocol_version not in PROTOCOLS:
            text = f"Unsupported protocol version: {protocol_version}"
            await self._channel.send(ClientError("unsupported_protocol_version", text).frame)
            await self._channel.close()
            return
        for subscription in subscriptions or ():
            if subscription.session_id.strip():
                mask = subscription.mask if "mask" in subscription.model_fields_set else None
                await self._subscribe(session_id=subscription.session_id, mask=mask)

    async def _subscribe(self, *, session_id: str, mask: Mask | None = None, **_: object) -> None:
        id_ = _id(session_id, "Subscription session")
        if (session := self._sessions.get(id_)) is None:
            session = Session((await replay(self._api, id_))[0])
            session.sending = self._channel.follow(self._follow(id_, session))
            await session.opened.wait()
            self._sessions[id_] = session
        session.mask = mask or Mask()
        mask_members = mask and mask.model_dump(by_alias=True, exclude_unset=True)
        await self._channel.send(without_none(type="subscribed", sessionId=id_, mask=mask_members))

    async def _unsubscribe(self, *, session_id: str, **_: object) -> None:
        id_ = _id(session_id, "Unsubscription session")
        if session := self._sessions.pop(id_, None):
            session.sending.cancel()
        await self._channel.send({"type": "unsubscribed", "sessionId": id_})

    async def _set_interaction_mode(self, *, enabled: bool, **_: object) -> None:
        self._interaction.enabled = enabled
        for session in self._sessions.values():
            await session.watch.set_readonly(readonly=self._interaction.is_readonly)

    async def _ping(self, *, nonce: str | None = None, **_: object) -> None:
        await self._channel.send(without_none(type="pong", nonce=nonce, timestampMs=int(time.time() * 1000)))

    async def _follow(self, id_: str, session: Session) -> None:
        """Send what happens in a session from now on; others see this page once it is `opened`."""
        after, readonly = session.transcript.seq, self._interaction.is_readonly
        async with self._api.watch(id_, after=after, readonly=readonly) as session.watch:
            session.opened.set()
            async for event in session.watch:
                for item in session.transcript.project(event):
                    if session.mask.allows(item):
                        await self._channel.send({"type": "transcript_event", "event": item})

    async def _text_input(
        self, *, session_id: str, text: str, client_message_id: str = "", **_: object
    ) -> None:
        """Post a message; what waited for this person before is over with it."""
        session = self._subscribed(session_id, "write")
        waiting = await self._api.open_requests(thread_id=session)
        key = key_of("kcosr", session, client_message_id) if client_message_id else None
        content = {"content": [{"type": "text", "text": text}]}
        await self._api.call("post_message", content, thread_id=session, key=key)
        for shown in waiting:
            with suppress(Refused):
                await self._settle(shown, "cancel", reason=NEW_MESSAGE)

    async def _tool_interaction_response(
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
        try:
            shown = await self._find(session, interaction_id.partition(".")[0], *_MEMBERS)
            call, part_id = shown.get("tool_call_id") or shown["id"], f"{shown['id']}.{shown['revision']}."
            if call_id != call or not f"{interaction_id}.".startswith(part_id):
                raise NotFound(call_id)
            member = _MEMBERS[shown["kind"]].get(action)
            if member is None:
                raise Faults([fault("action", "unknown_value", allowed=", ".join(_MEMBERS[shown["kind"]]))])
            require(not input_ or member == "input", "input", "contradiction.action")
            require(not approval_scope or member == "approvalScope", "approvalScope", "contradiction.action")
            if action == "submit" and input_ is None:
                raise Faults([Fault("input", "missing_input", "missing_required")])
            await self._settle(shown, action, values=input_, scope=approval_scope or "", reason=reason)
        except (NotFound, Conflict) as error:
            text = "Interaction response did not match a pending request"
            raise ClientError("interaction_not_found", text) from error

    async def _questionnaire_submit(
        self, *, session_id: str, questionnaire_request_id: str, answers: Json
    ) -> None:
        await self._end(session_id, questionnaire_request_id, "submit", values=answers)

    async def _questionnaire_cancel(
        self, *, session_id: str, questionnaire_request_id: str, reason: str = ""
    ) -> None:
        await self._end(session_id, questionnaire_request_id, "cancel", reason=reason)

    async def _end(self, session_id: str, questionnaire_request_id: str, action: str, **members: Any) -> None:
        """Submit or cancel a questionnaire."""
        session, id_ = _id(session_id, "Session"), _id(questionnaire_request_id, "Questionnaire request")
        self._subscribed(session, f"{action} a questionnaire")
        about = {"sessionId": session, "questionnaireRequestId": id_}
        try:
            await self._settle(await self._find(session, id_, "form"), action, **members)
        except NotFound as error:
            text = "Questionnaire request was not found"
            raise ClientError("questionnaire_not_found", text, **about) from error
        except Conflict as error:
            status = (error.request or {}).get("status")
            about["status"] = "submitted" if status in ("answered", "resolving") else "cancelled"
            text = "Questionnaire is no longer pending"
            raise ClientError("questionnaire_not_pending", text, **about) from error

    async def _find(self, session: str, id_: str, *kinds: str) -> Json:
        """Return a pending request of a session; raises `NotFound`, and `Conflict` for one that is not pending."""
        shown = await self._api.call("get_request", request_id=id_)
        if shown["thread_id"] != session or shown["kind"] not in kinds:
            raise NotFound(id_)
        if shown["status"] != Status.PENDING:
            raise Conflict("The request is not pending.", request=shown)
        return shown

    async def _settle(
        self, shown: Json, action: str, *, values: Json | None = None, scope: str = "", reason: str = ""
    ) -> None:
        """Apply a person's action."""
        if action == "submit":
            await self._submit(shown, values or {})
            return
        body: Json = {"note": reason or None, "remember": action == "approve"}
        if action == "cancel":
            operation, body["reason"] = "decline_request", "dismissed"
        else:
            operation, approved = "answer_request", {"scope": NATIVE_SCOPES[scope]} if scope else {}
            body |= {"revision": shown["revision"], "decision": action, **approved}
        await self._api.call(operation, body, request_id=shown["id"])

    async def _submit(self, shown: Json, values: Json) -> None:
        """Submit values; if only fields are wrong, this page is asked again, as after each wrong answer."""
        form = Form.model_validate(shown["form"])
        data = values or dict.fromkeys(field.id for field in form.all_fields)
        texts = {field.id for field in form.all_fields if field.type in OF_TEXT}
        data = {id_: False if value == [] and id_ in texts else value for id_, value in data.items()}
        try:
            body = {"revision": shown["revision"], "values": data}
            await self._api.call("answer_request", body, request_id=shown["id"])
        except Faults as error:
            faults = [replace(item, key=item.key.replace("boolean", "option")) for item in error.faults]
            errors = errors_by_field(form, self._api.explain(Faults(faults)).field_errors)
            if errors is None:
                raise
            self._refused += 1
            session = self._sessions[shown["thread_id"]]
            event = session.transcript.ask_again(shown, values, errors, self._refused)
            await self._channel.send({"type": "transcript_event", "event": event})

    def _subscribed(self, session: str, verb: str) -> str:
        session = _id(session, "Session")
        if session not in self._sessions:
            text = f"Cannot {verb} for a session that this connection is not subscribed to"
            raise ClientError("invalid_session_id", text, sessionId=session)
        return session


def _id(text: str, name: str) -> str:
    """Return an id without space around it; an empty one is refused."""
    if not (id_ := text.strip()):
        code = "session" if name.lower().endswith("session") else "questionnaire_request"
        raise ClientError(f"invalid_{code}_id", f"{name} id must not be empty")
    return id_
