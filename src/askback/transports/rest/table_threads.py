"""The operations on threads as a whole."""

from __future__ import annotations

from askback.transports.endpoint import Operation
from askback.transports.rest import threads
from askback.transports.rest.shapes import NAME_OR_NULL, TEXT, shape

_IDS = {"type": "array", "items": TEXT}

WHOLE_THREADS = (
    Operation(
        "POST",
        "/v1/threads/{id}/archive",
        threads.put_away,
        "archive_thread",
        "Take back what is open in a thread, and take nothing new.",
        {200: shape(id=TEXT, archived_at=TEXT, cancelled=_IDS)},
    ),
    Operation(
        "POST",
        "/v1/threads/{id}/unarchive",
        threads.take_out,
        "unarchive_thread",
        "Let a thread take something new again.",
        {200: shape(id=TEXT, archived_at=NAME_OR_NULL)},
    ),
)
