"""The reads and changes of rules, settings, executions and the audit log of the store in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from askback.domain.access import Level
from askback.domain.audit import GENESIS
from askback.ports.audit import AuditHead, HeadSeals
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, Along, Execution, PolicyView, Refusal, RuleRecord
from askback.testing.fake_along import FakeAlong


class FakePolicy(FakeAlong):
    """The `PolicyStore` half of the port in dictionaries."""

    def __init__(self) -> None:
        super().__init__()
        self._executions: dict[tuple[str, str], Execution] = {}

    async def write(self, along: Along) -> None:
        """Write what has no change of its own to come along with."""
        self._begin()
        self._keep(along)

    async def policy(
        self, tenant: str, *, thread_id: str, project: str | None, now_ms: int, agent: str = ""
    ) -> PolicyView:
        """Read what decides about a call."""
        subjects = {("always", ""), ("thread", thread_id), ("project", project or "")}
        rules = [
            r
            for r in self._in_force(tenant, now_ms)
            if (r.scope, r.subject) in subjects and r.agent in (None, agent)
        ]
        known = self._agents.get((tenant, agent))
        return PolicyView(
            self._policies.get((tenant, "")),
            self._policies.get((tenant, thread_id)) if thread_id else None,
            sorted(rules, key=lambda r: r.id),
            tuple(root.path for root in known.roots) if known else (),
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
        person: str | None = None,
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
            if (not subjects or (r.scope, r.subject) in subjects)
            and (before is None or r.id < before)
            and not (person is not None and r.scope == "thread" and self._hides(r, person))
        ]
        return sorted(found, key=lambda r: r.id, reverse=True)[:limit]

    def _hides(self, rule: RuleRecord, person: str) -> bool:
        return self._access_to(rule.tenant, rule.subject).level(person) < Level.VIEW

    async def refusals(
        self, tenant: str, thread_id: str, requester: str, identity: str, *, since_ms: int
    ) -> Sequence[Refusal]:
        """Read refusals of the same, newest first."""
        which = (tenant, thread_id, requester, identity)
        found = [
            each
            for each in self._refusals
            if (each.tenant, each.thread_id, each.requester, each.identity) == which and each.at > since_ms
        ]
        return found[::-1][:10]

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
        head = self._audit_heads.get(tenant)
        return (0, GENESIS) if head is None else (head.seq, head.hash)

    def seal_with(self, seals: HeadSeals) -> None:
        """Seal the newest entry of each log from now on."""
        self._sealing.seals = seals

    async def audit_heads(
        self, *, tenant: str | None = None, after: str = "", limit: int = 200
    ) -> Sequence[AuditHead]:
        """Read the newest entries of logs, with their seals."""
        found = [head for name, head in sorted(self._audit_heads.items()) if name > after]
        return [head for head in found if tenant in (None, head.tenant)][:limit]

    async def put_seal(self, head: AuditHead, seal: str) -> bool:
        """Put another seal on a log."""
        self._begin()
        if self._audit_heads.get(head.tenant) != head:
            return False
        self._audit_heads[head.tenant] = replace(head, seal=seal)
        return True

    def _of(self, tenant: str) -> list[RuleRecord]:
        return [rule for (owner, _), rule in self._rules.items() if owner == tenant]

    def _in_force(self, tenant: str, now_ms: int) -> list[RuleRecord]:
        return [
            rule
            for rule in self._of(tenant)
            if not rule.revoked and (rule.expires_at is None or rule.expires_at > now_ms)
        ]
