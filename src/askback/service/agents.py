"""Manage agents and their roots, the folders that they may read without asking."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from pydantic_core import to_json

from askback.domain.faults import Faults, fault
from askback.domain.fields import Model
from askback.domain.timestamps import rfc3339
from askback.domain.validation.prose import check_line
from askback.domain.validation.structure import parse
from askback.errors import Conflict, Forbidden, NotFound
from askback.ports.agents import Agent, Root
from askback.ports.outcome import Outcome
from askback.ports.policy import SideEffects
from askback.ports.principal import Principal
from askback.service import access, sharing, tokens
from askback.service.context import Services
from askback.service.ledger import entry
from askback.service.withdrawal import withdraw

MOST_ROOTS = 100
LONGEST_ROOT = 1_024
_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]|\\\\")
_PARTS = re.compile(r"[\\/]+")
_TOO_WIDE = re.compile(r"(?:[a-z]:)?(?:/(?:home|var/home|export/home|users))?/?", re.IGNORECASE)
"""The root of a file system, and the folders in which systems keep the home folders."""


class AgentBody(Model):
    """`POST /v1/agents`: `name` is shown to people; `user` is the host's id of the person the agent works for."""

    name: str
    user: str | None = None


class RootBody(Model):
    """`POST /v1/agents/{id}/roots`: an absolute path of a folder on the agent's machine."""

    path: str


async def create(ctx: Services, principal: Principal, body: object) -> Agent:
    """Make an agent without a token. Raises `Faults`."""
    await access.require(ctx, principal, "token")
    sent = parse(AgentBody, body)
    check_line("name", sent.name, ctx.limits.identifier)
    if sent.user is not None:
        check_line("user", sent.user, ctx.limits.identifier)
    now = ctx.clock.now_ms()
    agent_id = ctx.ids.new("agt", now_ms=now)
    by = to_json(principal.actor).decode()
    agent = Agent(agent_id, principal.tenant, sent.name, sent.user or agent_id, now, by)
    told = entry("agent.add", at=now, tenant=agent.tenant, by=principal, agent=agent.id, name=agent.name)
    await ctx.store.add_agent(agent, SideEffects(audit=(told,)))
    return agent


async def page(
    ctx: Services, principal: Principal, *, limit: int = 50, cursor: str | None = None
) -> tuple[Sequence[Agent], str | None]:
    """Return the agents of the tenant, the newest first, and the cursor of the next page or None at the end."""
    await access.require(ctx, principal, "agents")
    size = max(1, min(limit, ctx.limits.page))
    found = await ctx.store.agents(principal.tenant, before=cursor, limit=size + 1)
    return found[:size], found[size - 1].id if len(found) > size else None


async def show(ctx: Services, principal: Principal, agent_id: str) -> Agent:
    """Return one agent. Raises `NotFound`."""
    await access.require(ctx, principal, "agents")
    return await find(ctx, principal.tenant, agent_id)


async def named(ctx: Services, tenant: str, name: str) -> Agent | None:
    """Return the agent with this id or name, the newest of several that run; None for a name that none has.

    Raises `Conflict` for the id of an agent that was stopped, `NotFound` for an id that is not there.
    """
    agent = await ctx.store.agent(tenant, name)
    if agent is not None and agent.stopped_at is not None:
        raise Conflict("This agent was stopped. Create a new one.", code="agent_stopped")
    if agent is not None:
        return agent
    if name.startswith("agt_"):
        raise NotFound("There is no such agent.")
    before = None
    while found := await ctx.store.agents(tenant, before=before):
        for agent in found:
            if agent.name == name and agent.stopped_at is None:
                return agent
        before = found[-1].id
    return None


async def stop(ctx: Services, principal: Principal, agent_id: str) -> Agent:
    """Revoke an agent's tokens and take back what it has open; one that was stopped before is stopped again.

    Raises `NotFound`, and `Forbidden` for a person for whom it does not work.
    """
    await access.require(ctx, principal, "agents")
    await sharing.require_unlimited(ctx, principal, "agents")
    agent = await find(ctx, principal.tenant, agent_id)
    if principal.role != "admin" and agent.user not in {agent.id, principal.user}:
        await access.record_refusal(ctx, principal, "stop")
        raise Forbidden("This agent works for another person. Ask an admin to stop it.")
    now = ctx.clock.now_ms()
    told = entry("agent.stop", at=now, tenant=agent.tenant, by=principal, agent=agent.id, name=agent.name)
    await ctx.store.stop_agent(agent.tenant, agent.id, SideEffects(audit=(told,)), at=now)
    await _revoke_all(ctx, agent, by=principal)
    ctx.bus.dismiss(agent.id)
    await withdraw(ctx, agent.tenant, by=principal, requester=agent.id)
    return await find(ctx, agent.tenant, agent.id)


async def _revoke_all(ctx: Services, agent: Agent, *, by: Principal) -> None:
    before = None
    while found := await ctx.store.tokens(agent.tenant, agent=agent.id, before=before):
        for token in found:
            if token.revoked_at is None:
                await tokens.revoke(ctx, token, by=by)
        before = found[-1].id


def shown(agent: Agent) -> dict[str, Any]:
    """Return an agent as it stands on the wire."""
    return {
        "id": agent.id,
        "name": agent.name,
        "user": agent.user if agent.user != agent.id else None,
        "created_at": None if agent.created_at is None else rfc3339(agent.created_at),
        "created_by": None if agent.created_by is None else json.loads(agent.created_by),
        "stopped_at": None if agent.stopped_at is None else rfc3339(agent.stopped_at),
        "roots": [
            {
                "path": root.path,
                "granted_at": rfc3339(root.granted_at),
                "granted_by": json.loads(root.granted_by),
            }
            for root in agent.roots
        ],
    }


async def grant_root(ctx: Services, principal: Principal, agent_id: str, body: object) -> Agent:
    """Let an agent read below a folder without asking; the same folder again changes nothing.

    Raises `Faults` for a path that is not absolute or too wide, `NotFound`, and `Forbidden` for a caller who may not
    keep rules.
    """
    await access.require(ctx, principal, "rules")
    await sharing.require_unlimited(ctx, principal, "rules")
    return await add_root(
        ctx, principal, principal.tenant, agent_id, checked_root(parse(RootBody, body).path)
    )


async def add_root(ctx: Services, principal: Principal, tenant: str, agent_id: str, path: str) -> Agent:
    """Add a root that was checked, for a caller who may do that."""
    root = Root(path, ctx.clock.now_ms(), to_json(principal.actor).decode())

    def granted(roots: tuple[Root, ...]) -> tuple[Root, ...]:
        if any(each.path == path for each in roots):
            return roots
        if len(roots) >= MOST_ROOTS:
            raise Faults([fault("path", "too_many", max=MOST_ROOTS)])
        return (*roots, root)

    return await _change_roots(ctx, principal, tenant, agent_id, granted, action="root.grant", path=path)


async def revoke_root(ctx: Services, principal: Principal, agent_id: str, path: str | None) -> Agent:
    """Take a folder back; one that was not granted changes nothing. Raises as `grant_root` does."""
    await access.require(ctx, principal, "rules")
    await sharing.require_unlimited(ctx, principal, "rules")
    if path is None:
        raise Faults([fault("path", "missing_required")])

    def revoked(roots: tuple[Root, ...]) -> tuple[Root, ...]:
        return tuple(each for each in roots if each.path != path)

    tenant = principal.tenant
    return await _change_roots(ctx, principal, tenant, agent_id, revoked, action="root.revoke", path=path)


def checked_root(path: str) -> str:
    """Return a path as it is kept, without a slash at its end.

    Raises `Faults` unless it is absolute, plain, and neither the root of a file system nor above all home folders.
    """
    check_line("path", path, LONGEST_ROOT)
    if not _ABSOLUTE.match(path) or {".", ".."} & set(_PARTS.split(path)):
        raise Faults([fault("path", "not_absolute")])
    if _TOO_WIDE.fullmatch(_PARTS.sub("/", path)):
        raise Faults([fault("path", "root_too_wide")])
    return path.rstrip("/\\")


async def find(ctx: Services, tenant: str, agent_id: str) -> Agent:
    """Return an agent; raises `NotFound`."""
    agent = await ctx.store.agent(tenant, agent_id)
    if agent is None:
        raise NotFound("There is no such agent.")
    return agent


async def _change_roots(
    ctx: Services,
    principal: Principal,
    tenant: str,
    agent_id: str,
    change: Callable[[tuple[Root, ...]], tuple[Root, ...]],
    *,
    action: str,
    path: str,
) -> Agent:
    while True:
        agent = await find(ctx, tenant, agent_id)
        roots = change(agent.roots)
        if roots == agent.roots:
            return agent
        now = ctx.clock.now_ms()
        told = entry(action, at=now, tenant=tenant, by=principal, agent=agent_id, path=path)
        done = await ctx.store.set_roots(
            tenant, agent_id, roots, SideEffects(audit=(told,)), before=agent.roots
        )
        if done is Outcome.APPLIED:
            return await find(ctx, tenant, agent_id)
