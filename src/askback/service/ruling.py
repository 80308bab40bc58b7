"""What the policy says about a call, now: the rules and settings are read each time, so that none is ever stale."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from askback.domain.policy.calls import Call
from askback.domain.policy.engine import Judgement, Policy, decide
from askback.domain.policy.rules import Rule
from askback.domain.policy.settings import enforced, read_settings, tried
from askback.service.context import Services


@dataclass(frozen=True, slots=True)
class Ruling:
    """A decision about a call, and what the policy that is tried would have decided."""

    decision: Judgement
    would: Judgement | None = None
    policy: Policy = field(default_factory=Policy)

    def would_allow(self, call: Call, rule: Rule) -> bool:
        """Tell whether the call would run unasked if the rule were kept; where it would not, none is offered."""
        kept = replace(self.policy, rules=(*self.policy.rules, rule))
        return decide(call, kept).decision == "allow"

    @property
    def facts(self) -> dict[str, Any]:
        """Return what the audit log says of a call that a rule decided."""
        return {"rule": self.decision.rule, "reasons": self.decision.reasons, **self.trial}

    @property
    def trial(self) -> dict[str, Any]:
        """Return what the audit log says of the trial, whoever decided."""
        return (
            {}
            if self.would is None
            else {"would": {"decision": self.would.decision, "rule": self.would.rule}}
        )


NO_RULING = Ruling(Judgement("ask", ("A plan is always for a person to approve.",)))
"""About a plan, which no rule decides."""


async def rule_on(ctx: Services, tenant: str, call: Call, *, thread_id: str, project: str | None) -> Ruling:
    """Decide about a call in a thread and a project. Raises `Unavailable` when the rules cannot be read."""
    view = await ctx.store.policy(tenant, thread_id=thread_id, project=project, now_ms=ctx.clock.now_ms())
    settings = read_settings(view.tenant, view.thread)
    trial = tried(settings, view.rules)
    policy = enforced(settings, view.rules)
    return Ruling(decide(call, policy), None if trial is None else decide(call, trial), policy)
