"""The SQL texts of requests, threads and access, by name; `policy_queries` and `secret_queries` have the rest.

Parameters are positional, in the order of the text.
"""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

from askback.storage.sqlite.access_queries import MAY_VIEW

# Threads

# Give the next seq of a thread, making the thread on its first event; it belongs to the first agent that writes there:
# (tenant, id, agents) -> key, seq, access, agents, archived_at.
NEXT_SEQ = """
INSERT INTO threads (tenant, id, seq, agents) VALUES (?, ?, 1, ?)
ON CONFLICT (tenant, id) DO UPDATE SET seq = seq + 1, agents = coalesce(agents, excluded.agents)
RETURNING key, seq, access, agents, archived_at"""

# (tenant, id) -> key, seq, access, agents, archived_at.
THREAD = "SELECT key, seq, access, agents, archived_at FROM threads WHERE tenant = ? AND id = ?"
# The access and the agents, by its key.
SET_ACCESS = "UPDATE threads SET access = ?, agents = ? WHERE key = ?"

# Events

ADD_EVENT = """
INSERT INTO events (tenant, thread, seq, type, request, at, data) VALUES (?, ?, ?, ?, ?, ?, ?)"""

# Both cursors walk an index from where the reader stands. The spec is joined: events keep only the state.
_EVENTS = """
SELECT e.type, t.tenant, t.id, e.at, r.id, e.data, coalesce(r.requester, ''), e.seq, e.position, r.spec,
    r.hides_names, t.access, t.agents
FROM events AS e JOIN threads AS t ON t.key = e.thread LEFT JOIN requests AS r ON r.key = e.request"""
THREAD_EVENTS = f"{_EVENTS} WHERE t.tenant = ? AND t.id = ? AND e.seq > ? ORDER BY e.seq LIMIT ?"
TENANT_EVENTS = f"{_EVENTS} WHERE e.tenant = ? AND e.position > ? ORDER BY e.position LIMIT ?"
# The person twice, after the position.
PERSONS_EVENTS = f"{_EVENTS} WHERE e.tenant = ? AND e.position > ? AND {MAY_VIEW} ORDER BY e.position LIMIT ?"
LAST_POSITION = "SELECT max(position) FROM events WHERE tenant = ?"

# Requests

ADD_REQUEST = """
INSERT INTO requests (tenant, id, thread, kind, requester, status, revision,
                      created_at, expires_at, created_seq, state, spec, digest, due_at, exclusive, behind, hides_names)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""

# The compare-and-set. The expected statuses come as ' pending resolving ': one text for any number of them.
# Parameters: status, state, by how much the revision grows, a new spec or null, whether the times change, and to what,
# whether it leaves its line.
SETTLE = """
UPDATE requests SET status = ?, state = ?, revision = revision + ?, spec = coalesce(?, spec),
    expires_at = iif(?, ?, expires_at), due_at = iif(?, ?, due_at),
    behind = iif(?, 0, behind)
WHERE tenant = ? AND id = ? AND instr(?, ' ' || status || ' ') AND revision = coalesce(?, revision)
    AND state = coalesce(?, state)
RETURNING key, kind, requester, revision, created_at, expires_at, spec, digest, due_at, exclusive, behind,
    hides_names"""

# In the order of the fields of `Record`.
RECORD = """
r.id, r.tenant, t.id, r.kind, r.requester, r.status, r.revision,
r.created_at, r.expires_at, r.spec, r.state, r.digest, r.due_at, t.access, t.agents, r.exclusive, r.behind,
r.hides_names"""
REQUESTS = "FROM requests AS r JOIN threads AS t ON t.key = r.thread"
GET = f"SELECT {RECORD} {REQUESTS} WHERE r.tenant = ? AND r.id = ?"

# Written exactly as in the partial indexes, or SQLite would not use them.
OPEN = "r.status IN ('pending', 'resolving')"
# Behind this tenant and id, so many.
OPEN_REQUESTS = f"""
SELECT {RECORD} {REQUESTS} WHERE {OPEN} AND (r.tenant, r.id) > (?, ?) ORDER BY r.tenant, r.id LIMIT ?"""
DUE = f"""
SELECT {RECORD} {REQUESTS} WHERE {OPEN} AND r.due_at IS NOT NULL AND r.due_at <= ?
ORDER BY r.due_at LIMIT ?"""
NEXT_DEADLINE = f"SELECT min(r.due_at) FROM requests AS r WHERE {OPEN} AND r.due_at IS NOT NULL"


def list_requests(
    *, thread: bool, statuses: int, only_open: bool, kind: bool, requester: bool, person: bool, before: bool
) -> str:
    """Return the query of one page of requests with the chosen filters; each of them walks one index in its order.

    Parameters: tenant, then thread id, statuses, kind, requester, a person twice and before as far as chosen, then the
    limit.
    """
    # The unary plus keeps SQLite off the weaker index when a thread narrows the rows far more.
    tenant = "t.tenant = ? AND +r.tenant = t.tenant AND t.id = ?" if thread else "r.tenant = ?"
    where = [tenant]
    if statuses:
        where.append(f"r.status IN ({', '.join('?' * statuses)})")
    if only_open:
        where.append(OPEN)
    where += [f"r.{column} = ?" for column, wanted in (("kind", kind), ("requester", requester)) if wanted]
    where += _page(person=person, before=before)
    return f"SELECT {RECORD} {REQUESTS} WHERE {' AND '.join(where)} ORDER BY r.id DESC LIMIT ?"


def list_branches(*, branches: int, requester: bool, person: bool, before: bool) -> str:
    """Return the query of one page of requests by kind and status; see `storage.branches`.

    Parameters: for each branch the tenant, the requester if chosen, kind, status, a person twice and before as far as
    chosen, and the limit; then the limit.
    """
    where = ["r.tenant = ?", *(["r.requester = ?"] if requester else []), "r.kind = ?", "r.status = ?"]
    where += _page(person=person, before=before)
    index = "requests_requester" if requester else "requests_kind"
    source = f"FROM requests AS r INDEXED BY {index}"
    if person:
        source += " JOIN threads AS t ON t.key = r.thread"
    branch = (
        f"SELECT * FROM (SELECT r.key, r.id {source} WHERE {' AND '.join(where)} ORDER BY r.id DESC LIMIT ?)"
    )
    page = f"SELECT key FROM ({' UNION ALL '.join([branch] * branches)}) ORDER BY id DESC LIMIT ?"
    return f"SELECT {RECORD} {REQUESTS} WHERE r.key IN ({page}) ORDER BY r.id DESC"


def _page(*, person: bool, before: bool) -> list[str]:
    return [*([MAY_VIEW] if person else []), *(["r.id < ?"] if before else [])]


# The newest requests and messages of a thread, newest first: (thread key, limit).
THREAD_REQUESTS = f"""
SELECT r.created_seq, {RECORD} {REQUESTS} WHERE r.thread = ? ORDER BY r.id DESC LIMIT ?"""
THREAD_MESSAGES = "SELECT id, seq, data, streamed FROM messages WHERE thread = ? ORDER BY seq DESC LIMIT ?"

# Messages

ADD_MESSAGE = (
    "INSERT INTO messages (thread, id, owner, seq, data, streamed, held) VALUES (?, ?, ?, ?, ?, '', ?)"
)

# (text, tenant, thread id, message id, owner, room) -> a row when there is such a message of that owner.
APPEND_TEXT = """
UPDATE messages SET streamed = streamed || ?
WHERE thread = (SELECT key FROM threads WHERE tenant = ? AND id = ?) AND id = ? AND owner = ?
    AND length(CAST(streamed AS BLOB)) <= ?
RETURNING key"""
# (tenant, thread id, message id, owner)
MESSAGE_THERE = """
SELECT 1 FROM messages
WHERE thread = (SELECT key FROM threads WHERE tenant = ? AND id = ?) AND id = ? AND owner = ?"""

# Claims

# Take a key: a row when it was free, none when it is taken.
TAKE_CLAIM = """
INSERT INTO claims (tenant, principal, scope, key, digest, target) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING RETURNING target"""
CLAIM = "SELECT digest, target FROM claims WHERE tenant = ? AND principal = ? AND scope = ? AND key = ?"

# Logins, sessions

_PERSON = "principal, tenant, role, name, person, groups"
PUT_LOGIN = f"""
INSERT INTO logins (digest, {_PERSON}, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (digest) DO UPDATE SET principal = excluded.principal, tenant = excluded.tenant, role = excluded.role,
    name = excluded.name, person = excluded.person, groups = excluded.groups, expires_at = excluded.expires_at"""
USE_LOGIN = f"DELETE FROM logins WHERE digest = ? AND expires_at > ? RETURNING {_PERSON}"
_SESSION = f"id, {_PERSON}, half, device, created_at, seen_at, expires_at"
ADD_SESSION = f"""
INSERT INTO browser_sessions (digest, {_SESSION}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
SESSION = f"SELECT {_SESSION} FROM browser_sessions WHERE digest = ? AND expires_at > ?"
# (now, tenant or NULL twice, person or NULL twice, ids as a JSON array or NULL twice)
SESSIONS = f"""
SELECT {_SESSION} FROM browser_sessions
WHERE expires_at > ? AND (? IS NULL OR tenant = ?) AND (? IS NULL OR person = ?)
    AND (? IS NULL OR id IN (SELECT value FROM json_each(?)))
ORDER BY id DESC"""
TOUCH_SESSION = "UPDATE browser_sessions SET seen_at = max(seen_at, ?) WHERE id = ?"
END_SESSION = "DELETE FROM browser_sessions WHERE id = ?"
SERVER_ID = "SELECT id FROM server"
DROP_LATE_LOGINS = "DELETE FROM logins WHERE expires_at <= ?"
DROP_LATE_SESSIONS = "DELETE FROM browser_sessions WHERE expires_at <= ?"
