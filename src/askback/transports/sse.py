"""Server-sent events: `GET /v1/threads/{id}/events` and `GET /v1/events` (the inbox).

`id:` is the cursor, so a browser that lost its connection resumes automatically with `Last-Event-ID`. A
stalled reader is disconnected, and resumes in the same way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from askback.domain.access import AccessLevel
from askback.domain.events import Event
from askback.domain.faults import Faults, fault
from askback.domain.ref_counter import RefCounter
from askback.errors import RateLimited
from askback.ports.bus import Activity, PersonalChange
from askback.service.delivery.subscriptions import Subscription, Subscriptions
from askback.transports.asgi_extensions import stream_of
from askback.transports.event_stream import COMMENT, HEARTBEAT_S, stream_part, stream_start
from askback.transports.http import HttpCall, Send, header, query_of, send_end
from askback.transports.outbox import Outbox
from askback.transports.problems import RECONNECT_S
from askback.transports.security import time_left

MAX_CURSOR = 2**53 - 1

_RETRY = b"retry: 1000\n\n"


class Streams:
    """All event streams of one server, with one timer that keeps them alive and disconnects stalled readers."""

    def __init__(self, subscriptions: Subscriptions, *, beat_s: float = HEARTBEAT_S) -> None:
        self._subscriptions = subscriptions
        self._beat_s = beat_s
        self._open: dict[EventStream, Callable[[], None]] = {}
        self._stream_counts: RefCounter[str] = RefCounter()
        self._timer: asyncio.TimerHandle | None = None

    async def thread(self, call: HttpCall) -> EventStream:
        """Open the stream of the thread in the path; `id:` is its `seq`."""
        return await self._stream(call, call.args["thread_id"])

    async def inbox(self, call: HttpCall) -> EventStream:
        """Open the stream of all events for the caller; `id:` is the `position`."""
        return await self._stream(call, None)

    def close(self) -> None:
        """End every stream; their readers resume elsewhere or later."""
        for stream in tuple(self._open):
            stream.end()

    def sessions(self) -> set[str]:
        """The ids of the browser sessions that have a stream open."""
        return {stream.session_id for stream in self._open} - {""}

    def hang_up(self, ended_id: str) -> None:
        """End the streams of a principal, a token or a browser session that has ended, by its id."""
        for stream in tuple(self._open):
            if ended_id in {stream.principal_id, stream.token_id, stream.session_id}:
                stream.end()

    def count(self) -> int:
        """How many streams are open."""
        return len(self._open)

    def send_heartbeats(self) -> None:
        """Send each stream a comment, and disconnect readers that read nothing since the last one."""
        for stream in tuple(self._open):
            stream.send_heartbeats()

    async def _stream(self, call: HttpCall, thread_id: str | None) -> EventStream:
        if self._stream_counts.count(call.principal.id) >= call.ctx.limits.connections:
            raise RateLimited(
                "You have too many event streams open. Close some first.", retry_after=RECONNECT_S
            )
        stream = EventStream(call, self, inbox=thread_id is None)
        cursor = _cursor(call)
        stream.subscription = await self._subscriptions.open(
            call.principal, stream, thread_id=thread_id, after=cursor, readonly=call.args["readonly"]
        )
        self._open[stream] = self._stream_counts.add(stream.principal_id)
        if self._timer is None:
            self._start_timer()
        return stream

    def forget(self, stream: EventStream) -> None:
        """Drop a stream that has ended."""
        if (release := self._open.pop(stream, None)) is not None:
            release()
        if not self._open and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _start_timer(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._beat_s, self._tick)

    def _tick(self) -> None:
        self.send_heartbeats()
        self._start_timer()


class EventStream:
    """One reader of one stream, as a reply that ends when the reader leaves."""

    subscription: Subscription

    def __init__(self, call: HttpCall, streams: Streams, *, inbox: bool) -> None:
        self._call = call
        self._streams = streams
        self._inbox = inbox
        self._outbox = Outbox[bytes](self._write, write_now=stream_of(call.scope))
        self._send: Send | None = None
        self._writer: asyncio.Task[None] | None = None
        self._seen_batches = -1
        self._is_ended = False
        self._complete = False

    @property
    def principal_id(self) -> str:
        """The id of the reader."""
        return self._call.principal.id

    @property
    def token_id(self) -> str:
        """The id of its token; empty for a session."""
        return self._call.principal.token

    @property
    def session_id(self) -> str:
        """The id of its browser session; empty for a token."""
        identity = self._call.identity
        return identity.session.id if identity and identity.session else ""

    def push(self, event: Event) -> None:
        """Take the next event; a reader that is too far behind is disconnected."""
        if self._outbox.full:
            self.abort()
        else:
            self._outbox.put(encode(event, inbox=self._inbox))

    async def drain(self) -> None:
        """Return when there is room for another page."""
        await self._outbox.drain()

    def on_hidden(self, _watcher: Subscription, /) -> None:
        """End the stream of a thread that is now hidden from its reader; a new request for it gets a 404."""
        self.end()

    def on_activity(self, _activity: Activity, /) -> None:
        """Do nothing: a stream has only stored events, so that it can be resumed."""

    def on_change(self, _change: PersonalChange, /) -> None:
        """Do nothing: a stream has only stored events."""

    def on_access_change(self, _thread_id: str, _level: AccessLevel, /) -> None:
        """Do nothing: this stream has only requests, and is the same for all its readers."""

    def send_heartbeats(self) -> None:
        """Send a comment, or disconnect the reader if it read nothing since the last one."""
        if not self._outbox.sending:
            self._outbox.put(COMMENT)
        elif self._seen_batches == self._outbox.batches:
            self.abort()
        self._seen_batches = self._outbox.batches

    def end(self) -> None:
        """End the stream as a complete reply: its reader has to connect again, and then gets the reason."""
        self._complete = True
        self.abort()

    def abort(self) -> None:
        """End the stream immediately, even if it has not begun."""
        self._is_ended = True
        if self._writer is not None:
            self._writer.cancel()

    async def send(self, send: Send) -> None:
        """Stream until the reader leaves or is disconnected, then free everything."""
        self._send = send
        disconnect = None
        try:
            await send(stream_start())
            await send(stream_part(_RETRY))
            disconnect = asyncio.create_task(self._wait_for_disconnect())
            self._writer = asyncio.create_task(self._outbox.run())
            if not self._is_ended:
                remaining_s = time_left(self._call.ctx, self._call.principal)
                tasks = {disconnect, self._writer}
                done, _ = await asyncio.wait(tasks, timeout=remaining_s, return_when=asyncio.FIRST_COMPLETED)
                if not done:  # the token has expired
                    self.end()
                    await asyncio.wait({self._writer})
            if self._complete and not disconnect.done():
                await send_end(send)
        finally:
            self.subscription.close()
            self._streams.forget(self)
            tasks = {task for task in (disconnect, self._writer) if task is not None}
            for task in tasks:
                task.cancel()
            if tasks:
                await asyncio.wait(tasks)

    async def _wait_for_disconnect(self) -> None:
        while (await self._call.receive())["type"] != "http.disconnect":
            pass

    async def _write(self, batch: list[bytes]) -> None:
        assert self._send is not None
        await self._send(stream_part(b"".join(batch)))


_encoded: dict[tuple[bool, bool], tuple[Event, bytes]] = {}


def encode(event: Event, *, inbox: bool) -> bytes:
    """Return the text of an event. All readers of an event ask in turn, so the last text of each form is cached."""
    form = (inbox, event.redacted is None)
    entry = _encoded.get(form)
    if entry is not None and entry[0] is event:
        return entry[1]
    cursor = event.position if inbox else event.seq
    text = f"id: {cursor}\nevent: {event.type}\ndata: {event.text}\n\n".encode()
    _encoded[form] = (event, text)
    return text


def _cursor(call: HttpCall) -> int | None:
    value = header(call.scope, b"last-event-id")
    source = "Last-Event-ID"
    if not value:
        value, source = query_of(call.scope).get("cursor", [""])[-1], "cursor"
    if not value:
        return None
    if not value.isascii() or not value.isdecimal() or len(value) > 16 or int(value) > MAX_CURSOR:
        raise Faults([fault(source, "wrong_type.integer")])
    return int(value)
