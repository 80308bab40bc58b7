"""The operations on threads as a whole."""

from __future__ import annotations

from askback.domain.bodies import ResetBody
from askback.transports.endpoint import Operation, Query
from askback.transports.rest import about, threads
from askback.transports.rest.shapes import ANYTHING, NAME_OR_NULL, TEXT, shape

_IDS = {"type": "array", "items": TEXT}

WHOLE_THREADS = (
    Operation(
        "POST",
        "/v1/threads/{id}/archive",
        threads.put_away,
        "archive_thread",
        "Archive a thread and cancel its open requests.",
        {200: shape(id=TEXT, archived_at=TEXT, cancelled=_IDS)},
    ),
    Operation(
        "POST",
        "/v1/threads/{id}/unarchive",
        threads.take_out,
        "unarchive_thread",
        "Unarchive a thread.",
        {200: shape(id=TEXT, archived_at=NAME_OR_NULL)},
    ),
    Operation(
        "GET",
        "/v1/threads/{id}/export",
        threads.write_out,
        "export_thread",
        "Export a thread.",
        {200: ANYTHING},
        roles=("responder", "admin"),
    ),
    Operation(
        "DELETE",
        "/v1/threads/{id}",
        threads.erase,
        "erase_thread",
        "Erase a thread.",
        {204: None},
        roles=("responder", "admin"),
    ),
)

LIMITS = (
    Operation(
        "GET",
        "/v1/limits",
        about.limits,
        "read_limits",
        "Read the limits.",
        {200: ANYTHING},
        query=(Query("thread_id", TEXT, "Include the usage of this thread."),),
    ),
    Operation(
        "POST",
        "/v1/limits/reset",
        about.reset_limits,
        "reset_limits",
        "Reset the question count of a thread.",
        {200: ANYTHING},
        body=ResetBody,
        roles=("admin",),
    ),
)
