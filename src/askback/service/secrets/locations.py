"""The locations in which secrets are stored for a thread, and the grants by which an agent uses them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from askback.ports.agents import Principal
from askback.ports.secrets import Grant, SecretLocation, SecretRecord
from askback.ports.vault import Binding
from askback.service.context import Services

SHARED = ""
"""The owner of secrets of a whole tenant, and of unshared threads (`domain.access.UNSHARED`)."""

REQUEST_SCOPE = "request"
"""The scope of the sensitive fields of one answer."""

EVERY_AGENT = "*"
"""The entry for all agents in the list of agents that may use a secret."""

SCOPE_ORDER = ("session", "project", "global")
"""Scopes from the narrowest to the widest; a secret of a thread wins over a global one."""


def location_of(scope: str, *, thread_id: str, project: str | None) -> SecretLocation:
    """Return the location of a scope for a thread and a project."""
    return SecretLocation(scope, {"session": thread_id, "project": project or ""}.get(scope, ""))


def locations_of(*, thread_id: str, project: str | None) -> list[SecretLocation]:
    """Return every location that a thread uses, narrowest first."""
    return [location_of(scope, thread_id=thread_id, project=project) for scope in SCOPE_ORDER]


def nearest(secrets: Iterable[SecretRecord]) -> dict[str, SecretRecord]:
    """Return the secret with the narrowest scope for each name."""
    by_reach = sorted(secrets, key=lambda item: SCOPE_ORDER.index(item.scope), reverse=True)
    return {item.name: item for item in by_reach}


def valid_in_scope(secrets: Iterable[SecretRecord], scope: str) -> list[SecretRecord]:
    """Return the narrowest secret for each name that is valid in the whole scope: of that scope or a wider one."""
    scopes = SCOPE_ORDER[SCOPE_ORDER.index(scope) :]
    return list(nearest(secret for secret in secrets if secret.scope in scopes).values())


def binding(record: SecretRecord) -> Binding:
    """Return the binding under which a secret is sealed."""
    return Binding(
        tenant=record.tenant,
        owner=record.owner,
        scope=record.scope,
        subject=record.subject,
        name=record.name,
        version=record.version,
    )


async def usable_by(
    ctx: Services, principal: Principal, secrets: Sequence[SecretRecord]
) -> Sequence[SecretRecord]:
    """Return those secrets in `secrets` that an agent may use without asking."""
    pairs = (
        await ctx.store.agents_of_secrets(principal.tenant, [secret.id for secret in secrets])
        if secrets
        else ()
    )
    granted_ids = {secret_id for secret_id, agent in pairs if agent in {principal.id, EVERY_AGENT}}
    return [secret for secret in secrets if secret.id in granted_ids]


def grants_for(
    secrets: Sequence[SecretRecord], *, thread_id: str, requester: str, request_id: str
) -> tuple[Grant, ...]:
    """Return the grants that let the agent of a thread use these secrets."""
    return tuple(
        Grant(secret.tenant, thread_id, requester, secret.name, secret.id, request_id) for secret in secrets
    )
