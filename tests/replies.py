"""Check every reply, refusal and event of a server in this process against its published schema.

A member that the model does not have is a failure: the OpenAPI document and the types of the clients are made from it.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from askback.domain.events import Event
from askback.domain.faults import Faults
from askback.errors import Refused
from askback.ports.threads import ThreadArchived, ThreadOfAnother
from askback.ports.vault import CannotOpen, KeysUnreachable, VaultLocked
from askback.transports import problems, rest, sse, texts
from askback.transports.endpoint import BoundOperation, HttpHandler
from askback.transports.http import HttpCall, Reply
from askback.transports.rest.bind import bind
from askback.transports.websocket import connection
from askback.transports.websocket.operations import OPERATIONS as OVER_WEBSOCKET
from askback.wire import openapi
from askback.wire.events import ThreadEvent
from askback.wire.operation import BYTES, HTML, LINES, PLAIN, PNG, STREAM, Operation
from askback.wire.operations import OPERATIONS
from askback.wire.replies import Problem

_problem = problems.problem
_REFUSED = (Refused, Faults, ThreadArchived, ThreadOfAnother, VaultLocked, CannotOpen, KeysUnreachable)
_EVENT = TypeAdapter[Any](ThreadEvent)


def install() -> None:
    """Let servers that are created from now on check their replies."""
    rest.bind = _checked_routes  # type: ignore[attr-defined]
    connection.OPERATIONS = {  # type: ignore[attr-defined]
        name: _over_websocket(OPERATIONS[name], run) for name, run in OVER_WEBSOCKET.items()
    }
    for module in (problems, connection, texts):
        setattr(module, "problem", _checked_problem)  # noqa: B010 - a module has no such attribute for pyright
    connection.WebSocketConnection.push = _checked_push(connection.WebSocketConnection.push)
    connection.WebSocketConnection.push_inbox = _checked_push(connection.WebSocketConnection.push_inbox)
    sse.EventStream.push = _checked_push(sse.EventStream.push)


def _checked_routes(special: Any) -> list[BoundOperation]:
    return [
        BoundOperation(item.operation, _over_http(item.operation, item.handler)) for item in bind(special)
    ]


def _over_http(operation: Operation, handler: HttpHandler) -> HttpHandler:
    async def run(call: HttpCall) -> Any:
        try:
            reply = await handler(call)
        except _REFUSED as error:
            status, _ = _problem(error, locale="en")
            if status not in operation.refusals:
                _fail(operation.name, f"the table has no refusal {status}")
            raise
        if isinstance(reply, Reply):
            check(operation, reply.status, reply.body)
        return reply

    return run


def _over_websocket(
    operation: Operation, run: Callable[..., Awaitable[str]]
) -> Callable[..., Awaitable[str]]:
    async def checked(peer: Any, frame: Any) -> str:
        text = await run(peer, frame)
        if text != "{}":
            check(operation, next(iter(operation.replies)), text)
        return text

    return checked


def _checked_problem(error: Exception, *, locale: str) -> tuple[int, dict[str, Any]]:
    status, body = _problem(error, locale=locale)
    _validate("an error", Problem, body)
    return status, body


def check(operation: Operation, status: int, text: str | bytes) -> None:
    """Raise `AssertionError`, and print why, for a reply that does not match."""
    if status not in operation.replies:
        _fail(operation.name, f"the table has no status {status}")
    name = operation.replies[status]
    if name is None:
        if text:
            _fail(operation.name, "a reply without content has some")
    elif name not in (STREAM, PLAIN, HTML, BYTES, PNG, LINES):
        _validate(operation.name, _model(name), text)


def _checked_push(push: Callable[..., None]) -> Any:
    def checked(reader: Any, event: Event) -> None:
        try:
            _EVENT.validate_json(event.text, extra="forbid")
        except ValidationError as error:
            _fail(f"the event {event.type}", error)
        push(reader, event)

    return checked


@cache
def _model(name: str) -> type[BaseModel]:
    return openapi.model(name)


def _validate(name: str, model: type[BaseModel], value: object) -> None:
    extra = "allow" if model.model_config.get("extra") == "allow" else "forbid"
    try:
        if isinstance(value, str | bytes):
            model.model_validate_json(value, extra=extra)
        else:
            model.model_validate(value, extra=extra)
    except ValidationError as error:
        _fail(name, error)


def _fail(name: str, reason: str | ValidationError) -> None:
    if isinstance(reason, ValidationError):
        result = reason.errors(include_input=False, include_url=False, include_context=False)
        reason = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in result)
    message = f"What the server sends for {name} is not as its model says: {reason}"
    print(message, file=sys.stderr, flush=True)
    raise AssertionError(message)
