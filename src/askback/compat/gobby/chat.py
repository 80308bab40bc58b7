"""Gobby's chat WebSocket: every open request as a card, and the answers of people."""

from __future__ import annotations

from types import MappingProxyType
from uuid import uuid4

from askback.compat.claude_questions import card_of, read_answers
from askback.compat.gobby import frames
from askback.compat.open_requests import open_requests
from askback.compat.system import Channel, Json, Problem
from askback.domain.request import InputRequest
from askback.domain.validation.structure import parse
from askback.errors import Conflict, NotFound

_MODES = MappingProxyType({"bypass": "full"})
"""Gobby's names of modes that are not ours."""
_ENDED = frozenset({"already_settled", "expired"})


class ChatPeer:
    """One page; see `compat.system.Peer`."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._api = channel.api
        self._languages = [channel.api.locale]
        self._shown: dict[str, InputRequest] = {}
        """Each card that is open on this page, by its id, as it was shown."""

    async def opened(self) -> None:
        """Greet; then show what is open, and what happens from now on."""
        threads = [each["thread_id"] for each in await open_requests(self._api)]
        await self._channel.send(
            {
                "type": "connection_established",
                "client_id": str(uuid4()),
                "user_id": self._api.principal_id,
                "latency": 0.0,
                "conversation_ids": list(dict.fromkeys(threads)),
            }
        )
        self._channel.follow(self._follow())

    async def take(self, frame: Json) -> None:
        """Handle a frame."""
        match frame.get("type"):
            case "ask_user_response" | "tool_approval_response" | "plan_approval_response" as name:
                await self._answer(parse(frames.CARDS[name][0], frame))
            case "set_mode":
                await self._set_mode(parse(frames.SetMode, frame))
            case "subscribe" | "unsubscribe" as name:  # every page gets the events of its cards
                events = parse(frames.Subscription, frame).events
                await self._channel.send({"type": f"{name}_success", "events": events})
            case "ping":
                await self._channel.send({"type": "pong", "latency": 0.0})
            case "heartbeat":  # a conversation does not end by itself
                pass
            case name:
                text = frames.UNKNOWN_TYPE.format(type=frames.echo(name))
                await self._channel.send({"type": "error", "code": "ERROR", "message": text})

    def failed(self, frame: Json | None, problem: Problem) -> Json | None:
        """Return the error frame, for this page alone."""
        return frames.error_of(problem, frame)

    async def _follow(self) -> None:
        async with self._api.watch(None) as events:
            for each in await open_requests(self._api):
                await self._tell(each, recovered=True)
            async for event in events:
                await self._tell(event["request"])

    async def _tell(self, content: Json, *, recovered: bool = False) -> None:
        """Show what is new about a request; a policy's decision has no card."""
        request = InputRequest.model_validate(content)
        shown = self._shown.get(request.id)
        if request.settled:
            if self._shown.pop(request.id, None) is not None:
                await self._send(frames.closing(request, self._languages))
        elif not request.queued_behind and (shown is None or shown.revision != request.revision):
            opening = frames.opening(request, self._languages, recovered=recovered)
            await self._send(opening)
            if opening:
                self._shown[request.id] = request

    async def _send(self, told: list[Json]) -> None:
        for frame in told:
            await self._channel.send(frame)

    async def _set_mode(self, sent: frames.SetMode) -> None:
        """Set the mode of a conversation; pages repeat theirs whenever they connect."""
        mode, thread = _MODES.get(sent.mode, sent.mode), sent.conversation_id
        if (await self._api.call("get_policy", thread_id=thread))["mode"] != mode:
            confirm = {} if sent.confirm is None else {"confirm": sent.confirm}
            await self._api.call("update_policy", {"thread_id": thread, "mode": mode, **confirm})

    async def _answer(self, sent: frames.CardFrame) -> None:
        """Answer the card as this page shows it; the same `request_id` again is the same answer."""
        request = await self._find(sent)
        body = {"revision": request.revision, **self._body(sent, request)}
        try:
            await self._api.call("answer_request", body, key=sent.request_id, request_id=request.id)
        except Conflict as refused:
            if refused.code in _ENDED:
                raise Conflict(_nothing_pending(sent), code=refused.code) from refused
            raise
        if request.settled:  # it was a repetition: the card had ended before this page sent it
            await self._send(frames.closing(request, self._languages))

    def _body(self, sent: frames.CardFrame, request: InputRequest) -> Json:
        match sent:
            case frames.AskUserResponse():
                questions = card_of(request.form, self._languages) if request.form else None
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

        def is_meant(each: InputRequest) -> bool:
            named = each.thread_id == thread and name in (None, each.id, each.tool_call_id)
            return named and frames.kind_of(each) == frames.CARDS[sent.type][1]

        found = [each for each in self._shown.values() if is_meant(each)]
        if len(found) > 1 and name is None:
            raise Conflict("Several plans are open here. Name the one that you mean by its tool_call_id.")
        if not found:
            page = await self._api.call("list_requests", thread_id=thread, tool_call_id=name)
            listed = [InputRequest.model_validate(each) for each in page["requests"]]
            found = sorted(filter(is_meant, listed), key=lambda each: each.settled)
        if found:
            return found[0]
        page = await self._api.call("list_requests", thread_id=thread, limit=1)
        unknown = frames.UNKNOWN_CONVERSATION.format(type=sent.type, id=frames.echo(thread))
        raise NotFound(_nothing_pending(sent) if page["requests"] else unknown)


def _nothing_pending(sent: frames.CardFrame) -> str:
    what, thread = frames.CARDS[sent.type][1], frames.echo(sent.conversation_id)
    return frames.NOTHING_PENDING.format(type=sent.type, what=what, id=thread)
