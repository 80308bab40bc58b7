"""Gobby's chat WebSocket: every open request as a card, and the answers of people."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal
from uuid import uuid4

from pydantic import Field

from askback.compat.cards import CardPage
from askback.compat.claude_questions import card_of, read_answers
from askback.compat.gobby.permission import ASK_USER, EXIT_PLAN, TEXTS, answers, denial, prompts_of
from askback.domain.faults import rename_path
from askback.domain.model import Model, without_none
from askback.domain.questiontext import quote
from askback.domain.request import InputRequest
from askback.domain.validation.structure import parse
from askback.errors import Conflict, NotFound
from askback.ports.systems import Json, Problem

MAX_ECHO = 200
"""Characters of a name that an error repeats."""
ACCEPT_EDITS, NORMAL = "accept_edits", "normal"
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
        return {"decision": "approve", "mode": NORMAL if self.option_id == "approve_act" else ACCEPT_EDITS}


class SetMode(Frame):
    """The mode of a conversation."""

    conversation_id: str
    mode: Literal["normal", "accept_edits", "bypass", "plan"]
    confirm: str | None = None


class Events(Frame):
    """The events that a page subscribes to, or no longer subscribes to."""

    events: list[str] = Field(default_factory=list)


_AnyResponse = AskUserResponse | ToolApprovalResponse | PlanApprovalResponse
_RESPONSES: Mapping[str, tuple[str, type[_AnyResponse]]] = {
    "ask_user_response": ("question", AskUserResponse),
    "tool_approval_response": ("approval", ToolApprovalResponse),
    "plan_approval_response": ("plan", PlanApprovalResponse),
}
"""The subject of each response, in the words of Gobby's log, and its frame."""


class ChatPeer(CardPage):
    """One page; see `ports.systems.Peer`."""

    async def on_open(self) -> None:
        """Greet; then show the open requests and all later events."""
        open_in = list(dict.fromkeys(request["thread_id"] for request in await self.api.open_requests()))
        about = {"client_id": str(uuid4()), "user_id": self.api.principal_id, "latency": 0.0}
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
                text = f"Unknown message type: {_quoted_name(name)}"
                await self.channel.send({"type": "error", "code": "ERROR", "message": text})

    def error_frame(self, frame: Json | None, problem: Problem) -> Json | None:
        """Return the error frame, for this page alone; `field_errors` has the places in the frame that was sent."""
        if frame is None and problem.code == "invalid":
            return {"type": "error", "code": "ERROR", "message": "Invalid JSON format"}
        faults = list[Json]()
        for error in problem.field_errors:
            question = re.match(r"values\.q(\d+)", error["path"])
            text = f"Question {question[1]}: {error['message']}" if question else error["message"]
            faults.append(
                {**error, "path": rename_path(error["path"], TEXTS["paths_of_frames"]), "message": text}
            )
        message = "; ".join(f"{fault['path']}: {fault['message']}" for fault in faults) or problem.message
        reply: Json = {"type": "error", "code": problem.code.upper(), "message": message}
        if isinstance(request_id := (frame or {}).get("request_id"), str):
            reply["request_id"] = request_id
        return {**reply, "field_errors": faults} if faults else reply

    async def opening(self, request: Json, _shown: Json | None, /, *, recovered: bool) -> Sequence[Json]:
        """Return the frames that show an open request; none if a card of Gobby cannot ask it."""
        model = InputRequest.model_validate(request)
        if (approval := model.approval) is None:
            if (questions := card_of(model.form, self._languages)) is None:
                return []
            arguments = {"questions": [question.wire for question in questions]}
            return [_status(model, "calling", tool_name=ASK_USER, arguments=arguments)]
        if approval.plan is None:
            return [_status(model, "pending_approval", tool_name=approval.tool, arguments=approval.input)]
        plan: Json = {"type": "plan_pending_approval", "conversation_id": model.thread_id}
        plan |= {"plan_content": approval.plan, "allowed_prompts": prompts_of(model)}
        calling = _status(model, "calling", tool_name=EXIT_PLAN, arguments={"plan": approval.plan})
        return [calling, {**plan, "recovered": True} if recovered else plan]

    async def closing(self, request: Json, _shown: Json, /) -> Sequence[Json]:
        """Return the frames that say how a request ended."""
        settled = InputRequest.model_validate(request)
        if (why := denial(settled)) is not None:
            return [_status(settled, "error", result=None, error=why)]
        answer, content = settled.answer, {"decision": settled.answer and settled.answer.decision}
        if settled.form is not None:
            content = {"answers": answers(settled, self._languages)}
        status_message = _status(settled, "completed", result={"content": content}, error=None)
        if settled.approval is None or settled.approval.plan is None:
            return [status_message]
        mode = ACCEPT_EDITS if answer and answer.mode == ACCEPT_EDITS else NORMAL
        about = {"conversation_id": settled.thread_id, "mode": mode, "reason": "plan_approved"}
        return [status_message, {"type": "mode_changed", **about}]

    @property
    def _languages(self) -> Sequence[str]:
        return (self.api.locale,)

    async def _set_mode(self, payload: SetMode) -> None:
        """Set the mode of a conversation; pages repeat theirs whenever they connect."""
        thread, mode = payload.conversation_id, "full" if payload.mode == "bypass" else payload.mode
        if (await self.api.call("get_policy", thread_id=thread))["mode"] != mode:
            body = without_none(thread_id=thread, mode=mode, confirm=payload.confirm)
            await self.api.call("update_policy", body)

    async def _answer(self, name: str, about: str, reply: _AnyResponse) -> None:
        """Answer the card as this page shows it."""
        thread = reply.conversation_id
        message = f"{name} but no pending {about} for {_quoted_name(thread)}"
        if (request := await self._find(about, thread, reply.tool_call_id)) is None:
            page = await self.api.call("list_requests", thread_id=thread, limit=1)
            raise NotFound(
                message if page["requests"] else f"{name} for unknown conversation: {_quoted_name(thread)}"
            )
        answer = {"revision": request.revision, **reply.body(request, self._languages)}
        try:
            ended = await self.api.call("answer_request", answer, key=reply.request_id, request_id=request.id)
        except Conflict as error:
            if error.code in _ENDED:
                raise Conflict(message, code=error.code) from error
            raise
        if request.settled:  # it was a repetition: the card had ended before this page sent it
            await self.send(await self.closing(ended, ended))

    async def _find(self, kind: str, thread: str, name: str | None) -> InputRequest | None:
        """Return the request that a response is about: an open one, else the newest."""

        def matching(requests: Iterable[Json]) -> list[InputRequest]:
            models = [InputRequest.model_validate(item) for item in requests if item["thread_id"] == thread]
            named = [item for item in models if name in (None, item.id, item.tool_call_id)]
            return [item for item in named if _kind(item) == kind]

        candidates = matching(self.shown.values())
        if len(candidates) > 1 and name is None:
            raise Conflict("Several plans are open here. Name the one that you mean by its tool_call_id.")
        if not candidates:
            page = await self.api.call("list_requests", thread_id=thread, tool_call_id=name)
            candidates = sorted(matching(page["requests"]), key=lambda item: item.settled)
        return candidates[0] if candidates else None


def _kind(request: InputRequest) -> str | None:
    """Return the kind of a request for Gobby, `question`, `approval` or `plan`; None if no card of Gobby can ask it."""
    if request.approval is not None:
        return "approval" if request.approval.plan is None else "plan"
    return None if card_of(request.form) is None else "question"


def _status(request: InputRequest, status: str, **more: object) -> Json:
    """Return a `tool_status`; Gobby's page takes one without a `request_id` only if that is null."""
    ids = {"message_id": request.message_id or request.id, "tool_call_id": request.tool_call_id or request.id}
    about = {"conversation_id": request.thread_id, **ids, "request_id": None}
    return {"type": "tool_status", **about, "status": status, **more}


def _quoted_name(value: object) -> str:
    """Return a name that a page sent, as an error repeats it: on one line, and not longer than a name is."""
    return quote((value if isinstance(value, str) else "None")[:MAX_ECHO])[1:-1]
