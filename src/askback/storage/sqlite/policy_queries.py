"""The SQL texts of rules, settings, executions and the audit log. Parameters are positional, as in `queries`."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

from askback.storage.sqlite.access_queries import MAY_VIEW

# Rules

# In the order of the fields of `RuleRecord`.
_RULE = "id, tenant, effect, text, scope, subject, locked, shadow, expires_at, revoked, wire, agent"
ADD_RULE = f"INSERT INTO rules ({_RULE}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
RULE = f"SELECT {_RULE} FROM rules WHERE tenant = ? AND id = ?"

# The first condition is written exactly as in the partial index, or SQLite would not use it.
_IN_FORCE = "revoked = 0 AND coalesce(expires_at > ?, TRUE)"
# (tenant, scope, subject, now, agent), oldest first.
RULES_IN_FORCE = f"""
SELECT {_RULE} FROM rules WHERE tenant = ? AND scope = ? AND subject = ? AND {_IN_FORCE}
    AND coalesce(agent = ?, TRUE) ORDER BY id"""

# (wire, tenant, id) -> a row when this ended the rule.
REVOKE_RULE = """
UPDATE rules SET revoked = 1, wire = ? WHERE tenant = ? AND id = ? AND revoked = 0 RETURNING key"""


# A rule of a thread that the person may not view: (person, person).
_HIDDEN = f"""
scope = 'thread' AND EXISTS (
    SELECT 1 FROM threads AS t WHERE t.tenant = rules.tenant AND t.id = rules.subject AND NOT {MAY_VIEW})"""


def list_rules(*, subjects: int, ended: bool, person: bool, before: bool) -> str:
    """Return the query of one page of rules with the chosen filters.

    Parameters: tenant, then a scope and a subject for each of `subjects`, the time unless `ended`, a person twice and
    `before` as far as chosen, then the limit.
    """
    where = ["tenant = ?"]
    if subjects:
        where.append(f"(scope, subject) IN (VALUES {', '.join(['(?, ?)'] * subjects)})")
    if not ended:
        where.append(_IN_FORCE)
    if person:
        where.append(f"NOT ({_HIDDEN})")
    if before:
        where.append("id < ?")
    return f"SELECT {_RULE} FROM rules WHERE {' AND '.join(where)} ORDER BY id DESC LIMIT ?"


# Settings

# (tenant, thread id, data, data). A merge (RFC 7396): two people who change different settings at once both get
# their way, and null takes one back.
PUT_POLICY = """
INSERT INTO policies (tenant, thread, data) VALUES (?, ?, json_patch('{}', ?))
ON CONFLICT (tenant, thread) DO UPDATE SET data = json_patch(data, ?)"""
# (tenant, thread id) -> the settings of the tenant, under an empty name, and those of the thread.
POLICIES = "SELECT thread, data FROM policies WHERE tenant = ? AND thread IN ('', ?)"

# Executions

_REQUEST = "(SELECT key FROM requests WHERE tenant = ? AND id = ?)"
# In the order of the fields of `Execution`.
_EXECUTION = "id, consumed_at, outcome, note"
# (the execution, tenant, request id) -> a row when it is the first one. A SELECT, because NULL for the key of a
# request that is not there would be given the next free number.
ADD_EXECUTION = f"""
INSERT INTO executions (request, {_EXECUTION}) SELECT key, ?, ?, ?, ? FROM requests WHERE tenant = ? AND id = ?
ON CONFLICT DO NOTHING RETURNING request"""
EXECUTION = f"SELECT {_EXECUTION} FROM executions WHERE request = {_REQUEST}"
# (outcome, note, tenant, request id, execution id) -> the execution, when nothing was reported of it before.
REPORT = f"""
UPDATE executions SET outcome = ?, note = ? WHERE request = {_REQUEST} AND id = ? AND outcome IS NULL
RETURNING {_EXECUTION}"""

# The audit log

ADD_ENTRY = "INSERT INTO audit (tenant, seq, entry) VALUES (?, ?, ?)"
AUDIT = "SELECT entry FROM audit WHERE tenant = ? AND seq > ? ORDER BY seq LIMIT ?"
AUDIT_HEAD = "SELECT tenant, seq, hash, seal FROM audit_heads WHERE tenant = ?"
# (tenant, limit) -> in the order of the fields of `AuditHead`.
AUDIT_HEADS = "SELECT tenant, seq, hash, seal FROM audit_heads WHERE tenant > ? ORDER BY tenant LIMIT ?"
# The tenants that have tokens and no log.
WITHOUT_LOG = (
    "SELECT DISTINCT tenant FROM tokens WHERE tenant NOT IN (SELECT tenant FROM audit_heads) ORDER BY tenant"
)
# Of any version of the schema: without a seal before 10.
ANY_AUDIT_HEAD = "SELECT * FROM audit_heads WHERE tenant = ?"
# Every tenant that has an entry or a head, or a token, which is in the log, or a thread, which takes a token.
AUDITED = """
SELECT tenant FROM audit_heads UNION SELECT tenant FROM audit UNION SELECT tenant FROM tokens
UNION SELECT tenant FROM threads ORDER BY tenant"""
MOVE_AUDIT_HEAD = """
INSERT INTO audit_heads (tenant, seq, hash, seal) VALUES (?, ?, ?, ?)
ON CONFLICT (tenant) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, seal = excluded.seal"""
# (seal, tenant, seq, hash, seal before) -> a row when it was still there.
PUT_SEAL = """
UPDATE audit_heads SET seal = ? WHERE tenant = ? AND seq = ? AND hash = ? AND seal IS ? RETURNING tenant"""

# Refusals

ADD_REFUSAL = """
INSERT INTO refusals (tenant, thread, requester, identity, request, at, until) VALUES (?, ?, ?, ?, ?, ?, ?)"""
# (tenant, thread, requester, identity, since), newest first.
REFUSALS = """
SELECT tenant, thread, requester, identity, request, at, until FROM refusals
WHERE tenant = ? AND thread = ? AND requester = ? AND identity = ? AND at > ?
ORDER BY at DESC, key DESC LIMIT 10"""
# (tenant, thread, at, request or null, requester or null).
LIFT = """
UPDATE refusals SET until = ?3 WHERE tenant = ?1 AND thread = ?2 AND until > ?3 AND requester = coalesce(?5, requester)
AND (?4 IS NULL
     OR (requester, identity) IN (SELECT requester, identity FROM refusals WHERE tenant = ?1 AND request = ?4))"""
