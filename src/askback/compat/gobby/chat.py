"""Gobby's chat WebSocket: every open request as a card, and the answers of people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal
from uuid import uuid4

from askback.compat.cards import CardPage
from askback.compat.claude_questions import card_of, read_answers
from askback.compat.gobby import frames
from askback.domain.request import InputRequest
from askback.domain.validation.arguments import arguments
from askback.errors import Conflict, NotFound
from askback.ports.systems import Json, Problem

_ENDED = frozenset({"already_settled", "expired"})
_KINDS = {"ask_user": "question", "tool_approval": "approval", "plan_approval": "plan"}
"""What a response is about, in the words of Gobby's log."""


class ChatPeer(CardPage):
    """One page; see `ports.systems.Peer`. As in Gobby, members of a frame that are not known are left alone."""

    async def opened(self) -> None:
        """Greet; then show what is open, and what happens from now on."""
        threads = [each["thread_id"] for each in await self.api.open_requests()]
        about = {"client_id": str(uuid4()), "user_id": self.api.principal_id, "latency": 0.0}
        open_in = list(dict.fromkeys(threads))
        await self.channel.send({"type": "connection_established", **about, "conversation_ids": open_in})
        self.channel.follow(self.follow())

    async def take(self, frame: Json) -> None:
        """Handle a frame."""
        match frame.get("type"):
            case (
                "ask_user_response" | "tool_approval_response" | "plan_approval_response" | "set_mode" as name
            ):
                handler = getattr(ChatPeer, f"_{name}")
                await handler(self, **arguments(handler, frame))
            case "subscribe" | "unsubscribe" as name:  # every page gets the events of its cards
                await self.channel.send(
                    {"type": f"{name}_success", **arguments(_events, {"events": [], **frame})}
                )
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

    async def _ask_user_response(
        self,
        *,
        conversation_id: str,
        request_id: str | None = None,
        tool_call_id: str,
        answers: Json,
        **_more: Any,
    ) -> None:
        def body(request: InputRequest) -> Json:
            return {"values": read_answers(card_of(request.form, self._languages) or (), answers)}

        await self._answer("ask_user", conversation_id, tool_call_id, body, key=request_id)

    async def _tool_approval_response(
        self,
        *,
        conversation_id: str,
        request_id: str | None = None,
        tool_call_id: str,
        decision: Literal["approve", "reject", "approve_always"],
        **_more: Any,
    ) -> None:
        always = {"scope": "thread"} if decision == "approve_always" else {}
        said = {"decision": "deny" if decision == "reject" else "approve", "remember": False, **always}
        await self._answer("tool_approval", conversation_id, tool_call_id, lambda _: said, key=request_id)

    async def _plan_approval_response(
        self,
        *,
        conversation_id: str,
        request_id: str | None = None,
        tool_call_id: str
        | None = None,  # Gobby does not name the call; with several open plans it may be named
        decision: Literal["approve", "request_changes"],
        option_id: Literal["approve_yolo", "approve_act"] | None = None,
        feedback: str | None = None,
        **_more: Any,
    ) -> None:
        mode = frames.NORMAL if option_id == "approve_act" else frames.ACCEPT_EDITS
        said: Json = {"decision": "approve", "mode": mode}
        if decision == "request_changes":
            said = {"decision": "deny", "note": feedback, "remember": False}
        await self._answer("plan_approval", conversation_id, tool_call_id, lambda _: said, key=request_id)

    async def _set_mode(
        self,
        *,
        conversation_id: str,
        mode: Literal["normal", "accept_edits", "bypass", "plan"],
        confirm: str | None = None,
        **_more: Any,
    ) -> None:
        """Set the mode of a conversation; pages repeat theirs whenever they connect."""
        native = "full" if mode == "bypass" else mode
        if (await self.api.call("get_policy", thread_id=conversation_id))["mode"] != native:
            confirmed = {} if confirm is None else {"confirm": confirm}
            body = {"thread_id": conversation_id, "mode": native, **confirmed}
            await self.api.call("update_policy", body)

    async def _answer(
        self,
        what: str,
        thread: str,
        named: str | None,
        body: Callable[[InputRequest], Json],
        *,
        key: str | None,
    ) -> None:
        """Answer the card as this page shows it; the same `request_id` again, which is the key, is the same answer."""
        over = f"{what}_response but no pending {_KINDS[what]} for {frames.echo(thread)}"
        if (request := await self._find(_KINDS[what], thread, named)) is None:
            page = await self.api.call("list_requests", thread_id=thread, limit=1)
            unknown = f"{what}_response for unknown conversation: {frames.echo(thread)}"
            raise NotFound(over if page["requests"] else unknown)
        answer = {"revision": request.revision, **body(request)}
        try:
            ended = await self.api.call("answer_request", answer, key=key, request_id=request.id)
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


def _events(*, events: list[str], **_more: Any) -> None:
    """Take the events that a page wants, or wants no more."""
