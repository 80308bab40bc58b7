"""Measure one event to a thousand readers of a thread: from the answer that causes it until the last reader has it.

The readers are bare sockets in a separate process, cheaper than a browser. `last_…` counts from the
moment the answer is sent, so it includes the check of the answer and its commit; `spread_…` is from the first
reader to the last. Both processes read the same monotonic clock.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import statistics
import time
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from typing import Any
from urllib.parse import urlsplit

import httpx2
import picows
import uvloop

from bench.measure import emit
from bench.payload import ANSWER, questionnaire
from bench.persons import TEXT, connect
from bench.servers import REQUESTER, RESPONDER, Databases, Site, serve

THREAD = "fan"
CREATED, ANSWERED = b"request.created", b"request.answered"
AT_A_TIME = 50
WARM = 3


class Tally:
    """Counts the readers that have an event, and reports the moments of the first and of the last."""

    def __init__(self, readers: int, line: Connection) -> None:
        self._readers, self._line = readers, line
        self._count = 0
        self._first = 0.0

    def count(self, data: bytes) -> None:
        """Take an event that one reader has."""
        if CREATED not in data and ANSWERED not in data:
            return
        if not self._count:
            self._first = time.perf_counter()
        self._count += 1
        if self._count == self._readers:
            self._count = 0
            self._line.send((self._first, time.perf_counter()))


class OverWebSocket(picows.WSListener):
    """A reader that subscribes."""

    def __init__(self, tally: Tally) -> None:
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._tally = tally

    def on_ws_connected(self, transport: picows.WSTransport) -> None:
        """Subscribe."""
        transport.send(TEXT, b'{"id":0,"op":"subscribe","thread_id":"%s"}' % THREAD.encode())

    def on_ws_frame(self, transport: picows.WSTransport, frame: Any) -> None:
        """Take the reply, then events."""
        if self.ready.done():
            self._tally.count(frame.get_payload_as_bytes()[:64])
        else:
            self.ready.set_result(None)


class OverSse(asyncio.Protocol):
    """A reader of the event stream."""

    def __init__(self, tally: Tally, host: str) -> None:
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._tally, self._host = tally, host
        self._incomplete = b""

    def connection_made(self, transport: Any) -> None:
        """Ask for the stream."""
        self._transport = transport  # or the connection would be collected with it
        request_head = f"GET /v1/threads/{THREAD}/events HTTP/1.1\r\nHost: {self._host}\r\n"
        transport.write(f"{request_head}Authorization: Bearer {RESPONDER}\r\n\r\n".encode())

    def data_received(self, data: bytes) -> None:
        """Take the head of the response, then events; a blank line ends either."""
        *complete_events, self._incomplete = (
            (self._incomplete + data).replace(b"\r\n\r\n", b"\n\n").split(b"\n\n")
        )
        for event in complete_events:
            if self.ready.done():
                self._tally.count(event[:256])
            else:
                assert b" 200 " in event, event
                self.ready.set_result(None)


async def over_websocket(tally: Tally, url: str) -> None:
    """Connect a reader."""
    _, listener = await connect(partial(OverWebSocket, tally), url, RESPONDER)
    await listener.ready


async def over_sse(tally: Tally, url: str) -> None:
    """Connect a reader."""
    address = urlsplit(url).netloc
    host, _, port = address.partition(":")
    loop = asyncio.get_running_loop()
    _, reader = await loop.create_connection(partial(OverSse, tally, address), host, int(port))
    await reader.ready


TRANSPORTS = {"websocket": over_websocket, "sse": over_sse}


def read(transport: str, url: str, readers: int, line: Connection) -> None:
    """Run all readers, in a separate process, until the other end of the pipe is closed."""

    async def run() -> None:
        tally = Tally(readers, line)
        for first in range(0, readers, AT_A_TIME):
            reader_numbers = range(first, min(first + AT_A_TIME, readers))
            await asyncio.gather(*(TRANSPORTS[transport](tally, url) for _ in reader_numbers))
        line.send("ready")
        await asyncio.Event().wait()

    uvloop.run(run())


def case(site: Site, line: Connection, events: int) -> dict[str, Any]:
    """Ask and answer this many times; each time wait until every reader has both events."""
    assert _receive(line) == "ready"
    last: list[float] = []
    spread: list[float] = []
    with _client(site.agents, REQUESTER) as agent, _client(site.persons, RESPONDER) as person:
        for turn in range(WARM + events):
            if turn == WARM:
                cpu_before = site.cpu_seconds()
            created = _post(agent, "/v1/requests", {"kind": "form", "thread_id": THREAD, "form": FORM})
            _receive(line)
            started_at = time.perf_counter()
            _post(person, f"/v1/requests/{created['id']}/answer", {"revision": 1, "values": ANSWER})
            first, end = _receive(line)
            if turn >= WARM:
                last.append(end - started_at)
                spread.append(end - first)
    cpu = (site.cpu_seconds() - cpu_before) / (2 * events)
    return {"cpu_ms_an_event": round(cpu * 1e3, 1), **_figures("last", last), **_figures("spread", spread)}


FORM = questionnaire(0).model_dump(exclude_none=True)


def _client(url: str, token: str) -> httpx2.Client:
    return httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=60)


def _post(client: httpx2.Client, path: str, body: dict[str, Any]) -> dict[str, Any]:
    response = client.post(path, json=body)
    assert response.is_success, response.text
    return response.json()


def _receive(line: Connection) -> Any:
    assert line.poll(60), "the readers did not get it"
    return line.recv()


def _figures(name: str, samples: list[float]) -> dict[str, float]:
    ordered = sorted(samples)
    p99 = ordered[int(len(ordered) * 0.99)]
    return {
        f"{name}_p50_ms": round(statistics.median(ordered) * 1e3, 1),
        f"{name}_p99_ms": round(p99 * 1e3, 1),
    }


def main() -> None:
    """Measure each transport, with one reader (the base cost) and with many."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readers", default="1,1000", help="numbers of readers, separated by commas")
    parser.add_argument("--events", type=int, default=30)
    args = parser.parse_args()
    start: Callable[..., Any] = multiprocessing.get_context("spawn").Process
    for readers in map(int, args.readers.split(",")):
        for transport in TRANSPORTS:
            with Databases() as databases, databases.new("sqlite") as url, serve(url) as site:
                parent_end, child_end = multiprocessing.Pipe()
                process = start(target=read, args=(transport, site.persons, readers, child_end), daemon=True)
                process.start()
                figures = case(site, parent_end, args.events)
                process.kill()
                process.join()
            emit("fanout", f"{transport}_readers_{readers}", **figures)


if __name__ == "__main__":
    main()
