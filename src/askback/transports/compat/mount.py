"""Serve the paths of the systems: identify the caller, run the route, and track lasting connections."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import NamedTuple
from urllib.parse import unquote

from askback.domain.ref_counter import RefCounter
from askback.domain.secrets.secret import RawBody
from askback.errors import RateLimited, Refused, Unauthorized, Unavailable
from askback.ports.systems import EventStream, Problem, Route, Socket
from askback.service.access import roles
from askback.transports.asgi_extensions import socket_of
from askback.transports.compat.api import CallerApi, Gateway
from askback.transports.compat.calls import ApiCall, send_events, send_json
from askback.transports.compat.channel import SocketChannel
from askback.transports.compat.paths import SystemPaths, paths_of
from askback.transports.endpoint import HttpHandler
from askback.transports.http import (
    ClientGone,
    HttpCall,
    Identity,
    Message,
    Receive,
    Scope,
    Send,
    json_reply,
    query_of,
    read_body,
    while_connected,
)
from askback.transports.oauth import CALLBACK
from askback.transports.problems import RECONNECT_S, headers_of, locale_of, problem
from askback.transports.security import SAFE_METHODS, identify, time_left
from askback.wire.websocket import CloseCode


class LastingConnection:
    """A lasting connection: a WebSocket, an event stream or a held call; `code` says why this side ended it."""

    def __init__(self, identity: Identity) -> None:
        self.identity = identity
        self.ended = asyncio.Event()
        self.code = CloseCode.SERVER_RESTARTS

    def end(self, code: CloseCode) -> None:
        """End it."""
        self.code = code
        self.ended.set()

    def refusal(self) -> Refused:
        """Return the error for a call that this side ended before its response."""
        if self.code == CloseCode.UNAUTHORIZED:
            return Unauthorized("This token is no longer valid. Ask an admin for a new one.")
        return Unavailable("The server is stopping. Repeat the call.", retry_after=RECONNECT_S)


class Compat:
    """All projections of one server: an ASGI app for the paths below `/compat/`."""

    def __init__(self, gateway: Gateway, *, finish_oauth: HttpHandler) -> None:
        self._gateway = gateway
        self._finish_oauth = finish_oauth
        self._open: set[LastingConnection] = set()
        self._connection_counts: RefCounter[str] = RefCounter()

    def count(self) -> int:
        """The number of lasting connections."""
        return len(self._open)

    def sessions(self) -> set[str]:
        """The ids of the browser sessions with an open connection."""
        return {item.identity.session.id for item in self._open if item.identity.session is not None}

    def hang_up(self, ended_id: str) -> None:
        """End the connections of a principal, a token or a browser session that has ended, by its id."""
        for connection in tuple(self._open):
            identity = connection.identity
            session = identity.session.id if identity.session else ""
            if ended_id in {identity.principal.id, identity.principal.token, session}:
                connection.end(CloseCode.UNAUTHORIZED)

    def close(self) -> None:
        """End all connections; their clients reconnect to the next server."""
        for connection in tuple(self._open):
            connection.end(CloseCode.SERVER_RESTARTS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or one connection."""
        address = _address(scope["path"])
        paths = paths_of(address.system)
        if scope["type"] == "websocket":
            await self._connect(paths, address, scope, receive, send)
        else:
            await self._answer(paths, address, scope, receive, send)

    async def _answer(
        self, paths: SystemPaths, address: SystemAddress, scope: Scope, receive: Receive, send: Send
    ) -> None:
        started = False

        async def send_watched(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            if paths.system.connects_accounts and (scope["method"], address.path) == ("GET", CALLBACK):
                page = await self._finish_oauth(HttpCall(self._gateway.ctx, scope, receive))
                await page.send(send_watched)
                return
            route, parameters = paths.route(scope["method"], address.path)
            identity = await self._identify(route, address, scope)
            await self._run(route, address.system, parameters, identity, scope, receive, send_watched)
        except ClientGone:
            raise
        except Exception as error:
            if started:
                raise
            status, body = paths.system.refuse(Problem(*problem(error, locale=locale_of(scope))))
            await json_reply(body, status=status, headers=headers_of(error)).send(send)

    async def _run(
        self,
        route: Route,
        system: str,
        path: Mapping[str, str],
        identity: Identity,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        api = self._api(identity, scope)
        raw = RawBody(b"")
        if scope["method"] not in SAFE_METHODS:
            raw = await read_body(scope, receive, limit=api.limits.body_bytes)
        base_path = f"/compat/{system}"
        call = ApiCall(api, scope, raw, base_path=base_path, path=path, query=_query(scope))
        if not route.lasts:
            reply = await route.handler(call)
            assert not isinstance(reply, EventStream)
            await send_json(reply, api, send)
            return
        with self._open_connection(identity) as connection:
            try:
                reply = await while_connected(receive, route.handler(call), connection.ended.wait())
            except ClientGone:
                if connection.ended.is_set():
                    raise connection.refusal() from None
                raise
            if isinstance(reply, EventStream):
                await send_events(reply, receive, send, ended=connection.ended)
            else:
                await send_json(reply, api, send)

    async def _connect(
        self, paths: SystemPaths, address: SystemAddress, scope: Scope, receive: Receive, send: Send
    ) -> None:
        socket, path = paths.socket(address.path)
        identity = await self._identify(socket, address, scope)
        api = self._api(identity, scope)
        with self._open_connection(identity) as connection:
            await receive()
            await send({"type": "websocket.accept"})
            channel = SocketChannel(api, path=path, query=_query(scope), send=send, socket=socket_of(scope))
            limit = min(socket.max_bytes or api.limits.frame_bytes, api.limits.frame_bytes)
            await channel.run(socket.peer(channel), receive, max_bytes=limit, ended=connection.ended)
            if connection.ended.is_set():
                await channel.close(connection.code)

    async def _identify(self, row: Route | Socket, address: SystemAddress, scope: Scope) -> Identity:
        ctx = self._gateway.ctx
        identity = await identify(ctx, scope, token=address.token, system=address.system)
        principal = identity.principal
        if address.token is not None and principal.system != address.system:
            raise Unauthorized("Only a token that is limited to one system may be in an address.")
        await roles.require_role(ctx, principal, row.roles, "compat")
        return identity

    def _api(self, identity: Identity, scope: Scope) -> CallerApi:
        return CallerApi(self._gateway, identity.principal, locale_of(scope))

    @contextmanager
    def _open_connection(self, identity: Identity) -> Generator[LastingConnection]:
        """Count a connection as open, until its token expires at the latest."""
        ctx, principal_id = self._gateway.ctx, identity.principal.id
        if self._connection_counts.count(principal_id) >= ctx.limits.connections:
            raise RateLimited(
                "You have too many connections open. Close some first.", retry_after=RECONNECT_S
            )
        connection = LastingConnection(identity)
        remaining_s = time_left(ctx, identity.principal)
        loop = asyncio.get_running_loop()
        timer = (
            None
            if remaining_s is None
            else loop.call_later(remaining_s, connection.end, CloseCode.UNAUTHORIZED)
        )
        self._open.add(connection)
        release = self._connection_counts.add(principal_id)
        try:
            yield connection
        finally:
            if timer is not None:
                timer.cancel()
            self._open.discard(connection)
            release()


class SystemAddress(NamedTuple):
    """A path below `/compat/`; `token` is the token in it, for clients that can set only a base URL."""

    system: str
    token: str | None
    path: str


def _address(path: str) -> SystemAddress:
    """Parse `/compat/SYSTEM/…` or `/compat/SYSTEM/~TOKEN/…`."""
    _, _, system, *path_rest = path.split("/", 3)
    subpath = "".join(path_rest)
    if not subpath.startswith("~"):
        return SystemAddress(system, None, f"/{subpath}")
    token, _, subpath = subpath.removeprefix("~").partition("/")
    return SystemAddress(system, unquote(token), f"/{subpath}")


def _query(scope: Scope) -> Mapping[str, str]:
    return {name: values[-1] for name, values in query_of(scope).items()}
