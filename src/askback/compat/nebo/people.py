"""The person's side of Nebo's hub: what is open and what is streamed out, answers and chats in."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator

from askback.compat.nebo import frames
from askback.compat.nebo.widgets import read_value
from askback.compat.open_requests import open_requests
from askback.compat.system import Channel, Json, Problem
from askback.domain.events import REQUEST_CREATED, REQUEST_REPROMPTED
from askback.domain.faults import Faults, fault
from askback.domain.lifecycle import TERMINAL
from askback.domain.model import Model
from askback.domain.validation.structure import parse
from askback.errors import NotFound

AGENT_WAIT_S = 5.0
"""How long a chat waits for an agent, as in Nebo."""


class _AskResponse(Model):
    request_id: str
    value: str

    def answer(self, request: Json) -> Json:
        return read_value(request["form"], self.value)


class _ApprovalResponse(Model):
    request_id: str
    approved: bool
    always: bool | None = None

    def answer(self, _request: Json) -> Json:
        if self.always and not self.approved:
            raise Faults([fault("always", "contradiction.always")])
        scope = {"scope": "always"} if self.always else {}
        return {"decision": "approve" if self.approved else "deny", **scope}


class _Chat(Model, extra="ignore"):
    session_id: str | None = None
    prompt: str


class PersonPeer:
    """One browser. It sees the requests and the streams of all sessions that its person may see."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._api = channel.api
        self._shown: dict[str, str] = {}
        """The public id of each request that is open on this page."""

    async def opened(self) -> None:
        """Show what is open, oldest first, and then what comes."""
        ready = asyncio.Event()
        self._channel.follow(self._stream())
        self._channel.follow(self._watch(ready))
        await ready.wait()

    async def take(self, frame: Json) -> None:
        """Handle a frame; those that Nebo does not know are ignored, as it does."""
        sent = frames.members(frame)
        match frame.get("type"):
            case "ask_response":
                await self._answer(parse(_AskResponse, sent), "form")
            case "approval_response":
                await self._answer(parse(_ApprovalResponse, sent), "approval")
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
                for request in await open_requests(self._api):
                    await self._show(request)
                ready.set()
                async for event in events:
                    if event["type"] in {REQUEST_CREATED, REQUEST_REPROMPTED}:
                        await self._show(event["request"])
                    await self._close(event["request"])
        finally:
            ready.set()

    async def _show(self, request: Json) -> None:
        if request["id"] in self._shown:
            return
        shown_as = await frames.public_id(self._api, request)
        if (frame := frames.request_frame(request, shown_as)) is not None:
            self._shown[request["id"]] = shown_as
            await self._channel.send(frame)

    async def _close(self, request: Json) -> None:
        """Send the answer to a request that is open here, if it was answered elsewhere."""
        shown_as = self._shown.pop(request["id"], None) if request["status"] in TERMINAL else None
        if shown_as is not None and request["status"] == "answered":
            kind, content = frames.response(request)
            await self._channel.send(frames.message(kind, request_id=shown_as, **content))

    async def _answer(self, sent: _AskResponse | _ApprovalResponse, kind: str) -> None:
        request = await frames.first_with(self._api, sent.request_id)
        if request["kind"] != kind or frames.request_frame(request, "") is None:
            raise NotFound("There is no such request. Load the page again.")
        answer = {"revision": request["revision"], **sent.answer(request)}
        shown_as = self._shown.pop(request["id"], None)  # only the others are told
        try:
            await self._api.call("answer_request", answer, request_id=request["id"])
        except Exception:
            if shown_as is not None:
                self._shown[request["id"]] = shown_as
                await self._close(await self._api.call("get_request", request_id=request["id"]))
            raise

    async def _chat(self, sent: _Chat) -> None:
        if not sent.prompt.strip():
            raise Faults([fault("prompt", "empty")])
        session = sent.session_id or str(uuid.uuid4())
        if not sent.session_id:
            await self._channel.send(frames.message("chat_created", session_id=session))
        run = frames.new_run(session)
        said = {"content": [{"type": "text", "text": sent.prompt}], "run_id": run}
        await self._api.call("post_message", said, thread_id=session)
        self._channel.start(self._await_agent(run, session))

    async def _await_agent(self, run: str, session: str) -> None:
        await asyncio.sleep(AGENT_WAIT_S)
        try:
            await self._api.call("get_run", thread_id=session, run_id=run)
        except NotFound:
            await self._channel.send(frames.message("error", session_id=session, error=frames.NO_AGENT))

    async def _stream(self) -> None:
        """Send what agents write from now on."""
        async with self._api.watch_messages() as events:
            async for event in events:
                for kind, data in _streamed(event):
                    await self._channel.send(frames.message(kind, session_id=event["thread_id"], **data))


def _streamed(event: Json) -> Iterator[tuple[str, Json]]:
    match event:
        case {"type": "run.ended", "run": {"reason": str(reason)}}:
            yield "error", {"error": reason}
        case {"type": "run.ended"}:
            yield "chat_complete", {}
        case (
            {"type": "message.added", "message": {"role": "agent"} as said}
            | {"update": said}
            | {"delta": said}
        ):
            for part in said.get("content", [said]):
                if "text" in part:
                    yield "chat_stream", {"content": part["text"]}
        case _:
            pass
