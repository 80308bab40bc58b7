"""Evaluate the policy for a call. Rules and settings are read each time, so they are never stale.

The same policy for the same call is not evaluated twice (`recent_decisions.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any

from askback.domain.policy.built_in_lists import BUILT_IN_TEXTS
from askback.domain.policy.calls import Call
from askback.domain.policy.effective import (
    FIRST_AGENT,
    enforced_policy,
    mode_agents,
    read_settings,
    shadow_policy,
)
from askback.domain.policy.engine import Policy, PolicyResult, decide
from askback.domain.policy.reasons import Reason
from askback.domain.policy.risks import disclosures
from askback.domain.policy.rules import Rule
from askback.domain.policy.settings import PolicySettings
from askback.domain.policy.suggestions import grantable_folder
from askback.domain.values import frozen
from askback.ports.policy import PolicyView, RuleRecord, RuleUse
from askback.service.context import Services


@frozen(slots=True)
class PolicyEvaluation:
    """The policy's decision about a call, and that of the shadow policy."""

    decision: PolicyResult
    would: PolicyResult | None = None
    policy: Policy = field(default_factory=Policy)
    deciding: tuple[str, ...] = ()

    def uses(self, tenant: str, *, at: int, request_id: str) -> tuple[RuleUse, ...]:
        """Return the uses of the rules that decided, to be stored with the decision."""
        return tuple(RuleUse(tenant, rule, at, request_id) for rule in self.deciding)

    def would_allow(self, call: Call, rule: Rule) -> bool:
        """Return whether the rule would allow the call if it were created; only such rules are offered."""
        policy = replace(self.policy, rules=(*self.policy.rules, rule))
        return decide(call, policy).decision == "allow"

    def risks(self, call: Call) -> tuple[Reason, ...]:
        """Return the known dangers of the call, and what it may disclose."""
        return tuple(dict.fromkeys([*self.decision.risks, *disclosures(call, self.policy.read_scope(call))]))

    def root(self, call: Call) -> str | None:
        """Return the folder that a person can grant to the agent to let such calls run without asking."""
        return None if self.decision.locked else grantable_folder(call, self.policy)

    @property
    def facts(self) -> dict[str, Any]:
        """Return the audit facts of a call that a rule decided."""
        return {"rule": self.decision.rule, "reasons": self.decision.reasons, **self.trial}

    @property
    def trial(self) -> dict[str, Any]:
        """Return the audit facts of the shadow policy."""
        return (
            {}
            if self.would is None
            else {"would": {"decision": self.would.decision, "rule": self.would.rule}}
        )


NOT_EVALUATED = PolicyEvaluation(PolicyResult("ask", (Reason("plan"),)))
"""The evaluation of a plan, about which no rule decides."""


async def evaluate_call(
    ctx: Services,
    tenant: str,
    call: Call,
    *,
    agent: str,
    thread_id: str,
    project: str | None,
    secret_free: Sequence[str] = (),
) -> PolicyEvaluation:
    """Decide about a call of an agent in a thread and a project. Raises `Unavailable` when no rules can be read."""
    view = await _read_view(ctx, tenant, agent=agent, thread_id=thread_id, project=project)
    settings = await _read_settings(ctx, tenant, view, agent=agent, thread_id=thread_id)
    folders = {"roots": view.roots, "own_paths": ctx.own_paths, "secret_free": tuple(secret_free)}
    trial = shadow_policy(settings, view.rules, **folders)
    policy = enforced_policy(settings, view.rules, **folders)
    shadow_result = None if trial is None else decide(call, trial)
    decision = ctx.decisions.decide(call, policy, decide)
    deciding = _deciding_rules(decision, [rule for rule in view.rules if not rule.shadow])
    if shadow_result is not None:
        deciding += _deciding_rules(
            shadow_result, [rule for rule in view.rules if rule.shadow], built_in=False
        )
    return PolicyEvaluation(decision, shadow_result, policy, deciding)


async def read_policy(
    ctx: Services, tenant: str, *, agent: str, thread_id: str, project: str | None
) -> Policy:
    """Return the policy that decides about calls of an agent in a thread and a project."""
    view = await _read_view(ctx, tenant, agent=agent, thread_id=thread_id, project=project)
    settings = await _read_settings(ctx, tenant, view, agent=agent, thread_id=thread_id)
    return enforced_policy(settings, view.rules, roots=view.roots, own_paths=ctx.own_paths)


async def _read_settings(
    ctx: Services, tenant: str, view: PolicyView, *, agent: str, thread_id: str
) -> PolicySettings:
    is_first = False
    if FIRST_AGENT in mode_agents(view.thread):
        agents = (await ctx.store.access(tenant, thread_id)).agents
        is_first = agents is None or agents.ids[:1] == (agent,)
    return read_settings(view.tenant, view.thread, agent=agent, is_first=is_first)


async def _read_view(
    ctx: Services, tenant: str, *, agent: str, thread_id: str, project: str | None
) -> PolicyView:
    return await ctx.store.policy(
        tenant, thread_id=thread_id, project=project, now_ms=ctx.clock.now_ms(), agent=agent
    )


def _deciding_rules(
    result: PolicyResult, rules: Sequence[RuleRecord], *, built_in: bool = True
) -> tuple[str, ...]:
    """Return the id of each stored rule that decided, and the text of each rule of a built-in list."""
    if not result.rules:
        return ()
    # Of equal rules the first one decides: the oldest, and a stored one before those of the lists.
    ids = {rule.text: rule.id for rule in reversed(rules) if rule.effect == result.decision}
    rule_ids = (ids.get(text, text if built_in and text in BUILT_IN_TEXTS else None) for text in result.rules)
    return tuple(rule for rule in rule_ids if rule is not None)
