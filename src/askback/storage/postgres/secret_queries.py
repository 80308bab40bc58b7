"""The SQL texts of secrets, candidates and grants."""

# ruff: noqa: S105, S608  (nothing here is a password, and no value is ever put into a text)

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askback.storage.postgres.access_queries import may_do_all
from askback.storage.sql.conditions import Conditions

# In the order of the fields of `SecretRecord`.
_FIELDS = ("id", "tenant", "owner", "scope", "subject", "name", "version", "sealed", "wire")
_SECRET = ", ".join(_FIELDS)
_VALUES = ", ".join(f"${n}" for n in range(1, len(_FIELDS) + 1))

# Secrets

# (the fields of a secret) -> a row unless its place or its id is taken.
ADD_SECRET = f"INSERT INTO secrets ({_SECRET}) VALUES ({_VALUES}) ON CONFLICT DO NOTHING RETURNING id"
# (the fields of a secret) -> a row when the version before was there.
REPLACE_SECRET = """
UPDATE secrets SET version = $7, sealed = $8, wire = $9
WHERE id = $1 AND tenant = $2 AND owner = $3 AND scope = $4 AND subject = $5 AND name = $6 AND version = $7 - 1
RETURNING id"""
SECRET = f"SELECT {_SECRET} FROM secrets WHERE id = $1 AND tenant = $2"
# (id, tenant) -> a row when there was such a secret.
DROP_SECRET = "DELETE FROM secrets WHERE id = $1 AND tenant = $2 RETURNING id"
# (tenant, owner, scopes, subjects, names): names in places.
SECRETS_AT = f"""
SELECT {", ".join(f"s.{column}" for column in _FIELDS)}
FROM unnest($3::text[], $4::text[]) AS at (scope, subject) CROSS JOIN unnest($5::text[]) AS wanted (name)
JOIN secrets AS s ON s.tenant = $1 AND s.owner = $2 AND s.scope = at.scope AND s.subject = at.subject
    AND s.name = wanted.name"""

# What a person may look after. Without the thread of a secret nobody has shared it.
_THEIRS = f"""
(owner = {{0}} OR scope <> 'session' AND owner = '' OR scope = 'session' AND NOT EXISTS (
    SELECT 1 FROM threads AS t
    WHERE t.tenant = secrets.tenant AND t.id = secrets.subject AND NOT {may_do_all("{0}")}))"""


def list_secrets(
    tenant: str, *, person: str | None, before: str | None, limit: int
) -> tuple[str, Sequence[Any]]:
    """Return the query of one page of secrets, and its parameters."""
    where = Conditions()
    # The first condition is written exactly as in the partial index, or Postgres would not use it.
    where.add("scope <> 'request'")
    where.add("tenant = {}", tenant)
    for condition, value in ((_THEIRS, person), ("id < {}", before)):
        if value is not None:
            where.add(condition, value)
    return where.query(f"SELECT {_SECRET} FROM secrets", f"ORDER BY id DESC LIMIT {where.parameter(limit)}")


# Candidates

# A candidate replaces the one that its request had for the name: (the fields of a secret, request).
PUT_CANDIDATE = f"""
INSERT INTO candidates ({_SECRET}, request) VALUES ({_VALUES}, ${len(_FIELDS) + 1})
ON CONFLICT (tenant, request, name) DO UPDATE SET id = excluded.id, owner = excluded.owner, scope = excluded.scope,
    subject = excluded.subject, version = excluded.version, sealed = excluded.sealed, wire = excluded.wire"""
CANDIDATES = f"SELECT {_SECRET} FROM candidates WHERE tenant = $1 AND request = $2 ORDER BY name"
DROP_CANDIDATES = "DELETE FROM candidates WHERE tenant = $1 AND request = $2"

# Grants

# (tenant, thread id, requester, name, secret id, request id). The newest has the highest key.
PUT_GRANT = """
INSERT INTO grants (tenant, thread, requester, name, secret, request) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (tenant, thread, name, requester) DO UPDATE SET key = DEFAULT, secret = excluded.secret,
    request = excluded.request"""

# (tenant, secret id, agent)
LET_USE = "INSERT INTO secret_agents (tenant, secret, agent) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"
LET_NO_MORE = "DELETE FROM secret_agents WHERE tenant = $1 AND secret = $2 AND agent = $3"
TAKE_BACK_ONE = "DELETE FROM grants WHERE tenant = $1 AND secret = $2 AND requester = $3"
# (tenant, secret id)
LET_NOBODY_USE = "DELETE FROM secret_agents WHERE tenant = $1 AND secret = $2"
# (tenant, secret id, agents)
TAKE_BACK = "DELETE FROM grants WHERE tenant = $1 AND secret = $2 AND requester <> ALL ($3::text[])"
AGENTS_OF = "SELECT secret, agent FROM secret_agents WHERE tenant = $1 AND secret = ANY ($2::text[])"


def granted(
    tenant: str, thread_id: str, names: Sequence[str], *, requester: str | None
) -> tuple[str, Sequence[Any]]:
    """Return the query of the newest grant of each name, and its parameters.

    The columns are those of `Grant`, then those of `SecretRecord`, which are NULL when the secret is gone.
    """
    where = Conditions()
    where.add("g.tenant = {} AND g.thread = {} AND g.name = ANY ({}::text[])", tenant, thread_id, names)
    if requester is not None:
        where.add("g.requester = {}", requester)
    secret = ", ".join(f"s.{column}" for column in _FIELDS)
    return where.query(
        f"""
SELECT DISTINCT ON (g.name) g.tenant, g.thread, g.requester, g.name, g.secret, g.request, {secret}
FROM grants AS g LEFT JOIN secrets AS s ON s.id = g.secret AND s.tenant = g.tenant""",
        "ORDER BY g.name, g.key DESC",
    )


# Rotation

# The last id of the next page: (tenant or NULL, id, limit). A candidate may have the id of the secret that it is to
# replace, so a page is measured in ids and never ends between two texts of one.
LAST_OF_PAGE = """
SELECT max(id) FROM (
    (SELECT id FROM secrets WHERE tenant = coalesce($1, tenant) AND id > $2 ORDER BY id LIMIT $3)
    UNION (SELECT id FROM candidates WHERE tenant = coalesce($1, tenant) AND id > $2 ORDER BY id LIMIT $3)
    ORDER BY id LIMIT $3) AS page"""
# All texts of a page: (tenant or NULL, its first id, exclusive, and its last).
SEALED = f"""
SELECT {_SECRET} FROM secrets WHERE tenant = coalesce($1, tenant) AND id > $2 AND id <= $3
UNION ALL SELECT {_SECRET} FROM candidates WHERE tenant = coalesce($1, tenant) AND id > $2 AND id <= $3
ORDER BY id"""
# (id, the text that it replaces, sealed) -> a row when that was still there.
REWRAP_SECRET = "UPDATE secrets SET sealed = $3 WHERE id = $1 AND sealed = $2 RETURNING id"
REWRAP_CANDIDATE = "UPDATE candidates SET sealed = $3 WHERE id = $1 AND sealed = $2 RETURNING id"
