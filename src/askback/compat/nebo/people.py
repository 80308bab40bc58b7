"""The person's side of Nebo's hub: what is open and what is streamed out, answers and chats in."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator

from pydantic import ConfigDict

from askback.compat.nebo import frames
from askback.compat.nebo.widgets import Members, read_value
from askback.compat.system import Channel, Json, Problem
from askback.domain.faults import Faults, fault
from askback.domain.validation.structure import parse
from askback.errors import NotFound

AGENT_WAIT_S = 5.0
"""How long a chat waits for an agent, as in Nebo."""


class _AskResponse(Members):
    request_id: str
    value: str


class _ApprovalResponse(Members):
    request_id: str
    approved: bool
    always: bool | None = None


class _Chat(Members):
    model_config = ConfigDict(extra="ignore")
    session_id: str | None = None
    prompt: str


class PersonPeer:
    """One browser. It sees the requests and the streams of all sessions that its person may see."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._api = channel.api
        self._shown: dict[str, str] = {}
        """The public id of each request that is open on this page."""
        self._unclaimed: dict[str, asyncio.Event] = {}

    async def opened(self) -> None:
        """Show what is open, oldest first, and then what comes."""
        ready = asyncio.Event()
        self._channel.start(self._stream())
        self._channel.start(self._watch(ready))
        await ready.wait()

    async def take(self, frame: Json) -> None:
        """Handle a frame; those that Nebo does not know are ignored, as it does."""
        sent = frames.members(frame)
        match frame.get("type"):
            case "ask_response":
                answer = parse(_AskResponse, sent)
                request = await self._find(answer.request_id, "form")
                await self._settle(request, read_value(request, answer.value))
            case "approval_response":
                decision = parse(_ApprovalResponse, sent)
                if decision.always and not decision.approved:
                    raise Faults([fault("always", "contradiction.always")])
                request = await self._find(decision.request_id, "approval")
                scope = {"scope": "always"} if decision.always else {}
                answer = {"decision": "approve" if decision.approved else "deny", **scope}
                await self._settle(request, {"revision": request["revision"], **answer})
            case "chat":
                await self._chat(parse(_Chat, sent))
            case "ping":
                await self._channel.send(frames.message("pong"))
            case _:
                pass

    def failed(self, frame: Json | None, problem: Problem) -> Json | None:
        """Return an `error` to this client, about its request or session; other clients get none."""
        sent = frames.members(frame or {}) or {}
        named = {name: sent[name] for name in ("request_id", "session_id") if isinstance(sent.get(name), str)}
        return frames.message("error", **named, error=frames.refusal_text(problem.error))

    async def _watch(self, ready: asyncio.Event) -> None:
        try:
            async with self._api.watch(None) as events:
                for request in reversed(await frames.list_all(self._api, status=frames.OPEN)):
                    await self._show(request)
                ready.set()
                async for event in events:
                    await self._tell(event["type"], event["request"])
        finally:
            ready.set()

    async def _tell(self, event: str, request: Json) -> None:
        if event == "request.created":
            await self._show(request)
        elif request["status"] not in frames.OPEN:
            shown_as = self._shown.pop(request["id"], None)
            if event == "request.answered" and shown_as is not None:
                kind, content = frames.response(request)
                await self._channel.send(frames.message(kind, request_id=shown_as, **content))

    async def _show(self, request: Json) -> None:
        if request["id"] in self._shown or request.get("queued_behind"):
            return
        shown_as = await frames.public_id(self._api, request)
        frame = frames.request_frame(request, shown_as)
        if frame is not None:
            self._shown[request["id"]] = shown_as
            await self._channel.send(frame)

    async def _find(self, named: str, kind: str) -> Json:
        request = await frames.first_with(self._api, named)
        if request["kind"] != kind or frames.request_frame(request, named) is None:
            raise NotFound("There is no such request. Load the page again.")
        return request

    async def _settle(self, request: Json, answer: Json) -> None:
        shown_as = self._shown.pop(request["id"], None)  # only the others are told
        try:
            await self._api.call("answer_request", answer, request_id=request["id"])
        except BaseException:
            if shown_as is not None:
                self._shown[request["id"]] = shown_as
            raise

    async def _chat(self, sent: _Chat) -> None:
        if not sent.prompt.strip():
            raise Faults([fault("prompt", "empty")])
        session = sent.session_id or str(uuid.uuid4())
        if not sent.session_id:
            await self._channel.send(frames.message("chat_created", session_id=session))
        run = frames.new_run(session)
        self._unclaimed[run] = asyncio.Event()
        said = {"content": [{"type": "text", "text": sent.prompt}], "run_id": run}
        try:
            await self._api.call("post_message", said, thread_id=session)
        except BaseException:
            del self._unclaimed[run]
            raise
        self._channel.start(self._await_agent(run, session))

    async def _await_agent(self, run: str, session: str) -> None:
        try:
            async with asyncio.timeout(AGENT_WAIT_S):
                await self._unclaimed[run].wait()
        except TimeoutError:
            await self._channel.send(frames.message("error", session_id=session, error=frames.NO_AGENT))
        finally:
            del self._unclaimed[run]

    async def _stream(self) -> None:
        """Send what agents write from now on."""
        async with self._api.watch_messages() as events:
            async for event in events:
                if event["type"] == "run.started" and event["run"]["id"] in self._unclaimed:
                    self._unclaimed[event["run"]["id"]].set()
                for kind, data in _streamed(event):
                    session = {"session_id": event["thread_id"]}
                    await self._channel.send(frames.message(kind, **session, **data))


def _streamed(event: Json) -> Iterator[tuple[str, Json]]:
    content: list[Json] = []
    match event:
        case {"type": "run.ended", "run": {"reason": str(reason)}}:
            yield "error", {"error": reason}
        case {"type": "run.ended"}:
            yield "chat_complete", {}
        case {"type": "message.delta", "delta": {"text": text}}:
            yield "chat_stream", {"content": text}
        case {"type": "message.added", "message": {"role": "agent"}}:
            content = event["message"]["content"]
        case {"type": "message.updated"}:
            content = event["update"].get("content", [])
        case _:
            pass
    for part in content:
        if part["type"] == "text":
            yield "chat_stream", {"content": part["text"]}
