"""The operations on secrets that are kept."""

from __future__ import annotations

from askback.domain.bodies import KeepBody, LeaseBody, RotateBody
from askback.service.secrets.agents import SecretAgentsBody
from askback.transports.endpoint import Operation, Query
from askback.transports.rest import secrets
from askback.transports.rest.shapes import ANYTHING, INTEGER, NAME_OR_NULL, OBJECTS, TEXT, shape

SECRETS = (
    Operation(
        "POST",
        "/v1/secrets/lease",
        secrets.lease,
        "lease_secrets",
        "Lease the values of secrets.",
        {200: shape(secrets=ANYTHING, expires_at=TEXT)},
        body=LeaseBody,
        roles=("requester", "runner"),
    ),
    Operation(
        "POST",
        "/v1/secrets/rotate",
        secrets.rotate_all,
        "rotate_secrets",
        "Rewrap all secrets with the first master key.",
        {200: shape(rewrapped=INTEGER, left=INTEGER, dropped=INTEGER)},
        body=RotateBody,
        roles=("admin", "operator"),
    ),
    Operation(
        "GET",
        "/v1/secrets",
        secrets.page,
        "list_secrets",
        "List secrets, newest first.",
        {200: shape(secrets=OBJECTS, next_cursor=NAME_OR_NULL)},
        query=(
            Query("limit", {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}, "Page size."),
            Query("cursor", TEXT, "`next_cursor` of the previous page."),
        ),
        roles=("responder", "admin"),
    ),
    Operation(
        "POST",
        "/v1/secrets",
        secrets.put,
        "keep_secret",
        "Set a secret, or replace its value.",
        {201: ANYTHING},
        body=KeepBody,
        roles=("responder", "admin"),
    ),
    Operation(
        "GET",
        "/v1/secrets/{id}/agents",
        secrets.read_agents,
        "read_secret_agents",
        "Read which agents may use a secret without asking.",
        {200: shape(agents=ANYTHING)},
        roles=("responder", "admin"),
    ),
    Operation(
        "PUT",
        "/v1/secrets/{id}/agents",
        secrets.set_agents,
        "set_secret_agents",
        "Set which agents may use a secret without asking.",
        {200: shape(agents=ANYTHING)},
        body=SecretAgentsBody,
        roles=("responder", "admin"),
    ),
    Operation(
        "PUT",
        "/v1/secrets/{id}/agents/{agent}",
        secrets.grant,
        "grant_secret",
        "Let an agent use a secret without asking.",
        {200: shape(agents=ANYTHING)},
        roles=("responder", "admin"),
    ),
    Operation(
        "DELETE",
        "/v1/secrets/{id}/agents/{agent}",
        secrets.revoke,
        "revoke_secret",
        "Revoke a secret from an agent, which then has to ask again.",
        {200: shape(agents=ANYTHING)},
        roles=("responder", "admin"),
    ),
    Operation(
        "GET",
        "/v1/requests/{id}/saved",
        secrets.saved,
        "read_saved",
        "Read in which scopes the names of a request are set.",
        {200: shape(saved=ANYTHING)},
        roles=("responder", "admin"),
    ),
    Operation(
        "DELETE",
        "/v1/secrets/{id}",
        secrets.drop,
        "erase_secret",
        "Erase a secret.",
        {204: None},
        roles=("responder", "admin"),
    ),
)
