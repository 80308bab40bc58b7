"""Bind operations to HTTP: read the parameters and the body, call the handler, write the result."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from askback.transports.call import Handler, OperationCall, Result
from askback.transports.endpoint import BoundOperation, HttpHandler
from askback.transports.handlers import HANDLERS
from askback.transports.http import HttpCall, Reply, text_reply, while_connected
from askback.transports.problems import locale_of
from askback.wire.operation import Operation
from askback.wire.operations import OPERATIONS

REPLAYED_HEADER = (b"idempotent-replayed", b"true")


def bind(special_handlers: Mapping[str, HttpHandler]) -> list[BoundOperation]:
    """Return every HTTP operation with its handler: the one in `special_handlers`, or the shared one."""
    return [
        BoundOperation(operation, special_handlers.get(name) or partial(_run, operation, HANDLERS[name]))
        for name, operation in OPERATIONS.items()
        if "http" in operation.transports
    ]


async def _run(operation: Operation, handler: Handler, http: HttpCall) -> Reply:
    body: object = None
    if operation.body is not None:
        body = await (http.body() if operation.confidential else http.json())
    work = handler(OperationCall(http.ctx, http.principal, http.args, body, http.key, locale_of(http.scope)))
    return _reply(operation, await (while_connected(http.receive, work) if http.args.get("wait") else work))


def _reply(operation: Operation, result: Result) -> Reply:
    status = result.status or next(iter(operation.replies))
    if operation.replies[status] is None:
        return Reply(status)
    return text_reply(result.text, status=status, headers=(REPLAYED_HEADER,) if result.replayed else ())
