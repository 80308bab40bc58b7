"""A call of an operation and its result, for every transport."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from askback.domain.values import frozen
from askback.ports.store import Principal
from askback.service.context import Services


@frozen(slots=True)
class OperationCall:
    """One call. `args` has all parameters that the operation has in the table.

    `body` is the decoded JSON, or a `RawBody` if the operation is confidential and the transport has bytes.
    """

    ctx: Services
    principal: Principal
    args: Mapping[str, Any]
    body: object = None
    key: str | None = None
    locale: str = "en"


@frozen(slots=True)
class Result:
    """The JSON text of a reply; only HTTP shows a `status` other than the usual one, and `replayed`."""

    text: str = "{}"
    status: int | None = None
    replayed: bool = False


Handler = Callable[[OperationCall], Awaitable[Result]]


def json_result(value: object, *, status: int | None = None, replayed: bool = False) -> Result:
    """Encode a small value."""
    return Result(json.dumps(value, separators=(",", ":"), ensure_ascii=False), status, replayed)
