"""One WebSocket connection: frames in, operations run, one buffer out.

An operation that may wait for the store runs in its own task, so a slow one does not block others, and its
error goes to its own caller. Operations in progress when the peer leaves are finished: an answer that was
sent just before the page closed still counts. Only operations that wait for something to deliver end with
their peer.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any, cast

from askback.domain import jsontext
from askback.domain.access import AccessLevel
from askback.domain.events import Event
from askback.domain.faults import Faults, fault
from askback.ports.bus import Activity, PersonalChange
from askback.ports.store import Principal
from askback.service.access import sharing
from askback.service.context import Services
from askback.service.delivery.subscriptions import Subscription, Subscriptions
from askback.service.delivery.waits import ConnectionWaits
from askback.service.lifecycle import undelivered
from askback.transports.asgi_extensions import Socket
from askback.transports.http import Receive, Send
from askback.transports.outbox import Outbox
from askback.transports.problems import problem
from askback.transports.receipts import OutcomeReceipts
from askback.transports.websocket.operations import INLINE, LARGE, OPERATIONS, PATIENT, operation_name
from askback.wire.websocket import CloseCode

MAX_OPERATIONS = 2_048
"""Concurrent operations of one connection; beyond that it is not read."""

NEWEST = 8
"""The number of events whose text is cached."""

CLOSE_S = 1.0
RESYNC = '{"resync":true}'

_log = logging.getLogger(__name__)


class WebSocketConnection:
    """The state of one connection; the operations are in `operations.py`."""

    def __init__(
        self,
        ctx: Services,
        principal: Principal,
        *,
        subscriptions: Subscriptions,
        waits: ConnectionWaits,
        send: Send,
        locale: str,
        session_id: str = "",
        socket: Socket | None = None,
    ) -> None:
        self.ctx = ctx
        self.session_id = session_id
        self.principal = principal
        self.subscriptions = subscriptions
        self.waits = waits
        self.open_subscriptions: dict[str | None, Subscription] = {}
        self.waiting: set[str] = set()
        self.seen_threads: set[str] = set()
        self.activities: dict[str, Activity] = {}
        self.closed = False
        self._send = send
        self._socket = socket
        self.locale = locale
        self._outbox = Outbox[str](self._write, write_now=None if socket is None else self._write_now)
        self._receipts = OutcomeReceipts(
            socket and socket.confirm,
            on_arrival=lambda request_id: waits.on_arrival(request_id, principal),
        )
        self.subscribing = asyncio.Lock()
        self._large = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._patient: set[asyncio.Task[None]] = set()
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._read_task: asyncio.Task[None] | None = None

    async def run(self, receive: Receive) -> None:
        """Serve the connection until the peer leaves."""
        writer = asyncio.create_task(self._outbox.run())
        self._read_task = asyncio.create_task(self._read(receive))
        try:
            await asyncio.wait({writer, self._read_task}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.closed = True
            self._release()
            self._read_task.cancel()
            writer.cancel()
            await asyncio.wait({writer, self._read_task})
            for task in self._patient:
                task.cancel()
            if self._tasks:
                await asyncio.wait(self._tasks)
            for activity in self.activities.values():
                self.ctx.bus.report(replace(activity, active=False))
            await self._requeue_outcomes()

    # --- notifications from the services ---------------------------------------------------

    def push(self, event: Event) -> None:
        """Send an event of a thread; a peer that is too far behind has to subscribe again."""
        self._put(_event_frame(event.text))

    def push_inbox(self, event: Event) -> None:
        """Send an event of the inbox, marked as such: threads and the inbox count events differently."""
        level = sharing.level(self.principal, event.access, event.thread_id).wire_name
        self._put(f'{{"event":{event.text},"inbox":true,"level":"{level}"}}')

    def on_access_change(self, thread_id: str, level: AccessLevel, /) -> None:
        """Send the new access level of the inbox's reader in a thread."""
        self._put(f'{{"access":{{"thread_id":{json.dumps(thread_id)},"level":"{level.wire_name}"}}}}')

    def on_activity(self, activity: Activity, /) -> None:
        """Report that somebody else is answering a request now; skipped if the peer is behind."""
        if not self._outbox.full:
            actor = {"id": activity.person, "name": activity.name}
            subject = {"thread_id": activity.thread_id, "request_id": activity.request_id}
            self._outbox.put(json.dumps({"answering": {**subject, "by": actor, "active": activity.active}}))

    def on_change(self, change: PersonalChange, /) -> None:
        """Tell the peer which data to read again; a peer with a full queue starts over."""
        subject = {"thread_id": change.thread_id, "request_id": change.request_id}
        self._put(json.dumps({"changed": {**subject, "what": change.what}}))

    def on_hidden(self, subscription: Subscription, /) -> None:
        """Tell the peer that a thread is hidden from it now."""
        for thread_id, item in tuple(self.open_subscriptions.items()):
            if item is subscription:
                del self.open_subscriptions[thread_id]
                self._put(f'{{"hidden":{json.dumps(thread_id)}}}')

    async def drain(self) -> None:
        """Return when there is room for another page of events."""
        await self._outbox.drain()

    def on_settled(self, request_id: str, wire: str) -> None:
        """Send the outcome of a request that this peer waits for."""
        self.waiting.discard(request_id)
        if self._outbox.full:
            self._receipts.skip(request_id)
        else:
            self._receipts.queue(request_id)
        self._put(f'{{"settled":{wire}}}')

    def on_request_hidden(self) -> None:
        """Make the peer start over, so that it finds that a request is hidden from it."""
        self._release()
        self._outbox.put(RESYNC)

    # --- methods for operations ----------------------------------------------------------------

    def dismiss(self, code: CloseCode) -> None:
        """Close the connection from this side."""
        task = asyncio.create_task(self._close(code))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def unsubscribe(self, thread_id: str | None) -> int | None:
        """End a subscription, and return the number of its last event; None if there is none."""
        subscription = self.open_subscriptions.pop(thread_id, None)
        if subscription is None:
            return None
        subscription.close()
        return subscription.cursor

    # --- inside ------------------------------------------------------------------------------

    async def _read(self, receive: Receive) -> None:
        while True:
            message = await receive()
            if message["type"] == "websocket.disconnect":
                return
            text: str | bytes = message.get("text") or message.get("bytes") or b""
            if _size(text) > self.ctx.limits.frame_bytes:
                await self._close(CloseCode.TOO_LARGE)
                return
            self._frame(text)
            del message, text
            await self._has_room.wait()
            if self._outbox.full:
                await self._outbox.drain()

    def _frame(self, text: str | bytes) -> None:
        frame_id = None
        try:
            frame = _object(jsontext.parse(text, limits=self.ctx.limits))
            frame_id = _id(frame)
            op = operation_name(frame)
            if op in INLINE:
                self._outbox.put(f'{{"id":{frame_id},"ok":{INLINE[op](self, frame)}}}')
            else:
                self._start(frame_id, op, frame)
        except Exception as error:  # noqa: BLE001 - an error of one frame never ends the connection
            self._fail(_first_id(text) if frame_id is None else frame_id, error)

    def _start(self, frame_id: int, op: str, frame: dict[str, Any]) -> None:
        task = asyncio.create_task(self._operate(frame_id, op, frame))
        self._tasks.add(task)
        if op in PATIENT:
            self._patient.add(task)
        task.add_done_callback(self._on_task_done)
        if len(self._tasks) >= MAX_OPERATIONS:
            self._has_room.clear()

    def _on_task_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._patient.discard(task)
        self._has_room.set()

    async def _operate(self, frame_id: int, op: str, frame: dict[str, Any]) -> None:
        try:
            async with self._large if op in LARGE else nullcontext():
                if op in LARGE:
                    await self._outbox.drain()
                reply = await OPERATIONS[op](self, frame)
                self._outbox.put(f'{{"id":{frame_id},"ok":{reply}}}')
        except Exception as error:  # noqa: BLE001 - as above
            self._fail(frame_id, error)

    def _fail(self, frame_id: int | None, error: Exception) -> None:
        status, body = problem(error, locale=self.locale)
        answer = {"id": frame_id, "error": {**body, "status": status}}
        self._outbox.put(json.dumps(answer, separators=(",", ":"), ensure_ascii=False))

    def _put(self, text: str) -> None:
        """Put a text, or without room the frame that makes the peer start over."""
        if self._outbox.full:
            self._release()
            text = RESYNC
        self._outbox.put(text)

    def _release(self) -> None:
        for thread_id in tuple(self.open_subscriptions):
            self.unsubscribe(thread_id)
        self.waits.drop(self.waiting, self)
        self.waiting.clear()

    async def _close(self, code: CloseCode) -> None:
        with suppress(Exception):  # the peer may be gone already, or no longer read
            async with asyncio.timeout(CLOSE_S):
                await self._outbox.drain()
                await self._send({"type": "websocket.close", "code": code})
        if self._read_task is not None:
            self._read_task.cancel()

    def _write_now(self, text: str) -> bool:
        assert self._socket is not None
        if not self._socket.send_now(text):
            return False
        if self._receipts.queued:
            self._receipts.end_batch(self._receipts.begin_batch())
        return True

    async def _write(self, batch: list[str]) -> None:
        outcomes = self._receipts.begin_batch()  # all of them are in this write
        if self._socket is not None:
            await self._socket.send_texts(batch)
        else:
            for text in batch:
                await self._send({"type": "websocket.send", "text": text})
        self._receipts.end_batch(outcomes)

    async def _requeue_outcomes(self) -> None:
        """Queue resumes for outcomes that may not have arrived."""
        try:
            await undelivered.requeue_unacknowledged(self.ctx, self.principal, self._receipts.unconfirmed())
        except Exception:  # noqa: BLE001 - the store may already be closed
            _log.warning("outcomes sent to a lost connection could not be queued as resumes", exc_info=True)


@lru_cache(NEWEST)
def _event_frame(event: str) -> str:
    """Return the text of a thread's event, which is the same for all its readers."""
    return f'{{"event":{event}}}'


def _size(text: str | bytes) -> int:
    return len(text.encode("utf-8", "surrogatepass")) if isinstance(text, str) else len(text)


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Faults([fault("", "wrong_type.object")])
    return cast("dict[str, Any]", value)


def _id(frame: dict[str, Any]) -> int:
    sent_id = frame.get("id")
    if sent_id is None:
        raise Faults([fault("id", "missing_required")])
    if not isinstance(sent_id, int) or isinstance(sent_id, bool) or abs(sent_id) > 2**53:
        raise Faults([fault("id", "wrong_type.integer")])
    return sent_id


def _first_id(text: str | bytes) -> int | None:
    """Return the id of a frame that cannot be parsed, if it begins with one, so that its caller gets the error."""
    first_characters = text[:40] if isinstance(text, str) else text[:40].decode("ascii", "replace")
    match = re.match(r'\s*\{\s*"id"\s*:\s*(\d{1,15})\s*,', first_characters)
    return int(match[1]) if match else None
