"""The agent's side of Nebo's hub: `ask_request`, `approval_request`, `stream`, `res` and `req` in, outcomes out."""

from __future__ import annotations

import time
import uuid
from typing import Any

from askback.compat.nebo.frames import MAX_ID, OPEN, end_text, list_all, refusal_text, response, session_of
from askback.compat.nebo.widgets import Ask, Members, read_ask
from askback.compat.system import Api, Channel, Json, Problem
from askback.domain.faults import Faults, fault
from askback.domain.lifecycle import Status
from askback.domain.validation.structure import parse
from askback.errors import NotFound

_OFFER: Json = {"type": "offer"}
_PLACE = {"run_id", "timeout_s"}


class _AskRequest(Ask):
    run_id: Any = None
    timeout_s: Any = None


class _ApprovalRequest(Members):
    tool: Any = None
    input: Any = None
    run_id: Any = None
    timeout_s: Any = None


class AgentPeer:
    """One agent; its open requests are attached again when it comes back."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._api = channel.api
        self._name = channel.query.get("name") or "main"
        self._session = channel.query.get("session_id")
        self._runs = _Runs(channel.api, self._session or self._name)
        self._connection = uuid.uuid4().hex
        self._awaited: set[str] = set()
        self._since = time.monotonic()

    async def opened(self) -> None:
        """Greet, and wait again for what this agent has open or has not heard."""
        self._channel.start(self._listen(), _OFFER)
        who = {"agent_id": self._api.principal_id, "name": self._name}
        await self._channel.send({"type": "event", "method": "ready", "payload": who})
        ended = await self._api.call("list_requests", status=frozenset(Status) - OPEN, limit=200)
        for request in [*await list_all(self._api, status=OPEN), *ended["requests"]]:
            if request.get("metadata") != {"nebo": {"name": self._name}} or "external_id" not in request:
                continue
            if request["status"] in OPEN or await self._api.is_undelivered(request["id"]):
                self._attach(request["id"], {"id": request["external_id"]})

    async def take(self, frame: Json) -> None:
        """Handle a frame; those that Nebo does not know are ignored, as it does."""
        match frame:
            case {"type": "ask_request"}:
                ask = parse(_AskRequest, frame.get("payload"))
                question = {"kind": "form", "form": read_ask(ask), "repeat": "ask"}
                await self._request(frame, ask, question)
            case {"type": "approval_request"}:
                call = parse(_ApprovalRequest, frame.get("payload"))
                approval = call.model_dump(exclude_unset=True, exclude=_PLACE)
                await self._request(frame, call, {"kind": "approval", "approval": approval})
            case {"type": "stream", "id": str(run), "payload": {**payload}}:
                await self._runs.stream(run, payload)
            case {"type": "res", "id": str(run)}:
                await self._runs.end(run, ok=frame.get("ok") is True, error=frame.get("error"))
            case {"type": "req"}:
                await self._reply(frame)
            case _:
                pass

    def failed(self, frame: Json | None, problem: Problem) -> Json | None:
        """Return the hub's `res` with the error; also for a frame that cannot be read, which Nebo ignores."""
        if frame is _OFFER or (frame and frame.get("type") == "res" and problem.status == 404):
            return None
        return _error(frame or {}, refusal_text(problem.error))

    async def _request(self, frame: Json, sent: _AskRequest | _ApprovalRequest, question: Json) -> None:
        own = frame.get("id")
        if not isinstance(own, str) or not own:
            why = "missing_required" if own is None else "empty" if own == "" else "wrong_type.string"
            raise Faults([fault("id", why)])
        body = {
            **question,
            **self._runs.place(sent.run_id),
            "external_id": own,
            "require_client": self._channel.query.get("require_client", "durable"),
            "metadata": {"nebo": {"name": self._name}},
            **sent.model_dump(include={"timeout_s"}, exclude_unset=True),
        }
        request = await self._create(body, f"nebo:{own}" if len(own) <= MAX_ID else None)
        await self._runs.add_request(request)
        self._attach(request["id"], frame)

    async def _create(self, body: Json, key: str | None) -> Json:
        try:
            return await self._api.call("create_request", body, key=key)
        except Exception as error:
            # The session that is meant where none is named may be that of another agent with this name.
            foreign = self._api.explain(error).code == "thread_of_another_agent"
            if not foreign or self._session is not None or body["thread_id"] != self._name:
                raise
            self._runs.default = f"{self._name}-{self._api.principal_id}"
            return await self._api.call("create_request", {**body, "thread_id": self._runs.default}, key=key)

    def _attach(self, request_id: str, frame: Json) -> None:
        if request_id not in self._awaited:
            self._awaited.add(request_id)
            self._channel.start(self._await(request_id, frame), frame)

    async def _await(self, request_id: str, frame: Json) -> None:
        try:
            request = await self._api.outcome(request_id)
        finally:
            self._awaited.discard(request_id)
        if request["status"] == "answered":
            kind, payload = response(request)
            outcome = {"type": kind, "id": frame["id"], "payload": payload}
        else:
            outcome = _error(frame, end_text(request))
        await self._channel.send(outcome, outcome_of=request_id)

    async def _listen(self) -> None:
        async with self._api.watch_messages() as events:
            async for event in events:
                if event["type"] == "message.added" and event["message"]["role"] == "user":
                    self._channel.start(self._offer(event["thread_id"], event["message"]), _OFFER)

    async def _offer(self, session: str, written: Json) -> None:
        """Run what a person wrote on Nebo's page; of several agents the first to begin the run gets it."""
        run = written.get("run_id")
        if run is None or session_of(run) != session:
            return
        mine = {"nebo": {"connection": self._connection}}
        begun = await self._api.call("start_run", {"run_id": run, "metadata": mine}, thread_id=session)
        if begun.get("metadata") == mine:
            self._runs.running.add(run)
            prompt = "".join(part.get("text", "") for part in written["content"])
            params = {"session_key": session, "prompt": prompt}
            await self._channel.send({"type": "req", "id": run, "method": "run", "params": params})

    async def _reply(self, frame: Json) -> None:
        match frame.get("method"):
            case "ping":
                payload: Json = {"pong": True, "time": int(time.time())}
            case "status":
                uptime = int(time.monotonic() - self._since)
                payload = {"agent_id": self._api.principal_id, "connected": True, "uptime_sec": uptime}
            case method:
                named = method[:100] if isinstance(method, str) else ""
                await self._channel.send(_error(frame, f"unknown method: {named}"))
                return
        await self._channel.send({"type": "res", "id": _id(frame), "ok": True, "payload": payload})


class _Runs:
    """The runs of one connection, each a message in which its asks have their place; `default` is its session."""

    def __init__(self, api: Api, default: str) -> None:
        self._api = api
        self.default = default
        self.running: set[str] = set()

    def place(self, run: object) -> Json:
        """Return the members of a request that say where it is asked: in its run, if it is known which."""
        if run is None and len(self.running) == 1:
            (run,) = self.running
        if run is None:
            return {"thread_id": self.default}
        session = self._session(run) if isinstance(run, str) else self.default
        return {"thread_id": session, "run_id": run, "message_id": run}

    async def stream(self, run: str, payload: Json) -> None:
        """Add text to the message of a run."""
        session = self._session(run)
        if run not in self.running:
            await self._api.call("start_run", {"run_id": run}, thread_id=session)
            self.running.add(run)
        if isinstance(text := payload.get("chunk"), str) and text:
            await self._add(run, {"type": "text", "text": text}, session)

    async def add_request(self, request: Json) -> None:
        """Put a request at the end of what its run has said so far."""
        if (run := request.get("message_id")) is not None:
            block = {"type": "request", "request_id": request["id"]}
            await self._add(run, block, request["thread_id"])

    async def end(self, run: str, *, ok: bool, error: object) -> None:
        """End a run; why it failed is its reason."""
        why = "".join(filter(str.isprintable, str(error or "")))[:200].strip() or "failed"
        body = {} if ok else {"reason": why}
        await self._api.call("end_run", body, thread_id=self._session(run), run_id=run)
        self.running.discard(run)

    async def _add(self, run: str, part: Json, session: str) -> None:
        added = {"text": part["text"]} if part["type"] == "text" else {"content": [part]}
        try:
            await self._api.call("post_message", {"append_to": run, **added}, thread_id=session)
        except NotFound:
            first = {"id": run, "run_id": run, "content": [part]}
            await self._api.call("post_message", first, thread_id=session)

    def _session(self, run: str) -> str:
        return session_of(run) or self.default


def _error(frame: Json, text: str) -> Json:
    return {"type": "res", "id": _id(frame), "ok": False, "error": text}


def _id(frame: Json) -> str:
    own = frame.get("id")
    return own if isinstance(own, str) else ""
