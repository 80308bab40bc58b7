"""The SQL texts of threads as a whole. Parameters are positional, as in `queries`."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

from askback.storage.sqlite.queries import OPEN, RECORD, REQUESTS

# (tenant, thread id)
TERMS = """
SELECT (SELECT data FROM policies WHERE tenant = ?1 AND thread = ''),
       (SELECT data FROM policies WHERE tenant = ?1 AND thread = ?2), t.refused_at, t.access, t.agents
FROM (SELECT 1) LEFT JOIN threads AS t ON t.tenant = ?1 AND t.id = ?2"""

# Quotas

# Give the next seq of a thread as `queries.NEXT_SEQ` does, and count a form there, in a window that begins with the
# first one after the last has passed: (tenant, id, agents, now, window) -> what that returns, asked, asked_from.
NEXT_SEQ_COUNTED = """
INSERT INTO threads (tenant, id, agents, seq, asked, asked_from) VALUES (?1, ?2, ?3, 1, 1, ?4)
ON CONFLICT (tenant, id) DO UPDATE SET seq = seq + 1, agents = coalesce(agents, excluded.agents),
    asked = iif(asked_from + ?5 <= ?4, 1, asked + 1), asked_from = iif(asked_from + ?5 <= ?4, ?4, asked_from)
RETURNING key, seq, access, agents, archived_at, asked, asked_from"""
# Give back what was counted in the window of now: (tenant, thread id, when it was asked).
GIVE_BACK = """
UPDATE threads SET asked = asked - 1 WHERE tenant = ? AND id = ? AND asked > 0 AND asked_from <= ?"""
RESET = "UPDATE threads SET asked = 0, asked_from = 0 WHERE tenant = ? AND id = ?"
# How many are open, counted no further than a limit: (thread key, limit), (tenant, requester, limit).
PENDING_IN_THREAD = (
    f"SELECT count(*) FROM (SELECT 1 FROM requests AS r WHERE {OPEN} AND r.thread = ? LIMIT ?)"
)
PENDING_OF_REQUESTER = f"""
SELECT count(*) FROM (SELECT 1 FROM requests AS r WHERE {OPEN} AND r.tenant = ? AND r.requester = ? LIMIT ?)"""
# (tenant, thread id)
USE = f"""
SELECT t.asked, t.asked_from, (SELECT count(*) FROM requests AS r WHERE {OPEN} AND r.thread = t.key)
FROM threads AS t WHERE t.tenant = ? AND t.id = ?"""

# Exclusive keys

_IN_FRONT = f"{OPEN} AND r.exclusive IS NOT NULL AND r.behind = 0"
# Who has the key: (thread key, requester, exclusive).
HOLDER = (
    f"SELECT {RECORD} {REQUESTS} WHERE {_IN_FRONT} AND r.thread = ? AND r.requester = ? AND r.exclusive = ?"
)
# (tenant, request id) -> a row when another has the key of this one.
HELD_BY_ANOTHER = f"""
SELECT 1 FROM requests AS b JOIN requests AS r
    ON r.thread = b.thread AND r.requester = b.requester AND r.exclusive = b.exclusive
WHERE b.tenant = ? AND b.id = ? AND b.behind = 1 AND {_IN_FRONT}"""
_IN_LINE = f"{OPEN} AND r.behind = 1"
# This is asked all the time. Left to itself SQLite takes the index of what is open in threads, and walks all of that.
NEXT_IN_LINE = f"""
SELECT {RECORD} FROM requests AS r INDEXED BY requests_behind JOIN threads AS t ON t.key = r.thread
WHERE {_IN_LINE} AND NOT EXISTS (
    SELECT 1 FROM requests AS o WHERE o.thread = r.thread AND o.requester = r.requester AND o.exclusive = r.exclusive
        AND o.status IN ('pending', 'resolving') AND (o.behind = 0 OR o.behind = 1 AND o.id < r.id))
LIMIT ?"""

# The archive, refusals

# (archived_at, thread key), (at, thread key)
SET_ARCHIVED = "UPDATE threads SET archived_at = ?1, archiving = ?1 IS NOT NULL WHERE key = ?2"
REFUSED = "UPDATE threads SET refused_at = ? WHERE key = ?"

_NOTHING_OPEN = f"NOT EXISTS (SELECT 1 FROM requests AS r WHERE {OPEN} AND r.thread = t.key)"
# (before, limit), (tenant, thread id)
ARCHIVING = (
    "SELECT tenant, id FROM threads WHERE archiving = 1 AND archived_at < ? ORDER BY archived_at LIMIT ?"
)
ARCHIVING_ENDED = f"UPDATE threads AS t SET archiving = 0 WHERE tenant = ? AND id = ? AND {_NOTHING_OPEN}"

# Held messages

DELIVERABLE = f"""
SELECT DISTINCT t.tenant, t.id FROM messages AS m JOIN threads AS t ON t.key = m.thread
WHERE m.held = 1 AND {_NOTHING_OPEN} LIMIT ?"""
# (tenant, thread id) -> key, owner, data of each, in order.
HELD = f"""
SELECT m.key, m.owner, m.data FROM messages AS m JOIN threads AS t ON t.key = m.thread
WHERE m.held = 1 AND t.tenant = ? AND t.id = ? AND {_NOTHING_OPEN} ORDER BY m.seq"""
DELIVER = "UPDATE messages SET held = 0, data = ?, seq = ? WHERE key = ?"

# Erasure: what is found by the requests and messages of a thread goes before them. The first parameters are the key of
# the thread, its tenant and its id, as far as a statement has them; a claim on a message names the thread in its scope.

_REQUEST_IDS = "(SELECT r.id FROM requests AS r WHERE r.thread = ?1)"
_MESSAGE_IDS = "(SELECT m.id FROM messages AS m WHERE m.thread = ?1)"
_ITS_OWN = "?1 IS NOT NULL AND tenant = ?2"
ERASE_BY_THREAD = (
    f"DELETE FROM claims WHERE tenant = ?2 AND target IN {_MESSAGE_IDS} AND instr(scope, ?3)",
    f"DELETE FROM secrets WHERE {_ITS_OWN} AND scope = 'session' AND subject = ?3",
    f"DELETE FROM grants WHERE {_ITS_OWN} AND thread = ?3",
    f"DELETE FROM resumes WHERE {_ITS_OWN} AND thread = ?3",
    f"DELETE FROM refusals WHERE {_ITS_OWN} AND thread = ?3",
    f"DELETE FROM rules WHERE {_ITS_OWN} AND scope = 'thread' AND subject = ?3",
    f"DELETE FROM policies WHERE {_ITS_OWN} AND thread = ?3",
)
ERASE_BY_REQUESTS = (
    f"DELETE FROM claims WHERE tenant = ?2 AND target IN {_REQUEST_IDS}",
    f"DELETE FROM candidates WHERE tenant = ?2 AND request IN {_REQUEST_IDS}",
    f"DELETE FROM secrets WHERE tenant = ?2 AND scope = 'request' AND subject IN {_REQUEST_IDS}",
)
ERASE = (
    "DELETE FROM executions WHERE request IN (SELECT r.key FROM requests AS r WHERE r.thread = ?)",
    "DELETE FROM events WHERE thread = ?",
    "DELETE FROM messages WHERE thread = ?",
    "DELETE FROM requests WHERE thread = ?",
    "UPDATE threads SET asked = 0, asked_from = 0, refused_at = NULL WHERE key = ?",
)
# (tenant, id, before, limit): the last event of a thread is the one with its seq.
IDLE = f"""
SELECT t.tenant, t.id, e.at FROM threads AS t JOIN events AS e ON e.thread = t.key AND e.seq = t.seq
WHERE (t.tenant, t.id) > (?, ?) AND e.at < ? AND e.type <> 'thread.erased' AND {_NOTHING_OPEN}
ORDER BY t.tenant, t.id LIMIT ?"""
