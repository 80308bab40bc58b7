"""Every operation of the REST interface: the router and the OpenAPI document are made from this table.

Requests, rules and secrets have tables of their own beside this one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from askback.domain.access import Level
from askback.domain.bodies import AccessBody, AppendBody, MessageBody
from askback.service.credentials import LoginLinkBody
from askback.transports.endpoint import Handler, Operation, Query
from askback.transports.rest import about, accounts, monitoring, threads
from askback.transports.rest.pages import PAGES, Site
from askback.transports.rest.shapes import ANYTHING, NAME_OR_NULL, REQUEST, TEXT, AnyOf, shape
from askback.transports.rest.table_agents import AGENTS
from askback.transports.rest.table_requests import REQUESTS
from askback.transports.rest.table_resumes import RESUMES
from askback.transports.rest.table_rules import RULES
from askback.transports.rest.table_secrets import SECRETS
from askback.transports.rest.table_sessions import SESSIONS
from askback.transports.rest.table_threads import LIMITS, WHOLE_THREADS
from askback.transports.rest.table_webhooks import WEBHOOKS

STREAM = "text/event-stream"
PLAIN = "text/plain"
_LEVEL = {"type": "string", "enum": [level.word for level in Level]}
_ACCESS = shape(owner=NAME_OR_NULL, others=_LEVEL, people={"type": "object", "additionalProperties": _LEVEL})

THREADS = (
    Operation(
        "POST",
        "/v1/threads/{id}/messages",
        threads.post,
        "post_message",
        "Add a message, or append text to one.",
        {201: shape(id=TEXT), 200: {"type": "object"}},
        body=AnyOf((MessageBody, AppendBody)),
        idempotent=True,
    ),
    Operation(
        "GET",
        "/v1/threads/{id}",
        threads.read,
        "read_thread",
        "Read a thread.",
        {
            200: shape(
                id=TEXT,
                seq={"type": "integer"},
                messages={"type": "array", "items": {"type": "object"}},
                access=shape(level=_LEVEL),
                requests={"type": "array", "items": REQUEST},
            )
        },
    ),
    Operation(
        "GET",
        "/v1/threads/{id}/access",
        threads.show_access,
        "read_access",
        "Read who may do what in a thread.",
        {200: _ACCESS},
    ),
    Operation(
        "PUT",
        "/v1/threads/{id}/access",
        threads.share,
        "share_thread",
        "Set the owner of a thread and who may access it.",
        {200: _ACCESS},
        body=AccessBody,
    ),
)

ACCOUNTS = (
    Operation(
        "POST",
        "/v1/login-links",
        accounts.login_link,
        "create_login_link",
        "Create a one-time login link.",
        {201: shape(url=TEXT)},
        body=LoginLinkBody,
        roles=("admin",),
    ),
)


def api(
    document: Callable[[], str],
    *,
    connections: Callable[[], Mapping[str, int]],
) -> list[Operation]:
    """Return the operations that answer at once, in JSON or as text.

    `document` gives the text of the OpenAPI document; `connections` counts what is open, by kind.
    """
    return [
        *REQUESTS,
        *THREADS,
        *WHOLE_THREADS,
        *RULES,
        *SECRETS,
        *RESUMES,
        *WEBHOOKS,
        *ACCOUNTS,
        *SESSIONS,
        *AGENTS,
        *LIMITS,
        Operation(
            "GET",
            "/healthz",
            about.health,
            "health",
            "Check that the server is running.",
            {200: ANYTHING},
            public=True,
        ),
        Operation(
            "GET",
            "/readyz",
            monitoring.Readiness(),
            "ready",
            "Check that the server can write.",
            {200: ANYTHING},
            public=True,
        ),
        Operation(
            "GET",
            "/metrics",
            monitoring.metrics(connections),
            "metrics",
            "Read the metrics of this server, for Prometheus.",
            {200: PLAIN},
            roles=("operator", "metrics"),
        ),
        Operation(
            "GET",
            "/openapi.json",
            about.openapi(document),
            "openapi",
            "Read this document.",
            {200: ANYTHING},
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


def pages(site: Site) -> list[Operation]:
    """Return the web pages and their assets."""
    handlers = {path: site.page(name) for path, name in PAGES.items()}
    handlers["/static/{name:path}"] = site.asset
    return [Operation("GET", path, handler, path, "", {}, public=True) for path, handler in handlers.items()]
