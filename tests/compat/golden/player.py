"""Play a golden conversation against a running server; its steps are described in vectors/README.md."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import httpx2
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.compat.golden.server import GoldenServer
from tests.compat.golden.values import Mismatch, Values

PATIENCE_S = 120.0
Step = dict[str, Any]


class Player:
    """One conversation: its connections, held calls and streams by name, and its values."""

    def __init__(self, server: GoldenServer, conversation: str, *, kills: bool = False) -> None:
        """With `kills`, the server is also killed before each step at which nothing is connected or held."""
        self._server = server
        self._kills = kills
        self._conversation = conversation
        self._values = Values()
        self._sockets: dict[str, ClientConnection] = {}
        self._calls: dict[str, asyncio.Task[httpx2.Response]] = {}
        self._streams: dict[str, AsyncIterator[tuple[str, Any]]] = {}
        self._stack = AsyncExitStack()

    async def play(self, steps: list[Step]) -> None:
        """Play all steps; raises `Mismatch` with the number of the first different step."""
        async with self._stack:
            self._http = await self._stack.enter_async_context(
                httpx2.AsyncClient(base_url=self._server.url, timeout=120)
            )
            for number, step in enumerate(steps):
                try:
                    async with asyncio.timeout(PATIENCE_S):
                        if self._kills and not (self._sockets or self._calls or self._streams):
                            await self._kill({})
                        await self._play(step)
                except (Mismatch, TimeoutError, ConnectionClosed, KeyError) as error:
                    step_text = json.dumps(step, ensure_ascii=False)[:300]
                    raise Mismatch(f"step {number} {step_text}: {type(error).__name__} {error}") from error
            for name in tuple(self._sockets):
                await self._nothing({"nothing": name})
            for name in tuple(self._calls):
                raise Mismatch(f"the call {name} was never finished")

    async def _play(self, step: Step) -> None:
        for verb in _VERBS:
            if verb in step:
                await _VERBS[verb](self, step)
                return
        raise KeyError(f"no verb in {sorted(step)}")

    async def _connect(self, step: Step) -> None:
        connection = step["connect"]
        url = self._server.url.replace("http", "ws", 1) + self._values.fill(connection["socket"])
        opening = connect(url, additional_headers=self._headers(connection), compression=None, proxy=None)
        try:
            socket = await opening
        except InvalidStatus as error:
            if error.response.status_code != connection.get("status"):
                raise Mismatch(f"the handshake was refused with {error.response.status_code}") from error
            return
        self._sockets[connection["name"]] = socket
        self._stack.push_async_callback(socket.close)
        if "status" in connection:
            raise Mismatch("the handshake was accepted")

    async def _send(self, step: Step) -> None:
        text = step["text"] if "text" in step else json.dumps(self._values.fill(step["frame"]))
        await self._sockets[step["send"]].send(self._values.fill(text) if "text" in step else text)

    async def _receive(self, step: Step) -> None:
        socket = self._sockets[step["receive"]]
        wanted = list(step["frames"] if "frames" in step else [step["frame"]])
        while wanted:
            frame = json.loads(await socket.recv())
            for i, expected in enumerate(wanted):
                before = dict(self._values.by_name)
                try:
                    self._values.match(expected, frame)
                except Mismatch:
                    self._values.by_name = before
                    if i == len(wanted) - 1:
                        raise
                else:
                    del wanted[i]
                    break

    async def _nothing(self, step: Step) -> None:
        """The answer to a ping comes after every frame that was sent before it."""
        socket = self._sockets[step["nothing"]]
        await (await socket.ping())
        try:
            async with asyncio.timeout(0):
                frame = await socket.recv()
        except TimeoutError:
            return
        raise Mismatch(f"{step['nothing']} has a frame that the conversation does not have: {frame!r}")

    async def _closed(self, step: Step) -> None:
        socket = self._sockets.pop(step["closed"])
        try:
            frame = await socket.recv()
        except ConnectionClosed:
            self._values.match(step.get("code", "$*"), socket.close_code)
        else:
            raise Mismatch(f"it is open, and there is {frame!r}")

    async def _disconnect(self, step: Step) -> None:
        await self._sockets.pop(step["disconnect"]).close()

    async def _call(self, step: Step) -> None:
        self._check(await self._request(step["http"]), step)

    async def _start_call(self, step: Step) -> None:
        self._calls[step["name"]] = asyncio.create_task(self._request(step["start_http"]))

    async def _finish_call(self, step: Step) -> None:
        call = self._calls.pop(step["finish_http"])
        if not step.get("broken"):
            self._check(await call, step)
            return
        try:
            reply = await call
        except httpx2.TransportError:
            return
        raise Mismatch(f"the call came back with {reply.status_code} {reply.text}")

    async def _open_stream(self, step: Step) -> None:
        stream = step["sse"]
        reply = await self._stack.enter_async_context(
            self._http.stream("GET", self._values.fill(stream["path"]), headers=self._headers(stream))
        )
        if reply.status_code != 200:
            raise Mismatch(f"the stream was refused with {reply.status_code} {await reply.aread()!r}")
        self._streams[stream["name"]] = _events(reply.aiter_lines())

    async def _event(self, step: Step) -> None:
        event = await anext(self._streams[step["event"]], None)
        if event is None:
            raise Mismatch("the stream has ended")
        self._values.match(step["type"], event[0], "type")
        self._values.match(step["data"], event[1], "data")

    async def _ended(self, step: Step) -> None:
        event = await anext(self._streams.pop(step["ended"]), None)
        if event is not None:
            raise Mismatch(f"the stream goes on with {event!r}")

    async def _kill(self, step: Step) -> None:
        self._server.end()
        self._sockets.clear()
        self._streams.clear()
        await asyncio.to_thread(self._server.start)

    async def _request(self, step: Step) -> httpx2.Response:
        method, path = self._values.fill(step["request"]).split(" ", 1)
        content = None
        if "raw" in step:
            content = self._values.fill(step["raw"]).encode()
        elif "body" in step:
            content = json.dumps(self._values.fill(step["body"])).encode()
        headers = {"content-type": "application/json", **self._headers(step)}
        return await self._http.request(method, path, content=content, headers=headers)

    def _check(self, reply: httpx2.Response, step: Step) -> None:
        if reply.status_code != step.get("status", 200):
            raise Mismatch(f"the status is {reply.status_code}: {reply.text[:500]}")
        if "body" in step:
            self._values.match(step["body"], reply.json() if reply.content else None)
        for name, value in step.get("headers", {}).items():
            self._values.match(value, reply.headers.get(name), name)

    def _headers(self, step: Step) -> dict[str, str]:
        headers = self._values.fill(step.get("headers", {}))
        if step.get("as"):
            headers["authorization"] = f"Bearer {self._server.token(self._conversation, step['as'])}"
        return headers


async def _events(lines: AsyncIterator[str]) -> AsyncIterator[tuple[str, Any]]:
    name, data = "message", ""
    async for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            data = line.removeprefix("data: ")
        elif not line and data:
            yield name, json.loads(data)
            name, data = "message", ""


_VERBS = {
    "connect": Player._connect,
    "send": Player._send,
    "receive": Player._receive,
    "nothing": Player._nothing,
    "closed": Player._closed,
    "disconnect": Player._disconnect,
    "http": Player._call,
    "start_http": Player._start_call,
    "finish_http": Player._finish_call,
    "sse": Player._open_stream,
    "event": Player._event,
    "ended": Player._ended,
    "kill": Player._kill,
}
