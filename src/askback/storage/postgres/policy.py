"""The `PolicyStore` half of the port on Postgres."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple

from askback.domain.audit import GENESIS
from askback.ports.audit import AuditHead, HeadSeals
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, Along, Execution, PolicyView, Refusal, RuleRecord
from askback.storage import rows
from askback.storage.postgres import policy_queries as queries
from askback.storage.postgres.along import write_along
from askback.storage.postgres.connection import Connection
from askback.storage.postgres.part import Part
from askback.storage.sql import agents


class PolicyPart(Part):
    """Rules, settings, executions and the audit log. See `askback.ports.store` for what each method promises."""

    async def refusals(
        self, tenant: str, thread_id: str, requester: str, identity: str, *, since_ms: int
    ) -> Sequence[Refusal]:
        """Read refusals of the same, newest first."""
        found = await self._borrowed.rows(queries.REFUSALS, tenant, thread_id, requester, identity, since_ms)
        return [Refusal(*row) for row in found]

    async def write(self, along: Along) -> None:
        """Write what has no change of its own to come along with."""
        await self._borrowed.change(lambda db: write_along(db, along))

    async def policy(
        self, tenant: str, *, thread_id: str, project: str | None, now_ms: int, agent: str = ""
    ) -> PolicyView:
        """Read what decides about a call, in one snapshot."""
        if "\0" in thread_id:
            thread_id = ""  # no text of Postgres can be that, so nothing has been said of such a thread
        async with self._borrowed.snapshot() as db:
            settings = {at: data for at, data in await db.fetch(queries.POLICIES, tenant, thread_id)}  # noqa: C416 - rows of a driver are no pairs
            found = await db.fetch(queries.RULES_IN_FORCE, tenant, thread_id, project or "", now_ms, agent)
            roots = await db.fetchval(agents.ROOTS, tenant, agent) if agent else None
        rules = sorted((rows.rule(row) for row in found), key=lambda rule: rule.id)
        here = settings.get(thread_id) if thread_id else None
        return PolicyView(settings.get(""), here, rules, rows.root_paths(roots))

    async def rule(self, tenant: str, rule_id: str) -> RuleRecord | None:
        """Read one rule."""
        row = await self._borrowed.row(queries.RULE, tenant, rule_id)
        return None if row is None else rows.rule(row)

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
        subjects = [
            (scope, name) for scope, name in (("thread", thread_id), ("project", project)) if name is not None
        ]
        sql, parameters = queries.list_rules(
            tenant,
            subjects=subjects,
            now_ms=None if ended else now_ms,
            person=person,
            before=before,
            limit=limit,
        )
        return [rows.rule(row) for row in await self._borrowed.rows(sql, *parameters)]

    async def revoke_rule(self, tenant: str, rule_id: str, wire: str, along: Along = NOTHING) -> bool:
        """End a rule."""

        async def revoke(db: Connection) -> bool:
            if await db.fetchrow(queries.REVOKE_RULE, wire, tenant, rule_id) is None:
                return False
            await write_along(db, along)
            return True

        return await self._borrowed.change(revoke)

    async def consume(
        self, tenant: str, request_id: str, execution: Execution, along: Along = NOTHING
    ) -> tuple[Execution, Outcome]:
        """Use an approved call, unless an execution has used it."""

        async def use(db: Connection) -> tuple[Execution, Outcome]:
            row = await db.fetchrow(queries.ADD_EXECUTION, tenant, request_id, *astuple(execution))
            if row is not None:
                await write_along(db, along)
                return execution, Outcome.APPLIED
            holds = await _execution(db, tenant, request_id)
            assert holds is not None, "something else has used it"
            return holds, Outcome.REPLAYED if holds.id == execution.id else Outcome.LOST

        return await self._borrowed.change(use)

    async def execution(self, tenant: str, request_id: str) -> Execution | None:
        """Read the use of an approved call."""
        row = await self._borrowed.row(queries.EXECUTION, tenant, request_id)
        return None if row is None else Execution(*row)

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
        """Note how an execution went, unless that was noted before."""

        async def note_it(db: Connection) -> tuple[Execution, Outcome] | None:
            row = await db.fetchrow(queries.REPORT, tenant, request_id, execution_id, outcome, note)
            if row is not None:
                await write_along(db, along)
                return Execution(*row), Outcome.APPLIED
            holds = await _execution(db, tenant, request_id)
            if holds is None or holds.id != execution_id:
                return None
            return holds, Outcome.REPLAYED if holds.outcome == outcome else Outcome.LOST

        return await self._borrowed.change(note_it)

    async def audit(self, tenant: str, *, after: int = 0, limit: int = 500) -> Sequence[str]:
        """Read entries of the audit log above a seq."""
        return [row[0] for row in await self._borrowed.rows(queries.AUDIT, tenant, after, limit)]

    async def audit_head(self, tenant: str) -> tuple[int, str]:
        """Read the seq and the hash of the newest entry."""
        row = await self._borrowed.row(queries.AUDIT_HEAD, tenant)
        return (0, GENESIS) if row is None else (row[1], row[2])

    def seal_with(self, seals: HeadSeals) -> None:
        """Seal the newest entry of each log from now on."""
        self._borrowed.sealing.seals = seals

    async def audit_heads(
        self, *, tenant: str | None = None, after: str = "", limit: int = 200
    ) -> Sequence[AuditHead]:
        """Read the newest entries of logs, with their seals."""
        if tenant is None:
            found = await self._borrowed.rows(queries.AUDIT_HEADS, after, limit)
        else:
            found = await self._borrowed.rows(queries.AUDIT_HEAD, tenant)
        return [AuditHead(*row) for row in found]

    async def without_log(self) -> Sequence[str]:
        """Read the tenants that have tokens and no log."""
        return [row[0] for row in await self._borrowed.rows(queries.WITHOUT_LOG)]

    async def put_seal(self, head: AuditHead, seal: str) -> bool:
        """Put another seal on a log."""

        async def put(db: Connection) -> bool:
            return await db.fetchrow(queries.PUT_SEAL, *astuple(head), seal) is not None

        return await self._borrowed.change(put)


async def _execution(db: Connection, tenant: str, request_id: str) -> Execution | None:
    row = await db.fetchrow(queries.EXECUTION, tenant, request_id)
    return None if row is None else Execution(*row)
