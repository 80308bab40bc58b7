"""The person's side of Nebo's hub: requests and streams out, answers and chats in, and chats as they are stored."""

import asyncio
import json
import uuid
from collections.abc import Iterator, Sequence

from askback.compat.cards import CardPage
from askback.compat.nebo import frames
from askback.domain.faults import Faults, require
from askback.domain.model import Model
from askback.domain.validation.structure import parse
from askback.errors import NotFound
from askback.ports.systems import ApiCall, Json, JsonReply, Problem

_ANSWERED_HERE = "answered here"
"""Marks a request while this page answers it: the answer is sent to the other pages only."""
AGENT_WAIT_S = 5.0
"""How long a chat waits for an agent, as in Nebo."""


class _AskResponse(Model):
    request_id: str
    value: str

    def call(self, request: Json) -> tuple[str, Json]:
        try:
            return "answer_request", frames.read_value(request["form"], self.value)
        except Faults:
            if self.value != frames.SKIP:
                raise
            return "decline_request", {"reason": "skipped"}


class _ApprovalResponse(Model):
    request_id: str
    approved: bool
    always: bool | None = None

    def call(self, _request: Json) -> tuple[str, Json]:
        scope = {"scope": "always"} if self.always else {}
        return "answer_request", {"decision": "approve" if self.approved else "deny", **scope}


class _Chat(Model, extra="ignore"):
    session_id: str | None = None
    prompt: str


class PersonPeer(CardPage):
    """One browser. It sees the requests and the streams of all sessions that its person may see."""

    async def on_open(self) -> None:
        """Show open requests, oldest first, then new ones."""
        self.channel.follow(self._stream())
        self.channel.follow(self.follow())

    async def take(self, frame: Json) -> None:
        """Handle a frame; those that Nebo does not know are ignored, as it does."""
        data = frames.members(frame)
        match frame.get("type"):
            case "ask_response":
                await self._answer(parse(_AskResponse, data), "form")
            case "approval_response":
                decided = parse(_ApprovalResponse, data)
                require(decided.approved or not decided.always, "always", "contradiction.always")
                await self._answer(decided, "approval")
            case "chat":
                await self._chat(parse(_Chat, data))
            case "auth" | "connect":
                # The handshake already said who this is; Nebo's page waits for the reply.
                await self.channel.send(frames.message("auth_ok"))
            case "ping":
                await self.channel.send(frames.message("pong"))
            case _:
                require(isinstance(frame.get("type"), str), "type", "wrong_type.string")

    def error_frame(self, frame: Json | None, problem: Problem) -> Json | None:
        """Return an `error` to this client, about its request or session; other clients get none."""
        data = frames.members(frame or {}) or {}
        named = {name: data[name] for name in ("request_id", "session_id") if isinstance(data.get(name), str)}
        return frames.message("error", **named, error=frames.refusal_text(problem.error))

    async def opening(self, request: Json, shown: Json | None, /, **_more: object) -> Sequence[Json]:
        """Return the frame that shows a request, once, and again to the page whose answer was sent back."""
        if shown is not None and _ANSWERED_HERE not in shown:
            return ()
        frame = frames.request_frame(request, await frames.public_id(self.api, request))
        return () if frame is None else (frame,)

    async def closing(self, request: Json, shown: Json, /) -> Sequence[Json]:
        """Return the answer to a request, if it was answered elsewhere."""
        if _ANSWERED_HERE in shown or (reply := frames.response(request)) is None:
            return ()
        kind, content = reply
        shown_as = await frames.public_id(self.api, request)
        return (frames.message(kind, request_id=shown_as, **content),)

    async def _answer(self, payload: _AskResponse | _ApprovalResponse, kind: str) -> None:
        request = await frames.first_with(self.api, payload.request_id)
        if request["kind"] != kind or frames.request_frame(request, "") is None:
            raise NotFound("There is no such request. Load the page again.")
        operation, body = payload.call(request)
        if operation == "answer_request":
            body["revision"] = request["revision"]
        if shown := self.shown.get(request["id"]):
            shown[_ANSWERED_HERE] = True
        try:
            await self.api.call(operation, body, request_id=request["id"])
        except Exception:
            if shown is not None:
                self.shown[request["id"]] = request
                await self.update(await self.api.call("get_request", request_id=request["id"]))
            raise

    async def _chat(self, payload: _Chat) -> None:
        require(payload.prompt.strip(), "prompt", "empty")
        session = payload.session_id or str(uuid.uuid4())
        run = f"chat-{uuid.uuid4().hex}-{session}"  # an agent that comes back needs no other record of its session
        body = {"content": [{"type": "text", "text": payload.prompt}], "run_id": run}
        await self.api.call("post_message", body, thread_id=session)
        if not payload.session_id:
            await self.channel.send(frames.message("chat_created", session_id=session))
        self.channel.start(self._await_agent(run, session))

    async def _await_agent(self, run: str, session: str) -> None:
        await asyncio.sleep(AGENT_WAIT_S)
        try:
            await self.api.call("get_run", thread_id=session, run_id=run)
        except NotFound:
            error = frames.message("error", session_id=session, error=frames.TEXTS["no_agent"])
            await self.channel.send(error)

    async def _stream(self) -> None:
        """Send agents' messages from now on."""
        async with self.api.watch_messages() as events:
            async for event in events:
                for kind, data in _streamed(event):
                    await self.channel.send(frames.message(kind, session_id=event["thread_id"], **data))


def _streamed(event: Json) -> Iterator[tuple[str, Json]]:
    match event:
        case {"type": "run.ended", "run": {"reason": str(reason)}}:
            yield "error", {"error": reason}
        case {"type": "run.ended"}:
            yield "chat_complete", {}
        case (
            {"type": "message.added", "message": {"role": "agent"} as agent_message}
            | {"update": agent_message}
            | {"delta": agent_message}
        ):
            for part in agent_message.get("content", [agent_message]):
                if "text" in part:
                    yield "chat_stream", {"content": part["text"]}
        case _:
            pass


async def read_chat(call: ApiCall) -> JsonReply:
    """Return a chat; an ask without a message is a separate message."""
    thread = await call.api.call("get_thread", thread_id=call.path["id"])
    messages = {message["id"]: message for message in thread["messages"]}
    placed_ids = {part.get("request_id") for message in messages.values() for part in message["content"]}
    asks: dict[str, Json] = {}
    for request in thread["requests"]:
        id_ = request["id"]
        if (ask := frames.write_ask(request)) is None:
            continue
        asks[id_] = {"type": "ask", "askRequestId": await frames.public_id(call.api, request)}
        asks[id_] |= {"askPrompt": ask["prompt"], "askWidgets": ask["widgets"]}
        if reply := frames.response(request):
            asks[id_]["askResponse"] = reply[1]["value"]
        if id_ not in placed_ids:
            empty_turn: Json = {"id": id_, "seq": request["seq"], "role": "agent", "content": []}
            turn = messages.get(request.get("message_id")) or messages.setdefault(id_, empty_turn)
            turn["content"].append({"type": "request", "request_id": id_})
    rows = sorted(messages.values(), key=lambda item: item["seq"])
    chat = {"id": thread["id"], "title": thread.get("title") or "New Chat"}
    return JsonReply({"chat": chat, "messages": [_message_json(row, asks) for row in rows]})


def _message_json(message: Json, asks: dict[str, Json]) -> Json:
    content: list[Json] = message["content"]
    parts = [asks.get(part.get("request_id", ""), part) for part in content]
    blocks = [part for part in parts if part["type"] in {"text", "ask"}]
    return {
        "id": message["id"],
        "role": "user" if message["role"] == "user" else "assistant",
        "content": "".join(part.get("text", "") for part in blocks),
        "metadata": json.dumps({"contentBlocks": blocks}, ensure_ascii=False),
    }
