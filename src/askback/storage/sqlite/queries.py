"""The SQL texts of the writer thread for requests and messages; `storage.sql` has the rest.

Parameters are positional, in the order of the text.
"""

from __future__ import annotations

from functools import cache

# Threads

# Give the next seq of a thread, making the thread on its first event; it belongs to the first agent that writes there:
# (tenant, id, agents) -> key, seq, access, agents, archived_at.
NEXT_SEQ = """
INSERT INTO threads (tenant, id, seq, agents) VALUES (?, ?, 1, ?)
ON CONFLICT (tenant, id) DO UPDATE SET seq = seq + 1, agents = coalesce(agents, excluded.agents), erased = 0
RETURNING key, seq, access, agents, archived_at"""

# (tenant, id) -> key, seq, access, agents, archived_at.
THREAD = "SELECT key, seq, access, agents, archived_at FROM threads WHERE tenant = ? AND id = ?"
# The access and the agents, by its key.
SET_ACCESS = "UPDATE threads SET access = ?, agents = ? WHERE key = ?"

# Events

ADD_EVENT = """
INSERT INTO events (tenant, thread, seq, type, request, at, data) VALUES (?, ?, ?, ?, ?, ?, ?)"""


# Requests


@cache
def add_request(columns: tuple[str, ...]) -> str:
    """Return the statement that adds a request with these columns; the others are NULL.

    `sqlite3` looks for an adapter of each None that is bound, which takes longer than the value of another column.
    """
    return f"INSERT INTO requests ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608


# The compare-and-set. The expected statuses come as ' pending resolving ': one text for any number of them.
# Parameters: status, state, by how much the revision grows, a new spec or null, whether the times change, and to what,
# whether it leaves its line, and how the request ends (`domain.state.End`).
SETTLE = """
UPDATE requests SET status = ?, state = ?, revision = revision + ?, spec = coalesce(?, spec),
    expires_at = iif(?, ?, expires_at), due_at = iif(?, ?, due_at),
    behind = iif(?, 0, behind), settled_at = ?, person = ?, outcome = ?
WHERE tenant = ? AND id = ? AND instr(?, ' ' || status || ' ') AND revision = coalesce(?, revision)
    AND state = coalesce(?, state)
RETURNING key, kind, requester, revision, created_at, expires_at, spec, digest, due_at, exclusive, behind,
    hides_names"""

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
