"""Readers that stop reading while many events occur, over real sockets: their cost, and their events afterwards."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

import anyio
import websockets
from websockets.asyncio.client import ClientConnection
from websockets.typing import Subprotocol

from askback import AsyncClient
from tests.fault.processes import REQUESTER, RESPONDER, Server

THREAD = "busy"
SIZE = 8_000
"""Characters of a message."""
AT_ONCE = 100
SMALL = 4_096
"""The kernel's buffer for a reader, small so that the reader falls behind soon."""
_CREDENTIAL = {"Authorization": f"Bearer {RESPONDER}"}


def line(server: Server) -> socket.socket:
    """A connection with a small kernel buffer."""
    new_socket = socket.socket()
    new_socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
    new_socket.connect(("127.0.0.1", server.port))
    return new_socket


async def fill(server: Server, messages: int) -> None:
    """Let an agent write many messages."""
    async with AsyncClient(server.url, REQUESTER) as agent:
        for _ in range(messages // AT_ONCE):
            async with asyncio.TaskGroup() as task_group:
                for _ in range(AT_ONCE):
                    task_group.create_task(agent.say("x" * SIZE, thread_id=THREAD))


class Socket:
    """Watches the thread over a WebSocket, and records the numbers of its events."""

    def __init__(self, connection: ClientConnection) -> None:
        self.received_seqs: list[int] = []
        self._connection = connection

    async def subscribe(self) -> None:
        """Continue after the last seen event."""
        cursor = self.received_seqs[-1] if self.received_seqs else 0
        op = {"id": 1, "op": "subscribe", "thread_id": THREAD, "cursor": cursor}
        await self._connection.send(json.dumps(op))

    async def read(self, *, until: int) -> bool:
        """Read up to an event; False if the server reports meanwhile that this reader is too far behind."""
        while not self.received_seqs or self.received_seqs[-1] < until:
            frame: dict[str, Any] = json.loads(await self._connection.recv())
            if "resync" in frame:
                return False
            if "event" in frame:
                self.received_seqs.append(frame["event"]["seq"])
        return True


@asynccontextmanager
async def open_stalled_socket(server: Server) -> AsyncGenerator[Socket]:
    """A WebSocket that reads only on demand."""
    async with websockets.connect(
        f"{server.url.replace('http', 'ws')}/v1/ws",
        sock=line(server),
        additional_headers=_CREDENTIAL,
        subprotocols=[Subprotocol("askback.v1")],
        compression=None,
        max_queue=1,
        ping_interval=None,
        close_timeout=0.1,
    ) as connection:
        yield Socket(connection)


@dataclass
class Stream:
    """Watches the thread over server-sent events, likewise."""

    reader: asyncio.StreamReader

    async def events(self) -> AsyncIterator[int]:
        """Yield the numbers of events until the server ends the stream."""
        with suppress(OSError):
            while line := await self.reader.readline():
                if line.startswith(b"id: "):
                    number = int(line[4:])
                elif line.startswith(b"data: ") and line.endswith(b"}\n"):
                    yield number


@asynccontextmanager
async def open_stalled_stream(server: Server, *, after: int) -> AsyncGenerator[Stream]:
    """A stream from a cursor on, still unread."""
    reader, writer = await asyncio.open_connection(sock=line(server), limit=4 * SIZE)
    request = (
        f"GET /v1/threads/{THREAD}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Authorization: {_CREDENTIAL['Authorization']}\r\nLast-Event-ID: {after}\r\n\r\n"
    )
    writer.write(request.encode())
    await reader.readuntil(b"\r\n\r\n")
    try:
        yield Stream(reader)
    finally:
        writer.transport.abort()


@asynccontextmanager
async def open_stalled_readers(server: Server, readers: int) -> AsyncGenerator[None]:
    """This many readers of each kind, which connect and never read."""
    async with AsyncExitStack() as stack:
        for _ in range(readers):
            await stack.enter_async_context(open_stalled_stream(server, after=0))
            await (await stack.enter_async_context(open_stalled_socket(server))).subscribe()
        yield


async def wait_until_closed(server: Server, sockets: int) -> None:
    """Return once the server has at most this many sockets."""
    while server.sockets > sockets:
        await anyio.sleep(0.02)
