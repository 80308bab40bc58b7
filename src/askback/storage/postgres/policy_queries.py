"""The SQL texts of rules, settings, executions and the audit log."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askback.storage.postgres.access_queries import may_view
from askback.storage.sql.conditions import Conditions

# Rules

# In the order of the fields of `RuleRecord`.
_RULE = "id, tenant, effect, text, scope, subject, locked, shadow, expires_at, revoked, wire, agent"
# -> a row unless the id is in use.
ADD_RULE = f"""
INSERT INTO rules ({_RULE}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
ON CONFLICT DO NOTHING RETURNING id"""
RULE = f"SELECT {_RULE} FROM rules WHERE tenant = $1 AND id = $2"

# The first condition is written exactly as in the partial index, or Postgres would not use it.
_IN_FORCE = "NOT revoked AND coalesce(expires_at > {0}, TRUE)"
_MEANT = "coalesce(agent = $5, TRUE)"
# (tenant, thread id, project, now, agent), in any order.
RULES_IN_FORCE = " UNION ALL ".join(
    f"SELECT {_RULE} FROM rules WHERE tenant = $1 AND {where} AND {_IN_FORCE.format('$4')} AND {_MEANT}"
    for where in (
        "scope = 'always' AND subject = ''",
        "scope = 'thread' AND subject = $2",
        "scope = 'project' AND subject = $3",
    )
)

# (wire, tenant, id) -> a row when this ended the rule.
REVOKE_RULE = """
UPDATE rules SET revoked = TRUE, wire = $1 WHERE tenant = $2 AND id = $3 AND NOT revoked RETURNING id"""

# A rule of a thread that a person may not view.
_HIDDEN = f"""
scope = 'thread' AND EXISTS (
    SELECT 1 FROM threads AS t WHERE t.tenant = rules.tenant AND t.id = rules.subject AND NOT {may_view("{0}")})"""


def list_rules(
    tenant: str,
    *,
    subjects: Sequence[tuple[str, str]],
    now_ms: int | None,
    person: str | None,
    before: str | None,
    limit: int,
) -> tuple[str, Sequence[Any]]:
    """Return the query of one page of rules, and its parameters.

    `subjects` are pairs of a scope and a subject, none for every rule. With `now_ms` only those in force then.
    """
    where = Conditions()
    where.add("tenant = {}", tenant)
    if subjects:
        pairs = ", ".join(["({}, {})"] * len(subjects))
        where.add(f"(scope, subject) IN ({pairs})", *(part for pair in subjects for part in pair))
    for condition, value in ((_IN_FORCE, now_ms), (f"NOT ({_HIDDEN})", person), ("id < {}", before)):
        if value is not None:
            where.add(condition, value)
    return where.query(f"SELECT {_RULE} FROM rules", f"ORDER BY id DESC LIMIT {where.parameter(limit)}")


# Settings

# (tenant, thread id) -> the data that are there, '{}' when there were none. The row is locked from then on, so that
# two people who change different settings at once both get their way.
LOCK_POLICY = """
INSERT INTO policies (tenant, thread, data) VALUES ($1, $2, '{}')
ON CONFLICT (tenant, thread) DO UPDATE SET data = policies.data RETURNING data"""
PUT_POLICY = "UPDATE policies SET data = $3 WHERE tenant = $1 AND thread = $2"
# (tenant, thread id) -> the settings of the tenant, under an empty name, and those of the thread.
POLICIES = "SELECT thread, data FROM policies WHERE tenant = $1 AND thread IN ('', $2)"

# Executions

# In the order of the fields of `Execution`.
_EXECUTION = "id, consumed_at, outcome, note"
# (tenant, request id, the execution) -> a row when it is the first one.
ADD_EXECUTION = f"""
INSERT INTO executions (tenant, request, {_EXECUTION}) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT DO NOTHING RETURNING id"""
EXECUTION = f"SELECT {_EXECUTION} FROM executions WHERE tenant = $1 AND request = $2"
# (tenant, request id, execution id, outcome, note) -> the execution, when nothing was reported of it before.
REPORT = f"""
UPDATE executions SET outcome = $4, note = $5
WHERE tenant = $1 AND request = $2 AND id = $3 AND outcome IS NULL RETURNING {_EXECUTION}"""

# The audit log

# (tenants, the first hash) -> the fields of `AuditHead`, of each. The rows are made if need be, and
# locked until the commit: whoever appends at another server waits, and finds this group's entries at the end.
LOCK_AUDIT_HEADS = """
INSERT INTO audit_heads (tenant, seq, hash)
SELECT tenant, 0, $2 FROM unnest($1::text[]) AS n (tenant) ORDER BY tenant COLLATE "C"
ON CONFLICT (tenant) DO UPDATE SET seq = audit_heads.seq RETURNING tenant, seq, hash, seal"""
# Tenant, seq, entry of each.
ADD_ENTRIES = """
INSERT INTO audit (tenant, seq, entry) SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[])"""
# Tenant, seq, hash, seal of each.
MOVE_AUDIT_HEADS = """
UPDATE audit_heads AS h SET seq = n.seq, hash = n.hash, seal = n.seal
FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[]) AS n (tenant, seq, hash, seal)
WHERE h.tenant = n.tenant"""
# (tenant, seq, hash, seal before, seal) -> a row when it was still there.
PUT_SEAL = """
UPDATE audit_heads SET seal = $5 WHERE tenant = $1 AND seq = $2 AND hash = $3 AND seal IS NOT DISTINCT FROM $4
RETURNING tenant"""
AUDIT = "SELECT entry, seq FROM audit WHERE tenant = $1 AND seq > $2 ORDER BY seq LIMIT $3"
AUDIT_HEAD = "SELECT tenant, seq, hash, seal FROM audit_heads WHERE tenant = $1"
# (tenant, limit) -> the fields of `AuditHead`.
AUDIT_HEADS = "SELECT tenant, seq, hash, seal FROM audit_heads WHERE tenant > $1 ORDER BY tenant LIMIT $2"
# The tenants that have tokens and no log.
WITHOUT_LOG = (
    "SELECT DISTINCT tenant FROM tokens WHERE tenant NOT IN (SELECT tenant FROM audit_heads) ORDER BY tenant"
)
# Of any version of the schema: without a seal before 12.
ANY_AUDIT_HEAD = "SELECT * FROM audit_heads WHERE tenant = $1"
# Every tenant that has an entry or a head, or a token, which is in the log, or a thread, which takes a token.
AUDITED = """
SELECT tenant FROM audit_heads UNION SELECT tenant FROM audit UNION SELECT tenant FROM tokens
UNION SELECT tenant FROM threads ORDER BY tenant"""

# Refusals

ADD_REFUSAL = """
INSERT INTO refusals (tenant, thread, requester, identity, request, at, until) VALUES ($1, $2, $3, $4, $5, $6, $7)"""
# (tenant, thread, requester, identity, since), newest first.
REFUSALS = """
SELECT tenant, thread, requester, identity, request, at, until FROM refusals
WHERE tenant = $1 AND thread = $2 AND requester = $3 AND identity = $4 AND at > $5
ORDER BY at DESC, key DESC LIMIT 10"""
# (tenant, thread, at, request or null, requester or null).
LIFT = """
UPDATE refusals SET until = $3 WHERE tenant = $1 AND thread = $2 AND until > $3
AND requester = coalesce($5::text, requester)
AND ($4::text IS NULL
     OR (requester, identity) IN (SELECT requester, identity FROM refusals WHERE tenant = $1 AND request = $4))"""
