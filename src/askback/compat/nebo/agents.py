"""The agent's side of Nebo's hub: `ask_request`, `approval_request`, `stream`, `res` and `req` in, outcomes out."""

import time
import uuid
from contextlib import suppress
from typing import Any

from askback.compat.nebo import frames
from askback.compat.nebo.frames import SKIPPED, Ask
from askback.domain.events import MESSAGE_ADDED
from askback.domain.faults import require
from askback.domain.lifecycle import OPEN, TERMINAL
from askback.domain.model import Model
from askback.domain.validation.structure import parse
from askback.errors import Conflict, NotFound
from askback.ports.systems import Channel, Json, Problem
from askback.ports.threads import ThreadOfAnother

MAX_ENDED = 200
"""The number of outcomes that are sent to an agent that was away."""


class _Frame(Model, extra="ignore"):
    id: str


class _AskRequest(Ask):
    run_id: Any = None
    timeout_s: Any = None


class _ApprovalRequest(Model):
    tool: Any = None
    input: Any = None
    run_id: Any = None
    timeout_s: Any = None


class AgentPeer:
    """One agent. Each of its runs is a message, in which its asks have their place."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._api = channel.api
        self._name = channel.query.get("name") or "main"
        self._metadata: Json = {"nebo": {"name": self._name}}
        self._mark: Json = {"nebo": {"connection": uuid.uuid4().hex}}
        """The metadata of the runs that this connection began."""
        self._since = time.monotonic()
        self._default = channel.query.get("session_id")
        self._running: set[str] = set()
        self._awaited_ids: set[str] = set()
        """The ids, of the agent, of the requests whose outcomes this connection waits for."""

    async def on_open(self) -> None:
        """Greet, and wait again for the open requests and the undelivered outcomes of this agent."""
        self._channel.follow(self._listen())
        agent = {"agent_id": self._api.principal_id, "name": self._name}
        await self._channel.send({"type": "event", "method": "ready", "payload": agent})
        pending = await self._api.requests(status=sorted(OPEN))
        # Read after the others: one that ends meanwhile is in both.
        ended = await self._api.call("list_requests", status=TERMINAL, limit=MAX_ENDED)
        for request in [*pending, *ended["requests"]]:
            own = request.get("metadata") == self._metadata and "external_id" in request
            if own and (request["status"] not in TERMINAL or await self._api.is_undelivered(request["id"])):
                self._attach(request)

    async def take(self, frame: Json) -> None:
        """Handle a frame; those that Nebo does not know are ignored, as it does."""
        match frame:
            case {"type": "ask_request"}:
                ask = parse(_AskRequest, frame.get("payload"))
                question = {"kind": "form", "form": frames.read_ask(ask), "repeat": "ask"}
                await self._request(frame, ask, question)
            case {"type": "approval_request"}:
                sent = parse(_ApprovalRequest, frame.get("payload"))
                call = sent.model_dump(exclude_unset=True, include={"tool", "input"})
                await self._request(frame, sent, {"kind": "approval", "approval": call})
            case {"type": "stream", "id": str(run), "payload": {**payload}}:
                await self._stream(run, payload)
            case {"type": "res", "id": str(run)}:
                with suppress(NotFound):
                    await self._end(run, ok=frame.get("ok") is True, error=frame.get("error"))
            case {"type": "req", "method": "ping"}:
                await self._reply(frame, pong=True, time=int(time.time()))
            case {"type": "req", "method": "status"}:
                uptime_s = int(time.monotonic() - self._since)
                await self._reply(frame, agent_id=self._api.principal_id, connected=True, uptime_sec=uptime_s)
            case {"type": "req"}:
                raise NotFound(f"unknown method: {str(frame.get('method') or '')[:100]}")
            case _:
                require(isinstance(frame.get("type"), str), "type", "wrong_type.string")

    def error_frame(self, frame: Json | None, problem: Problem) -> Json | None:
        """Return the hub's `res` with the error; also for a frame that cannot be read, which Nebo ignores."""
        return _res(frame or {}, ok=False, error=frames.refusal_text(problem.error))

    async def _reply(self, frame: Json, **payload: Any) -> None:
        await self._channel.send(_res(frame, ok=True, payload=payload))

    async def _request(self, frame: Json, payload: _AskRequest | _ApprovalRequest, question: Json) -> None:
        id_ = parse(_Frame, frame).id
        earlier = await self._api.requests(external_id=id_)
        request = next((item for item in earlier if item.get("metadata") == self._metadata), None)
        if request is None:
            client = self._channel.query.get("require_client", "durable")
            about = {"require_client": client, "external_id": id_, "metadata": self._metadata}
            about |= payload.model_dump(include={"timeout_s"}, exclude_unset=True)
            body = {**question, **about, **await self._place(payload.run_id)}
            request = await self._api.call("create_request", body, key=f"nebo:{id_}")
        elif not frames.is_same(request, question):
            raise Conflict("You have sent another question with this id. Give this one its own id.")
        if (run := request.get("message_id")) is not None:
            block = {"type": "request", "request_id": request["id"]}
            await self._write(request["thread_id"], run, block)
        self._attach(request)

    async def _place(self, run: object) -> Json:
        """Return the thread of a request, and its run and message if the run is known."""
        if run is None and len(self._running) == 1:
            (run,) = self._running
        session = {"thread_id": await self._session(run if isinstance(run, str) else "")}
        return session if run is None else {**session, "run_id": run, "message_id": run}

    async def _session(self, run: str = "") -> str:
        """Return the session of a run, or the one where none is named: that may be another agent's of this name."""
        if self._default is None:
            self._default = self._name
            try:
                await self._api.call("list_runs", thread_id=self._name, limit=1)
            except NotFound:
                self._default = f"{self._name}-{self._api.principal_id}"
        return frames.session_of(run) or self._default

    def _attach(self, request: Json) -> None:
        frame = {"id": request["external_id"]}
        if frame["id"] not in self._awaited_ids:
            self._awaited_ids.add(frame["id"])
            self._channel.start(self._await(request, frame), frame)

    async def _await(self, request: Json, frame: Json) -> None:
        try:
            ended = await self._api.outcome(request["id"])
        finally:
            self._awaited_ids.discard(frame["id"])
        outcome = _res(frame, ok=False, error=frames.end_text(ended))
        if reply := frames.response(ended, skipped=SKIPPED):
            outcome = {"type": reply[0], **frame, "payload": reply[1]}
        await self._channel.send(outcome, outcome_of=request["id"])

    async def _listen(self) -> None:
        async with self._api.watch_messages() as events:
            async for event in events:
                if event["type"] == MESSAGE_ADDED and event["message"]["role"] == "user":
                    self._channel.start(self._run_message(event["thread_id"], event["message"]))

    async def _run_message(self, session: str, message: Json) -> None:
        """Run a person's message from Nebo's page; of several agents, the first to begin the run gets it."""
        run = message.get("run_id")
        if run is None or frames.session_of(run) != session:
            return
        with suppress(Conflict, ThreadOfAnother):
            body = {"run_id": run, "metadata": self._mark}
            if (await self._api.call("start_run", body, thread_id=session)).get("metadata") == self._mark:
                self._running.add(run)
                prompt = "".join(part.get("text", "") for part in message["content"])
                params = {"session_key": session, "prompt": prompt}
                await self._channel.send({"type": "req", "id": run, "method": "run", "params": params})

    async def _stream(self, run: str, payload: Json) -> None:
        """Add text to the message of a run."""
        session = await self._session(run)
        if run not in self._running:
            await self._api.call("start_run", {"run_id": run}, thread_id=session, paths=[("run_id", "id")])
            runs = await self._api.call("list_runs", thread_id=session, running=True)
            self._running |= {item["id"] for item in runs["runs"]}  # also of a connection before this one
        if isinstance(text := payload.get("chunk"), str) and text:
            await self._write(session, run, {"type": "text", "text": text})

    async def _write(self, session: str, run: str, part: Json) -> None:
        added = {"text": part["text"]} if "text" in part else {"content": [part]}
        try:
            await self._api.call("post_message", {"append_to": run, **added}, thread_id=session)
        except NotFound:
            message = {"id": run, "run_id": run, "content": [part]}
            await self._api.call("post_message", message, thread_id=session)

    async def _end(self, run: str, *, ok: bool, error: object) -> None:
        """End a run; why it failed is its reason."""
        why = "".join(filter(str.isprintable, str(error or "")))[:200].strip() or "failed"
        session = await self._session(run)
        await self._api.call("end_run", {} if ok else {"reason": why}, thread_id=session, run_id=run)
        self._running.discard(run)


def _res(frame: Json, **content: Any) -> Json:
    id_ = frame.get("id")
    return {"type": "res", "id": id_ if isinstance(id_, str) else "", **content}
