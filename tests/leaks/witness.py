"""A witness who may see everything that a person may see, and records all of it: replies, events and frames."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
import websockets

from tests.journeys.people import Person
from tests.leaks.serving import TOKENS

LEASE = "/v1/secrets/lease"


class Notes:
    """The output of a server: (place, bytes). Leases are separate, since they contain values."""

    def __init__(self) -> None:
        self.recordings: list[tuple[str, bytes]] = []
        self.leases: list[bytes] = []

    def person(self, url: str, role: str | None) -> Person:
        """Return a caller whose replies are recorded byte for byte."""
        person = Person(url, None if role is None else TOKENS.get(role, role))

        async def note(reply: httpx2.Response) -> None:
            body = await reply.aread()
            if reply.request.url.path == LEASE and reply.status_code == 200:
                self.leases.append(body)
                body = b""
            source = f"reply {reply.status_code} to {role}: {reply.request.method} {_route(reply.request.url.path)}"
            self.recordings.append((source, body + repr(reply.headers.raw).encode()))

        person.http.event_hooks = {"response": [note]}
        return person

    @asynccontextmanager
    async def watching(self, url: str, thread: str) -> AsyncIterator[None]:
        """Follow the inbox and a thread from their beginning, over SSE and a WebSocket, to the end of the block.

        At the end a question is asked in the thread, and awaited on each stream, so that all earlier events
        have been seen.
        """
        streams = (
            _Stream(self, "/v1/events"),
            _Stream(self, f"/v1/threads/{thread}/events"),
            _Frames(self, thread),
        )
        async with anyio.create_task_group() as tasks:
            for stream in streams:
                await tasks.start(stream.follow, url)
            yield
            async with Person(url, TOKENS["requester"]) as agent:
                form = {"fields": [{"id": "q", "type": "text", "label": "Q"}]}
                last = (await agent.ask(thread, form)).json()["id"]
            with anyio.fail_after(120):
                for stream in streams:
                    await stream.until(last)
            tasks.cancel_scope.cancel()


def _route(path: str) -> str:
    """Remove ids and other caller-supplied parts of the path."""
    steps = path.split("/")[:3]
    return "/".join(steps)


class _Line:
    """An endless stream that can be awaited until a word has arrived."""

    subscriptions = 1

    def __init__(self, notes: Notes, source: str) -> None:
        self._notes, self._place = notes, source
        self._all = bytearray()
        self._more = anyio.Event()

    def _note(self, data: bytes) -> None:
        self._all += data
        # Also where the word of one piece goes on in the next, it is found in the whole.
        self._notes.recordings.append((self._place, bytes(self._all[-len(data) - 200 :])))
        self._more.set()
        self._more = anyio.Event()

    async def until(self, word: str) -> None:
        """Return once the word has arrived this often."""
        while self._all.count(word.encode()) < self.subscriptions:
            await self._more.wait()


class _Stream(_Line):
    def __init__(self, notes: Notes, path: str) -> None:
        super().__init__(notes, f"events of {_route(path)}")
        self._path = path

    async def follow(self, url: str, *, task_status: Any) -> None:
        headers = {"Authorization": f"Bearer {TOKENS['responder/bob']}"}
        async with (
            httpx2.AsyncClient(base_url=url, headers=headers, timeout=None, verify=False) as http,
            http.stream("GET", self._path, params={"cursor": 0}) as stream,
        ):
            task_status.started()
            async for piece in stream.aiter_raw():
                self._note(piece)


class _Frames(_Line):
    subscriptions = 2

    def __init__(self, notes: Notes, thread: str) -> None:
        super().__init__(notes, "frames of the WebSocket")
        self._thread = thread

    async def follow(self, url: str, *, task_status: Any) -> None:
        headers = {"Authorization": f"Bearer {TOKENS['responder/bob']}"}
        async with websockets.connect(
            f"{url.replace('http', 'ws', 1)}/v1/ws",
            subprotocols=[websockets.Subprotocol("askback.v1")],
            additional_headers=headers,
        ) as socket:
            places: tuple[dict[str, Any], ...] = ({"inbox": True}, {"thread_id": self._thread})
            for number, index in enumerate(places):
                await socket.send(json.dumps({"id": number, "op": "subscribe", "cursor": 0, **index}))
            task_status.started()
            async for frame in socket:
                self._note(frame.encode() if isinstance(frame, str) else bytes(frame))
