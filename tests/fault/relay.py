"""A wire that can be cut: passes bytes between clients and one server, until it is told not to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

CHUNK = 65_536


class Relay:
    """Listens on a port of its own. What is swallowed is taken from the sender and reaches nobody."""

    def __init__(self) -> None:
        self.port = 0
        self.swallows = False
        """What the server sends: the connection looks alive to it."""
        self.refuses = False
        """New connections."""
        self._open: set[asyncio.StreamWriter] = set()

    @property
    def url(self) -> str:
        """Where clients connect to."""
        return f"http://127.0.0.1:{self.port}"

    def cut(self) -> None:
        """End every connection at once, without a word in either direction."""
        for writer in tuple(self._open):
            writer.transport.abort()

    async def accept(
        self, server_port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Pass on one connection until either end closes it."""
        self._open.add(writer)
        if self.refuses:
            writer.transport.abort()
            return
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", server_port)
        self._open.add(far_writer)
        ways = (self._up(reader, far_writer), self._down(far_reader, writer))
        tasks = [asyncio.create_task(way) for way in ways]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        for end in (writer, far_writer):
            end.transport.abort()

    async def _up(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(CHUNK):
            writer.write(data)

    async def _down(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(CHUNK):
            if not self.swallows:
                writer.write(data)


@asynccontextmanager
async def relayed(server_port: int) -> AsyncGenerator[Relay]:
    """A relay to a server on this machine, until the context ends."""
    relay = Relay()
    listening = await asyncio.start_server(lambda r, w: relay.accept(server_port, r, w), "127.0.0.1", 0)
    relay.port = listening.sockets[0].getsockname()[1]
    try:
        yield relay
    finally:
        listening.close()
        relay.cut()
