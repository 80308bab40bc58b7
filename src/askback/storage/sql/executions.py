"""The one use of each approved call."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

from dataclasses import astuple

from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, Execution, SideEffects
from askback.storage.sql.transaction import Area, Transaction

# In the order of the fields of `Execution`.
FIELDS = "id, consumed_at, outcome, note"
# (tenant, request id, the execution) -> a row when it is the first one.
ADD_EXECUTION = f"""
INSERT INTO executions (tenant, request, {FIELDS}) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT DO NOTHING RETURNING id"""
EXECUTION = f"SELECT {FIELDS} FROM executions WHERE tenant = $1 AND request = $2"
# (tenant, request id, execution id, outcome, note) -> the execution, when nothing was reported of it before.
REPORT = f"""
UPDATE executions SET outcome = $4, note = $5
WHERE tenant = $1 AND request = $2 AND id = $3 AND outcome IS NULL RETURNING {FIELDS}"""


class ExecutionArea(Area):
    """See `askback.ports.policy` for what each method promises."""

    async def consume(
        self, tenant: str, request_id: str, execution: Execution, effects: SideEffects = NOTHING
    ) -> tuple[Execution, Outcome]:
        """Use an approved call, unless an execution has used it."""

        async def use(tx: Transaction) -> tuple[Execution, Outcome]:
            if await tx.one(ADD_EXECUTION, tenant, request_id, *astuple(execution)) is not None:
                await tx.write(effects)
                return execution, Outcome.APPLIED
            row = await tx.one(EXECUTION, tenant, request_id)
            assert row is not None, "the request exists, and something else has used it"
            return Execution(*row), Outcome.REPLAYED if row[0] == execution.id else Outcome.LOST

        return await self._db.change(use, effects)

    async def execution(self, tenant: str, request_id: str) -> Execution | None:
        """Read the use of an approved call."""
        row = await self._db.row(EXECUTION, tenant, request_id)
        return None if row is None else Execution(*row)

    async def report(
        self,
        tenant: str,
        request_id: str,
        execution_id: str,
        *,
        outcome: str,
        note: str | None,
        effects: SideEffects = NOTHING,
    ) -> tuple[Execution, Outcome] | None:
        """Note how an execution went, unless that was noted before."""

        async def report(tx: Transaction) -> tuple[Execution, Outcome] | None:
            row = await tx.one(REPORT, tenant, request_id, execution_id, outcome, note)
            if row is not None:
                await tx.write(effects)
                return Execution(*row), Outcome.APPLIED
            row = await tx.one(EXECUTION, tenant, request_id)
            if row is None or row[0] != execution_id:
                return None
            return Execution(*row), Outcome.REPLAYED if row[2] == outcome else Outcome.LOST

        return await self._db.change(report, effects)
