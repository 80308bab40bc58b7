"""One path of the API: find the operation by the method, identify the caller, and run it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Protocol
from urllib.parse import unquote

from starlette.routing import BaseRoute, Match

from askback.domain.values import frozen
from askback.ports.agents import Principal
from askback.service.access import tokens
from askback.service.context import Services
from askback.transports.http import ASGIApp, HttpCall, Receive, Reply, Scope, Send, query_of
from askback.transports.parameters import from_query
from askback.transports.problems import MethodNotAllowed, no_such_path
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
class BoundOperation:
    """An operation and its handler over HTTP."""

    operation: Operation
    handler: HttpHandler


class Endpoint:
    """The ASGI app of one path."""

    def __init__(self, ctx: Services, bounds: Sequence[BoundOperation]) -> None:
        self._ctx = ctx
        self._bound = {bound.operation.method: bound for bound in bounds}
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
        warning = tokens.expiry_warning(principal, self._ctx.clock.now_ms())
        if warning is None:
            return reply
        return replace(reply, headers=(*reply.headers, (EXPIRES_HEADER, warning.encode())))


class Prefix(BaseRoute):
    """An ASGI app for all paths with a prefix, for requests and WebSockets; it gets the whole path."""

    def __init__(self, prefix: str, app: ASGIApp) -> None:
        self._prefix = prefix
        self._app = app

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match a path by its prefix."""
        is_below = scope["type"] in {"http", "websocket"} and scope["path"].startswith(self._prefix)
        return (Match.FULL if is_below else Match.NONE), {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request or a connection."""
        await self._app(scope, receive, send)


class Paths(BaseRoute):
    """Find the endpoint of a path by its steps. If a step matches both a fixed text and a parameter, the text is used.

    Starlette would try one pattern after another, which takes 0.1 ms for the last of a hundred paths, and would
    compile all of them when the server starts.
    """

    def __init__(self, ctx: Services, bounds: Sequence[BoundOperation]) -> None:
        self._ctx = ctx
        self._bounds: dict[str, list[BoundOperation]] = {}
        for bound in bounds:
            self._bounds.setdefault(bound.operation.path, []).append(bound)
        self._root = _tree(tuple(self._bounds))
        self._endpoints: dict[str, Endpoint] = {}

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Find the endpoint of a path; its steps are still percent-encoded, see `guard.py` for why."""
        if scope["type"] != "http":
            return Match.NONE, {}
        step, values = self._root, list[str]()
        for text in scope["path"].removeprefix(scope.get("root_path", "")).split("/"):
            next_step = step.fixed.get(text)
            if next_step is None and text:
                values.append(unquote(text))
                next_step = step.parameter
            if next_step is None:
                return Match.NONE, {}
            step = next_step
        if step.path is None:
            return Match.NONE, {}
        bounds = self._bounds[step.path]
        endpoint = self._endpoints.get(step.path)
        if endpoint is None:
            endpoint = self._endpoints[step.path] = Endpoint(self._ctx, bounds)
        parameters = dict(zip(bounds[0].operation.path_parameters, values, strict=True))
        return Match.FULL, {"endpoint": endpoint, "path_params": parameters}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await scope["endpoint"](scope, receive, send)


class _Step:
    """A position in a path: the next steps, and the path that ends here."""

    def __init__(self) -> None:
        self.fixed: dict[str, _Step] = {}
        self.parameter: _Step | None = None
        self.path: str | None = None

    def add(self, text: str) -> _Step:
        """Return the next step for a part of a path, such as `threads` or `{thread_id}`."""
        if not text.startswith("{"):
            return self.fixed.setdefault(text, _Step())
        self.parameter = self.parameter or _Step()
        return self.parameter


@cache  # the same for every server of this process
def _tree(paths: tuple[str, ...]) -> _Step:
    """Return the position before the first step of these paths."""
    root = _Step()
    for path in paths:
        step = root
        for text in path.split("/"):
            step = step.add(text)
        step.path = path
    return root


async def refuse_unknown_path(_scope: Scope, _receive: Receive, _send: Send) -> None:
    """Answer requests for paths that are not in the table."""
    raise no_such_path()
