"""One path of the API: find the operation by the method, identify the caller, and run it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Protocol
from urllib.parse import unquote

from starlette.convertors import Convertor, register_url_convertor
from starlette.routing import BaseRoute, Match, Route

from askback.domain.values import frozen
from askback.errors import NotFound
from askback.ports.agents import Principal
from askback.service.access import tokens
from askback.service.context import Services
from askback.transports.http import ASGIApp, HttpCall, Receive, Reply, Scope, Send, query_of
from askback.transports.parameters import from_query
from askback.transports.problems import MethodNotAllowed
from askback.transports.security import identify
from askback.wire.operation import Operation

EXPIRES_HEADER = b"x-askback-token-expires"
"""The header with the expiry of a token, in its last week."""


class Response(Protocol):
    """The result of a handler: a `Reply`, or a stream that lasts until its reader leaves."""

    async def send(self, send: Send) -> None:
        """Write it out."""
        ...


HttpHandler = Callable[[HttpCall], Awaitable[Response]]


@frozen(slots=True)
class Bound:
    """An operation and its handler over HTTP."""

    operation: Operation
    handler: HttpHandler


class Endpoint:
    """The ASGI app of one path."""

    def __init__(self, ctx: Services, bound: Sequence[Bound]) -> None:
        self._ctx = ctx
        self._bound = {each.operation.method: each for each in bound}
        get = self._bound.get("GET")
        if get is not None and not get.operation.stream:
            self._bound["HEAD"] = get
        self._allow = ", ".join(sorted(self._bound))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; the guard handles errors."""
        bound = self._bound.get(scope["method"])
        if bound is None:
            raise MethodNotAllowed(self._allow)
        operation = bound.operation
        identity, args = None, scope["path_params"]
        if not operation.public:
            identity = await identify(self._ctx, scope)
            args = from_query(operation, args, query_of(scope), self._ctx.limits)
        reply = await bound.handler(HttpCall(self._ctx, scope, receive, identity, args))
        if identity is not None and identity.principal.expires_at is not None and isinstance(reply, Reply):
            reply = self._with_expiry_warning(reply, identity.principal)
        await reply.send(send)

    def _with_expiry_warning(self, reply: Reply, principal: Principal) -> Reply:
        """Add the expiry of the caller's token to a reply if it is soon."""
        ends = tokens.expiry_warning(principal, self._ctx.clock.now_ms())
        if ends is None:
            return reply
        return replace(reply, headers=(*reply.headers, (EXPIRES_HEADER, ends.encode())))


class Prefix(BaseRoute):
    """An ASGI app for all paths with a prefix, for requests and WebSockets; it gets the whole path."""

    def __init__(self, prefix: str, app: ASGIApp) -> None:
        self._prefix = prefix
        self._app = app

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether a path has the prefix."""
        here = scope["type"] in {"http", "websocket"} and scope["path"].startswith(self._prefix)
        return (Match.FULL if here else Match.NONE), {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request or a connection."""
        await self._app(scope, receive, send)


def routes(ctx: Services, bound: Sequence[Bound]) -> list[Route]:
    """Return one route for each path, in order."""
    by_path: dict[str, list[Bound]] = {}
    for each in bound:
        by_path.setdefault(each.operation.path, []).append(each)
    return [Route(route_path(path), Endpoint(ctx, operations)) for path, operations in by_path.items()]


def route_path(path: str) -> str:
    """Turn a path of the table, such as `/t/{thread_id}`, into one that decodes its parameters."""
    return re.sub(r"\{(\w+)\}", r"{\1:segment}", path)


async def no_such_path(_scope: Scope, _receive: Receive, _send: Send) -> None:
    """Answer requests for paths that are not in the table."""
    raise NotFound("There is nothing at this address. Check the path.")


class _Segment(Convertor[str]):
    """One step of a path that is still percent-encoded; see `guard.py` for why it is."""

    regex = "[^/]+"

    def convert(self, value: str) -> str:
        return unquote(value)

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("segment", _Segment())
