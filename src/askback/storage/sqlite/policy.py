"""The `PolicyStore` half of the port on SQLite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple

from askback.ports.audit import AuditHead, HeadSeals
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, Along, Execution, PolicyView, Refusal, RuleRecord
from askback.storage.sqlite import policy_changes as changes
from askback.storage.sqlite import policy_queries as queries
from askback.storage.sqlite import policy_rows as rows
from askback.storage.sqlite.along import write_along
from askback.storage.sqlite.part import Part


class PolicyPart(Part):
    """Rules, settings, executions and the audit log. See `askback.ports.store` for what each method promises."""

    async def refusals(
        self, tenant: str, thread_id: str, requester: str, identity: str, *, since_ms: int
    ) -> Sequence[Refusal]:
        """Read refusals of the same, newest first."""
        which = (tenant, thread_id, requester, identity, since_ms)
        return self._readers.point(
            lambda db: [Refusal(*row) for row in db.execute(queries.REFUSALS, which).fetchall()]
        )

    async def write(self, along: Along) -> None:
        """Write what has no change of its own to come along with."""
        await self._change(lambda db, _: write_along(db, along), along)

    async def policy(
        self, tenant: str, *, thread_id: str, project: str | None, now_ms: int, agent: str = ""
    ) -> PolicyView:
        """Read what decides about a call."""
        return await self._readers.page(
            lambda db: rows.read_policy(
                db, tenant, thread_id=thread_id, project=project, now_ms=now_ms, agent=agent
            )
        )

    async def rule(self, tenant: str, rule_id: str) -> RuleRecord | None:
        """Read one rule."""
        return self._readers.point(lambda db: rows.read_rule(db, tenant, rule_id))

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
        return await self._readers.page(
            lambda db: rows.read_rules(
                db,
                tenant,
                thread_id=thread_id,
                project=project,
                ended=ended,
                now_ms=now_ms,
                person=person,
                before=before,
                limit=limit,
            )
        )

    async def revoke_rule(self, tenant: str, rule_id: str, wire: str, along: Along = NOTHING) -> bool:
        """End a rule."""
        return await self._change(lambda db, _: changes.revoke_rule(db, tenant, rule_id, wire, along), along)

    async def consume(
        self, tenant: str, request_id: str, execution: Execution, along: Along = NOTHING
    ) -> tuple[Execution, Outcome]:
        """Use an approved call."""
        return await self._change(
            lambda db, _: changes.consume(db, tenant, request_id, execution, along), along
        )

    async def execution(self, tenant: str, request_id: str) -> Execution | None:
        """Read the use of an approved call."""
        return self._readers.point(lambda db: rows.read_execution(db, tenant, request_id))

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
        return await self._change(
            lambda db, _: changes.report(
                db, tenant, request_id, execution_id, outcome=outcome, note=note, along=along
            ),
            along,
        )

    async def audit(self, tenant: str, *, after: int = 0, limit: int = 500) -> Sequence[str]:
        """Read entries of the audit log above a seq."""
        return await self._readers.page(lambda db: rows.read_audit(db, tenant, after=after, limit=limit))

    async def audit_head(self, tenant: str) -> tuple[int, str]:
        """Read the seq and the hash of the newest entry."""
        head = self._readers.point(lambda db: rows.read_audit_head(db, tenant))
        return head.seq, head.hash

    def seal_with(self, seals: HeadSeals) -> None:
        """Seal the newest entry of each log from now on."""
        self._sealing.seals = seals

    async def audit_heads(
        self, *, tenant: str | None = None, after: str = "", limit: int = 200
    ) -> Sequence[AuditHead]:
        """Read the newest entries of logs, with their seals."""
        return await self._readers.page(
            lambda db: rows.read_audit_heads(db, tenant, after=after, limit=limit)
        )

    async def without_log(self) -> Sequence[str]:
        """Read the tenants that have tokens and no log."""
        found = await self._readers.page(lambda db: db.execute(queries.WITHOUT_LOG).fetchall())
        return [tenant for (tenant,) in found]

    async def put_seal(self, head: AuditHead, seal: str) -> bool:
        """Put another seal on a log."""
        row = (seal, *astuple(head))
        return await self._writer.submit(
            lambda db, _: db.execute(queries.PUT_SEAL, row).fetchone() is not None
        )
