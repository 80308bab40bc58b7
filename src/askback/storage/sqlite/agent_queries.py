"""The SQL texts of agents and tokens. Parameters are positional, as in `queries`."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

# Agents, in the order of the fields of `Agent`, roots as JSON.

_AGENT = "id, tenant, name, person, created_at, created_by, stopped_at, roots"
# -> a row unless the id is known.
ADD_AGENT = (
    f"INSERT INTO agents ({_AGENT}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id"
)
AGENT = f"SELECT {_AGENT} FROM agents WHERE tenant = ? AND id = ?"
# By tenant, below an id or null, so many.
AGENTS = (
    f"SELECT {_AGENT} FROM agents WHERE tenant = ?1 AND (?2 IS NULL OR id < ?2) ORDER BY id DESC LIMIT ?3"
)
ROOTS = "SELECT roots FROM agents WHERE tenant = ? AND id = ?"
# (roots, tenant, id, roots before) -> a row when they were replaced.
SET_ROOTS = "UPDATE agents SET roots = ? WHERE tenant = ? AND id = ? AND roots = ? RETURNING id"
# When, tenant, id.
STOP_AGENT = (
    "UPDATE agents SET stopped_at = ? WHERE tenant = ? AND id = ? AND stopped_at IS NULL RETURNING id"
)

# Tokens, in the order of `rows.token`.

_COLUMNS = """principal, tenant, role, name, person, groups, names, threads, id, expires_at,
    source, created_at, created_by, revoked_at, revoked_by, last_used_at"""
PUT_TOKEN = f"""
INSERT OR REPLACE INTO tokens (digest, {_COLUMNS})
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
TOKEN = f"SELECT {_COLUMNS} FROM tokens WHERE digest = ?"
TOKEN_BY_ID = f"SELECT {_COLUMNS} FROM tokens WHERE tenant = ? AND id = ?"
# By tenant, below an id or null, so many.
TOKENS = (
    f"SELECT {_COLUMNS} FROM tokens WHERE tenant = ?1 AND (?2 IS NULL OR id < ?2) ORDER BY id DESC LIMIT ?3"
)
# The same, then the agent.
TOKENS_OF = f"""
SELECT {_COLUMNS} FROM tokens WHERE tenant = ?1 AND principal = ?4 AND (?2 IS NULL OR id < ?2)
ORDER BY id DESC LIMIT ?3"""
# (at, by, tenant, id) -> a row when this revoked it.
REVOKE = """
UPDATE tokens SET revoked_at = ?, revoked_by = ? WHERE tenant = ? AND id = ? AND revoked_at IS NULL RETURNING id"""
# When, tenant, id.
TOUCH = """
UPDATE tokens SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE tenant = ? AND id = ?"""

# By source.
TOKENS_FROM = f"SELECT {_COLUMNS} FROM tokens WHERE source = ?"
