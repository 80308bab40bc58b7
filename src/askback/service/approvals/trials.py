"""Try a draft rule: on one call, and on the calls of the last 30 days. Nothing is stored."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from askback.domain.access import AccessLevel
from askback.domain.cursors import check_cursor, id_pattern
from askback.domain.faults import Fault, Faults, fault
from askback.domain.identifiers import created_ms
from askback.domain.policy.calls import Call
from askback.domain.policy.engine import Policy, PolicyResult, decide
from askback.domain.policy.rules import Rule
from askback.domain.policy.suggestions import concerns
from askback.domain.preview import preview
from askback.domain.record import Record
from askback.domain.timestamps import rfc3339
from askback.domain.validation.structure import parse
from askback.domain.values import frozen
from askback.ports.store import Principal
from askback.service.access import roles, sharing
from askback.service.approvals.evaluate import read_policy
from askback.service.approvals.rules import read_rule, require_agent
from askback.service.context import Services
from askback.service.lifecycle.read import list_requests
from askback.wire.rule_bodies import RuleBody, RulePreviewBody, RuleTrialBody

PREVIEW_MS = 30 * 24 * 3600 * 1000
"""How far back calls are checked."""
_YIELD_EVERY = 20
"""Other tasks run after this many calls; a call takes some 0.3 ms."""


@frozen(slots=True)
class Trial:
    """The effect of a draft rule.

    `current_result` is the decision without the rule; it is None without a call. The other two results are also None
    for a draft that has `problems`.
    """

    rule: Rule | None = None
    problems: Sequence[Fault] = ()
    rule_only_result: PolicyResult | None = None
    current_result: PolicyResult | None = None
    result_with_rule: PolicyResult | None = None

    @property
    def covers(self) -> bool | None:
        """Whether the rule covers the call."""
        if self.rule is None or self.rule_only_result is None:
            return None
        return self.rule.text in self.rule_only_result.rules

    @property
    def reasons(self) -> Sequence[str]:
        """The reasons why an allow rule does not cover the call."""
        if self.rule_only_result is None or self.rule is None or self.covers or self.rule.effect != "allow":
            return ()
        return self.rule_only_result.reasons


async def try_rule(ctx: Services, principal: Principal, body: object) -> Trial:
    """Try the draft of a `RuleTrialBody` on its call; raises `Faults` for a body without either, and `NotFound`."""
    await roles.require(ctx, principal, "try_rule")
    payload = parse(RuleTrialBody, body)
    if payload.rule is None and payload.call is None:
        raise Faults([fault("rule", "missing_required")])
    rule, problems = (None, ()) if payload.rule is None else await _read_draft(ctx, principal, payload.rule)
    if payload.call is None:
        return Trial(rule, problems)
    draft = payload.rule or RuleBody(rule="")
    thread_id = draft.thread_id or payload.thread_id
    if thread_id is not None:
        await sharing.require_in(ctx, principal, thread_id, AccessLevel.VIEW, operation="try_rule")
    else:
        await sharing.require_unlimited(ctx, principal, "try_rule")
    policy = await read_policy(
        ctx,
        principal.tenant,
        agent=draft.agent or payload.agent or "",
        thread_id=thread_id or "",
        project=draft.project or payload.project,
    )
    call = Call(payload.call.tool, payload.call.input, payload.call.cwd)
    current_result = decide(call, policy)
    if rule is None:
        return Trial(rule, problems, current_result=current_result)
    rule_only_policy = Policy((rule,), roots=policy.roots, own_paths=policy.own_paths)
    return Trial(
        rule, problems, decide(call, rule_only_policy), current_result, decide(call, _with_rule(policy, rule))
    )


async def _read_draft(
    ctx: Services, principal: Principal, draft: RuleBody
) -> tuple[Rule | None, Sequence[Fault]]:
    try:
        rule = read_rule(draft, ctx.limits, expires_in_s=draft.expires_in_s)
        await require_agent(ctx, principal, draft.agent)
    except Faults as error:
        return None, error.faults
    return replace(rule, locked=draft.locked), ()


def _with_rule(policy: Policy, rule: Rule) -> Policy:
    """Return the policy with one more rule, placed like a stored rule: before the built-in lists."""
    return replace(policy, rules=(rule, *policy.rules))


@dataclass(slots=True)
class Preview:
    """The calls that a rule would decide differently, as JSON values, and how far back calls were checked (ms)."""

    since: int
    checked_to: int
    checked: int = 0
    calls: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    cursor: str | None = None


async def preview_rule(ctx: Services, principal: Principal, body: object) -> Preview:
    """Check a page of calls with the draft of a `RulePreviewBody`; raises `Faults`, those of the rule below `rule`."""
    await roles.require(ctx, principal, "preview_rule")
    payload = parse(RulePreviewBody, body)
    if payload.cursor is not None:
        check_cursor(payload.cursor, id_pattern("req"))
    rule, problems = await _read_draft(ctx, principal, payload.rule)
    if rule is None:
        raise Faults(problems).with_paths([("$", "rule"), ("", "rule.")])
    now_ms = ctx.clock.now_ms()
    since_ms = now_ms - PREVIEW_MS
    requests, cursor = await list_requests(
        ctx,
        principal,
        thread_id=payload.rule.thread_id,
        kind="approval",
        agent=payload.rule.agent,
        created_after=rfc3339(since_ms),
        limit=ctx.limits.page,
        cursor=payload.cursor,
    )
    result = Preview(since_ms, since_ms if cursor is None else created_ms(cursor), cursor=cursor)
    check = _Check(ctx, principal, rule, payload.rule.project)
    for record in requests:
        result.checked += 1
        if (changed := await check.run(record)) is not None:
            result.calls.append(changed)
        if result.checked % _YIELD_EVERY == 0:
            await asyncio.sleep(0)
    return result


@frozen(slots=True)
class _Check:
    """Checks earlier calls with one rule; the policy of a thread, an agent and a project is read once."""

    ctx: Services
    principal: Principal
    rule: Rule
    project: str | None
    policies: dict[tuple[str, str, str | None], Policy] = field(
        default_factory=dict[tuple[str, str, str | None], Policy]
    )
    titles: dict[str, str | None] = field(default_factory=dict[str, str | None])

    async def run(self, record: Record) -> dict[str, Any] | None:
        """Return the call of a request if the rule would decide it differently from today's policy."""
        approval = record.spec.approval
        if approval.plan is not None or (self.project is not None and approval.project != self.project):
            return None
        call = Call(approval.tool, approval.input, approval.cwd)
        if not concerns(self.rule, call):
            return None
        policy = replace(
            await self._policy(record, approval.project), secret_free=tuple(approval.secret_free)
        )
        current_decision, with_rule = (
            decide(call, policy).decision,
            decide(call, _with_rule(policy, self.rule)).decision,
        )
        if current_decision == with_rule:
            return None
        answer = record.state.members.get("answer") or {}
        return {
            "request_id": record.id,
            "thread_id": record.thread_id,
            "thread_title": await self._title(record.thread_id),
            "agent": record.spec.facts.requester.model_dump(exclude_none=True),
            "tool": approval.tool,
            "headline": preview(call).headline,
            "created_at": rfc3339(record.created_at),
            "status": record.status,
            "decision": answer.get("decision"),
            "source": record.state.members.get("source"),
            "now": current_decision,
            "then": with_rule,
        }

    async def _policy(self, record: Record, project: str | None) -> Policy:
        key = (record.thread_id, record.requester, project)
        if key not in self.policies:
            self.policies[key] = await read_policy(
                self.ctx,
                record.tenant,
                agent=record.requester,
                thread_id=record.thread_id,
                project=project,
            )
        return self.policies[key]

    async def _title(self, thread_id: str) -> str | None:
        if thread_id not in self.titles:
            details = await self.ctx.store.thread_details(self.principal.tenant, thread_id)
            self.titles[thread_id] = None if details is None else details.title
        return self.titles[thread_id]
