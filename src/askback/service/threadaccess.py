"""Change the access to a thread: its owner, its sharing, and its agents."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from askback.domain import events
from askback.domain.access import Access, Agents, Level
from askback.domain.bodies import AccessBody
from askback.domain.faults import Faults, fault, join
from askback.domain.validation.prose import Prose, check_line
from askback.domain.validation.report import Report
from askback.domain.validation.structure import parse
from askback.errors import Forbidden
from askback.ports.outcome import Outcome
from askback.ports.policy import SideEffects
from askback.ports.store import Principal
from askback.service import access as roles
from askback.service import sharing
from askback.service.context import Services
from askback.service.ledger import entry
from askback.service.withdrawal import withdraw


async def show(ctx: Services, principal: Principal, thread_id: str) -> Access:
    """Return who may do what in a thread: everybody who may read it may know who else can."""
    await roles.require(ctx, principal, "read")
    access = await ctx.store.access(principal.tenant, thread_id)
    await sharing.require(ctx, principal, access, Level.VIEW, thread_id=thread_id, attempted="read")
    return access


async def share(ctx: Services, principal: Principal, thread_id: str, body: object) -> Access:
    """Change the access to a thread with an `AccessBody`, and return it; its watchers hear of it or are let go.

    What it does not name stays. The agent to which a thread belongs says once on whose behalf it is begun, may say the
    same again, and lets other agents in. What an agent has open that is not let in any more is cancelled. Raises
    `Faults`, `NotFound`, and `Forbidden` for anybody but that agent, the thread's owner and admins.
    """
    await roles.require(ctx, principal, "share")
    check_line("thread_id", thread_id, ctx.limits.identifier)
    sent = parse(AccessBody, body)
    _check(ctx, sent)
    while True:
        before = await ctx.store.access(principal.tenant, thread_id)
        if not sharing.reaches(principal, thread_id):
            raise sharing.no_such_thread()
        wanted = await _wanted(ctx, principal, sent, before)
        if wanted == before and principal.role == "requester" and sharing.lets_in(before, principal):
            return before
        await _require(ctx, principal, thread_id, before, wanted)
        if wanted == before or await _set(ctx, principal, thread_id, wanted, before) is Outcome.APPLIED:
            break
    if before.agents != wanted.agents and principal.role != "requester":
        await _withdraw(ctx, principal, thread_id)
    return wanted


async def _wanted(ctx: Services, principal: Principal, sent: AccessBody, before: Access) -> Access:
    people = sent.people_of(before)
    if principal.role == "requester":
        return await _wanted_by_agent(ctx, principal, sent, replace(people, agents=before.agents))
    if sent.agents is None:
        return people
    held = before.agents or Agents(())
    stay = tuple(each for each in held.ids if each in sent.agents)
    gone = [each for each in held.ids if each not in sent.agents]
    user = sent.agents_of or ""
    if "agents_of" not in sent.model_fields_set:
        user = "" if await _any_works_for(ctx, principal.tenant, gone, held.user) else held.user
    new = await _known(ctx, principal, sent.agents, held.ids)
    return replace(people, agents=Agents((*stay, *new), user))


async def _wanted_by_agent(ctx: Services, principal: Principal, sent: AccessBody, people: Access) -> Access:
    """Return the access with the agents that one lets in, which takes the thread from none.

    Where it begins the thread on behalf of a person, the agents that work for that person may use it as well.
    """
    agents = people.agents
    if sent.agents_of is not None:
        await roles.record_refusal(ctx, principal, "share")
        raise Forbidden("Only a person can set agents_of. List agent ids in `agents` instead.")
    if sent.agents or (sent.owner is not None and (agents is None or not agents.user)):
        held = people.written_by(sharing.agent_of(principal)).agents or Agents(())
        new = await _known(ctx, principal, sent.agents or (), held.ids)
        agents = Agents((*held.ids, *new), held.user or sent.owner or "")
    return replace(people, agents=agents)


async def _known(
    ctx: Services, principal: Principal, listed: Iterable[str], held: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the agents that are listed and were not let in before; raises `Faults` for one that is not there."""
    new = {each: join("agents", n) for n, each in enumerate(listed) if each not in held}
    unknown = [at for each, at in new.items() if await ctx.store.agent(principal.tenant, each) is None]
    if unknown:
        raise Faults([fault(at, "unknown_agent") for at in unknown])
    return tuple(new)


async def _any_works_for(ctx: Services, tenant: str, agents: Iterable[str], user: str) -> bool:
    found = [await ctx.store.agent(tenant, each) for each in agents] if user else []
    return any(agent is not None and agent.user == user for agent in found)


async def _require(
    ctx: Services, principal: Principal, thread_id: str, before: Access, wanted: Access
) -> None:
    if principal.role != "requester":
        await sharing.require(ctx, principal, before, Level.OWNER, thread_id=thread_id, attempted="share")
        return
    if not sharing.lets_in(before, principal):
        await sharing.require(ctx, principal, before, Level.OWNER, thread_id=thread_id, attempted="share")
    if before.agents is not None and before.agents.ids[:1] != (principal.id,):
        await roles.record_refusal(ctx, principal, "share")
        raise Forbidden(
            "Only the thread's own agent, its owner and admins can change which agents may use it."
        )
    if replace(wanted, agents=before.agents) == before:
        return
    if before.shared:
        await sharing.require(ctx, principal, before, Level.OWNER, thread_id=thread_id, attempted="share")
    if wanted.owner != principal.user and principal.user != principal.id:
        await roles.record_refusal(ctx, principal, "share")
        raise Forbidden("This token is for one person, so it cannot start a thread for another.")


async def _set(
    ctx: Services, principal: Principal, thread_id: str, wanted: Access, before: Access
) -> Outcome:
    now = ctx.clock.now_ms()
    tenant, agent, shown = principal.tenant, sharing.agent_of(principal), wanted.shown
    event = events.Draft(
        events.THREAD_ACCESS, tenant, thread_id, now, None, json.dumps(shown), principal.id, agent
    )
    told = entry("share", at=now, tenant=principal.tenant, by=principal, thread_id=thread_id, **shown)
    return await ctx.store.set_access(wanted, event, SideEffects(audit=(told,)), before=before)


async def _withdraw(ctx: Services, principal: Principal, thread_id: str) -> None:
    """Cancel what agents have open that are not let in any more: nobody is to answer it for them."""
    await withdraw(
        ctx,
        principal.tenant,
        by=principal,
        thread_id=thread_id,
        concerns=lambda record: not sharing.lets_in_requester(record),
    )


def _check(ctx: Services, sent: AccessBody) -> None:
    report = Report()
    prose = Prose(report, suspicious=True)
    if sent.owner is not None:
        prose.at("owner", sent.owner, ctx.limits.identifier)
    elif sent.agents is None or {"others", "people"} & sent.model_fields_set:
        report.add("owner", "missing_required")
    if sent.agents_of is not None:
        prose.at("agents_of", sent.agents_of, ctx.limits.identifier)
        if sent.agents is None:
            report.add("agents", "missing_required")
    for name, listed in (("people", list(sent.people)), ("agents", sent.agents or [])):
        if len(listed) > ctx.limits.assignees:
            report.add(name, "too_many", max=ctx.limits.assignees)
        for each in listed[: ctx.limits.assignees]:
            prose.at(name, each, ctx.limits.identifier)
    report.finish()
