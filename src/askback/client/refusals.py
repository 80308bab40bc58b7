"""Turn an error of the wire into the exception of the same name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from askback.errors import (
    Conflict,
    Forbidden,
    Gone,
    Invalid,
    NotFound,
    RateLimited,
    Refused,
    TooLarge,
    Unauthorized,
    Unavailable,
)

_BY_STATUS: Mapping[int, type[Refused]] = {
    cls.status: cls
    for cls in (
        Invalid,
        TooLarge,
        Unauthorized,
        Forbidden,
        NotFound,
        Conflict,
        Gone,
        RateLimited,
        Unavailable,
    )
}


def refusal(
    error: Mapping[str, Any], *, status: int | None = None, retry_after: float | None = None
) -> Refused:
    """Make the exception for the inner `error` object; in a frame it contains the `status`."""
    pause = error.get("retry_after")
    cls = _BY_STATUS.get(error.get("status") or status or 0, Refused)
    return cls(
        str(error.get("message") or "The server refused this without saying why."),
        code=error.get("code"),
        field_errors=error.get("field_errors") or (),
        request=error.get("request"),
        retry_after=float(pause) if retry_after is None and isinstance(pause, int | float) else retry_after,
    )


def refused_reply(status: int, body: str, *, retry_after: str | None) -> Refused:
    """Make the exception for an HTTP reply; `retry_after` is the header. A foreign reply came from a proxy."""
    try:
        error = json.loads(body)["error"]
    except (ValueError, KeyError, TypeError):
        error = {"code": "bad_gateway", "message": f"HTTP {status} from something in between."}
    seconds = float(retry_after) if retry_after and retry_after.isdecimal() else None
    return refusal(error, status=503 if status in {502, 504} else status, retry_after=seconds)
