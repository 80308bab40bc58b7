"""Gobby's chat WebSocket: every open request as a card, and the answers of people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import uuid4

from askback.compat.cards import CardPage
from askback.compat.claude_questions import card_of, read_answers
from askback.compat.gobby import frames
from askback.compat.open_requests import open_requests
from askback.compat.system import Json, Problem
from askback.domain.request import InputRequest
from askback.domain.validation.structure import parse
from askback.errors import Conflict, NotFound

_MODES = {"bypass": "full"}
"""Gobby's names of modes that are not ours."""
_ENDED = frozenset({"already_settled", "expired"})


class ChatPeer(CardPage):
    """One page; see `compat.system.Peer`."""

    async def opened(self) -> None:
        """Greet; then show what is open, and what happens from now on."""
        threads = [each["thread_id"] for each in await open_requests(self.api)]
        about = {"client_id": str(uuid4()), "user_id": self.api.principal_id, "latency": 0.0}
        greeting = {
            "type": "connection_established",
            **about,
            "conversation_ids": list(dict.fromkeys(threads)),
        }
        await self.channel.send(greeting)
        self.channel.follow(self.follow())

    async def take(self, frame: Json) -> None:
        """Handle a frame."""
        match frame.get("type"):
            case "ask_user_response" | "tool_approval_response" | "plan_approval_response" as name:
                await self._answer(parse(frames.CARDS[name][0], frame))
            case "set_mode":
                await self._set_mode(parse(frames.SetMode, frame))
            case "subscribe" | "unsubscribe" as name:  # every page gets the events of its cards
                events = parse(frames.Subscription, frame).events
                await self.channel.send({"type": f"{name}_success", "events": events})
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

    async def _set_mode(self, sent: frames.SetMode) -> None:
        """Set the mode of a conversation; pages repeat theirs whenever they connect."""
        mode, thread = _MODES.get(sent.mode, sent.mode), sent.conversation_id
        if (await self.api.call("get_policy", thread_id=thread))["mode"] != mode:
            confirm = {} if sent.confirm is None else {"confirm": sent.confirm}
            await self.api.call("update_policy", {"thread_id": thread, "mode": mode, **confirm})

    async def _answer(self, sent: frames.CardFrame) -> None:
        """Answer the card as this page shows it; the same `request_id` again is the same answer."""
        request = await self._find(sent)
        body = {"revision": request.revision, **self._body(sent, request)}
        try:
            ended = await self.api.call("answer_request", body, key=sent.request_id, request_id=request.id)
        except Conflict as refused:
            if refused.code in _ENDED:
                raise Conflict(_nothing_pending(sent), code=refused.code) from refused
            raise
        if request.settled:  # it was a repetition: the card had ended before this page sent it
            await self.send(await self.closing(ended, ended))

    def _body(self, sent: frames.CardFrame, request: InputRequest) -> Json:
        match sent:
            case frames.AskUserResponse():
                questions = card_of(request.form, self._languages)
                return {"values": read_answers(questions or (), sent.answers)}
            case frames.ToolApprovalResponse():
                always = {"scope": "thread"} if sent.decision == "approve_always" else {}
                decision = "deny" if sent.decision == "reject" else "approve"
                return {"decision": decision, "remember": False, **always}
            case _ if sent.decision == "request_changes":
                return {"decision": "deny", "note": sent.feedback, "remember": False}
            case _:
                mode = frames.NORMAL if sent.option_id == "approve_act" else frames.ACCEPT_EDITS
                return {"decision": "approve", "mode": mode}

    async def _find(self, sent: frames.CardFrame) -> InputRequest:
        """Return the request that a frame is about: an open one, else the newest; errors are in Gobby's words."""
        thread, name = sent.conversation_id, sent.tool_call_id

        def meant(listed: Iterable[Json]) -> list[InputRequest]:
            here = [InputRequest.model_validate(each) for each in listed if each["thread_id"] == thread]
            named = [each for each in here if name in (None, each.id, each.tool_call_id)]
            return [each for each in named if frames.kind_of(each) == frames.CARDS[sent.type][1]]

        found = meant(self.shown.values())
        if len(found) > 1 and name is None:
            raise Conflict("Several plans are open here. Name the one that you mean by its tool_call_id.")
        if not found:
            page = await self.api.call("list_requests", thread_id=thread, tool_call_id=name)
            found = sorted(meant(page["requests"]), key=lambda each: each.settled)
        if found:
            return found[0]
        page = await self.api.call("list_requests", thread_id=thread, limit=1)
        unknown = f"{sent.type} for unknown conversation: {frames.echo(thread)}"
        raise NotFound(_nothing_pending(sent) if page["requests"] else unknown)


def _nothing_pending(sent: frames.CardFrame) -> str:
    what = frames.CARDS[sent.type][1]
    return f"{sent.type} but no pending {what} for {frames.echo(sent.conversation_id)}"
