"""Serve one MCP client on standard input and output."""

from __future__ import annotations

import asyncio
import os
import secrets
import shlex
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from askback.adapters.mcp.limits import Limits
from askback.adapters.mcp.place import Context, Place
from askback.adapters.mcp.server import build_server
from askback.adapters.mcp.unreadable import forward_readable
from askback.client import AsyncClient, discovery


class StdioPlace:
    """The place of all calls of one process. Its client outlives a server that is started again."""

    def __init__(self, *, thread_id: str | None, prepare: Callable[[], None]) -> None:
        self._thread_id = thread_id or f"mcp-{secrets.token_hex(4)}"
        self.run = _run_command(self._thread_id)
        """The command that runs a program with the secrets of this agent in its conversation."""
        self._prepare = prepare
        self._places: dict[discovery.ServerLocation, Place] = {}

    @asynccontextmanager
    async def connect(self, _context: Context) -> AsyncGenerator[Place]:
        """Return the place; raises `NoServer` while no server is known, and what `prepare` raises."""
        await asyncio.to_thread(self._prepare)
        server = discovery.find()
        if server not in self._places:
            client = AsyncClient(server.url, server.token, via="mcp")
            self._places[server] = Place(client, server.url, self._thread_id, str(Path.cwd()))
        yield self._places[server]

    async def close(self) -> None:
        """Close the clients."""
        for place in self._places.values():
            await place.client.aclose()


def _run_command(thread_id: str) -> str | None:
    """Return the command for the agent of a file of credentials, which a shell can name as well; None without one."""
    credentials = os.environ.get(discovery.CREDENTIALS)
    if not credentials:
        return None
    words = (
        sys.executable,
        "-m",
        "askback",
        "run",
        "--thread",
        thread_id,
        "--secret",
        "NAME",
        "--",
        "COMMAND",
    )
    return f"{discovery.CREDENTIALS}={shlex.quote(credentials)} {shlex.join(words)}"


async def serve_stdio(*, thread_id: str | None, limits: Limits, prepare: Callable[[], None]) -> None:
    """Serve until standard input ends. Everything that the server prints goes to standard error.

    `prepare` is called before each call of a tool, and once at the start, beside the first messages.
    """
    place = StdioPlace(thread_id=thread_id, prepare=prepare)
    server = build_server(place.connect, limits, run=place.run)
    preparing = asyncio.create_task(asyncio.to_thread(prepare))
    try:
        async with stdio_server() as (incoming, outgoing), anyio.create_task_group() as tasks:
            readable_in, readable = anyio.create_memory_object_stream[SessionMessage | Exception](0)
            tasks.start_soon(forward_readable, incoming, outgoing.send, readable_in)
            await server.run(readable, outgoing, server.create_initialization_options())
    except* BrokenPipeError:
        pass  # the client has ended in the middle of a call
    finally:
        await asyncio.gather(preparing, return_exceptions=True)  # a call says why it failed
        await place.close()
