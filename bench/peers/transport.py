"""A WebSocket server for a peer without one: the same job over the same transport as askback's.

    agent → {"ask": id, "thread", "body"}           ← {"answered": id, "values"}
    person → {"follow": thread}                     ← {"asked": id, "body"}
    person → {"answer": id, "values"}               ← {"taken": id}

It checks neither the sender nor the data, so all the measured time is the peer's own.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol

import uvicorn

Show = Callable[[str, str, Any], Awaitable[None]]
"""Shows the question with an id to the followers of its thread."""


class Engine(Protocol):
    """A peer: it stores a question durably, has it shown, and stores the answer durably before it passes it on."""

    async def ask(self, question_id: str, thread: str, body: Any) -> Any:
        """Return the values that a person has answered."""
        ...

    async def answer(self, question_id: str, values: Any) -> None:
        """Take an answer; return once it is stored."""
        ...


class App:
    """The server."""

    def __init__(self, engine: Callable[[Show], AbstractAsyncContextManager[Engine]]) -> None:
        self._open = engine
        self._followers: dict[str, set[Any]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def show(self, question_id: str, thread: str, body: Any) -> None:
        """Send a question to the followers of its thread."""
        for send in self._followers.get(thread, ()):
            await _send(send, {"asked": question_id, "body": body})

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Open the peer."""
        async with self._open(self.show) as self._engine:
            yield

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one connection."""
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            frame = json.loads(message["text"])
            if "follow" in frame:
                self._followers.setdefault(frame["follow"], set()).add(send)
                await _send(send, {"following": frame["follow"]})
            else:
                task = asyncio.create_task(self._do(frame, send))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
        for followers in self._followers.values():
            followers.discard(send)

    async def _do(self, frame: Any, send: Any) -> None:
        if "ask" in frame:
            values = await self._engine.ask(frame["ask"], frame["thread"], frame["body"])
            await _send(send, {"answered": frame["ask"], "values": values})
        else:
            await self._engine.answer(frame["answer"], frame["values"])
            await _send(send, {"taken": frame["answer"]})


async def _send(send: Any, frame: Any) -> None:
    await send({"type": "websocket.send", "text": json.dumps(frame)})


def run(engine: Callable[[Show], AbstractAsyncContextManager[Engine]]) -> None:
    """Serve a peer until a signal ends it, and print its address once it is ready."""
    app = App(engine)
    config = uvicorn.Config(
        app,
        lifespan="off",
        loop="uvloop",
        http="httptools",
        ws="websockets-sansio",
        ws_per_message_deflate=False,
        log_level="error",
        access_log=False,
    )
    listener = socket.create_server(("127.0.0.1", 0))

    async def serve() -> None:
        async with app.running():
            print(f"ws://127.0.0.1:{listener.getsockname()[1]}/", flush=True)
            await uvicorn.Server(config).serve([listener])

    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        runner.run(serve())
