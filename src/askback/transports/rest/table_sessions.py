"""The operations of browser sessions."""

from __future__ import annotations

from askback.transports.endpoint import Operation, Query
from askback.transports.rest import sessions
from askback.transports.rest.shapes import TEXT, nullable, shape

_PRINCIPAL = shape(id=TEXT, name=TEXT, role=TEXT, user=TEXT, groups={"type": "array", "items": TEXT})
_SESSION_FIELDS = {
    "id": TEXT,
    "name": TEXT,
    "user": TEXT,
    "device": TEXT,
    "created_at": TEXT,
    "last_used_at": TEXT,
    "expires_at": TEXT,
    "current": {"type": "boolean"},
}
_SESSION = shape(**_SESSION_FIELDS)
_PEOPLE = ("responder", "admin")
_USER = (Query("user", {"type": "string"}, "Only sessions of this user."),)

SESSIONS = (
    Operation(
        "POST",
        "/v1/sessions",
        sessions.sign_in,
        "create_session",
        "Sign in with the code of a login link.",
        {201: shape(session=TEXT, **_SESSION_FIELDS)},
        body=sessions.SignInBody,
        public=True,
    ),
    Operation(
        "GET",
        "/v1/sessions",
        sessions.listed,
        "list_sessions",
        "List browser sessions: your own, or everybody's for an admin.",
        {200: shape(sessions={"type": "array", "items": _SESSION})},
        query=_USER,
        roles=_PEOPLE,
    ),
    Operation(
        "DELETE",
        "/v1/sessions",
        sessions.end_all,
        "end_sessions",
        "End all listed sessions and close their connections.",
        {200: shape(ended={"type": "integer"})},
        query=_USER,
        roles=_PEOPLE,
    ),
    Operation(
        "DELETE",
        "/v1/sessions/{id}",
        sessions.end,
        "end_session",
        "End a session and close its connections.",
        {204: None},
        roles=_PEOPLE,
    ),
    Operation(
        "GET",
        "/v1/session",
        sessions.whoami,
        "read_session",
        "Read the caller's session.",
        {200: shape(principal=_PRINCIPAL, session=nullable(_SESSION))},
    ),
    Operation("DELETE", "/v1/session", sessions.sign_out, "close_session", "Sign out.", {204: None}),
    Operation(
        "POST",
        "/v1/session/addresses",
        sessions.sign,
        "sign_address",
        "Sign an address for this browser to open directly; valid for 60 seconds.",
        {201: shape(url=TEXT)},
        body=sessions.SignBody,
        roles=_PEOPLE,
    ),
)
