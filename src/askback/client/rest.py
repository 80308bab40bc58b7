"""Build the REST call that is equivalent to a WebSocket frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from askback.domain.tracing import HEADER
from askback.wire.operations import OPERATIONS


@dataclass(frozen=True, slots=True)
class RestCall:
    """One call: `key` is the idempotency key, `body` a JSON value, `trace` the trace that it belongs to."""

    method: str
    path: str
    query: Mapping[str, Any]
    body: Any = None
    key: str | None = None
    trace: str | None = None


def has_route(op: str) -> bool:
    """Return whether an operation is one call over HTTP."""
    operation = OPERATIONS.get(op)
    return operation is not None and "http" in operation.transports


def rest_call(frame: Mapping[str, Any]) -> RestCall:
    """Translate a frame whose operation is one call over HTTP."""
    operation = OPERATIONS[frame["op"]]
    path = operation.path.format(**{name: step(frame[name]) for name in operation.path_parameters})
    names = {parameter.name for parameter in operation.parameters if "http" in parameter.transports}
    query = {name: value for name, value in frame.items() if name in names}
    return RestCall(operation.method, path, query, frame.get("body"), frame.get("key"), frame.get(HEADER))


def step(text: str) -> str:
    """Encode a caller's text as one segment of a path."""
    return quote(text, safe="")
