"""Which agents may use a secret without a question: said ahead by a person, and what a card shows to people only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from askback.domain.access import TO_ANSWER
from askback.domain.faults import Faults, fault, join
from askback.domain.fields import Model
from askback.domain.validation.structure import parse
from askback.errors import NotFound
from askback.ports.policy import Along
from askback.ports.secrets import SecretRecord
from askback.ports.store import Principal
from askback.service import access, sharing
from askback.service.context import Services
from askback.service.ledger import entry
from askback.service.read import get
from askback.service.secrets.keep import looks_after
from askback.service.secrets.places import EVERY_AGENT, places
from askback.service.secrets.submit import shown_secret


class SecretAgentsBody(Model):
    """`PUT /v1/secrets/{id}/agents`: the ids of the agents that may use it without a question, or `all`."""

    agents: list[str] | Literal["all"]


async def read_agents(ctx: Services, principal: Principal, secret_id: str) -> Sequence[str] | str:
    """Return the agents that may use a secret, or `all`. Raises `NotFound`."""
    await access.require(ctx, principal, "secrets")
    await _find(ctx, principal, secret_id)
    return _shown([agent for _, agent in await ctx.store.agents_of_secrets(principal.tenant, [secret_id])])


async def set_agents(
    ctx: Services, principal: Principal, secret_id: str, body: object
) -> Sequence[str] | str:
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
    told = entry(
        "secret.agents",
        at=ctx.clock.now_ms(),
        tenant=principal.tenant,
        by=principal,
        names=[known.name],
        scope=known.scope,
        secret_id=known.id,
        agents=_shown(agents),
    )
    await ctx.store.set_secret_agents(principal.tenant, secret_id, agents, Along(audit=(told,)))
    return _shown(agents)


async def saved(ctx: Services, principal: Principal, request_id: str) -> Mapping[str, Sequence[str]]:
    """Return in which scopes each name of a request is set: for people who may answer it, and not for the agent."""
    await access.require(ctx, principal, "answer", request_id)
    record = await get(ctx, principal, request_id)
    if record.kind != "secret":
        return {}
    await sharing.require(
        ctx, principal, record.access, TO_ANSWER["secret"], thread_id=record.thread_id, attempted="answer"
    )
    asked = shown_secret(record)
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


def _shown(agents: Sequence[str]) -> Sequence[str] | str:
    return "all" if EVERY_AGENT in agents else sorted(agents)
