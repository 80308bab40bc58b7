"""The SQL texts of agents and tokens."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

# Agents, in the order of the fields of `Agent`, roots as JSON.

_AGENT = "id, tenant, name, person, created_at, created_by, stopped_at, roots"
# -> a row unless the id is known.
ADD_AGENT = f"""
INSERT INTO agents ({_AGENT}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING id"""
AGENT = f"SELECT {_AGENT} FROM agents WHERE tenant = $1 AND id = $2"
# (tenant, limit), and the id before.
AGENTS = f"SELECT {_AGENT} FROM agents WHERE tenant = $1 ORDER BY id DESC LIMIT $2"
AGENTS_BEFORE = f"SELECT {_AGENT} FROM agents WHERE tenant = $1 AND id < $3 ORDER BY id DESC LIMIT $2"
ROOTS = "SELECT roots FROM agents WHERE tenant = $1 AND id = $2"
# (roots, tenant, id, roots before) -> a row when they were replaced.
SET_ROOTS = "UPDATE agents SET roots = $1 WHERE tenant = $2 AND id = $3 AND roots = $4 RETURNING id"
# When, tenant, id.
STOP_AGENT = """
UPDATE agents SET stopped_at = $1 WHERE tenant = $2 AND id = $3 AND stopped_at IS NULL RETURNING id"""

# Tokens, in the order of `rows.token`.

_COLUMNS = (
    *("principal", "tenant", "role", "name", "person", "groups", "names", "threads", "id", "expires_at"),
    *("source", "created_at", "created_by", "revoked_at", "revoked_by", "last_used_at"),
)
_TOKEN = ", ".join(_COLUMNS)
PUT_TOKEN = f"""
INSERT INTO tokens (digest, {_TOKEN})
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
ON CONFLICT (digest) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in _COLUMNS)}"""
# By digests.
TOKENS_BY_DIGEST = f"SELECT digest, {_TOKEN} FROM tokens WHERE digest = ANY ($1::text[])"
TOKEN_BY_ID = f"SELECT {_TOKEN} FROM tokens WHERE tenant = $1 AND id = $2"
# (tenant, agent or null, id before or null, limit)
TOKENS = f"""
SELECT {_TOKEN} FROM tokens WHERE tenant = $1 AND ($2::text IS NULL OR principal = $2)
    AND ($3::text IS NULL OR id < $3)
ORDER BY id DESC LIMIT $4"""
# (at, by, tenant, ids) -> the ids of those that this revoked.
REVOKE_TOKENS = """
UPDATE tokens SET revoked_at = $1, revoked_by = $2
WHERE tenant = $3 AND id = ANY ($4::text[]) AND revoked_at IS NULL RETURNING id"""
# Tenant, id, time of each.
TOUCH_TOKENS = """
UPDATE tokens AS t SET last_used_at = greatest(coalesce(t.last_used_at, 0), u.at)
FROM unnest($1::text[], $2::text[], $3::bigint[]) AS u (tenant, id, at)
WHERE t.tenant = u.tenant AND t.id = u.id"""
TOKENS_FROM = f"SELECT {_TOKEN} FROM tokens WHERE source = $1"
