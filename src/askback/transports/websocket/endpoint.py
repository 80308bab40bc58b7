"""The handshake of `/v1/ws`, and its connections."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from askback.domain.ref_counter import RefCounter
from askback.errors import Forbidden, Refused, Unauthorized
from askback.ports.agents import Principal
from askback.service.context import Services
from askback.service.delivery.subscriptions import Subscriptions
from askback.service.delivery.waits import ConnectionWaits
from askback.transports.asgi_extensions import socket_of
from askback.transports.http import Receive, Scope, Send
from askback.transports.problems import locale_of
from askback.transports.security import identify, time_left
from askback.transports.websocket.connection import WebSocketConnection
from askback.wire.websocket import SESSION_PREFIX, SUBPROTOCOL, TOKEN_PREFIX, CloseCode


class Sockets:
    """All WebSocket connections of one server: an ASGI app for the path `/v1/ws`."""

    def __init__(self, ctx: Services, subscriptions: Subscriptions, waits: ConnectionWaits) -> None:
        self._ctx = ctx
        self._subscriptions = subscriptions
        self._waits = waits
        self._open: set[WebSocketConnection] = set()
        self._connection_counts: RefCounter[str] = RefCounter()

    def count(self) -> int:
        """How many connections are open."""
        return len(self._open)

    def close(self) -> None:
        """Ask every client to disconnect; they reconnect to the next server."""
        for connection in tuple(self._open):
            connection.dismiss(CloseCode.SERVER_RESTARTS)

    def sessions(self) -> set[str]:
        """The ids of the browser sessions with an open connection."""
        return {connection.session_id for connection in self._open} - {""}

    def hang_up(self, ended_id: str) -> None:
        """End the connections of a principal, a token or a browser session that has ended, by its id."""
        for connection in tuple(self._open):
            if ended_id in {connection.principal.id, connection.principal.token, connection.session_id}:
                connection.dismiss(CloseCode.UNAUTHORIZED)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection until it ends."""
        await receive()
        subprotocols = scope.get("subprotocols", [])
        # Accepted even if it is refused next: a browser sees a close code only on an open connection.
        subprotocol = SUBPROTOCOL if SUBPROTOCOL in subprotocols else None
        await send({"type": "websocket.accept", "subprotocol": subprotocol})
        if subprotocol is None:
            await _refuse(send, CloseCode.PROTOCOL_ERROR, f"offer the subprotocol {SUBPROTOCOL}")
            return
        if len(self._open) >= self._ctx.limits.ws_connections:
            await _refuse(send, CloseCode.TRY_LATER, "too many connections")
            return
        try:
            token, browser_secret = (
                _find_offer(subprotocols, TOKEN_PREFIX),
                _find_offer(subprotocols, SESSION_PREFIX),
            )
            identity = await identify(self._ctx, scope, token=token, browser_secret=browser_secret)
        except Refused as error:
            await _refuse(send, _close_code(error), error.code)
            return
        if self._connection_counts.count(identity.principal.id) >= self._ctx.limits.connections:
            await _refuse(send, CloseCode.TRY_LATER, "too many connections of yours")
            return
        await self._serve(
            WebSocketConnection(
                self._ctx,
                identity.principal,
                session_id=identity.session.id if identity.session else "",
                subscriptions=self._subscriptions,
                waits=self._waits,
                send=send,
                locale=locale_of(scope),
                socket=socket_of(scope),
            ),
            receive,
        )

    async def _serve(self, connection: WebSocketConnection, receive: Receive) -> None:
        self._open.add(connection)
        release = self._connection_counts.add(connection.principal.id)
        end = dismissal(self._ctx, connection.principal, lambda: connection.dismiss(CloseCode.UNAUTHORIZED))
        try:
            await connection.run(receive)
        finally:
            if end is not None:
                end.cancel()
            self._open.discard(connection)
            release()


def dismissal(ctx: Services, principal: Principal, end: Callable[[], None]) -> asyncio.TimerHandle | None:
    """Call `end` when the token of a principal expires; nothing for one that does not."""
    remaining_s = time_left(ctx, principal)
    return None if remaining_s is None else asyncio.get_running_loop().call_later(remaining_s, end)


def _find_offer(subprotocols: list[str], prefix: str) -> str | None:
    return next((name.removeprefix(prefix) for name in subprotocols if name.startswith(prefix)), None)


def _close_code(error: Refused) -> CloseCode:
    if isinstance(error, Unauthorized):
        return CloseCode.UNAUTHORIZED
    return CloseCode.FORBIDDEN if isinstance(error, Forbidden) else CloseCode.TRY_LATER


async def _refuse(send: Send, code: CloseCode, reason: str) -> None:
    await send({"type": "websocket.close", "code": code, "reason": reason})
