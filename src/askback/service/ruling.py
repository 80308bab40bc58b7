"""Evaluate the policy for a call. Rules and settings are read each time, so they are never stale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from askback.domain.policy.calls import Call
from askback.domain.policy.engine import Judgement, Policy, decide
from askback.domain.policy.grants import grantable
from askback.domain.policy.reasons import Reason
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

    def root(self, call: Call) -> str | None:
        """Return the folder that a person may grant to the agent, so that such a call runs unasked."""
        return None if self.decision.locked else grantable(call, self.policy)

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


NO_RULING = Ruling(Judgement("ask", (Reason("plan"),)))
"""About a plan, which no rule decides."""


async def rule_on(
    ctx: Services,
    tenant: str,
    call: Call,
    *,
    agent: str,
    thread_id: str,
    project: str | None,
    secret_free: Sequence[str] = (),
) -> Ruling:
    """Decide about a call of an agent in a thread and a project. Raises `Unavailable` when no rules can be read."""
    view = await ctx.store.policy(
        tenant, thread_id=thread_id, project=project, now_ms=ctx.clock.now_ms(), agent=agent
    )
    settings = read_settings(view.tenant, view.thread, agent=agent)
    trial = tried(settings, view.rules)
    places: dict[str, Any] = {
        "roots": view.roots,
        "own": ctx.own_paths,
        "secret_free": tuple(secret_free),
    }
    policy = replace(enforced(settings, view.rules), **places)
    would = None if trial is None else decide(call, replace(trial, **places))
    return Ruling(decide(call, policy), would, policy)
