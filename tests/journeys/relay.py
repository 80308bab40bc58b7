"""An address that outlives servers, like a small load balancer."""

from __future__ import annotations

import asyncio
import contextlib
from urllib.parse import urlsplit


class Relay:
    """Passes connections on to one server, and later to another."""

    def __init__(self, url: str) -> None:
        self.to(url)
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()
        self._passing = asyncio.Event()
        self._passing.set()

    def freeze(self) -> None:
        """Pass nothing on, and close nothing, like a silently dead network."""
        self._passing.clear()

    def thaw(self) -> None:
        """Pass on the held bytes."""
        self._passing.set()

    def to(self, url: str) -> None:
        """Pass new connections on to this server."""
        self._port = urlsplit(url).port

    async def open(self) -> str:
        """Listen, and return the address."""
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        """Cut every connection."""
        assert self._server is not None
        self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        with contextlib.closing(writer), contextlib.suppress(OSError, asyncio.CancelledError):
            beyond_reader, beyond_writer = await asyncio.open_connection("127.0.0.1", self._port)
            with contextlib.closing(beyond_writer):
                ways = (self._pass(reader, beyond_writer), self._pass(beyond_reader, writer))
                both = [asyncio.ensure_future(way) for way in ways]
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
                for coroutine in both:
                    coroutine.cancel()
        self._open.discard(task)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65_536):
                await self._passing.wait()
                writer.write(data)
                await writer.drain()
