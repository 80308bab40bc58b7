"""Measure the limit of the network side: frames of 1 kB, echoed by the server below `askback serve`.

The same uvicorn with the same two protocols, and an app that does nothing else. A complete round trip has two
frames each way, over two connections.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, cast

import picows
import psutil
import uvloop

from askback.server.app import App
from askback.server.process import run_server
from askback.server.settings import load
from askback.transports.http import Receive, Scope, Send
from bench.measure import closed_loop, emit, latency
from bench.payload import questionnaire

FRAME = questionnaire(0).model_dump_json(exclude_none=True).encode()
TEXT = picows.WSMsgType.TEXT


class Echo:
    """The smallest app for `run_server`."""

    settings = load({})

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Do nothing: there is nothing to open."""
        yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send back each frame of one connection."""
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            await send({"type": "websocket.send", "text": message["text"]})


def run(listener: socket.socket) -> None:
    """Serve, in a separate process."""

    async def on_ready() -> None:
        pass

    run_server(cast("App", Echo()), listener, on_ready=on_ready)


class Caller(picows.WSListener):
    """Sends a frame, and waits for the echo."""

    def on_ws_connected(self, transport: picows.WSTransport) -> None:
        """Keep the connection."""
        self._transport = transport

    def on_ws_frame(self, transport: picows.WSTransport, frame: Any) -> None:
        """Take the echo."""
        if frame.msg_type == TEXT:
            self._back.set_result(None)

    async def call(self) -> None:
        """Send a frame and wait for the echo."""
        self._back: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._transport.send(TEXT, FRAME)
        await self._back


async def case(port: int, pid: int, at_once: int, total: int) -> dict[str, Any]:
    """Send `total` frames and wait for their echoes, over `at_once` connections."""
    free_callers: list[Caller] = []
    for _ in range(at_once):
        _, caller = await picows.ws_connect(Caller, f"ws://127.0.0.1:{port}/")
        free_callers.append(cast("Caller", caller))

    async def cycle(_: int) -> None:
        caller = free_callers.pop()
        await caller.call()
        free_callers.append(caller)

    await closed_loop(at_once, total // 10, cycle)
    cpu_before = psutil.Process(pid).cpu_times()
    samples, seconds = await closed_loop(at_once, total, cycle)
    cpu_after = psutil.Process(pid).cpu_times()
    cpu = cpu_after.user + cpu_after.system - cpu_before.user - cpu_before.system
    return {
        "messages_s": round(total / seconds),
        "server_cpu_us": round(cpu / total * 1e6, 1),
        **latency(samples),
    }


def main() -> None:
    """Measure one connection, and 64."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--total", type=int, default=40_000, help="frames over 64 connections")
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = multiprocessing.get_context("fork").Process(target=run, args=(listener,), daemon=True)
        server.start()
        assert server.pid is not None
        for _ in range(args.repeat):
            for at_once, total in ((1, args.total // 8), (64, args.total)):
                figures = uvloop.run(case(listener.getsockname()[1], server.pid, at_once, total))
                emit("echo", f"at_once_{at_once}", **figures)
        server.terminate()
        server.join()


if __name__ == "__main__":
    main()
