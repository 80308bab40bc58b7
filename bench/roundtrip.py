"""The whole job over the network: ask, durable, pushed to a browser-like client, answered, durable, `await` returns.

One `AsyncClient` carries all agents. The persons are bare WebSockets (picows, so that they cost
little), each subscribed to one thread, that answer whatever they are shown.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from typing import Any

import picows
import uvloop

from askback import AsyncClient
from bench.harness import ANSWER, Server, closed_loop, emit, latency, questionnaire, serve

TEXT = picows.WSMsgType.TEXT
VALUES = json.dumps({"revision": 1, "values": ANSWER})


class Person(picows.WSListener):
    """Answers every request of its thread as soon as it is shown."""

    def __init__(self) -> None:
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.refused: list[bytes] = []

    def subscribe(self, transport: picows.WSTransport, thread_id: str) -> None:
        """Follow one thread."""
        self.transport = transport
        transport.send(TEXT, json.dumps({"id": 0, "op": "subscribe", "thread_id": thread_id}).encode())

    def on_ws_frame(self, transport: picows.WSTransport, frame: Any) -> None:
        """Take one frame of the server."""
        payload = frame.get_payload_as_bytes()
        if payload.startswith(b'{"event":{"type":"request.created"'):
            at = payload.index(b'"request":{"id":"') + 17
            request_id = payload[at : payload.index(b'"', at)].decode()
            transport.send(
                TEXT, f'{{"id":1,"op":"answer","request_id":"{request_id}","body":{VALUES}}}'.encode()
            )
        elif b'"error"' in payload[:40]:
            self.refused.append(payload)
        elif not self.ready.done():
            self.ready.set_result(None)


async def person(server: Server, thread_id: str) -> Person:
    """Connect a person to a thread."""
    transport, listener = await picows.ws_connect(
        Person,
        server.url.replace("http", "ws") + "/v1/ws",
        extra_headers={"Authorization": f"Bearer {server.responder}", "Sec-WebSocket-Protocol": "askback.v1"},
    )
    assert isinstance(listener, Person)
    listener.subscribe(transport, thread_id)
    await listener.ready
    return listener


async def case(server: Server, at_once: int, total: int) -> dict[str, Any]:
    """Measure `total` round trips with `at_once` conversations."""
    persons = [await person(server, f"t{i}") for i in range(at_once)]
    free = list(range(at_once))
    async with AsyncClient(server.url, server.requester) as agents:

        async def cycle(i: int) -> None:
            thread = free.pop()
            answer = await agents.form(questionnaire(i), thread_id=f"t{thread}")
            free.append(thread)
            assert answer.values == ANSWER

        await closed_loop(at_once, max(20, at_once * 4), cycle)
        before = server.cpu_seconds()
        samples, seconds = await closed_loop(at_once, total, cycle)
        cpu = (server.cpu_seconds() - before) / total * 1e6
    for listener in persons:
        assert not listener.refused, listener.refused[:1]
        listener.transport.disconnect()
    return {"cycles_s": round(total / seconds), "server_cpu_us": round(cpu, 1), **latency(samples)}


def main() -> None:
    """Measure each degree of concurrency, `--repeat` times, interleaved."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--at-once", default="1,64", help="conversations at once, with commas")
    parser.add_argument("--total", type=int, default=8000, help="round trips at the higher degrees")
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    for _ in range(args.repeat):
        for at_once in map(int, args.at_once.split(",")):
            total = args.total if at_once > 1 else args.total // 8
            with serve() as server:
                emit("roundtrip", f"at_once_{at_once}", **uvloop.run(case(server, at_once, total)))


if __name__ == "__main__":
    main()
