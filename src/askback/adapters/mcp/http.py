"""Serve MCP over streamable HTTP inside a server; each caller has the rights of its token."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from askback.adapters.mcp.caller_connection import CallerConnection, Context, Waits, session_id_of
from askback.adapters.mcp.limits import Limits
from askback.adapters.mcp.server import build_server
from askback.client import AsyncClient

IDLE_S = 2 * 3600.0
"""How long a session without a request under way is kept."""


class HttpEndpoint:
    """The ASGI app of `/mcp`. `app` is the server's own app, which is running; callers are authenticated before."""

    def __init__(self, app: Any, *, limits: Limits, body_bytes: int) -> None:
        self._app = app
        self._waits = Waits()
        self._manager = StreamableHTTPSessionManager(
            build_server(self._connect, limits), session_idle_timeout=IDLE_S, max_request_body_size=body_bytes
        )
        self._ready = asyncio.Event()
        self._task = asyncio.create_task(self._run())

    async def __call__(
        self, scope: Any, receive: Any, send: Any, *, principal: str, token: str, base_url: str
    ) -> None:
        """Serve one HTTP request of a caller; a session belongs to the principal that began it."""
        await self._ready.wait()
        access_token = AccessToken(token=token, client_id=principal, scopes=[], claims={"base_url": base_url})
        await self._manager.handle_request({**scope, "user": AuthenticatedUser(access_token)}, receive, send)

    def end_waits(self) -> None:
        """Let the calls that wait for a person return their requests as open."""
        self._waits.end()

    async def close(self) -> None:
        """End all calls."""
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    async def _run(self) -> None:
        async with self._manager.run():
            self._ready.set()
            await asyncio.Event().wait()

    @asynccontextmanager
    async def _connect(self, context: Context) -> AsyncGenerator[CallerConnection]:
        """Return the connection of a call: a client with the token of its HTTP request."""
        assert context.request is not None  # a call over HTTP has one
        caller = context.request.scope["user"].access_token
        owner_key = session_id_of(context) or caller.client_id
        thread_id = f"mcp-{hashlib.sha256(owner_key.encode()).hexdigest()[:8]}"
        async with AsyncClient(app=self._app, token=caller.token, via="mcp") as client:
            yield CallerConnection(client, caller.claims["base_url"], thread_id, waits=self._waits)
