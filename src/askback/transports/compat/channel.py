"""One WebSocket connection of a projection: frames in, in order, and frames out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from typing import Any, cast

from askback.domain import jsontext
from askback.domain.faults import Faults, fault
from askback.ports.systems import Json, Peer
from askback.service.lifecycle import undelivered
from askback.transports.asgi_extensions import Socket
from askback.transports.compat.api import CallerApi
from askback.transports.http import ClientGone, Receive, Send
from askback.transports.receipts import OutcomeReceipts
from askback.wire.websocket import CloseCode

CLOSE_S = 1.0
MAX_TASKS = 1_000
"""Concurrent operations of one connection; beyond that it is not read."""


class SocketChannel:
    """`ports.systems.Channel`."""

    def __init__(
        self,
        api: CallerApi,
        *,
        path: Mapping[str, str],
        query: Mapping[str, str],
        send: Send,
        socket: Socket | None,
    ) -> None:
        self.api = api
        self.path = path
        self.query = query
        self._send = send
        self._write_lock = asyncio.Lock()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._has_room = asyncio.Event()
        self._peer: Peer | None = None
        self._read_task: asyncio.Task[None] | None = None
        self._receipts = OutcomeReceipts(
            socket and socket.confirm,
            on_arrival=api.confirm_arrival,
        )

    async def send(self, frame: Json, *, outcome_of: str = "") -> None:
        """Send a frame, after those before it."""
        text = json.dumps(frame, separators=(",", ":"), ensure_ascii=False)
        async with self._write_lock:
            if outcome_of:
                self._receipts.queue(outcome_of)
            batch = self._receipts.begin_batch()
            await self._send({"type": "websocket.send", "text": text})
            self._receipts.end_batch(batch)

    def start(self, work: Coroutine[Any, Any, None], frame: Json | None = None) -> asyncio.Task[Any]:
        """Run something concurrently with later frames."""
        task = asyncio.create_task(self._attempt(work, frame))
        self._tasks.add(task)
        task.add_done_callback(self._on_task_done)
        return task

    def follow(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[Any]:
        """Run something until the connection ends; see `ports.systems.Channel`."""
        return self.start(self._follow(work))

    async def _follow(self, work: Coroutine[Any, Any, None]) -> None:
        if not await self._attempt(work, None):
            await self.close(CloseCode.INTERNAL_ERROR)

    async def close(self, code: int = 1000, reason: str = "") -> None:
        """End the connection from this side."""
        with suppress(Exception):  # the other side may be gone already, or no longer read
            async with asyncio.timeout(CLOSE_S):
                await self._send({"type": "websocket.close", "code": code, "reason": reason})
        if self._read_task is not None:
            self._read_task.cancel()

    async def run(self, peer: Peer, receive: Receive, *, max_bytes: int, ended: asyncio.Event) -> None:
        """Serve the connection until one side ends it, or `ended` is set."""
        self._peer = peer
        self._read_task = asyncio.create_task(self._read(peer, receive, max_bytes))
        end_task = asyncio.create_task(ended.wait())
        try:
            await asyncio.wait({self._read_task, end_task}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            tasks = {self._read_task, end_task, *self._tasks}
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            await undelivered.requeue_unacknowledged(
                self.api.ctx, self.api.principal, self._receipts.unconfirmed()
            )
        if not self._read_task.cancelled() and (error := self._read_task.exception()) is not None:
            raise error

    async def _read(self, peer: Peer, receive: Receive, max_bytes: int) -> None:
        await self._attempt(peer.on_open(), None)
        while True:
            message = await receive()
            if message["type"] == "websocket.disconnect":
                return
            text: str | bytes = message.get("text") or message.get("bytes") or b""
            if len(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text) > max_bytes:
                await self.close(CloseCode.TOO_LARGE, "frame too large")
                return
            await self._handle_frame(peer, text)
            while len(self._tasks) >= MAX_TASKS:
                self._has_room.clear()
                await self._has_room.wait()

    async def _handle_frame(self, peer: Peer, text: str | bytes) -> None:
        try:
            frame = jsontext.parse(text, limits=self.api.limits)
            if not isinstance(frame, dict):
                raise Faults([fault("", "wrong_type.object")])
        except Faults as error:
            await self._fail(None, error)
            return
        message = cast("Json", frame)
        await self._attempt(peer.take(message), message)

    async def _attempt(self, work: Coroutine[Any, Any, None], frame: Json | None) -> bool:
        """Run something, and return whether it succeeded; an error becomes a frame."""
        try:
            await work
        except (ClientGone, ConnectionError):
            pass
        except Exception as error:  # noqa: BLE001 - an error of one frame never ends the connection
            await self._fail(frame, error)
            return False
        return True

    async def _fail(self, frame: Json | None, error: Exception) -> None:
        assert self._peer is not None
        reply = self._peer.error_frame(frame, self.api.explain(error))
        if reply is not None:
            with suppress(ClientGone, ConnectionError):
                await self.send(reply)

    def _on_task_done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        self._has_room.set()
