"""Serve one MCP client on standard input and output."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from mcp.server.stdio import stdio_server

from askback.adapters.mcp.limits import Limits
from askback.adapters.mcp.place import Context, Place
from askback.adapters.mcp.server import build_server
from askback.client import AsyncClient, discovery


class StdioPlace:
    """The place of all calls of one process: one client, which is made at the first call and outlives the server."""

    def __init__(self, *, thread_id: str | None) -> None:
        self._thread_id = thread_id or f"mcp-{secrets.token_hex(4)}"
        self._place: Place | None = None

    @asynccontextmanager
    async def connect(self, _context: Context) -> AsyncGenerator[Place]:
        """Return the place; raises `NoServer` while no server is known."""
        if self._place is None:
            server = discovery.find()
            client = AsyncClient(server.url, server.token, via="mcp")
            self._place = Place(client, server.url, self._thread_id)
        yield self._place

    async def close(self) -> None:
        """Close the client."""
        if self._place is not None:
            await self._place.client.aclose()


async def serve_stdio(*, thread_id: str | None, limits: Limits) -> None:
    """Serve until standard input ends. Everything that the server prints goes to standard error."""
    place = StdioPlace(thread_id=thread_id)
    server = build_server(place.connect, limits)
    try:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    finally:
        await place.close()
