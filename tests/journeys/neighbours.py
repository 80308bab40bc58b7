"""A server on another port of the same host, as agents start them: another origin, but the same site and cookies."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
import anyio.abc


@dataclass
class Neighbour:
    """A server on another port of the same host, as agents start them; it records the received cookies."""

    url: str = ""
    plants: list[str] = field(default_factory=list[str])
    page: str = '<title>preview</title><link rel="icon" href="data:,">'
    cookies: list[str] = field(default_factory=list[str])

    async def answer(self, stream: anyio.abc.SocketStream) -> None:
        async with stream:
            head = b""
            while b"\r\n\r\n" not in head:
                try:
                    head += await stream.receive()
                except (anyio.EndOfStream, anyio.BrokenResourceError):
                    return
            lines = head.decode("latin-1").split("\r\n")
            self.cookies += [line[8:] for line in lines if line.lower().startswith("cookie: ")]
            planted = "".join(f"Set-Cookie: {plant}\r\n" for plant in self.plants)
            body = self.page.encode()
            start = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n"
            await stream.send(f"{start}{planted}Connection: close\r\n\r\n".encode() + body)


@asynccontextmanager
async def neighbour() -> AsyncIterator[Neighbour]:
    """Listen on a free port of 127.0.0.1."""
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
    next_door = Neighbour(f"http://127.0.0.1:{listener.extra(anyio.abc.SocketAttribute.local_port)}")
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, next_door.answer)
        yield next_door
        tasks.cancel_scope.cancel()
