"""Server times: milliseconds since the epoch inside, RFC 3339 in UTC outside."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def rfc3339(ms: int) -> str:
    """Write a time as `2026-11-20T09:00:00.000Z`."""
    return f"{_format_seconds(ms // 1000)}.{ms % 1000:03d}Z"


@lru_cache(maxsize=256)  # many events share a second, and each event writes its time
def _format_seconds(seconds: int) -> str:
    return (_EPOCH + timedelta(seconds=seconds)).isoformat()[:-6]
