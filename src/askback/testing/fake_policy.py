"""The rules, settings, executions and audit log of the store in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from askback.domain.audit import GENESIS, seal
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, Along, AuditDraft, Execution, PolicyView, RuleRecord
from askback.ports.store import IdTaken
from askback.testing.fake_outage import CanBeOffline


class FakePolicy(CanBeOffline):
    """The `PolicyStore` half of the port in dictionaries."""

    def __init__(self) -> None:
        super().__init__()
        self._rules: dict[tuple[str, str], RuleRecord] = {}
        self._policies: dict[tuple[str, str], str] = {}
        self._executions: dict[tuple[str, str], Execution] = {}
        self._audit: dict[str, list[str]] = {}
        self._audit_heads: dict[str, tuple[int, str]] = {}

    async def write(self, along: Along) -> None:
        """Write rules, settings and audit entries."""
        self._begin()
        self._keep(along)

    async def policy(self, tenant: str, *, thread_id: str, project: str | None, now_ms: int) -> PolicyView:
        """Read what decides about a call."""
        subjects = {("always", ""), ("thread", thread_id), ("project", project or "")}
        rules = [r for r in self._in_force(tenant, now_ms) if (r.scope, r.subject) in subjects]
        return PolicyView(
            self._policies.get((tenant, "")),
            self._policies.get((tenant, thread_id)) if thread_id else None,
            sorted(rules, key=lambda r: r.id),
        )

    async def rule(self, tenant: str, rule_id: str) -> RuleRecord | None:
        """Read one rule."""
        return self._rules.get((tenant, rule_id))

    async def rules(
        self,
        tenant: str,
        *,
        thread_id: str | None = None,
        project: str | None = None,
        ended: bool = False,
        now_ms: int,
        before: str | None = None,
        limit: int = 100,
    ) -> Sequence[RuleRecord]:
        """Read rules, newest first."""
        subjects = {
            (s, name) for s, name in (("thread", thread_id), ("project", project)) if name is not None
        }
        found = [
            r
            for r in (self._of(tenant) if ended else self._in_force(tenant, now_ms))
            if (not subjects or (r.scope, r.subject) in subjects) and (before is None or r.id < before)
        ]
        return sorted(found, key=lambda r: r.id, reverse=True)[:limit]

    async def revoke_rule(self, tenant: str, rule_id: str, wire: str, along: Along = NOTHING) -> bool:
        """End a rule."""
        self._begin()
        rule = self._rules.get((tenant, rule_id))
        if rule is None or rule.revoked:
            return False
        self._keep(along)
        self._rules[tenant, rule_id] = replace(rule, revoked=True, wire=wire)
        return True

    async def consume(
        self, tenant: str, request_id: str, execution: Execution, along: Along = NOTHING
    ) -> tuple[Execution, Outcome]:
        """Use an approved call."""
        self._begin()
        holds = self._executions.get((tenant, request_id))
        if holds is not None:
            return holds, Outcome.REPLAYED if holds.id == execution.id else Outcome.LOST
        self._keep(along)
        self._executions[tenant, request_id] = execution
        return execution, Outcome.APPLIED

    async def execution(self, tenant: str, request_id: str) -> Execution | None:
        """Read the use of an approved call."""
        return self._executions.get((tenant, request_id))

    async def report(
        self,
        tenant: str,
        request_id: str,
        execution_id: str,
        *,
        outcome: str,
        note: str | None,
        along: Along = NOTHING,
    ) -> tuple[Execution, Outcome] | None:
        """Note how an execution went."""
        self._begin()
        holds = self._executions.get((tenant, request_id))
        if holds is None or holds.id != execution_id:
            return None
        if holds.outcome is not None:
            return holds, Outcome.REPLAYED if holds.outcome == outcome else Outcome.LOST
        self._keep(along)
        reported = self._executions[tenant, request_id] = replace(holds, outcome=outcome, note=note)
        return reported, Outcome.APPLIED

    async def audit(self, tenant: str, *, after: int = 0, limit: int = 500) -> Sequence[str]:
        """Read entries of the audit log above a seq."""
        return self._audit.get(tenant, [])[after : after + limit]

    async def audit_head(self, tenant: str) -> tuple[int, str]:
        """Read the seq and the hash of the newest entry."""
        return self._audit_heads.get(tenant, (0, GENESIS))

    def _keep(self, along: Along) -> None:
        """Write what comes along with a change, before the change itself: it raises when it cannot be written."""
        rules: dict[tuple[str, str], RuleRecord] = {}
        for rule in along.rules:
            if (name := (rule.tenant, rule.id)) in self._rules or name in rules:
                raise IdTaken(rule.id)
            rules[name] = rule
        self._append(along.audit)
        self._rules |= rules
        self._policies |= {(policy.tenant, policy.thread_id): policy.data for policy in along.policies}

    def _append(self, drafts: Sequence[AuditDraft]) -> None:
        heads = dict(self._audit_heads)
        sealed: list[tuple[str, str]] = []
        for draft in drafts:
            seq, prev = heads.get(draft.tenant, (0, GENESIS))
            entry, digest = seal(draft.data, seq=seq + 1, prev=prev)
            heads[draft.tenant] = (seq + 1, digest)
            sealed.append((draft.tenant, entry))
        self._audit_heads = heads
        for tenant, entry in sealed:
            self._audit.setdefault(tenant, []).append(entry)

    def _of(self, tenant: str) -> list[RuleRecord]:
        return [rule for (owner, _), rule in self._rules.items() if owner == tenant]

    def _in_force(self, tenant: str, now_ms: int) -> list[RuleRecord]:
        return [
            rule
            for rule in self._of(tenant)
            if not rule.revoked and (rule.expires_at is None or rule.expires_at > now_ms)
        ]
