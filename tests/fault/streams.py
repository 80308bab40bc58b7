"""Readers of the event streams, over SSE and WebSocket, which sometimes disconnect and continue from their cursors.

A stream has no gap, no duplicate and nothing out of order; its completeness is checked at the end.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing
from typing import Any, NamedTuple

import anyio
import httpx2
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidHandshake, WebSocketException
from websockets.typing import Subprotocol

from tests.fault.ledger import Ledger
from tests.fault.processes import RESPONDER

CUT_AFTER = (3, 5, 2, 7)
"""The number of events that a reader takes on one connection before it reconnects."""
SCENARIO_PREFIX = "scenario-"
"""The prefix of ids of threads with scenarios."""
SILENT_S = 15
"""Longer than between two comments."""
CONNECTION_ERRORS = (OSError, EOFError, TimeoutError, InvalidHandshake, WebSocketException, httpx2.HTTPError)


class StreamEvent(NamedTuple):
    """One event of a stream."""

    thread: str
    seq: int
    type: str
    about: str
    text: str


def stream_event(event: dict[str, Any]) -> StreamEvent:
    """Return the identity of an event: its place, its type and its subject."""
    subject = event.get("request") or event.get("message") or event.get("delta") or {}
    text = event["delta"]["text"] if "delta" in event else ""
    return StreamEvent(event["thread_id"], event["seq"], event["type"], subject.get("id", ""), text)


class Place:
    """The position in one stream: a thread by `seq`, the inbox (`thread` None) by `position`."""

    def __init__(self, name: str, ledger: Ledger, *, thread: str | None, cursor: int) -> None:
        self.name = name
        self.thread = thread
        self.cursor = cursor
        self.events: list[StreamEvent] = []
        self._ledger = ledger

    def take(self, event: dict[str, Any]) -> bool:
        """Record the next event; any other event is a broken promise. Return whether it belongs to a scenario."""
        number = event["position" if self.thread is None else "seq"]
        follows = number > self.cursor if self.thread is None else number == self.cursor + 1
        if not follows:
            self._ledger.broken("I11", f"{self.name}: {number} ({event['type']}) comes after {self.cursor}")
        self.cursor = max(self.cursor, number)
        of_scenario = event["thread_id"].startswith(SCENARIO_PREFIX)
        if of_scenario:
            self.events.append(stream_event(event))
        return of_scenario


class SseReader:
    """One stream over HTTP, which resumes with `Last-Event-ID`."""

    def __init__(self, http: httpx2.AsyncClient, url: Callable[[], str], place: Place) -> None:
        self.place = place
        self._http = http
        self._url = url

    async def run(self) -> None:
        """Read forever."""
        for most in repeat_last(CUT_AFTER):
            try:
                async with aclosing(self._events()) as events:
                    await self._take(events, most)
            except CONNECTION_ERRORS:
                await anyio.sleep(0.02)

    async def _take(self, events: AsyncGenerator[dict[str, Any]], most: int) -> None:
        async for event in events:
            most -= self.place.take(event)
            if most == 0:
                return

    async def _events(self) -> AsyncGenerator[dict[str, Any]]:
        thread = self.place.thread
        path = "/v1/events" if thread is None else f"/v1/threads/{thread}/events"
        headers = {"Authorization": f"Bearer {RESPONDER}", "Last-Event-ID": str(self.place.cursor)}
        async with self._http.stream("GET", self._url() + path, headers=headers, timeout=SILENT_S) as stream:
            if stream.status_code != 200:
                raise httpx2.HTTPError(f"{stream.status_code}")
            number = -1
            async for line in stream.aiter_lines():
                if line.startswith("id:"):
                    number = int(line[3:])
                elif line.startswith("data:"):
                    event = json.loads(line[5:])
                    if number != event["position" if thread is None else "seq"]:
                        event = {**event, "seq": number, "position": number}  # it shows as out of order
                    yield event


class SocketReader:
    """Threads and the inbox over one WebSocket, which subscribes again with its cursors."""

    def __init__(self, url: Callable[[], str], places: Sequence[Place]) -> None:
        self.places = places
        self.ready = anyio.Event()
        self._url = url
        self._by_thread = {place.thread: place for place in places}

    async def run(self) -> None:
        """Read forever."""
        for most in repeat_last(CUT_AFTER):
            try:
                await self._read(3 * most)
            except CONNECTION_ERRORS:
                await anyio.sleep(0.02)

    async def _read(self, most: int) -> None:
        address = f"ws{self._url().removeprefix('http')}/v1/ws"
        headers = {"Authorization": f"Bearer {RESPONDER}"}
        protocols = [Subprotocol("askback.v1")]
        async with connect(
            address, additional_headers=headers, subprotocols=protocols, compression=None, close_timeout=1
        ) as socket:
            for number, place in enumerate(self.places):
                subject = {"inbox": True} if place.thread is None else {"thread_id": place.thread}
                arguments = {} if place.cursor < 0 else {"cursor": place.cursor}
                await socket.send(json.dumps({"id": number, "op": "subscribe", **subject, **arguments}))
            while most:
                most -= self._take(json.loads(await socket.recv()))

    def _take(self, frame: dict[str, Any]) -> bool:
        """Process a frame; return whether it is an event of a scenario."""
        if "event" in frame:
            event = frame["event"]
            return self._by_thread[None if frame.get("inbox") else event["thread_id"]].take(event)
        if frame.get("ok") is not None:
            place = self.places[frame["id"]]
            if place.cursor < 0:
                place.cursor = frame["ok"]["cursor"]
            if all(item.cursor >= 0 for item in self.places):
                self.ready.set()
        return False


def repeat_last(counts: Sequence[int]) -> Iterator[int]:
    while True:
        yield from counts
