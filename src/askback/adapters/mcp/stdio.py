"""Serve one MCP client on standard input and output."""

from __future__ import annotations

import asyncio
import os
import secrets
import shlex
import signal
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from askback.adapters.mcp.caller_connection import CallerConnection, Context, Waits
from askback.adapters.mcp.limits import Limits
from askback.adapters.mcp.server import build_server
from askback.adapters.mcp.stdin_filter import forward_readable
from askback.client import AsyncClient, discovery
from askback.client.program import program

ServerContext = Callable[[], AbstractAsyncContextManager[None]]
"""Makes a context in which the server runs, if it is ours to start."""


class StdioConnection:
    """The connection of all calls of one process. Its client outlives a server that is started again."""

    def __init__(self, *, thread_id: str | None, server: ServerContext) -> None:
        self._thread_id = thread_id or f"mcp-{secrets.token_hex(4)}"
        self.run = _run_command(self._thread_id)
        """The command that runs a program with the secrets of this agent in its conversation."""
        self._server = server
        self.waits = Waits()
        self._connections: dict[discovery.ServerLocation, CallerConnection] = {}

    @asynccontextmanager
    async def connect(self, _context: Context) -> AsyncGenerator[CallerConnection]:
        """Return the connection; raises `NoServer` while no server is known, and what starting one raises."""
        async with self._server():
            location = discovery.find()
            if location not in self._connections:
                client = AsyncClient(via="mcp")
                self._connections[location] = CallerConnection(
                    client, location.url, self._thread_id, str(Path.cwd()), self.waits
                )
            yield self._connections[location]

    async def prepare(self) -> None:
        """Start the server before the first call."""
        async with self._server():
            pass

    async def close(self) -> None:
        """Close the clients."""
        for connection in self._connections.values():
            await connection.client.aclose()


def _run_command(thread_id: str) -> str | None:
    """Return the command for the agent of a file of credentials, which a shell can name as well; None without one."""
    credentials = os.environ.get(discovery.CREDENTIALS)
    if not credentials:
        return None
    words = program("run", "--thread", thread_id, "--secret", "NAME", "--", "COMMAND")
    return f"{discovery.CREDENTIALS}={shlex.quote(credentials)} {shlex.join(words)}"


SIGNAL_S = 0.25
"""Seconds after SIGINT or SIGTERM in which cancellations still arrive: Claude Code sends them 10 ms after SIGINT."""
UNWIND_S = 2.0
"""Seconds for the calls that still run then to end."""


async def _end_by_signal(waits: Waits, calls: anyio.CancelScope, ended: anyio.Event) -> None:
    """End this process by the first SIGINT or SIGTERM, as they do, but first read what the client cancels with it.

    Later signals change nothing. The thread that reads standard input would keep the process alive.
    """
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        number = await anext(signals)
        await anyio.sleep(SIGNAL_S)
        waits.is_ended = True
        calls.cancel()
        with anyio.move_on_after(UNWIND_S):
            await ended.wait()
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)


async def serve_stdio(
    *, thread_id: str | None, limits: Limits, server: ServerContext, closes_dialogs: bool = False
) -> None:
    """Serve until standard input ends, or a signal. Everything that the server prints goes to standard error.

    `server` runs during each call of a tool; it is started beside the first messages. With `closes_dialogs` it speaks
    no later version than 2025-11-25, where an answer from elsewhere closes the client's dialog: in later versions the
    call has ended by then.
    """
    connection = StdioConnection(thread_id=thread_id, server=server)
    mcp_server = build_server(connection.connect, limits, run=connection.run)
    preparing = asyncio.create_task(connection.prepare())
    calls, ended = anyio.CancelScope(), anyio.Event()
    ending = asyncio.create_task(_end_by_signal(connection.waits, calls, ended))
    try:
        async with stdio_server() as (incoming, outgoing), anyio.create_task_group() as tasks:
            readable_in, readable = anyio.create_memory_object_stream[SessionMessage | Exception](0)
            tasks.start_soon(forward_readable, incoming, outgoing.send, readable_in, closes_dialogs)
            with calls:
                await mcp_server.run(readable, outgoing, mcp_server.create_initialization_options())
            ended.set()
    except* BrokenPipeError:
        pass  # the client has ended in the middle of a call
    finally:
        ending.cancel()
        await asyncio.gather(preparing, return_exceptions=True)  # a call says why it failed
        await connection.close()
