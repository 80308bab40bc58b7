"""Gobby's chat WebSocket: every open request as a card, and the answers of people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal
from uuid import uuid4

from pydantic import Field

from askback.compat.cards import CardPage
from askback.compat.claude_questions import card_of, read_answers
from askback.compat.gobby import frames
from askback.domain.model import Model, without_none
from askback.domain.request import InputRequest
from askback.domain.validation.structure import parse
from askback.errors import Conflict, NotFound
from askback.ports.systems import Json, Problem

_ENDED = frozenset({"already_settled", "expired"})


class Frame(Model, extra="ignore"):
    """A frame; as in Gobby, members that are not known are left alone."""


class Response(Frame):
    """The answer to a card; the same `request_id` again, which is its key, is the same answer."""

    conversation_id: str
    request_id: str | None = None


class AskUserResponse(Response):
    """The answers to a card with questions, by their texts."""

    tool_call_id: str
    answers: Json

    def body(self, request: InputRequest, languages: Sequence[str]) -> Json:
        """Return the native answer."""
        return {"values": read_answers(card_of(request.form, languages) or (), self.answers)}


class ToolApprovalResponse(Response):
    """The decision about a call of a tool."""

    tool_call_id: str
    decision: Literal["approve", "reject", "approve_always"]

    def body(self, _request: InputRequest, _languages: Sequence[str]) -> Json:
        """Return the native answer."""
        scope = {"scope": "thread"} if self.decision == "approve_always" else {}
        return {"decision": "deny" if self.decision == "reject" else "approve", "remember": False, **scope}


class PlanApprovalResponse(Response):
    """The decision about a plan; Gobby does not name the call, but where several plans are open it may be named."""

    tool_call_id: str | None = None
    decision: Literal["approve", "request_changes"]
    option_id: Literal["approve_yolo", "approve_act"] | None = None
    feedback: str | None = None

    def body(self, _request: InputRequest, _languages: Sequence[str]) -> Json:
        """Return the native answer."""
        if self.decision == "request_changes":
            return {"decision": "deny", "note": self.feedback, "remember": False}
        mode = frames.NORMAL if self.option_id == "approve_act" else frames.ACCEPT_EDITS
        return {"decision": "approve", "mode": mode}


class SetMode(Frame):
    """The mode of a conversation."""

    conversation_id: str
    mode: Literal["normal", "accept_edits", "bypass", "plan"]
    confirm: str | None = None


class Events(Frame):
    """The events that a page wants, or wants no more."""

    events: list[str] = Field(default_factory=list[str])


_AnyResponse = AskUserResponse | ToolApprovalResponse | PlanApprovalResponse
_RESPONSES: Mapping[str, tuple[str, type[_AnyResponse]]] = {
    "ask_user_response": ("question", AskUserResponse),
    "tool_approval_response": ("approval", ToolApprovalResponse),
    "plan_approval_response": ("plan", PlanApprovalResponse),
}
"""What a response is about, in the words of Gobby's log, and its frame."""


class ChatPeer(CardPage):
    """One page; see `ports.systems.Peer`."""

    async def opened(self) -> None:
        """Greet; then show the open requests and all later events."""
        threads = [each["thread_id"] for each in await self.api.open_requests()]
        about = {"client_id": str(uuid4()), "user_id": self.api.principal_id, "latency": 0.0}
        open_in = list(dict.fromkeys(threads))
        await self.channel.send({"type": "connection_established", **about, "conversation_ids": open_in})
        self.channel.follow(self.follow())

    async def take(self, frame: Json) -> None:
        """Handle a frame."""
        match frame.get("type"):
            case str(name) if name in _RESPONSES:
                about, response = _RESPONSES[name]
                await self._answer(name, about, parse(response, frame))
            case "set_mode":
                await self._set_mode(parse(SetMode, frame))
            case "subscribe" | "unsubscribe" as name:  # every page gets the events of its cards
                await self.channel.send({"type": f"{name}_success", **parse(Events, frame).model_dump()})
            case "ping":
                await self.channel.send({"type": "pong", "latency": 0.0})
            case "heartbeat":  # a conversation does not end by itself
                pass
            case name:
                text = f"Unknown message type: {frames.echo(name)}"
                await self.channel.send({"type": "error", "code": "ERROR", "message": text})

    def failed(self, frame: Json | None, problem: Problem) -> Json | None:
        """Return the error frame, for this page alone."""
        return frames.error_of(problem, frame)

    async def opening(self, request: Json, _shown: Json | None, /, *, recovered: bool) -> Sequence[Json]:
        """Return the frames that show a request."""
        return frames.opening(InputRequest.model_validate(request), self._languages, recovered=recovered)

    async def closing(self, request: Json, _shown: Json, /) -> Sequence[Json]:
        """Return the frames that say how a request ended."""
        return frames.closing(InputRequest.model_validate(request), self._languages)

    @property
    def _languages(self) -> Sequence[str]:
        return (self.api.locale,)

    async def _set_mode(self, sent: SetMode) -> None:
        """Set the mode of a conversation; pages repeat theirs whenever they connect."""
        thread, mode = sent.conversation_id, "full" if sent.mode == "bypass" else sent.mode
        if (await self.api.call("get_policy", thread_id=thread))["mode"] != mode:
            await self.api.call(
                "update_policy", without_none(thread_id=thread, mode=mode, confirm=sent.confirm)
            )

    async def _answer(self, name: str, about: str, sent: _AnyResponse) -> None:
        """Answer the card as this page shows it."""
        thread = sent.conversation_id
        over = f"{name} but no pending {about} for {frames.echo(thread)}"
        if (request := await self._find(about, thread, sent.tool_call_id)) is None:
            page = await self.api.call("list_requests", thread_id=thread, limit=1)
            unknown = f"{name} for unknown conversation: {frames.echo(thread)}"
            raise NotFound(over if page["requests"] else unknown)
        answer = {"revision": request.revision, **sent.body(request, self._languages)}
        try:
            ended = await self.api.call("answer_request", answer, key=sent.request_id, request_id=request.id)
        except Conflict as refused:
            if refused.code in _ENDED:
                raise Conflict(over, code=refused.code) from refused
            raise
        if request.settled:  # it was a repetition: the card had ended before this page sent it
            await self.send(await self.closing(ended, ended))

    async def _find(self, kind: str, thread: str, name: str | None) -> InputRequest | None:
        """Return the request that a response is about: an open one, else the newest."""

        def meant(listed: Iterable[Json]) -> list[InputRequest]:
            here = [InputRequest.model_validate(each) for each in listed if each["thread_id"] == thread]
            named = [each for each in here if name in (None, each.id, each.tool_call_id)]
            return [each for each in named if frames.kind_of(each) == kind]

        found = meant(self.shown.values())
        if len(found) > 1 and name is None:
            raise Conflict("Several plans are open here. Name the one that you mean by its tool_call_id.")
        if not found:
            page = await self.api.call("list_requests", thread_id=thread, tool_call_id=name)
            found = sorted(meant(page["requests"]), key=lambda each: each.settled)
        return found[0] if found else None
