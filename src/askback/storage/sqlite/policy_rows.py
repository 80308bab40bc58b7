"""What readers do about policy: each function takes a connection and returns values of the port."""

from __future__ import annotations

from collections.abc import Sequence

from askback.domain.audit import GENESIS
from askback.ports.audit import AuditHead
from askback.ports.policy import Execution, PolicyView, RuleRecord
from askback.storage import rows
from askback.storage.sql import agents
from askback.storage.sqlite import policy_queries as queries
from askback.storage.sqlite.connection import Connection
from askback.storage.sqlite.dialect import rewrite


def read_policy(
    db: Connection, tenant: str, *, thread_id: str, project: str | None, now_ms: int, agent: str
) -> PolicyView:
    """Read what decides about a call in one snapshot, which the transaction around the queries gives."""
    db.execute("BEGIN")
    try:
        settings = dict(db.execute(queries.POLICIES, (tenant, thread_id)).fetchall())
        rules = [
            rows.rule(row)
            for scope, subject in (("always", ""), ("thread", thread_id), ("project", project or ""))
            for row in db.execute(queries.RULES_IN_FORCE, (tenant, scope, subject, now_ms, agent)).fetchall()
        ]
        roots = db.execute(rewrite(agents.ROOTS), (tenant, agent)).fetchone()
    finally:
        db.execute("ROLLBACK")
    return PolicyView(
        settings.pop("", None),
        settings.get(thread_id),
        sorted(rules, key=lambda r: r.id),
        rows.root_paths(None if roots is None else roots[0]),
    )


def read_rule(db: Connection, tenant: str, rule_id: str) -> RuleRecord | None:
    """Read one rule."""
    row = db.execute(queries.RULE, (tenant, rule_id)).fetchone()
    return None if row is None else rows.rule(row)


def read_rules(
    db: Connection,
    tenant: str,
    *,
    thread_id: str | None,
    project: str | None,
    ended: bool,
    now_ms: int,
    person: str | None,
    before: str | None,
    limit: int,
) -> Sequence[RuleRecord]:
    """Read one page of rules, newest first."""
    chosen = [
        (scope, name) for scope, name in (("thread", thread_id), ("project", project)) if name is not None
    ]
    sql = queries.list_rules(
        subjects=len(chosen), ended=ended, person=person is not None, before=before is not None
    )
    parameters: list[str | int] = [tenant, *(part for pair in chosen for part in pair)]
    if not ended:
        parameters.append(now_ms)
    if person is not None:
        parameters += [person, person]
    if before is not None:
        parameters.append(before)
    return [rows.rule(row) for row in db.execute(sql, [*parameters, limit]).fetchall()]


def read_execution(db: Connection, tenant: str, request_id: str) -> Execution | None:
    """Read the use of an approved call."""
    row = db.execute(queries.EXECUTION, (tenant, request_id)).fetchone()
    return None if row is None else Execution(*row)


def read_audit(db: Connection, tenant: str, *, after: int, limit: int) -> Sequence[str]:
    """Read entries of the audit log above a seq."""
    return [entry for (entry,) in db.execute(queries.AUDIT, (tenant, after, limit)).fetchall()]


def read_audit_head(db: Connection, tenant: str) -> AuditHead:
    """Read the newest entry of a log, with its seal."""
    row = db.execute(queries.AUDIT_HEAD, (tenant,)).fetchone()
    return AuditHead(tenant, 0, GENESIS) if row is None else AuditHead(*row)


def read_audit_heads(db: Connection, tenant: str | None, *, after: str, limit: int) -> Sequence[AuditHead]:
    """Read the newest entries of logs, with their seals."""
    if tenant is None:
        found = db.execute(queries.AUDIT_HEADS, (after, limit)).fetchall()
    else:
        found = db.execute(queries.AUDIT_HEAD, (tenant,)).fetchall()
    return [AuditHead(*row) for row in found]
