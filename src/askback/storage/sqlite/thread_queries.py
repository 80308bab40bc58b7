"""The SQL texts of the writer thread for threads. Parameters are positional, as in `queries`."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

from askback.storage.sql import threads
from askback.storage.sql.requests import OPEN, RECORD, REQUESTS
from askback.storage.sql.threads import IN_FRONT, NOTHING_OPEN
from askback.storage.sqlite.dialect import rewrite

# Quotas

# Give the next seq of a thread as `queries.NEXT_SEQ` does, and count a form there, in a window that begins with the
# first one after the last has passed: (tenant, id, agents, now, window) -> what that returns, asked, asked_from.
NEXT_SEQ_COUNTED = """
INSERT INTO threads (tenant, id, agents, seq, asked, asked_from) VALUES (?1, ?2, ?3, 1, 1, ?4)
ON CONFLICT (tenant, id) DO UPDATE SET seq = seq + 1, agents = coalesce(agents, excluded.agents), erased = 0,
    asked = iif(asked_from + ?5 <= ?4, 1, asked + 1), asked_from = iif(asked_from + ?5 <= ?4, ?4, asked_from)
RETURNING key, seq, access, agents, archived_at, asked, asked_from"""
# Uncount a form in the current window: (tenant, thread id, when it was asked).
GIVE_BACK = """
UPDATE threads SET asked = asked - 1 WHERE tenant = ? AND id = ? AND asked > 0 AND asked_from <= ?"""
# The count of a tool or an agent: (thread key, name, now, window, limit of the agent).
# Uncounted: (thread key, when asked, names as JSON).
COUNT_QUESTION = """
INSERT INTO question_counts (thread, name, asked, asked_from, set_by_asker) VALUES (?1, ?2, 1, ?3, ?5)
ON CONFLICT (thread, name) DO UPDATE SET asked = iif(asked_from + ?4 <= ?3, 1, asked + 1),
    asked_from = iif(asked_from + ?4 <= ?3, ?3, asked_from), set_by_asker = coalesce(?5, set_by_asker)
RETURNING asked, asked_from"""
GIVE_COUNTS_BACK = """
UPDATE question_counts SET asked = asked - 1
WHERE thread = ? AND asked > 0 AND asked_from <= ? AND name IN (SELECT value FROM json_each(?))"""
# How many are open, counted no further than a limit: (thread key, limit), (tenant, requester, limit).
PENDING_IN_THREAD = (
    f"SELECT count(*) FROM (SELECT 1 FROM requests AS r WHERE {OPEN} AND r.thread = ? LIMIT ?)"
)
PENDING_OF_REQUESTER = f"""
SELECT count(*) FROM (SELECT 1 FROM requests AS r WHERE {OPEN} AND r.tenant = ? AND r.requester = ? LIMIT ?)"""

# Exclusive keys

# Who has the key: (thread key, requester, exclusive).
HOLDER = rewrite(
    f"SELECT {RECORD} {REQUESTS} WHERE {IN_FRONT} AND r.thread = $1 AND r.requester = $2 AND r.exclusive = $3"
)

# The archive, refusals

# (archived_at, thread key), (at, thread key)
SET_ARCHIVED = "UPDATE threads SET archived_at = ?1, archiving = ?1 IS NOT NULL WHERE key = ?2"
SET_REFUSED_AT = "UPDATE threads SET refused_at = ? WHERE key = ?"


# Held messages

# (tenant, thread id) -> key, owner, data of each, in order.
HELD_MESSAGES = f"""
SELECT m.key, m.owner, m.data FROM messages AS m JOIN threads AS t ON t.key = m.thread
WHERE m.held = 1 AND t.tenant = ? AND t.id = ? AND {NOTHING_OPEN} ORDER BY m.seq"""
DELIVER = "UPDATE messages SET held = 0, data = ?, seq = ? WHERE key = ?"

# Retention: (thread key, since).
STILL_IDLE = rewrite(threads.STILL_IDLE)

# Erasure: rows that refer to requests and messages of a thread go before them. The first parameters are the key of
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
    f"""DELETE FROM rule_uses WHERE {_ITS_OWN}
        AND rule IN (SELECT id FROM rules WHERE tenant = ?2 AND scope = 'thread' AND subject = ?3)""",
    f"DELETE FROM rules WHERE {_ITS_OWN} AND scope = 'thread' AND subject = ?3",
    f"DELETE FROM policies WHERE {_ITS_OWN} AND thread = ?3",
    f"DELETE FROM files WHERE {_ITS_OWN} AND thread = ?3",
)
ERASE_BY_REQUESTS = (
    f"DELETE FROM claims WHERE tenant = ?2 AND target IN {_REQUEST_IDS}",
    f"DELETE FROM candidates WHERE tenant = ?2 AND request IN {_REQUEST_IDS}",
    f"DELETE FROM personal_marks WHERE tenant = ?2 AND request IN {_REQUEST_IDS}",
    f"DELETE FROM comments WHERE tenant = ?2 AND request IN {_REQUEST_IDS}",
    f"DELETE FROM oauth_attempts WHERE tenant = ?2 AND request IN {_REQUEST_IDS}",
    f"DELETE FROM secrets WHERE tenant = ?2 AND scope = 'request' AND subject IN {_REQUEST_IDS}",
)
ERASE = (
    "DELETE FROM executions WHERE request IN (SELECT r.key FROM requests AS r WHERE r.thread = ?)",
    "DELETE FROM events WHERE thread = ?",
    "DELETE FROM messages WHERE thread = ?",
    "DELETE FROM requests WHERE thread = ?",
    "DELETE FROM thread_words WHERE thread = ?",
    "DELETE FROM thread_activity WHERE thread = ?",
    "DELETE FROM runs WHERE thread = ?",
    "DELETE FROM question_counts WHERE thread = ?",
    """UPDATE threads SET asked = 0, asked_from = 0, refused_at = NULL, title = NULL, metadata = NULL,
        answers_as_messages = FALSE WHERE key = ?""",
)
# Once its event has its number.
ERASED = "UPDATE threads SET erased = 1 WHERE key = ?"
