"""Which agents may use a secret without a question: said ahead by a person, and what a card shows to people only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from askback.domain.faults import Faults, fault, join
from askback.domain.fields import Model
from askback.domain.kinds import kind_of
from askback.domain.validation.structure import parse
from askback.errors import Conflict, NotFound
from askback.ports.policy import AuditDraft, SideEffects
from askback.ports.secrets import SecretRecord
from askback.ports.store import Principal
from askback.service import access, sharing
from askback.service.agents import find as find_agent
from askback.service.context import Services
from askback.service.ledger import entry
from askback.service.read import get
from askback.service.secrets.keep import looks_after
from askback.service.secrets.places import EVERY_AGENT, places


class SecretAgentsBody(Model):
    """`PUT /v1/secrets/{id}/agents`: the ids of the agents that may use the secret without asking, or `all`."""

    agents: list[str] | Literal["all"]


async def read_agents(ctx: Services, principal: Principal, secret_id: str) -> Sequence[str] | Literal["all"]:
    """Return the agents that may use a secret, or `all`. Raises `NotFound`."""
    await access.require(ctx, principal, "secrets")
    return await _now(ctx, await _find(ctx, principal, secret_id))


async def set_agents(
    ctx: Services, principal: Principal, secret_id: str, body: object
) -> Sequence[str] | Literal["all"]:
    """Say which agents may use a secret, and take it back from all others, who are asked about again.

    Raises `Faults` for an agent that is not there, and `NotFound`.
    """
    await access.require(ctx, principal, "secrets")
    sent = parse(SecretAgentsBody, body)
    known = await _find(ctx, principal, secret_id)
    agents = [EVERY_AGENT] if sent.agents == "all" else sorted(set(sent.agents))
    if len(agents) > ctx.limits.assignees:
        raise Faults([fault("agents", "too_many", max=ctx.limits.assignees)])
    missing = [
        join("agents", n)
        for n, agent in enumerate(agents)
        if agent != EVERY_AGENT and await ctx.store.agent(principal.tenant, agent) is None
    ]
    if missing:
        raise Faults([fault(path, "unknown_agent") for path in missing])
    told = _told(ctx, "secret.agents", principal, known, agents)
    await ctx.store.set_secret_agents(principal.tenant, secret_id, agents, SideEffects(audit=(told,)))
    return _shown(agents)


async def grant(
    ctx: Services, principal: Principal, secret_id: str, agent_id: str
) -> Sequence[str] | Literal["all"]:
    """Let one agent use a secret too, and return who may use it now. Raises `NotFound`."""
    await access.require(ctx, principal, "secrets")
    known = await _find(ctx, principal, secret_id)
    agent = await find_agent(ctx, principal.tenant, agent_id)
    told = _told(ctx, "secret.grant", principal, known, [agent.id])
    await ctx.store.grant_secret(principal.tenant, secret_id, agent.id, SideEffects(audit=(told,)))
    return await _now(ctx, known)


async def revoke(
    ctx: Services, principal: Principal, secret_id: str, agent_id: str
) -> Sequence[str] | Literal["all"]:
    """Take a secret back from one agent, and return who may use it now; one that may not use it changes nothing.

    Raises `NotFound`, and `Conflict` while every agent may use it.
    """
    await access.require(ctx, principal, "secrets")
    known = await _find(ctx, principal, secret_id)
    if await _now(ctx, known) == "all":
        raise Conflict(
            "Every agent may use this secret. Set the list of its agents instead.", code="every_agent"
        )
    told = _told(ctx, "secret.revoke", principal, known, [agent_id])
    await ctx.store.revoke_secret(principal.tenant, secret_id, agent_id, SideEffects(audit=(told,)))
    return await _now(ctx, known)


async def of_each(
    ctx: Services, principal: Principal, found: Sequence[SecretRecord]
) -> Mapping[str, Sequence[str] | Literal["all"]]:
    """Return the agents that may use each of some secrets, by the id of the secret."""
    pairs = await ctx.store.agents_of_secrets(principal.tenant, [each.id for each in found]) if found else ()
    return {each.id: _shown([agent for of, agent in pairs if of == each.id]) for each in found}


async def saved(ctx: Services, principal: Principal, request_id: str) -> Mapping[str, Sequence[str]]:
    """Return in which scopes each name of a request is set: for people who may answer it, and not for the agent."""
    await access.require(ctx, principal, "answer", request_id)
    record = await get(ctx, principal, request_id)
    if record.kind != "secret":
        return {}
    await sharing.require(
        ctx, principal, record.access, kind_of(record).level, thread_id=record.thread_id, attempted="answer"
    )
    asked = record.spec.secret
    where = places(thread_id=record.thread_id, project=asked.project)
    found: dict[str, list[str]] = {}
    for each in await ctx.store.secrets_at(record.tenant, record.access.owner, where, asked.names):
        found.setdefault(each.name, []).append(each.scope)
    return found


async def _find(ctx: Services, principal: Principal, secret_id: str) -> SecretRecord:
    known = await ctx.store.secret(principal.tenant, secret_id)
    if known is None or not await looks_after(ctx, principal, known):
        raise NotFound("There is no such secret.")
    return known


async def _now(ctx: Services, known: SecretRecord) -> Sequence[str] | Literal["all"]:
    return _shown([agent for _, agent in await ctx.store.agents_of_secrets(known.tenant, [known.id])])


def _shown(agents: Sequence[str]) -> Sequence[str] | Literal["all"]:
    return "all" if EVERY_AGENT in agents else sorted(agents)


def _told(
    ctx: Services, action: str, by: Principal, about: SecretRecord, agents: Sequence[str]
) -> AuditDraft:
    return entry(
        action,
        at=ctx.clock.now_ms(),
        tenant=by.tenant,
        by=by,
        names=[about.name],
        scope=about.scope,
        secret_id=about.id,
        agents=_shown(agents),
    )
