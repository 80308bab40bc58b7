"""One path of the API: finds the operation for the method, the caller for the credential, and runs it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol
from urllib.parse import unquote

from starlette.convertors import Convertor, register_url_convertor
from starlette.routing import Route

from askback.domain.faults import Faults, fault
from askback.errors import NotFound
from askback.ports.principal import Principal
from askback.service import tokens
from askback.service.context import Services
from askback.transports.http import Call, Receive, Reply, Scope, Send
from askback.transports.problems import MethodNotAllowed
from askback.transports.security import identify

EXPIRES_HEADER = b"x-askback-token-expires"
"""The header that says, in the last week of a token, when it ends."""


class Response(Protocol):
    """What a handler returns: a `Reply`, or a stream that goes on until its reader leaves."""

    async def send(self, send: Send) -> None:
        """Write it out."""
        ...


Handler = Callable[[Call], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Query:
    """A query parameter, for the OpenAPI document."""

    name: str
    schema: Mapping[str, Any]
    description: str


@dataclass(frozen=True, slots=True)
class Operation:
    """A method of a path: its handler, and what the OpenAPI document says of it.

    `body` and the values of `ok` are Pydantic models, plain JSON Schemas, or None for none.
    A `public` operation needs no credential. A `stream` has no end, and therefore no `HEAD`.
    """

    method: str
    path: str
    handler: Handler
    name: str
    summary: str
    ok: Mapping[int, Any]
    body: Any = None
    query: Sequence[Query] = ()
    roles: Sequence[str] = ()
    idempotent: bool = False
    public: bool = False
    stream: bool = False


class Endpoint:
    """The ASGI app of one path."""

    def __init__(self, ctx: Services, operations: Sequence[Operation]) -> None:
        self._ctx = ctx
        self._operations = {operation.method: operation for operation in operations}
        get = self._operations.get("GET")
        if get is not None and not get.stream:
            self._operations["HEAD"] = get
        self._allow = ", ".join(sorted(self._operations))
        self._queries = {
            method: frozenset(query.name for query in operation.query)
            for method, operation in self._operations.items()
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; errors go up to the guard."""
        operation = self._operations.get(scope["method"])
        if operation is None:
            raise MethodNotAllowed(self._allow)
        identity = None if operation.public else await identify(self._ctx, scope)
        call = Call(self._ctx, scope, receive, identity, scope["path_params"])
        if not operation.public:
            self._check_query(call)
        reply = await operation.handler(call)
        if identity is not None and identity.principal.expires_at is not None and isinstance(reply, Reply):
            reply = self._warned(reply, identity.principal)
        await reply.send(send)

    def _warned(self, reply: Reply, principal: Principal) -> Reply:
        """Return a reply that says when the caller's token ends, if that is soon."""
        ends = tokens.ends_soon(principal, self._ctx.clock.now_ms())
        if ends is None:
            return reply
        return replace(reply, headers=(*reply.headers, (EXPIRES_HEADER, ends.encode())))

    def _check_query(self, call: Call) -> None:
        """Refuse query parameters that the operation does not have: a misspelt filter must not return everything."""
        unknown = call.query.keys() - self._queries[call.scope["method"]]
        if unknown:
            raise Faults([fault(name, "unknown_field.parameter") for name in sorted(unknown)])


def routes(ctx: Services, operations: Sequence[Operation]) -> list[Route]:
    """Return one route for each path, in the order of the table."""
    by_path: dict[str, list[Operation]] = {}
    for operation in operations:
        by_path.setdefault(operation.path, []).append(operation)
    return [Route(route_path(path), Endpoint(ctx, found)) for path, found in by_path.items()]


def route_path(path: str) -> str:
    """Turn a path of the table, such as `/t/{thread_id}`, into one that decodes what it captures."""
    return re.sub(r"\{(\w+)\}", r"{\1:segment}", path)


async def no_such_path(_scope: Scope, _receive: Receive, _send: Send) -> None:
    """Answer for every path that is not in the table."""
    raise NotFound("There is nothing at this address. Check the path.")


class _Segment(Convertor[str]):
    """One step of a path that is still percent-encoded; see `guard.py` for why it is."""

    regex = "[^/]+"

    def convert(self, value: str) -> str:
        return unquote(value)

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("segment", _Segment())
