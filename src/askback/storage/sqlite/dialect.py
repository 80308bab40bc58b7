"""Rewrites the SQL of `storage.sql`, which is that of Postgres, for SQLite: each text once."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

import re
from functools import cache

from askback.storage.sql import audit, executions, messages, resumes, secrets, threads, webhooks

_COLUMNS = r"unnest\(([^)]*)\)"
_ALIAS = r"\s+AS (\w+) \(([^)]*)\)"
_REWRITES = [
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"= ANY \((\$\d+)::text\[\]\)", r"IN (SELECT value FROM json_each(\1))"),
        (r"<> ALL \((\$\d+)::text\[\]\)", r"NOT IN (SELECT value FROM json_each(\1))"),
        (r"([\w.]+)::json ->> '(\w+)'", r"json_extract(\1, '$.\2')"),
        (
            r"([\w.]+)::json -> '(\w+)' ->> (\$\d+)",
            r"(SELECT p.value FROM json_each(\1, '$.\2') AS p WHERE p.key = \3)",
        ),
        (r"::[a-z]+(\[\])?", ""),
        # Appended text of a message is in its row.
        (r"\(SELECT string_agg\([^)]*\) FROM deltas AS d WHERE d\.message = m\.key\)", "m.streamed"),
        (r" FOR (NO KEY )?UPDATE( OF \w+)?( SKIP LOCKED)?", ""),
        (r"/\* (INDEXED BY \w+) \*/", r"\1"),
        (r"\bgreatest\(", "max("),
        (r"\bleast\(", "min("),
        (r"\bIS NOT DISTINCT FROM\b", "IS"),
        (r"= TRUE\b", "= 1"),
        (r"= FALSE\b", "= 0"),
        # Events point at their requests by key.
        (r"r\.tenant = e\.tenant AND r\.id = e\.request", "r.key = e.request"),
        (r"\$(\d+)", r"?\1"),
    )
]

# A page of room: more than a leaf page takes of any row, so that `sealed`, which comes after it, is not in the leaf.
_SPACE_QUERIES = (
    r" \(([^)]*)\) VALUES \(([^)]*)\)",
    r" (\1, room) VALUES (\2, zeroblob((SELECT page_size FROM pragma_page_size)))",
)
_LEASE = """
UPDATE resumes SET attempt = attempt + 1, available_at = ?4
WHERE key IN (SELECT key FROM resumes WHERE finished_at IS NULL AND tenant = ?1 AND requester = ?2{}
    AND available_at <= ?3 ORDER BY key LIMIT ?5)
RETURNING id, tenant, thread, requester, request, available_at, held, cause, attempt"""
_REQUEST_KEY = "(SELECT key FROM requests WHERE tenant = ?1 AND id = ?2)"

SQLITE_VARIANTS = {
    webhooks.LOCK: "SELECT ?1",  # there is one writer
    # A statement that changes rows cannot be part of another: the request is read by a separate statement.
    resumes.LEASE: _LEASE.format(""),
    resumes.LEASE_IN_THREAD: _LEASE.format(" AND thread = ?6"),
    resumes.LEASE_ONE: """
UPDATE resumes SET attempt = attempt + 1, available_at = ?4
WHERE tenant = ?1 AND id = ?2 AND finished_at IS NULL AND available_at <= ?3
RETURNING id, tenant, thread, requester, request, available_at, held, cause, attempt""",
    # Executions point at their requests by key. A SELECT, because NULL for the key of a request that is not there
    # would get the next free number.
    executions.ADD_EXECUTION: f"""
INSERT INTO executions (request, {executions.FIELDS})
SELECT key, ?3, ?4, ?5, ?6 FROM requests WHERE tenant = ?1 AND id = ?2
ON CONFLICT DO NOTHING RETURNING request""",
    executions.EXECUTION: f"SELECT {executions.FIELDS} FROM executions WHERE request = {_REQUEST_KEY}",
    executions.REPORT: f"""
UPDATE executions SET outcome = ?4, note = ?5 WHERE request = {_REQUEST_KEY} AND id = ?3 AND outcome IS NULL
RETURNING {executions.FIELDS}""",
    # A row that is replaced gets the highest key.
    secrets.PUT_GRANT: """
INSERT OR REPLACE INTO grants (tenant, thread, requester, name, secret, request) VALUES (?1, ?2, ?3, ?4, ?5, ?6)""",
    secrets.ADD_SECRET: re.sub(*_SPACE_QUERIES, secrets.ADD_SECRET).replace("$", "?"),
    secrets.PUT_CANDIDATE: re.sub(*_SPACE_QUERIES, secrets.PUT_CANDIDATE).replace("$", "?"),
    # A compound of two indexes is merged in their order, as long as neither part is limited.
    secrets.LAST_OF_PAGE: """
SELECT max(id) FROM (
    SELECT id FROM secrets WHERE tenant = coalesce(?1, tenant) AND id > ?2
    UNION SELECT id FROM candidates WHERE tenant = coalesce(?1, tenant) AND id > ?2 ORDER BY id LIMIT ?3)""",
    messages.SET_MESSAGE: "UPDATE messages SET data = ?2, streamed = '' WHERE key = ?1",
    # The position of an event is its key.
    threads.LAST_POSITION: "SELECT max(position) FROM events WHERE tenant = ?1",
    # Only the writer appends, so the head that it reads is the newest, also of what its group has not committed yet.
    audit.LOCK_AUDIT_HEADS: """
SELECT n.value, coalesce(h.seq, 0), coalesce(h.hash, ?2), h.seal
FROM json_each(?1) AS n LEFT JOIN audit_heads AS h ON h.tenant = n.value""",
    audit.MOVE_AUDIT_HEADS: """
INSERT INTO audit_heads (tenant, seq, hash, seal) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (tenant) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, seal = excluded.seal""",
}
"""Statements that no rule can rewrite, because the tables or the features of the databases differ."""


@cache
def rewrite(sql: str) -> str:
    """Return a statement for SQLite; an array is a parameter that is a JSON array."""
    if sql in SQLITE_VARIANTS:
        return SQLITE_VARIANTS[sql]
    for pattern, replacement in _REWRITES:
        sql = pattern.sub(replacement, sql)
    return sql


@cache
def rewrite_for_row(sql: str) -> str:
    """Return a statement of columns for SQLite: it takes one row, whose values stand where the arrays were."""
    if sql in SQLITE_VARIANTS:
        return SQLITE_VARIANTS[sql]
    sql = re.sub(r"= ANY \((\$\d+)::\w+\[\]\)", r"= \1", sql)
    for parameters, name, columns in re.findall(_COLUMNS + _ALIAS, sql):
        for column, parameter in zip(columns.split(", "), re.findall(r"\$\d+", parameters), strict=True):
            sql = re.sub(rf"\b{name}\.{column}\b", parameter, sql)
    sql = re.sub(rf"SELECT \* FROM {_COLUMNS}(?!{_ALIAS})", r"VALUES (\1)", sql)
    sql = re.sub(rf"JOIN {_COLUMNS}{_ALIAS}\s+ON", "WHERE", sql)
    sql = re.sub(rf"USING {_COLUMNS}{_ALIAS}", "", sql)
    return rewrite(re.sub(_COLUMNS + _ALIAS, r"(SELECT 1) AS \2", sql))
