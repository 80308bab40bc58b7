"""What the writer thread does to rules and executions, inside the group's transaction; `along` has the rest."""

from __future__ import annotations

from dataclasses import astuple

from askback.ports.outcome import Outcome
from askback.ports.policy import Along, Execution
from askback.storage.sqlite import policy_queries as queries
from askback.storage.sqlite.along import write_along
from askback.storage.sqlite.connection import Connection
from askback.storage.sqlite.policy_rows import read_execution


def revoke_rule(db: Connection, tenant: str, rule_id: str, wire: str, along: Along) -> bool:
    """End a rule; False when it is not there or has been revoked."""
    if db.execute(queries.REVOKE_RULE, (wire, tenant, rule_id)).fetchone() is None:
        return False
    write_along(db, along)
    return True


def consume(
    db: Connection, tenant: str, request_id: str, execution: Execution, along: Along
) -> tuple[Execution, Outcome]:
    """Use an approved call, unless an execution has used it."""
    if db.execute(queries.ADD_EXECUTION, (*astuple(execution), tenant, request_id)).fetchone() is not None:
        write_along(db, along)
        return execution, Outcome.APPLIED
    holds = read_execution(db, tenant, request_id)
    assert holds is not None, "the request exists, and something else has used it"
    return holds, Outcome.REPLAYED if holds.id == execution.id else Outcome.LOST


def report(
    db: Connection,
    tenant: str,
    request_id: str,
    execution_id: str,
    *,
    outcome: str,
    note: str | None,
    along: Along,
) -> tuple[Execution, Outcome] | None:
    """Note how an execution went, unless that was noted before."""
    row = db.execute(queries.REPORT, (outcome, note, tenant, request_id, execution_id)).fetchone()
    if row is not None:
        write_along(db, along)
        return Execution(*row), Outcome.APPLIED
    holds = read_execution(db, tenant, request_id)
    if holds is None or holds.id != execution_id:
        return None
    return holds, Outcome.REPLAYED if holds.outcome == outcome else Outcome.LOST
