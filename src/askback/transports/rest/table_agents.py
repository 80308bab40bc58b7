"""The operations on agents and tokens."""

from __future__ import annotations

from askback.service.agents import AgentBody, RootBody
from askback.service.credentials import TokenBody
from askback.transports.endpoint import Operation, Query
from askback.transports.rest import agents
from askback.transports.rest.shapes import NAME_OR_NULL, OBJECTS, TEXT, shape

_PAGE = (
    Query("limit", {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}, "Page size."),
    Query("cursor", TEXT, "`next_cursor` of the previous page."),
)
_AGENT = shape(
    id=TEXT, name=TEXT, user=NAME_OR_NULL, created_at=NAME_OR_NULL, stopped_at=NAME_OR_NULL, roots=OBJECTS
)
_TOKEN = {
    "id": TEXT,
    "role": TEXT,
    "name": TEXT,
    "agent": NAME_OR_NULL,
    "created_at": NAME_OR_NULL,
    "expires_at": NAME_OR_NULL,
    "last_used_at": NAME_OR_NULL,
    "revoked_at": NAME_OR_NULL,
}
_TENANT = Query("tenant", TEXT, "Another tenant; operator only.")
_PEOPLE = ("responder", "admin")

AGENTS = (
    Operation(
        "POST",
        "/v1/tokens",
        agents.create_token,
        "create_token",
        "Create a token; it is shown once.",
        {201: shape(token=TEXT, **_TOKEN)},
        body=TokenBody,
        roles=("admin", "operator"),
    ),
    Operation(
        "GET",
        "/v1/tokens",
        agents.list_tokens,
        "list_tokens",
        "List tokens, newest first.",
        {200: shape(tokens={"type": "array", "items": shape(**_TOKEN)}, next_cursor=NAME_OR_NULL)},
        query=(Query("agent", TEXT, "Only tokens of one agent."), _TENANT, *_PAGE),
        roles=("admin", "operator"),
    ),
    Operation(
        "DELETE",
        "/v1/tokens/{id}",
        agents.revoke_token,
        "revoke_token",
        "Revoke a token and close its connections.",
        {200: shape(**_TOKEN)},
        query=(_TENANT,),
        roles=("admin", "operator"),
    ),
    Operation(
        "POST",
        "/v1/agents",
        agents.create,
        "create_agent",
        "Create an agent.",
        {201: _AGENT},
        body=AgentBody,
        roles=("admin",),
    ),
    Operation(
        "GET",
        "/v1/agents",
        agents.page,
        "list_agents",
        "List agents, newest first.",
        {200: shape(agents={"type": "array", "items": _AGENT}, next_cursor=NAME_OR_NULL)},
        query=_PAGE,
        roles=_PEOPLE,
    ),
    Operation(
        "GET", "/v1/agents/{id}", agents.show, "read_agent", "Read an agent.", {200: _AGENT}, roles=_PEOPLE
    ),
    Operation(
        "POST",
        "/v1/agents/{id}/stop",
        agents.stop,
        "stop_agent",
        "Revoke an agent's tokens and cancel its open requests.",
        {200: _AGENT},
        roles=_PEOPLE,
    ),
    Operation(
        "POST",
        "/v1/agents/{id}/roots",
        agents.grant_root,
        "grant_root",
        "Let an agent read below a folder without asking.",
        {200: _AGENT},
        body=RootBody,
        roles=_PEOPLE,
    ),
    Operation(
        "DELETE",
        "/v1/agents/{id}/roots",
        agents.revoke_root,
        "revoke_root",
        "Revoke a folder.",
        {200: _AGENT},
        query=(Query("path", TEXT, "The folder."),),
        roles=_PEOPLE,
    ),
)
