"""List, create and revoke rules. Each change is in the audit log."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any, cast

from pydantic_core import to_json

from askback.domain import jsontext
from askback.domain.access import AccessLevel
from askback.domain.faults import Faults, fault
from askback.domain.limits import Limits
from askback.domain.policy.description import describe_text
from askback.domain.policy.rules import Effect, Rule, RuleError, parse_rule
from askback.domain.policy.suggestions import (
    prefix_rule_fault,
    rule_scripts,
    why_allows_nothing,
    why_rule_unclear,
)
from askback.domain.preview import reason_data
from askback.domain.record import Record
from askback.domain.timestamps import rfc3339
from askback.domain.validation.report import Report
from askback.domain.validation.structure import parse
from askback.domain.validation.text_check import TextCheck
from askback.errors import Forbidden, NotFound
from askback.ports.agents import Agent
from askback.ports.outcome import Outcome
from askback.ports.policy import AuditDraft, RuleRecord, RuleUsage, SideEffects
from askback.ports.store import Principal
from askback.service.access import roles, sharing
from askback.service.audit_entry import audit_entry
from askback.service.context import Services
from askback.wire.rule_bodies import RuleBody, RuleTerms

_SUBJECTS = {"thread": "thread_id", "project": "project"}


def rule_of_decision(
    ctx: Services,
    by: Principal,
    rule: Rule,
    *,
    scope: str,
    subject: str,
    record: Record,
    every_agent: bool = False,
) -> RuleRecord:
    """Return the rule that a decision creates, for the agent that asked or for every agent."""
    agent = None if every_agent else record.requester
    name = None if every_agent else record.spec.facts.requester.name
    return _new_rule(
        ctx, by, rule, scope=scope, subject=subject, request_id=record.id, agent=agent, agent_name=name
    )


async def create_rule(ctx: Services, principal: Principal, body: object) -> tuple[RuleRecord, Outcome]:
    """Create a rule from a `RuleBody`, or return the equal rule that is in force (`REPLAYED`).

    Raises `Faults`, and `Forbidden` if a locked rule is not created by an admin, or one with any arguments neither by
    an admin nor by the thread's owner.
    """
    await roles.require(ctx, principal, "create_rule")
    payload = parse(RuleBody, body)
    rule = read_rule(payload, ctx.limits, expires_in_s=payload.expires_in_s)
    if payload.locked:
        await _require_admin(ctx, principal)
    if payload.scope == "thread" and payload.thread_id is not None:
        await sharing.require_in(ctx, principal, payload.thread_id, AccessLevel.ALL, operation="create_rule")
    else:
        await sharing.require_unlimited(ctx, principal, "create_rule")
    if rule.any_arguments:
        await _require_right_to_any_arguments(
            ctx, principal, payload.thread_id if payload.scope == "thread" else None
        )
    agent = await require_agent(ctx, principal, payload.agent)
    expires_at = (
        None if payload.expires_in_s is None else ctx.clock.now_ms() + round(payload.expires_in_s * 1000)
    )
    record = rule_of_terms(ctx, principal, rule, payload, agent=agent, expires_at=expires_at)
    if expires_at is None and (existing := await _find_same(ctx, record)) is not None:
        return existing, Outcome.REPLAYED
    await ctx.store.write(
        SideEffects(rules=(record,), audit=(rule_entry(ctx, "rule.add", principal, record),))
    )
    return record, Outcome.APPLIED


async def require_agent(ctx: Services, principal: Principal, agent_id: str | None) -> Agent | None:
    """Return the agent that a rule names, None for every agent; raises `Faults` for one that does not exist."""
    agent = None if agent_id is None else await ctx.store.agent(principal.tenant, agent_id)
    if agent_id is not None and agent is None:
        raise Faults([fault("agent", "unknown_agent")])
    return agent


def rule_of_terms(
    ctx: Services,
    principal: Principal,
    rule: Rule,
    terms: RuleTerms,
    *,
    agent: Agent | None,
    expires_at: int | None,
) -> RuleRecord:
    """Return the rule that a person wrote; `expires_at` is in ms."""
    return _new_rule(
        ctx,
        principal,
        rule,
        agent=None if agent is None else agent.id,
        agent_name=None if agent is None else agent.name,
        scope=terms.scope,
        subject=(terms.thread_id if terms.scope == "thread" else terms.project) or "",
        expires_at=expires_at,
        why=terms.why,
        locked=terms.locked,
        shadow=terms.shadow,
    )


async def _find_same(ctx: Services, record: RuleRecord) -> RuleRecord | None:
    """Return the equal rule in force, so that a retried call creates no second one."""
    view = await ctx.store.policy(
        record.tenant,
        thread_id=record.subject if record.scope == "thread" else "",
        project=record.subject if record.scope == "project" else None,
        now_ms=ctx.clock.now_ms(),
        agent=record.agent or "",
    )
    return next((rule for rule in view.rules if terms_of(rule) == terms_of(record)), None)


def terms_of(rule: RuleRecord) -> RuleRecord:
    """Return the key that equal rules share: everything except the id, the author, the time and the reason."""
    return replace(rule, id="", wire="")


async def list_rules(
    ctx: Services,
    principal: Principal,
    *,
    thread_id: str | None = None,
    project: str | None = None,
    ended: bool = False,
    limit: int = 50,
    cursor: str | None = None,
) -> tuple[Sequence[str], str | None]:
    """Return rules newest first as JSON, with their usage, and the cursor of the next page or None at the end.

    Raises `Forbidden` for a token that is limited to some threads, unless it asks for the rules of a thread.
    """
    await roles.require(ctx, principal, "list_rules")
    if thread_id is None or project is not None:
        await sharing.require_unlimited(ctx, principal, "list_rules")
    size = max(1, min(limit, ctx.limits.page))
    rules = await ctx.store.rules(
        principal.tenant,
        thread_id=thread_id,
        project=project,
        ended=ended,
        now_ms=ctx.clock.now_ms(),
        person=sharing.person_filter(principal),
        before=cursor,
        limit=size + 1,
    )
    visible = [rule for rule in rules[:size] if _is_in_reach(principal, rule)]
    return await rules_json(ctx, principal, visible), rules[size - 1].id if len(rules) > size else None


async def rules_json(ctx: Services, principal: Principal, rules: Sequence[RuleRecord]) -> Sequence[str]:
    """Return rules as JSON, with what they cover and their usage."""
    usage = await read_usage(ctx, principal, [rule.id for rule in rules])
    return [_rule_json(rule, usage.get(rule.id)) for rule in rules]


async def rules_in_force(ctx: Services, principal: Principal) -> AsyncIterator[RuleRecord]:
    """Yield the rules in force that the caller may see, newest first."""
    cursor: str | None = None
    while page := await ctx.store.rules(
        principal.tenant,
        now_ms=ctx.clock.now_ms(),
        person=sharing.person_filter(principal),
        before=cursor,
        limit=ctx.limits.page,
    ):
        for rule in page:
            if _is_in_reach(principal, rule):
                yield rule
        cursor = page[-1].id


async def read_usage(ctx: Services, principal: Principal, rules: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the usage of rules as JSON values, by their ids, or for built-in rules by their texts."""
    stored_usage = await ctx.store.rule_usage(
        principal.tenant, rules, person=sharing.person_filter(principal)
    )
    return {rule: _usage(principal, usage) for rule, usage in stored_usage.items()}


def _usage(principal: Principal, usage: RuleUsage) -> dict[str, Any]:
    members: dict[str, Any] = {"count": usage.count, "last_at": rfc3339(usage.last_at)}
    if usage.thread_id is None or not sharing.token_covers(principal, usage.thread_id):
        return members
    return {
        **members,
        "request_id": usage.request_id,
        "thread_id": usage.thread_id,
        "thread_title": usage.thread_title,
    }


def _is_in_reach(principal: Principal, rule: RuleRecord) -> bool:
    return rule.scope != "thread" or sharing.token_covers(principal, rule.subject)


async def revoke_rule(ctx: Services, principal: Principal, rule_id: str) -> RuleRecord:
    """Revoke a rule and return it, even if it was revoked before. Raises `NotFound` and `Forbidden`."""
    await roles.require(ctx, principal, "revoke_rule")
    rule = await ctx.store.rule(principal.tenant, rule_id)
    if rule is None:
        raise _no_such_rule()
    if rule.scope == "thread":
        await _require_thread(ctx, principal, rule.subject)
    else:
        await sharing.require_unlimited(ctx, principal, "revoke_rule")
    if rule.locked:
        await _require_admin(ctx, principal)
    if rule.revoked:
        return rule
    cancelled_at_end = {
        "revoked_at": rfc3339(ctx.clock.now_ms()),
        "revoked_by": principal.actor,
    }
    wire = jsontext.merge(rule.wire, to_json(cancelled_at_end).decode())
    effects = SideEffects(audit=(rule_entry(ctx, "rule.revoke", principal, rule),))
    if await ctx.store.revoke_rule(principal.tenant, rule_id, wire, effects):
        return replace(rule, revoked=True, wire=wire)
    return await revoke_rule(ctx, principal, rule_id)  # another revocation came first


async def _require_thread(ctx: Services, principal: Principal, thread_id: str) -> None:
    """Raise unless the caller may change the rules of a thread: `NotFound` if it is hidden, else `Forbidden`."""
    access = await ctx.store.access(principal.tenant, thread_id)
    if sharing.level(principal, access, thread_id) < AccessLevel.VIEW:
        raise _no_such_rule()
    await sharing.require(
        ctx, principal, access, AccessLevel.ALL, thread_id=thread_id, operation="revoke_rule"
    )


def _rule_json(rule: RuleRecord, usage: dict[str, Any] | None) -> str:
    """Return the JSON of a rule as lists show it; a rule that no longer allows anything is marked."""
    choice = None if rule.revoked else prefix_rule_fault(rule.text, rule.effect)
    description = describe_text(rule.text, cast("Effect", rule.effect))
    members = {
        "needs_choice": choice,
        "needs_choice_code": choice and reason_data(choice),
        "description": description and description.model_dump(exclude_defaults=True),
        "usage": usage,
    }
    return jsontext.with_members(rule.wire, **{name: value for name, value in members.items() if value})


async def _require_right_to_any_arguments(ctx: Services, principal: Principal, thread_id: str | None) -> None:
    """Raise `Forbidden` unless the caller may allow a program with any arguments."""
    if principal.role == "admin":
        return
    if thread_id is not None:
        await sharing.require_in(ctx, principal, thread_id, AccessLevel.OWNER, operation="create_rule")
        return
    await roles.record_refusal(ctx, principal, "any_arguments")
    raise Forbidden(
        "Only an admin, or the thread's owner in that thread, can allow a program with any arguments."
    )


def _no_such_rule() -> NotFound:
    return NotFound("There is no such rule.")


async def _require_admin(ctx: Services, principal: Principal) -> None:
    if principal.role != "admin":
        await roles.record_refusal(ctx, principal, "locked_rule")
        raise Forbidden("Only an admin can create and revoke locked rules.")


def read_rule(payload: RuleTerms, limits: Limits, *, expires_in_s: float | None = None) -> Rule:
    """Return the rule that terms describe; raises `Faults`."""
    report = Report()
    text_check = TextCheck(report, suspicious=True)
    text_check.line("", "thread_id", payload.thread_id, limits.identifier)
    text_check.line("", "project", payload.project, limits.identifier)
    text_check.lines("", "why", payload.why, limits.rule_reason)
    for scope, name in _SUBJECTS.items():
        is_sent = getattr(payload, name) is not None
        if scope == payload.scope == "thread" and not is_sent:
            report.add(name, "subject_required")
        elif scope != payload.scope and is_sent:
            report.add(name, "subject_not_allowed")
    if expires_in_s is not None and not 0 < expires_in_s <= limits.max_rule_s:
        report.add("expires_in_s", "out_of_range", min=1, max=limits.max_rule_s)
    if payload.locked and payload.effect == "allow":
        report.add("locked", "lock_not_allowed")
    report.finish()
    try:
        rule = parse_rule(payload.rule, payload.effect)
    except RuleError as error:
        raise Faults([fault("rule", "invalid_rule", reason=error.why)]) from None
    if choice := why_allows_nothing(rule):
        raise Faults([fault("rule", "invalid_rule", reason=choice)])
    if reason := why_rule_unclear(rule):
        raise Faults([fault("rule", "invalid_rule", reason=reason)])
    outlives_thread = rule.effect == "allow" and payload.scope != "thread"
    if outlives_thread and not payload.script_may_change and (scripts := rule_scripts(rule)):
        raise Faults([fault("script_may_change", "script_may_change", files=", ".join(scripts))])
    return rule


def _new_rule(
    ctx: Services,
    principal: Principal,
    rule: Rule,
    *,
    scope: str,
    subject: str,
    expires_at: int | None = None,
    why: str | None = None,
    locked: bool = False,
    shadow: bool = False,
    request_id: str | None = None,
    agent: str | None = None,
    agent_name: str | None = None,
) -> RuleRecord:
    now = ctx.clock.now_ms()
    rule_id = ctx.ids.new("rul", now_ms=now)
    wire: dict[str, Any] = {
        "id": rule_id,
        "effect": rule.effect,
        "rule": rule.text,
        "scope": scope,
        _SUBJECTS.get(scope, "subject"): subject or None,
        "locked": locked,
        "shadow": shadow,
        "why": why,
        "created_at": rfc3339(now),
        "created_by": principal.actor,
        "request_id": request_id,
        "expires_at": None if expires_at is None else rfc3339(expires_at),
    }
    members = {name: value for name, value in wire.items() if value is not None}
    text = to_json({**members, "agent": agent, **({"agent_name": agent_name} if agent else {})}).decode()
    return RuleRecord(
        id=rule_id,
        tenant=principal.tenant,
        effect=rule.effect,
        text=rule.text,
        scope=scope,
        subject=subject,
        locked=locked,
        shadow=shadow,
        expires_at=expires_at,
        revoked=False,
        wire=text,
        agent=agent,
    )


def rule_entry(ctx: Services, action: str, by: Principal, rule: RuleRecord) -> AuditDraft:
    """Return the audit entry about a rule that was added or revoked."""
    rule_members = json.loads(rule.wire)
    return audit_entry(
        action,
        at=ctx.clock.now_ms(),
        tenant=by.tenant,
        by=by,
        rule=rule.text,
        rule_id=rule.id,
        effect=rule.effect,
        scope=rule.scope,
        thread_id=rule_members.get("thread_id"),
        project=rule_members.get("project"),
        agent=rule.agent,
        locked=rule.locked or None,
        shadow=rule.shadow or None,
    )
