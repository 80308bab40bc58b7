"""What the writer thread does to rules, settings, executions and the audit log, inside the group's transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import astuple

from askback.domain.audit import seal
from askback.ports.outcome import Outcome
from askback.ports.policy import Along, AuditDraft, Execution, RuleRecord
from askback.ports.store import IdTaken
from askback.storage.sqlite import policy_queries as queries
from askback.storage.sqlite.connection import Connection
from askback.storage.sqlite.policy_rows import read_audit_head, read_execution


def write_along(db: Connection, along: Along) -> None:
    """Store rules and settings, and add the entries to their tenants' chains in the order that they have."""
    for rule in along.rules:
        _add_rule(db, rule)
    for policy in along.policies:
        db.execute(queries.PUT_POLICY, (policy.tenant, policy.thread_id, policy.data))
    _append(db, along.audit)


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


def _add_rule(db: Connection, rule: RuleRecord) -> None:
    try:
        db.execute(queries.ADD_RULE, astuple(rule))
    except sqlite3.IntegrityError:
        raise IdTaken(rule.id) from None


def _append(db: Connection, drafts: Sequence[AuditDraft]) -> None:
    """Seal entries and move the heads of their chains.

    Only this thread appends, so the head that it reads is the newest, also of what the group has not committed yet.
    """
    for draft in drafts:
        seq, prev = read_audit_head(db, draft.tenant)
        entry, sealed = seal(draft.data, seq=seq + 1, prev=prev)
        db.execute(queries.ADD_ENTRY, (draft.tenant, seq + 1, entry))
        db.execute(queries.MOVE_AUDIT_HEAD, (draft.tenant, seq + 1, sealed))
