"""Read and change which agents may use a secret without asking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from askback.domain.faults import Faults, fault, join
from askback.domain.kinds import kind_of
from askback.domain.validation.structure import parse
from askback.errors import Conflict, NotFound
from askback.ports.policy import AuditDraft, SideEffects
from askback.ports.secrets import SecretRecord
from askback.ports.store import Principal
from askback.service.access import roles, sharing
from askback.service.agents.manage import find_agent
from askback.service.audit_entry import audit_entry
from askback.service.context import Services
from askback.service.lifecycle.read import get_request
from askback.service.secrets.locations import EVERY_AGENT, locations_of
from askback.service.secrets.manage import can_manage
from askback.wire.bodies import SecretAgentsBody


async def get_secret_agents(
    ctx: Services, principal: Principal, secret_id: str
) -> Sequence[str] | Literal["all"]:
    """Return the agents that may use a secret, or `all`. Raises `NotFound`."""
    await roles.require(ctx, principal, "get_secret_agents")
    return await _current_agents(ctx, await _find_secret(ctx, principal, secret_id))


async def set_secret_agents(
    ctx: Services, principal: Principal, secret_id: str, body: object
) -> Sequence[str] | Literal["all"]:
    """Set which agents may use a secret without asking; all others have to ask again.

    Raises `Faults` for an unknown agent, and `NotFound`.
    """
    await roles.require(ctx, principal, "set_secret_agents")
    payload = parse(SecretAgentsBody, body)
    secret = await _find_secret(ctx, principal, secret_id)
    agents = [EVERY_AGENT] if payload.agents == "all" else sorted(set(payload.agents))
    if len(agents) > ctx.limits.assignees:
        raise Faults([fault("agents", "too_many", max=ctx.limits.assignees)])
    unknown_agents = [
        join("agents", n)
        for n, agent in enumerate(agents)
        if agent != EVERY_AGENT and await ctx.store.agent(principal.tenant, agent) is None
    ]
    if unknown_agents:
        raise Faults([fault(path, "unknown_agent") for path in unknown_agents])
    entry = _agents_entry(ctx, "secret.agents", principal, secret, agents)
    await ctx.store.set_secret_agents(principal.tenant, secret_id, agents, SideEffects(audit=(entry,)))
    return _agents_json(agents)


async def grant_secret(
    ctx: Services, principal: Principal, secret_id: str, agent_id: str
) -> Sequence[str] | Literal["all"]:
    """Let one more agent use a secret and return who may use it now. Raises `NotFound`."""
    await roles.require(ctx, principal, "grant_secret")
    secret = await _find_secret(ctx, principal, secret_id)
    agent = await find_agent(ctx, principal.tenant, agent_id)
    entry = _agents_entry(ctx, "secret.grant", principal, secret, [agent.id])
    await ctx.store.grant_secret(principal.tenant, secret_id, agent.id, SideEffects(audit=(entry,)))
    return await _current_agents(ctx, secret)


async def revoke_secret(
    ctx: Services, principal: Principal, secret_id: str, agent_id: str
) -> Sequence[str] | Literal["all"]:
    """Revoke a secret from one agent and return who may use it now; no change if it may not use it.

    Raises `NotFound`, and `Conflict` while every agent may use it.
    """
    await roles.require(ctx, principal, "revoke_secret")
    secret = await _find_secret(ctx, principal, secret_id)
    if await _current_agents(ctx, secret) == "all":
        raise Conflict(
            "Every agent may use this secret. Set the list of its agents instead.", code="every_agent"
        )
    entry = _agents_entry(ctx, "secret.revoke", principal, secret, [agent_id])
    await ctx.store.revoke_secret(principal.tenant, secret_id, agent_id, SideEffects(audit=(entry,)))
    return await _current_agents(ctx, secret)


async def agents_by_secret(
    ctx: Services, principal: Principal, secrets: Sequence[SecretRecord]
) -> Mapping[str, Sequence[str] | Literal["all"]]:
    """Return the agents that may use each of some secrets, by the id of the secret."""
    pairs = (
        await ctx.store.agents_of_secrets(principal.tenant, [secret.id for secret in secrets])
        if secrets
        else ()
    )
    return {
        secret.id: _agents_json([agent for secret_id, agent in pairs if secret_id == secret.id])
        for secret in secrets
    }


async def get_saved_scopes(
    ctx: Services, principal: Principal, request_id: str
) -> Mapping[str, Sequence[str]]:
    """Return the scopes in which each name of a request is stored; only for people who may answer it."""
    await roles.require(ctx, principal, "get_saved_scopes", request_id)
    record = await get_request(ctx, principal, request_id)
    if record.kind != "secret":
        return {}
    await sharing.require(
        ctx,
        principal,
        record.access,
        kind_of(record).level,
        thread_id=record.thread_id,
        operation="get_saved_scopes",
    )
    secret_request = record.spec.secret
    locations = locations_of(thread_id=record.thread_id, project=secret_request.project)
    scopes: dict[str, list[str]] = {}
    for item in await ctx.store.secrets_at(
        record.tenant, record.access.owner, locations, secret_request.names
    ):
        scopes.setdefault(item.name, []).append(item.scope)
    return scopes


async def _find_secret(ctx: Services, principal: Principal, secret_id: str) -> SecretRecord:
    secret = await ctx.store.secret(principal.tenant, secret_id)
    if secret is None or not await can_manage(ctx, principal, secret):
        raise NotFound("There is no such secret.")
    return secret


async def _current_agents(ctx: Services, secret: SecretRecord) -> Sequence[str] | Literal["all"]:
    return _agents_json([agent for _, agent in await ctx.store.agents_of_secrets(secret.tenant, [secret.id])])


def _agents_json(agents: Sequence[str]) -> Sequence[str] | Literal["all"]:
    return "all" if EVERY_AGENT in agents else sorted(agents)


def _agents_entry(
    ctx: Services, action: str, principal: Principal, secret: SecretRecord, agents: Sequence[str]
) -> AuditDraft:
    return audit_entry(
        action,
        at=ctx.clock.now_ms(),
        tenant=principal.tenant,
        by=principal,
        names=[secret.name],
        scope=secret.scope,
        secret_id=secret.id,
        agents=_agents_json(agents),
    )
