"""The frame of an event stream: its headers, its parts, and comments during pauses."""

from __future__ import annotations

from askback.transports.http import Message

HEARTBEAT_S = 10.0
"""Seconds between two comments; L9 and proxies need one within 15 s."""

HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store, no-transform"),
    (b"x-accel-buffering", b"no"),
]
COMMENT = b":\n\n"


def stream_start() -> Message:
    """Return the message that begins a stream."""
    return {"type": "http.response.start", "status": 200, "headers": HEADERS}


def stream_part(data: bytes) -> Message:
    """Return the message with the next bytes of a stream."""
    return {"type": "http.response.body", "body": data, "more_body": True}
