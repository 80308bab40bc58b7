"""Manage agents and their roots, the folders that they may read without asking."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from pydantic_core import to_json

from askback.domain.faults import Faults, fault
from askback.domain.timestamps import rfc3339
from askback.domain.validation.structure import parse
from askback.domain.validation.text_check import check_line
from askback.errors import Conflict, Forbidden, NotFound
from askback.ports.agents import Agent, Principal, Root
from askback.ports.outcome import Outcome
from askback.ports.policy import SideEffects
from askback.service.access import roles, sharing, tokens
from askback.service.audit_entry import audit_entry
from askback.service.context import Services
from askback.service.lifecycle.cancel_open import cancel_matching
from askback.wire.bodies import AgentBody, RootBody

MAX_ROOTS = 100
MAX_ROOT_LENGTH = 1_024
_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]|\\\\")
_PARTS = re.compile(r"[\\/]+")
_TOO_WIDE = re.compile(r"(?:[a-z]:)?(?:/(?:home|var/home|export/home|users))?/?", re.IGNORECASE)
"""The root of a file system, and the folders in which systems keep the home folders."""


async def create_agent(ctx: Services, principal: Principal, body: object) -> Agent:
    """Create an agent without a token. Raises `Faults`."""
    await roles.require(ctx, principal, "create_agent")
    payload = parse(AgentBody, body)
    check_line("name", payload.name, ctx.limits.identifier)
    if payload.user is not None:
        check_line("user", payload.user, ctx.limits.identifier)
    now = ctx.clock.now_ms()
    agent_id = ctx.ids.new("agt", now_ms=now)
    creator = to_json(principal.actor).decode()
    agent = Agent(agent_id, principal.tenant, payload.name, payload.user or agent_id, now, creator)
    entry = audit_entry(
        "agent.add", at=now, tenant=agent.tenant, by=principal, agent=agent.id, name=agent.name
    )
    await ctx.store.add_agent(agent, SideEffects(audit=(entry,)))
    return agent


async def list_agents(
    ctx: Services, principal: Principal, *, limit: int = 50, cursor: str | None = None
) -> tuple[Sequence[Agent], str | None]:
    """Return the agents of the tenant, the newest first, and the cursor of the next page or None at the end.

    Raises `Forbidden` for a token that is limited to some threads, as `get_agent` does.
    """
    await roles.require(ctx, principal, "list_agents")
    await sharing.require_unlimited(ctx, principal, "list_agents")
    size = max(1, min(limit, ctx.limits.page))
    agents = await ctx.store.agents(principal.tenant, before=cursor, limit=size + 1)
    return agents[:size], agents[size - 1].id if len(agents) > size else None


async def get_agent(ctx: Services, principal: Principal, agent_id: str) -> Agent:
    """Return one agent. Raises `NotFound`."""
    await roles.require(ctx, principal, "get_agent")
    await sharing.require_unlimited(ctx, principal, "get_agent")
    return await find_agent(ctx, principal.tenant, agent_id)


async def find_by_name(ctx: Services, tenant: str, name: str) -> Agent | None:
    """Return the newest running agent with this id or name; None for an unknown name.

    Raises `Conflict` for the id of a stopped agent, `NotFound` for an unknown id.
    """
    agent = await ctx.store.agent(tenant, name)
    if agent is not None and agent.stopped_at is not None:
        raise Conflict("This agent was stopped. Create a new one.", code="agent_stopped")
    if agent is not None:
        return agent
    if name.startswith("agt_"):
        raise NotFound("There is no such agent.")
    cursor = None
    while page := await ctx.store.agents(tenant, before=cursor):
        for agent in page:
            if agent.name == name and agent.stopped_at is None:
                return agent
        cursor = page[-1].id
    return None


async def stop_agent(ctx: Services, principal: Principal, agent_id: str) -> Agent:
    """Revoke an agent's tokens and cancel its open requests; repeating it does so again.

    Raises `NotFound`, and `Forbidden` for a person that it does not work for.
    """
    await roles.require(ctx, principal, "stop_agent")
    await sharing.require_unlimited(ctx, principal, "stop_agent")
    agent = await find_agent(ctx, principal.tenant, agent_id)
    if principal.role != "admin" and agent.user not in {agent.id, principal.user}:
        await roles.record_refusal(ctx, principal, "stop_agent")
        raise Forbidden("This agent works for another person. Ask an admin to stop it.")
    now = ctx.clock.now_ms()
    entry = audit_entry(
        "agent.stop", at=now, tenant=agent.tenant, by=principal, agent=agent.id, name=agent.name
    )
    await ctx.store.stop_agent(agent.tenant, agent.id, SideEffects(audit=(entry,)), at=now)
    await _revoke_tokens(ctx, agent, principal=principal)
    ctx.bus.dismiss(agent.id)
    await cancel_matching(ctx, agent.tenant, by=principal, requester=agent.id)
    return await find_agent(ctx, agent.tenant, agent.id)


async def _revoke_tokens(ctx: Services, agent: Agent, *, principal: Principal) -> None:
    cursor = None
    while page := await ctx.store.tokens(agent.tenant, agent=agent.id, before=cursor):
        for token in page:
            if token.revoked_at is None:
                await tokens.revoke_token(ctx, token, by=principal)
        cursor = page[-1].id


def agent_json(agent: Agent) -> dict[str, Any]:
    """Return the JSON members of an agent."""
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

    Raises `Faults` for a path that is not absolute or is too wide, `NotFound`, and `Forbidden` for a caller who may not
    keep rules.
    """
    await roles.require(ctx, principal, "grant_root")
    await sharing.require_unlimited(ctx, principal, "grant_root")
    return await add_root(
        ctx, principal, principal.tenant, agent_id, normalize_root(parse(RootBody, body).path)
    )


async def add_root(ctx: Services, principal: Principal, tenant: str, agent_id: str, path: str) -> Agent:
    """Add a normalized root; the caller has checked the permission."""
    root = Root(path, ctx.clock.now_ms(), to_json(principal.actor).decode())

    def with_root(roots: tuple[Root, ...]) -> tuple[Root, ...]:
        if any(root.path == path for root in roots):
            return roots
        if len(roots) >= MAX_ROOTS:
            raise Faults([fault("path", "too_many", max=MAX_ROOTS)])
        return (*roots, root)

    return await _change_roots(ctx, principal, tenant, agent_id, with_root, action="root.grant", path=path)


async def revoke_root(ctx: Services, principal: Principal, agent_id: str, path: str | None) -> Agent:
    """Revoke a folder; no change if it was not granted. Raises as `grant_root` does."""
    await roles.require(ctx, principal, "revoke_root")
    await sharing.require_unlimited(ctx, principal, "revoke_root")
    if path is None:
        raise Faults([fault("path", "missing_required")])

    def without_root(roots: tuple[Root, ...]) -> tuple[Root, ...]:
        return tuple(root for root in roots if root.path != path)

    tenant = principal.tenant
    return await _change_roots(
        ctx, principal, tenant, agent_id, without_root, action="root.revoke", path=path
    )


def normalize_root(path: str) -> str:
    """Return a path as it is stored, without a slash at the end.

    Raises `Faults` unless it is absolute, plain, and neither the root of a file system nor above all home folders.
    """
    check_line("path", path, MAX_ROOT_LENGTH)
    if not _ABSOLUTE.match(path) or {".", ".."} & set(_PARTS.split(path)):
        raise Faults([fault("path", "not_absolute")])
    if _TOO_WIDE.fullmatch(_PARTS.sub("/", path)):
        raise Faults([fault("path", "root_too_wide")])
    return path.rstrip("/\\")


async def find_agent(ctx: Services, tenant: str, agent_id: str) -> Agent:
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
        agent = await find_agent(ctx, tenant, agent_id)
        roots = change(agent.roots)
        if roots == agent.roots:
            return agent
        now = ctx.clock.now_ms()
        entry = audit_entry(action, at=now, tenant=tenant, by=principal, agent=agent_id, path=path)
        is_changed = await ctx.store.set_roots(
            tenant, agent_id, roots, SideEffects(audit=(entry,)), before=agent.roots
        )
        if is_changed is Outcome.APPLIED:
            return await find_agent(ctx, tenant, agent_id)
