"""FastAPI or Starlette for the hot routes: the same create, checked and encoded, over HTTP on the same uvicorn.

Each app treats a body like askback: it refuses repeated keys, checks the form, encodes the request. FastAPI
also parses the body itself; that cost is measured.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import socket
import time
from typing import Any

import uvicorn
import uvloop
from fastapi import FastAPI
from fastapi import Request as FastRequest
from fastapi.responses import Response as FastResponse
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from askback.domain.jsontext import parse
from askback.domain.request import Ask
from askback.domain.validation.ask import check_ask
from bench.measure import emit
from bench.payload import questionnaire

BODY = json.dumps(
    {"kind": "form", "thread_id": "t", "form": questionnaire(0).model_dump(exclude_none=True)}
).encode()


def encode(body: object) -> str:
    """Check and encode like the service."""
    return check_ask(body).form.model_dump_json(exclude_none=True)


async def starlette_create(request: Request) -> Response:
    """Create on plain Starlette."""
    return Response(encode(parse(await request.body())), media_type="application/json")


def starlette_app() -> Any:
    """The app in askback's style."""
    return Starlette(routes=[Route("/v1/requests", starlette_create, methods=["POST"])])


def fastapi_raw_app() -> Any:
    """FastAPI with the body read by hand: its router and dependencies, without its validation."""
    app = FastAPI()

    @app.post("/v1/requests")
    async def create(request: FastRequest) -> FastResponse:
        return FastResponse(encode(parse(await request.body())), media_type="application/json")

    return app


def fastapi_model_app() -> Any:
    """FastAPI as in its manual: the body and the answer are models; repeated keys pass."""
    app = FastAPI()

    @app.post("/v1/requests")
    async def create(ask: Ask) -> Ask:
        return ask

    return app


APPS = {"starlette": starlette_app, "fastapi_raw": fastapi_raw_app, "fastapi_model": fastapi_model_app}


def run(name: str, sock: socket.socket) -> None:
    """Serve one app."""
    config = uvicorn.Config(
        APPS[name](), loop="uvloop", http="httptools", access_log=False, log_level="error", lifespan="off"
    )
    uvicorn.Server(config).run(sockets=[sock])


class Caller(asyncio.Protocol):
    """A bare keep-alive HTTP/1.1 client that sends the next call when the last one is answered."""

    def __init__(self, calls: int) -> None:
        self.left = calls
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        request_head = (
            "POST /v1/requests HTTP/1.1\r\nHost: x\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(BODY)}"
        )
        self.call = request_head.encode() + b"\r\n\r\n" + BODY
        self.buffer = b""

    def connection_made(self, transport: Any) -> None:
        """Send the first call."""
        self.transport = transport
        transport.write(self.call)

    def data_received(self, data: bytes) -> None:
        """Count an answer once it is whole."""
        self.buffer += data
        response_head, separator, rest = self.buffer.partition(b"\r\n\r\n")
        if not separator:
            return
        assert response_head.startswith(b"HTTP/1.1 200"), response_head
        length = int(response_head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        if len(rest) < length:
            return
        self.buffer = b""
        self.left -= 1
        if self.left:
            self.transport.write(self.call)
        else:
            self.done.set_result(None)


async def load(port: int, calls: int, connections: int) -> float:
    """Return calls a second."""
    loop = asyncio.get_running_loop()
    callers = [
        await loop.create_connection(lambda: Caller(calls // connections), "127.0.0.1", port)
        for _ in range(connections)
    ]
    started_at = time.perf_counter()
    await asyncio.gather(*(caller.done for _, caller in callers))
    return calls / (time.perf_counter() - started_at)


def main() -> None:
    """Measure each app, interleaved."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=16_000)
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    for _ in range(args.repeat):
        for name in APPS:
            sock = socket.create_server(("127.0.0.1", 0))
            server = multiprocessing.get_context("fork").Process(target=run, args=(name, sock), daemon=True)
            server.start()
            rate = uvloop.run(load(sock.getsockname()[1], args.calls, 16))
            emit("frameworks", name, calls_s=round(rate))
            server.kill()
            server.join()
            sock.close()


if __name__ == "__main__":
    main()
