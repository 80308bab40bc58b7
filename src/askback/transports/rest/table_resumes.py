"""The operations on resumes."""

from __future__ import annotations

from askback.domain.bodies import AckBody
from askback.transports.endpoint import Operation, Query
from askback.transports.rest import resumes
from askback.transports.rest.shapes import ANYTHING, OBJECTS, TEXT, shape

_FOUND = shape(resumes=OBJECTS)
_QUERY = (
    Query("wait", {"type": "number", "minimum": 0, "maximum": 60}, "Seconds to wait for the first resume."),
    Query(
        "limit",
        {"type": "integer", "minimum": 1, "maximum": 200, "default": 20},
        "Maximum number of resumes.",
    ),
)

RESUMES = (
    Operation(
        "GET",
        "/v1/resumes",
        resumes.pull,
        "pull_resumes",
        "Lease pending resumes.",
        {200: _FOUND},
        query=(Query("thread_id", TEXT, "Only those of one thread."), *_QUERY),
        roles=("requester",),
    ),
    Operation(
        "GET",
        "/v1/threads/{id}/resumes",
        resumes.pull,
        "pull_thread_resumes",
        "Lease pending resumes of a thread.",
        {200: _FOUND},
        query=_QUERY,
        roles=("requester",),
    ),
    Operation(
        "POST",
        "/v1/resumes/{id}/ack",
        resumes.ack,
        "ack_resume",
        "Acknowledge a resume.",
        {200: ANYTHING},
        body=AckBody,
        roles=("requester",),
    ),
)
