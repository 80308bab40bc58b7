"""Server times: milliseconds since the epoch inside, RFC 3339 in UTC outside."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def rfc3339(ms: int) -> str:
    """Write a time as `2026-11-20T09:00:00.000Z`."""
    return f"{(_EPOCH + timedelta(milliseconds=ms)).isoformat(timespec='milliseconds')[:-6]}Z"
