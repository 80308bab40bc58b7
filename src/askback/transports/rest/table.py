"""Every operation of the REST interface: the router and the OpenAPI document are made from this table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askback.domain.bodies import (
    AnswerBody,
    AppendBody,
    BatchBody,
    CancelBody,
    ConsumeBody,
    DecisionBody,
    DeclineBody,
    MessageBody,
    PolicyBody,
    ReportBody,
    RuleBody,
)
from askback.domain.lifecycle import Status
from askback.domain.policy.settings import PolicySettings
from askback.domain.request import ApprovalAsk, Ask, InputRequest
from askback.service.credentials import LoginLinkBody, TokenBody
from askback.transports.endpoint import Handler, Operation, Query
from askback.transports.rest import about, accounts, approvals, policy, requests, threads
from askback.transports.rest.pages import PAGES, Site

STREAM = "text/event-stream"
_TEXT: Mapping[str, Any] = {"type": "string"}


@dataclass(frozen=True, slots=True)
class AnyOf:
    """A body that is one of several models."""

    models: tuple[type, ...]


def _object(**properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


_PRINCIPAL = _object(id=_TEXT, name=_TEXT, role=_TEXT)
_REQUEST = {"$ref": "#/components/schemas/InputRequest"}

_EXECUTION = _object(
    request_id=_TEXT,
    execution_id=_TEXT,
    tool=_TEXT,
    input={"type": "object"},
    digest=_TEXT,
    consumed_at=_TEXT,
    outcome={"type": ["string", "null"]},
)
_RULE = {"type": "object"}
_LIST_OF_OBJECTS = {"type": "array", "items": {"type": "object"}}

REQUESTS = (
    Operation(
        "POST",
        "/v1/requests/batch",
        approvals.batch,
        "batch_requests",
        "Deal with many at once.",
        {200: _object(results=_LIST_OF_OBJECTS)},
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
        body=AnyOf((Ask, ApprovalAsk)),
        roles=("requester",),
        idempotent=True,
    ),
    Operation(
        "GET",
        "/v1/requests",
        requests.page,
        "list_requests",
        "List requests, newest first.",
        {
            200: _object(
                requests={"type": "array", "items": _REQUEST}, next_cursor={"type": ["string", "null"]}
            )
        },
        query=(
            Query("thread_id", _TEXT, "Only those of one thread."),
            Query(
                "status", {"type": "string", "enum": list(Status)}, "Several times, or a list with commas."
            ),
            Query("kind", _TEXT, "Only those of one kind."),
            Query(
                "limit", {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}, "Size of a page."
            ),
            Query("cursor", _TEXT, "`next_cursor` of the page before."),
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
        ),
    ),
    Operation(
        "POST",
        "/v1/requests/{id}/answer",
        requests.answer,
        "answer_request",
        "Answer a request.",
        {200: InputRequest},
        body=AnyOf((AnswerBody, DecisionBody)),
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
)

RULES = (
    Operation(
        "GET",
        "/v1/rules",
        policy.list_rules,
        "list_rules",
        "List rules, newest first.",
        {200: _object(rules=_LIST_OF_OBJECTS, next_cursor={"type": ["string", "null"]})},
        query=(
            Query("thread_id", _TEXT, "Only those of one thread."),
            Query("project", _TEXT, "Only those of one project."),
            Query("ended", {"type": "boolean", "default": False}, "Also those revoked or expired."),
            Query(
                "limit", {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}, "Size of a page."
            ),
            Query("cursor", _TEXT, "`next_cursor` of the page before."),
        ),
        roles=("responder", "admin"),
    ),
    Operation(
        "POST",
        "/v1/rules",
        policy.add_rule,
        "add_rule",
        "Make a rule.",
        {201: _RULE},
        body=RuleBody,
        roles=("responder", "admin"),
    ),
    Operation(
        "DELETE",
        "/v1/rules/{id}",
        policy.revoke_rule,
        "revoke_rule",
        "End a rule.",
        {200: _RULE},
        roles=("responder", "admin"),
    ),
    Operation(
        "GET",
        "/v1/policy",
        policy.show,
        "read_policy",
        "What holds where no rule says otherwise.",
        {200: PolicySettings},
        query=(Query("thread_id", _TEXT, "As it holds in this thread."),),
        roles=("responder", "admin"),
    ),
    Operation(
        "POST",
        "/v1/policy",
        policy.change,
        "change_policy",
        "Change it.",
        {200: PolicySettings},
        body=PolicyBody,
        roles=("responder", "admin"),
    ),
    Operation(
        "GET",
        "/v1/audit",
        policy.audit,
        "read_audit",
        "Read the audit log, oldest first.",
        {200: _object(entries=_LIST_OF_OBJECTS, head=_object(seq={"type": "integer"}, hash=_TEXT))},
        query=(
            Query("after", {"type": "integer", "minimum": 0, "default": 0}, "Entries after this one."),
            Query("limit", {"type": "integer", "minimum": 1, "maximum": 500}, "Size of a page."),
        ),
        roles=("admin",),
    ),
)

THREADS = (
    Operation(
        "POST",
        "/v1/threads/{id}/messages",
        threads.post,
        "post_message",
        "Add a message, or append text to one.",
        {201: _object(id=_TEXT), 200: {"type": "object"}},
        body=AnyOf((MessageBody, AppendBody)),
        idempotent=True,
    ),
    Operation(
        "GET",
        "/v1/threads/{id}",
        threads.read,
        "read_thread",
        "Read a thread as it is now.",
        {
            200: _object(
                id=_TEXT,
                seq={"type": "integer"},
                messages={"type": "array", "items": {"type": "object"}},
                requests={"type": "array", "items": _REQUEST},
            )
        },
    ),
)

ACCOUNTS = (
    Operation(
        "GET",
        "/v1/session",
        accounts.session,
        "read_session",
        "Who is calling.",
        {200: _object(principal=_PRINCIPAL, csrf={"type": ["string", "null"]})},
    ),
    Operation(
        "POST",
        "/v1/login-links",
        accounts.login_link,
        "create_login_link",
        "Make a one-time login link.",
        {201: _object(url=_TEXT)},
        body=LoginLinkBody,
        roles=("admin",),
    ),
    Operation(
        "POST",
        "/v1/tokens",
        accounts.token,
        "create_token",
        "Make a token; it is shown once.",
        {201: _object(token=_TEXT)},
        body=TokenBody,
        roles=("admin",),
    ),
)


def api(document: Callable[[], str], *, hang_up: Callable[[str], None]) -> list[Operation]:
    """Return the operations that speak JSON.

    `document` gives the text of the OpenAPI document; `hang_up` ends the streams of a principal that left.
    """
    anything = {"type": "object"}
    return [
        *REQUESTS,
        *THREADS,
        *RULES,
        *ACCOUNTS,
        Operation(
            "DELETE", "/v1/session", accounts.logout(hang_up), "close_session", "Log out.", {204: None}
        ),
        Operation(
            "GET", "/v1/limits", about.limits, "read_limits", "What is enforced here.", {200: anything}
        ),
        Operation(
            "GET", "/healthz", about.health, "health", "Whether it runs.", {200: anything}, public=True
        ),
        Operation(
            "GET",
            "/openapi.json",
            about.openapi(document),
            "openapi",
            "This document.",
            {200: anything},
            public=True,
        ),
    ]


def events(*, thread: Handler, inbox: Handler) -> list[Operation]:
    """Return the event streams; their handlers are another transport's."""
    cursor = Query(
        "cursor", {"type": "integer", "minimum": 0}, "Events after this one; `Last-Event-ID` wins."
    )
    return [
        Operation(
            "GET",
            "/v1/threads/{id}/events",
            thread,
            "watch_thread",
            "Stream the events of a thread.",
            {200: STREAM},
            query=(cursor,),
            stream=True,
        ),
        Operation(
            "GET",
            "/v1/events",
            inbox,
            "watch_inbox",
            "Stream the requests of every thread.",
            {200: STREAM},
            query=(cursor,),
            roles=("responder", "admin"),
            stream=True,
        ),
    ]


def pages(folder: Path) -> list[Operation]:
    """Return the web pages and their assets, from a folder that the web build fills."""
    site = Site(folder)
    handlers = {path: site.page(name) for path, name in PAGES.items()}
    handlers["/login"] = accounts.login(handlers["/login"])
    handlers["/static/{name:path}"] = site.asset
    return [Operation("GET", path, handler, path, "", {}, public=True) for path, handler in handlers.items()]
