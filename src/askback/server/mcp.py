"""`/mcp`: MCP for callers with a token, if the package `mcp` is installed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from starlette.routing import Route

from askback.adapters.mcp.limits import Limits
from askback.errors import Unauthorized, Unavailable
from askback.ports.agents import Principal
from askback.server.settings import Settings
from askback.service.context import Services
from askback.transports.http import (
    ClientGone,
    Receive,
    Scope,
    Send,
    json_reply,
    public_url,
    read_body,
    replay,
    send_end,
    while_connected,
)
from askback.transports.problems import RECONNECT_S, MethodNotAllowed, problem_reply
from askback.transports.security import bearer, identify
from askback.transports.websocket.endpoint import dismissal

PATH = "/mcp"
SIZE = 4
"""How many times as large as another body a call may be: a person's answer that is too large is then asked again."""
METADATA = f"/.well-known/oauth-protected-resource{PATH}"


class Mcp:
    """The endpoint and its protected-resource metadata (RFC 9728). The adapter is imported at the first call."""

    def __init__(self, app: Any, services: Services, settings: Settings) -> None:
        self._app = app
        self._services = services
        self._body_bytes = SIZE * services.limits.body_bytes
        self._limits = Limits(wait_s=settings.mcp_wait_s, progress_s=settings.mcp_progress_s)
        self._endpoint: Any = None
        self._ended = asyncio.Event()
        self._streams: dict[asyncio.Event, Principal] = {}
        services.bus.on_dismissal(self._hang_up)

    def routes(self) -> list[Route]:
        """Return the routes; none if the package is not installed."""
        return [] if find_spec("mcp") is None else [Route(PATH, self), Route(METADATA, self)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a call of MCP, or the metadata. Errors go up to the guard."""
        base_url = public_url(self._services, scope)
        if scope["path"] == METADATA:
            if scope["method"] not in ("GET", "HEAD"):
                raise MethodNotAllowed("GET, HEAD")
            # MCP demands an issuer; tokens are made here, by `askback token create`, and not by OAuth.
            issuer = {"authorization_servers": [base_url], "bearer_methods_supported": ["header"]}
            resource = {"resource": f"{base_url}{PATH}", **issuer}
            await json_reply({**resource, "resource_name": "askback"}).send(send)
            return
        token = None
        try:
            token = bearer(scope)
            principal = (await identify(self._services, scope)).principal
            if token is None:
                raise Unauthorized("Send `Authorization: Bearer <token>` with a token of an agent.")
        except Unauthorized as error:
            reply = problem_reply(error, scope)
            cause = "" if token is None else 'error="invalid_token", '
            challenge_header = f'Bearer {cause}resource_metadata="{base_url}{METADATA}"'.encode()
            headers = [item for item in reply.headers if item[0] != b"www-authenticate"]
            await replace(reply, headers=(*headers, (b"www-authenticate", challenge_header))).send(send)
            return
        await self._serve(scope, receive, send, principal, token=token, base_url=base_url)

    def end(self) -> None:
        """End held calls as if their time were up, and the streams of sessions as complete replies."""
        self._ended.set()
        if self._endpoint is not None:
            self._endpoint.end_waits()

    async def close(self) -> None:
        """Cancel all calls."""
        if self._endpoint is not None:
            await self._endpoint.close()

    async def _serve(
        self, scope: Scope, receive: Receive, send: Send, principal: Principal, **caller: str
    ) -> None:
        if self._endpoint is None:
            from askback.adapters.mcp.http import HttpEndpoint
            from askback.client.transport_app import RunningApp

            self._endpoint = HttpEndpoint(
                RunningApp(self._app), limits=self._limits, body_bytes=self._body_bytes
            )
        # Read here, so that a body that is too large or breaks off is refused as everywhere else.
        body = await read_body(scope, receive, limit=self._body_bytes)
        if self._ended.is_set():
            raise Unavailable("The server is stopping. Repeat the call.", retry_after=RECONNECT_S)
        request = replay(body.read(bytes), receive)
        exchange = self._endpoint(scope, request, send, principal=principal.id, **caller)
        if scope["method"] == "GET":
            await self._stream(exchange, receive, send, principal)
        else:
            await exchange

    async def _stream(
        self, exchange: Awaitable[None], receive: Receive, send: Send, principal: Principal
    ) -> None:
        """Serve the stream of a session until the client leaves, its token ends, or the server stops."""
        dismissed = asyncio.Event()
        self._streams[dismissed] = principal
        expiry = dismissal(self._services, principal, dismissed.set)
        try:
            await while_connected(receive, exchange, self._ended.wait(), dismissed.wait())
        except ClientGone:
            if not (self._ended.is_set() or dismissed.is_set()):
                raise
            await send_end(send)
        finally:
            del self._streams[dismissed]
            if expiry is not None:
                expiry.cancel()

    def _hang_up(self, ended_id: str) -> None:
        """End the streams of a principal or a token that has ended, by its id."""
        for dismissed, principal in self._streams.items():
            if ended_id in {principal.id, principal.token}:
                dismissed.set()
