"""The SQL texts of secrets, candidates and grants. Parameters are positional, as in `queries`."""

# ruff: noqa: S105, S608  (nothing here is a password, and no value is ever put into a text)

from __future__ import annotations

from askback.storage.sqlite.access_queries import MAY_DO_ALL

# In the order of the fields of `SecretRecord`.
_FIELDS = ("id", "tenant", "owner", "scope", "subject", "name", "version", "sealed", "wire")
_SECRET = ", ".join(_FIELDS)
# A page of room: more than a leaf page takes of any row, so that `sealed`, which comes after it, is not in the leaf.
_ROOM = "zeroblob((SELECT page_size FROM pragma_page_size))"

# Secrets

# (the fields of a secret) -> fails when its place or its id is taken.
ADD_SECRET = f"INSERT INTO secrets ({_SECRET}, room) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, {_ROOM})"
# (version, sealed, wire, id, tenant, owner, scope, subject, name, version) -> a row when the version before was there.
REPLACE_SECRET = """
UPDATE secrets SET version = ?, sealed = ?, wire = ?
WHERE id = ? AND tenant = ? AND owner = ? AND scope = ? AND subject = ? AND name = ? AND version = ? - 1
RETURNING key"""
SECRET = f"SELECT {_SECRET} FROM secrets WHERE id = ? AND tenant = ?"
# (id, tenant) -> a row when there was such a secret.
DROP_SECRET = "DELETE FROM secrets WHERE id = ? AND tenant = ? RETURNING key"


def secrets_at(*, places: int, names: int) -> str:
    """Return the query of names in places: for each place tenant, owner, scope, subject and then the names.

    One search of the index for each name in each place: conditions on pairs would search by tenant and owner only.
    """
    at = f"""
SELECT {_SECRET} FROM secrets
WHERE tenant = ? AND owner = ? AND scope = ? AND subject = ? AND name IN ({_marks(names)})"""
    return " UNION ALL ".join([at] * places)


# What a person may look after: (person, person, person). Without the thread of a secret nobody has shared it.
_THEIRS = f"""
(owner = ? OR scope <> 'session' AND owner = '' OR scope = 'session' AND NOT EXISTS (
    SELECT 1 FROM threads AS t WHERE t.tenant = secrets.tenant AND t.id = secrets.subject AND NOT {MAY_DO_ALL}))"""


def list_secrets(*, person: bool, before: bool) -> str:
    """Return the query of one page of secrets.

    Parameters: tenant, a person three times and `before` as far as chosen, then the limit.
    """
    # The first condition is written exactly as in the partial indexes, or SQLite would not use them.
    where = ["scope <> 'request'", "tenant = ?"]
    if person:
        where.append(_THEIRS)
    if before:
        where.append("id < ?")
    return f"SELECT {_SECRET} FROM secrets WHERE {' AND '.join(where)} ORDER BY id DESC LIMIT ?"


# Candidates

# A candidate replaces the one that its request had for the name: (request, the fields of a secret).
PUT_CANDIDATE = f"""
INSERT OR REPLACE INTO candidates (request, {_SECRET}, room) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, {_ROOM})"""
CANDIDATES = f"SELECT {_SECRET} FROM candidates WHERE tenant = ? AND request = ? ORDER BY name"
DROP_CANDIDATES = "DELETE FROM candidates WHERE tenant = ? AND request = ?"

# Grants

# (tenant, thread id, requester, name, secret id, request id). Replaced by a new row, whose key is the highest.
PUT_GRANT = """
INSERT OR REPLACE INTO grants (tenant, thread, requester, name, secret, request) VALUES (?, ?, ?, ?, ?, ?)"""

# (tenant, secret id, agent)
LET_USE = "INSERT OR IGNORE INTO secret_agents (tenant, secret, agent) VALUES (?, ?, ?)"
LET_NO_MORE = "DELETE FROM secret_agents WHERE tenant = ? AND secret = ? AND agent = ?"
TAKE_BACK_ONE = "DELETE FROM grants WHERE tenant = ? AND secret = ? AND requester = ?"
# (tenant, secret id)
LET_NOBODY_USE = "DELETE FROM secret_agents WHERE tenant = ? AND secret = ?"
# (tenant, secret id, agents as a JSON array)
TAKE_BACK = """
DELETE FROM grants WHERE tenant = ? AND secret = ? AND requester NOT IN (SELECT value FROM json_each(?))"""
AGENTS_OF = (
    "SELECT secret, agent FROM secret_agents WHERE tenant = ? AND secret IN (SELECT value FROM json_each(?))"
)


def granted(*, names: int, requester: bool) -> str:
    """Return the query of the newest grant of each name: tenant, thread id, the names, then the requester if chosen.

    The columns are those of `Grant`, then those of `SecretRecord`, which are NULL when the secret is gone.
    """
    of = " AND g.requester = ?" if requester else ""
    # SQLite takes the other columns from the row that has the maximum.
    secret = ", ".join(f"s.{column}" for column in _FIELDS)
    return f"""
SELECT g.tenant, g.thread, g.requester, g.name, g.secret, g.request, {secret}, max(g.key)
FROM grants AS g LEFT JOIN secrets AS s ON s.id = g.secret AND s.tenant = g.tenant
WHERE g.tenant = ? AND g.thread = ? AND g.name IN ({_marks(names)}){of} GROUP BY g.name"""


# Rotation

# The last id of the next page: (tenant or NULL, id, the same again, limit). A candidate may have the id of the secret
# that it is to replace, so a page is measured in ids and never ends between two texts of one.
LAST_OF_PAGE = """
SELECT max(id) FROM (
    SELECT id FROM secrets WHERE tenant = coalesce(?, tenant) AND id > ?
    UNION SELECT id FROM candidates WHERE tenant = coalesce(?, tenant) AND id > ? ORDER BY id LIMIT ?)"""
# All texts of a page, twice the tenant or NULL, its first id (exclusive) and its last.
SEALED = f"""
SELECT {_SECRET} FROM secrets WHERE tenant = coalesce(?, tenant) AND id > ? AND id <= ?
UNION ALL SELECT {_SECRET} FROM candidates WHERE tenant = coalesce(?, tenant) AND id > ? AND id <= ?
ORDER BY id"""
# (sealed, id, the text that it replaces) -> a row when that was still there.
REWRAP_SECRET = "UPDATE secrets SET sealed = ? WHERE id = ? AND sealed = ? RETURNING key"
REWRAP_CANDIDATE = "UPDATE candidates SET sealed = ? WHERE id = ? AND sealed = ? RETURNING key"


def _marks(count: int) -> str:
    return ", ".join("?" * count)
