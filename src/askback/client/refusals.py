"""An error of the wire becomes the exception of the same name."""

from __future__ import annotations

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
    """Make the exception for the inner `error` object; a frame has its `status` inside."""
    cls = _BY_STATUS.get(error.get("status") or status or 0, Refused)
    return cls(
        str(error.get("message") or "The server refused this without saying why."),
        code=error.get("code"),
        field_errors=error.get("field_errors") or (),
        request=error.get("request"),
        retry_after=retry_after,
    )
