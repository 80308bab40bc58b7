"""A network connection that can be cut: it passes bytes between clients and one server, until it is told not to."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

CHUNK = 65_536

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connect = Callable[[], Awaitable[Streams]]
"""Opens a connection to the server."""


class Relay:
    """Listens on its own port. Swallowed bytes are read from the sender and dropped."""

    def __init__(self, connect: Connect) -> None:
        self.port = 0
        self.swallows = False
        """What the server sends: the connection looks alive to it."""
        self.refuses = False
        """New connections."""
        self._connect = connect
        self._open: set[asyncio.StreamWriter] = set()
        self._passage = open_gate()

    @property
    def url(self) -> str:
        """The address for clients."""
        return f"http://127.0.0.1:{self.port}"

    def cut(self) -> None:
        """End every connection at once, in both directions."""
        for writer in tuple(self._open):
            writer.transport.abort()

    def stand_still(self) -> None:
        """Pass nothing in either direction, not even the end of a connection, and accept new ones without an answer."""
        self._passage.clear()

    def go_on(self) -> None:
        """Pass on all held bytes."""
        self._passage.set()

    def restart(self) -> None:
        """Pass on new connections; earlier ones stay blocked, and neither end is notified."""
        if not self._passage.is_set():
            self._passage = open_gate()

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on one connection until either end closes it."""
        self._open.add(writer)
        if self.refuses:
            writer.transport.abort()
            return
        passage = self._passage
        await passage.wait()
        try:
            far_reader, far_writer = await self._connect()
        except OSError:  # it is down, and so is the wire to it
            writer.transport.abort()
            return
        self._open.add(far_writer)
        ways = (self._up(reader, far_writer, passage), self._forward_replies(far_reader, writer, passage))
        tasks = [asyncio.create_task(task) for task in ways]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            for end in (writer, far_writer):
                end.transport.abort()
                self._open.discard(end)

    async def _up(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, passage: asyncio.Event
    ) -> None:
        while data := await _read(reader, passage):
            writer.write(data)

    async def _forward_replies(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, passage: asyncio.Event
    ) -> None:
        while data := await _read(reader, passage):
            if not self.swallows:
                writer.write(data)


async def _read(reader: asyncio.StreamReader, passage: asyncio.Event) -> bytes:
    """Read the next bytes to pass on; empty when the connection has ended."""
    data = b""
    with contextlib.suppress(OSError):
        data = await reader.read(CHUNK)
    await passage.wait()
    return data


def open_gate() -> asyncio.Event:
    passage = asyncio.Event()
    passage.set()
    return passage


@asynccontextmanager
async def start_relay(connect: Connect) -> AsyncGenerator[Relay]:
    """A relay to the server of `connect`, until the context ends."""
    relay = Relay(connect)
    passing: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(relay.accept(reader, writer))
        passing.add(task)
        task.add_done_callback(passing.discard)

    listening = await asyncio.start_server(accept, "127.0.0.1", 0)
    relay.port = listening.sockets[0].getsockname()[1]
    try:
        yield relay
    finally:
        listening.close()
        relay.cut()
        for task in tuple(passing):
            task.cancel()
        await asyncio.gather(*passing, return_exceptions=True)


@asynccontextmanager
async def start_relay_to(server_port: int) -> AsyncGenerator[Relay]:
    """A relay to a server on this machine, until the context ends."""
    async with start_relay(lambda: asyncio.open_connection("127.0.0.1", server_port)) as relay:
        yield relay
