"""The SQL texts of resumes. Parameters are positional, as in `queries`."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

# (the fields of `Resume`): one for each request and cause; a second is no second.
ADD = """
INSERT INTO resumes (id, tenant, thread, requester, request, available_at, held, cause)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (tenant, request, cause) DO NOTHING"""

# The same, then (tenant, request): one for a request that is there.
HOLD = """
INSERT INTO resumes (id, tenant, thread, requester, request, available_at, held, cause)
SELECT ?, ?, ?, ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM requests WHERE tenant = ? AND id = ?)
ON CONFLICT (tenant, request, cause) DO NOTHING"""

_MINE = "finished_at IS NULL AND tenant = ? AND requester = ?"


def _at(thread: bool) -> str:
    return f"{_MINE} AND thread = ?" if thread else _MINE


def lease(*, thread: bool) -> str:
    """Return the query that leases: until, then tenant, requester and thread if chosen, now, and the limit."""
    return f"""
UPDATE resumes SET attempt = attempt + 1, available_at = ?
WHERE key IN (SELECT key FROM resumes WHERE {_at(thread)} AND available_at <= ? ORDER BY key LIMIT ?)
RETURNING id, tenant, thread, requester, request, available_at, held, cause, attempt"""


def next_available(*, thread: bool) -> str:
    """Return the query of the next moment: tenant, requester, and the thread if chosen."""
    return f"SELECT min(available_at) FROM resumes WHERE {_at(thread)}"


# (tenant, requester) -> thread, when the next one there can be leased.
THREADS = f"SELECT thread, min(available_at) FROM resumes WHERE {_MINE} GROUP BY thread"

_STANDING = """
SELECT id, tenant, thread, requester, request, available_at, held, cause, attempt, finished_at IS NOT NULL
FROM resumes"""
# (tenant, id), and (tenant, request id, cause)
STANDING = f"{_STANDING} WHERE tenant = ? AND id = ?"
STANDING_OF = f"{_STANDING} WHERE tenant = ? AND request = ? AND cause = ?"

# (until, tenant, id, now) -> the row when it was there to be leased.
LEASE_ONE = """
UPDATE resumes SET attempt = attempt + 1, available_at = ?
WHERE tenant = ? AND id = ? AND finished_at IS NULL AND available_at <= ?
RETURNING id, tenant, thread, requester, request, available_at, held, cause, attempt"""

# Parameters: now, tenant, id, attempt.
RELEASE = """
UPDATE resumes SET available_at = min(available_at, ?)
WHERE tenant = ? AND id = ? AND attempt = ? AND finished_at IS NULL"""

# (now, id, tenant, requester, attempt) -> a row when it was that lease's to finish.
FINISH = """
UPDATE resumes SET finished_at = ?
WHERE id = ? AND tenant = ? AND requester = ? AND finished_at IS NULL AND attempt = ?
RETURNING key"""
FINISHED = "SELECT finished_at IS NOT NULL FROM resumes WHERE id = ? AND tenant = ? AND requester = ?"

# (tenant, request): one that was leased meanwhile is on its way already.
DROP_HELD = "DELETE FROM resumes WHERE tenant = ? AND request = ? AND held AND attempt = 0"
