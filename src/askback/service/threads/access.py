"""Change the access to a thread: its owner, its sharing, and its agents."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from askback.domain import events
from askback.domain.access import AccessLevel, AccessList, ThreadAgents
from askback.domain.faults import Faults, fault, join
from askback.domain.validation.report import Report
from askback.domain.validation.structure import parse
from askback.domain.validation.text_check import TextCheck, check_identifier
from askback.errors import Forbidden
from askback.ports.outcome import Outcome
from askback.ports.policy import SideEffects
from askback.ports.store import Principal
from askback.service.access import roles, sharing
from askback.service.audit_entry import audit_entry
from askback.service.context import Services
from askback.service.lifecycle.cancel_open import cancel_matching
from askback.wire.bodies import AccessBody


async def get_thread_access(ctx: Services, principal: Principal, thread_id: str) -> AccessList:
    """Return the access to a thread, for everybody who may view it."""
    await roles.require(ctx, principal, "get_thread_access")
    access = await ctx.store.access(principal.tenant, thread_id)
    await sharing.require(
        ctx, principal, access, AccessLevel.VIEW, thread_id=thread_id, operation="get_thread_access"
    )
    return access


async def set_thread_access(ctx: Services, principal: Principal, thread_id: str, body: object) -> AccessList:
    """Change the access to a thread with an `AccessBody` and return it; subscriptions without access end.

    Members that are left out stay as they are. The agent that a thread belongs to can set its owner once, and admit
    other agents. Open requests of agents that are no longer admitted are cancelled. Raises `Faults`, `NotFound`, and
    `Forbidden` for anybody but that agent, the thread's owner and admins.
    """
    await roles.require(ctx, principal, "set_thread_access")
    check_identifier("thread_id", thread_id, ctx.limits)
    payload = parse(AccessBody, body)
    _check(ctx, payload)
    while True:
        old_access = await ctx.store.access(principal.tenant, thread_id)
        if not sharing.token_covers(principal, thread_id):
            raise sharing.no_such_thread()
        requested = await _requested_access(ctx, principal, payload, old_access)
        if (
            requested == old_access
            and principal.role == "requester"
            and sharing.admits(old_access, principal)
        ):
            return old_access
        await _require(ctx, principal, thread_id, old_access, requested)
        if (
            requested == old_access
            or await _store(ctx, principal, thread_id, requested, old_access) is Outcome.APPLIED
        ):
            break
    if old_access.agents != requested.agents and principal.role != "requester":
        await _cancel_excluded(ctx, principal, thread_id)
    return requested


async def _requested_access(
    ctx: Services, principal: Principal, payload: AccessBody, old_access: AccessList
) -> AccessList:
    people = payload.people_of(old_access)
    if principal.role == "requester":
        return await _requested_by_agent(ctx, principal, payload, replace(people, agents=old_access.agents))
    if payload.agents is None:
        return people
    old_agents = old_access.agents or ThreadAgents(())
    kept_ids = tuple(id_ for id_ in old_agents.ids if id_ in payload.agents)
    removed_ids = [item for item in old_agents.ids if item not in payload.agents]
    user = payload.agents_of or ""
    if "agents_of" not in payload.model_fields_set:
        user = (
            ""
            if await _any_works_for(ctx, principal.tenant, removed_ids, old_agents.user)
            else old_agents.user
        )
    new_ids = await _new_agents(ctx, principal, payload.agents, old_agents.ids)
    return replace(people, agents=ThreadAgents((*kept_ids, *new_ids), user))


async def _requested_by_agent(
    ctx: Services, principal: Principal, payload: AccessBody, people: AccessList
) -> AccessList:
    """Return the access with the agents that the calling agent admits; it cannot remove any.

    If it sets the owner of the thread, the other agents of that person are admitted too.
    """
    agents = people.agents
    if payload.agents_of is not None:
        await roles.record_refusal(ctx, principal, "set_thread_access")
        raise Forbidden("Only a person can set agents_of. List agent ids in `agents` instead.")
    if payload.agents or (payload.owner is not None and (agents is None or not agents.user)):
        old_agents = people.with_first_agent(sharing.agent_of(principal)).agents or ThreadAgents(())
        new_ids = await _new_agents(ctx, principal, payload.agents or (), old_agents.ids)
        agents = ThreadAgents((*old_agents.ids, *new_ids), old_agents.user or payload.owner or "")
    return replace(people, agents=agents)


async def _new_agents(
    ctx: Services, principal: Principal, agent_ids: Iterable[str], admitted: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the listed agents that were not admitted before; raises `Faults` for an unknown one."""
    paths_by_id = {item: join("agents", n) for n, item in enumerate(agent_ids) if item not in admitted}
    unknown_paths = [
        path for item, path in paths_by_id.items() if await ctx.store.agent(principal.tenant, item) is None
    ]
    if unknown_paths:
        raise Faults([fault(path, "unknown_agent") for path in unknown_paths])
    return tuple(paths_by_id)


async def _any_works_for(ctx: Services, tenant: str, agents: Iterable[str], user: str) -> bool:
    records = [await ctx.store.agent(tenant, agent) for agent in agents] if user else []
    return any(agent is not None and agent.user == user for agent in records)


async def _require(
    ctx: Services, principal: Principal, thread_id: str, old_access: AccessList, access: AccessList
) -> None:
    if principal.role != "requester":
        await sharing.require(
            ctx, principal, old_access, AccessLevel.OWNER, thread_id=thread_id, operation="set_thread_access"
        )
        return
    if not sharing.admits(old_access, principal):
        await sharing.require(
            ctx, principal, old_access, AccessLevel.OWNER, thread_id=thread_id, operation="set_thread_access"
        )
    if old_access.agents is not None and old_access.agents.ids[:1] != (principal.id,):
        await roles.record_refusal(ctx, principal, "set_thread_access")
        raise Forbidden(
            "Only the thread's own agent, its owner and admins can change which agents may use it."
        )
    if replace(access, agents=old_access.agents) == old_access:
        return
    if old_access.is_shared:
        await sharing.require(
            ctx, principal, old_access, AccessLevel.OWNER, thread_id=thread_id, operation="set_thread_access"
        )
    if access.owner != principal.user and principal.user != principal.id:
        await roles.record_refusal(ctx, principal, "set_thread_access")
        raise Forbidden("This token is for one person, so it cannot start a thread for another.")


async def _store(
    ctx: Services, principal: Principal, thread_id: str, access: AccessList, old_access: AccessList
) -> Outcome:
    now = ctx.clock.now_ms()
    tenant, agent, access_json = principal.tenant, sharing.agent_of(principal), access.wire
    event = events.EventDraft(
        events.THREAD_ACCESS, tenant, thread_id, now, None, json.dumps(access_json), principal.id, agent
    )
    entry = audit_entry(
        "share", at=now, tenant=principal.tenant, by=principal, thread_id=thread_id, **access_json
    )
    return await ctx.store.set_access(access, event, SideEffects(audit=(entry,)), before=old_access)


async def _cancel_excluded(ctx: Services, principal: Principal, thread_id: str) -> None:
    """Cancel the open requests of agents that are no longer admitted."""
    await cancel_matching(
        ctx,
        principal.tenant,
        by=principal,
        thread_id=thread_id,
        concerns=lambda record: not sharing.admits_requester(record),
    )


def _check(ctx: Services, payload: AccessBody) -> None:
    report = Report()
    text_check = TextCheck(report, suspicious=True)
    if payload.owner is not None:
        text_check.at("owner", payload.owner, ctx.limits.identifier)
    elif payload.agents is None or {"others", "people"} & payload.model_fields_set:
        report.add("owner", "missing_required")
    if payload.agents_of is not None:
        text_check.at("agents_of", payload.agents_of, ctx.limits.identifier)
        if payload.agents is None:
            report.add("agents", "missing_required")
    for name, ids in (("people", list(payload.people)), ("agents", payload.agents or [])):
        if len(ids) > ctx.limits.assignees:
            report.add(name, "too_many", max=ctx.limits.assignees)
        for item in ids[: ctx.limits.assignees]:
            text_check.at(name, item, ctx.limits.identifier)
    report.finish()
