"""The operations on requests."""

from __future__ import annotations

from askback.domain.bodies import (
    AnswerBody,
    BatchBody,
    CancelBody,
    ConsumeBody,
    DecisionBody,
    DeclineBody,
    EmptyBody,
    ReportBody,
    RepromptBody,
    SubmissionBody,
)
from askback.domain.lifecycle import Status
from askback.domain.request import ApprovalAsk, Ask, InputRequest, SecretRequest
from askback.transports.endpoint import Operation, Query
from askback.transports.rest import approvals, requests
from askback.transports.rest.shapes import ANYTHING, NAME_OR_NULL, OBJECTS, REQUEST, TEXT, AnyOf, shape

_EXECUTION = shape(
    request_id=TEXT,
    execution_id=TEXT,
    tool=TEXT,
    input=ANYTHING,
    digest=TEXT,
    consumed_at=TEXT,
    outcome=NAME_OR_NULL,
)

REQUESTS = (
    Operation(
        "POST",
        "/v1/requests/batch",
        approvals.batch,
        "batch_requests",
        "Deal with many at once.",
        {200: shape(results=OBJECTS)},
        body=BatchBody,
        roles=("responder", "admin"),
        idempotent=True,
    ),
    Operation(
        "POST",
        "/v1/requests",
        requests.create,
        "create_request",
        "Ask a person.",
        {201: InputRequest, 200: InputRequest},
        body=AnyOf((Ask, ApprovalAsk, SecretRequest)),
        roles=("requester",),
        idempotent=True,
    ),
    Operation(
        "GET",
        "/v1/requests",
        requests.page,
        "list_requests",
        "List requests, newest first.",
        {200: shape(requests={"type": "array", "items": REQUEST}, next_cursor=NAME_OR_NULL)},
        query=(
            Query("thread_id", TEXT, "Only those of one thread."),
            Query(
                "status", {"type": "string", "enum": list(Status)}, "Several times, or a list with commas."
            ),
            Query("kind", TEXT, "Only those of one kind."),
            Query(
                "limit", {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}, "Size of a page."
            ),
            Query("cursor", TEXT, "`next_cursor` of the page before."),
        ),
    ),
    Operation(
        "GET",
        "/v1/requests/{id}",
        requests.read,
        "read_request",
        "Read a request; with `wait`, a long poll.",
        {200: InputRequest, 204: None},
        query=(
            Query(
                "wait",
                {"type": "number", "minimum": 0, "maximum": 60},
                "Seconds to wait for an end or another revision; 204 when nothing happened.",
            ),
            Query("revision", {"type": "integer", "minimum": 0}, "The revision that is known already."),
            Query(
                "receipt",
                {"type": "boolean"},
                "With `wait`: the outcome counts as received when it is read again without.",
            ),
        ),
    ),
    Operation(
        "POST",
        "/v1/requests/{id}/answer",
        requests.answer,
        "answer_request",
        "Answer a request.",
        {200: InputRequest},
        body=AnyOf((AnswerBody, DecisionBody, SubmissionBody)),
        roles=("responder", "admin"),
        idempotent=True,
    ),
    Operation(
        "POST",
        "/v1/requests/{id}/decline",
        requests.decline,
        "decline_request",
        "Decline to deal with it.",
        {200: InputRequest},
        body=DeclineBody,
        roles=("responder", "admin"),
        idempotent=True,
    ),
    Operation(
        "POST",
        "/v1/requests/{id}/cancel",
        requests.cancel,
        "cancel_request",
        "Take it back.",
        {200: InputRequest},
        body=CancelBody,
        roles=("requester", "admin"),
        idempotent=True,
    ),
    Operation(
        "POST",
        "/v1/requests/{id}/shown",
        requests.shown,
        "note_shown",
        "A person has it before their eyes.",
        {200: InputRequest},
        body=EmptyBody,
        roles=("responder", "admin"),
    ),
    Operation(
        "POST",
        "/v1/requests/{id}/consume",
        approvals.consume,
        "consume_approval",
        "Use an approved call, once.",
        {200: _EXECUTION},
        body=ConsumeBody,
        roles=("requester",),
    ),
    Operation(
        "POST",
        "/v1/requests/{id}/report",
        approvals.report,
        "report_execution",
        "Say how it went.",
        {200: _EXECUTION},
        body=ReportBody,
        roles=("requester",),
    ),
    Operation(
        "POST",
        "/v1/requests/{id}/accept",
        requests.accept,
        "accept_submission",
        "What was sent holds.",
        {200: InputRequest},
        body=EmptyBody,
        roles=("requester",),
        idempotent=True,
    ),
    Operation(
        "POST",
        "/v1/requests/{id}/reprompt",
        requests.reprompt,
        "reprompt_request",
        "What was sent does not hold: ask again.",
        {200: InputRequest},
        body=RepromptBody,
        roles=("requester",),
        idempotent=True,
    ),
)
