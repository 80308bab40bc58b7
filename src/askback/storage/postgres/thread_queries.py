"""The SQL texts for the threads of a group, and for operations on a whole thread."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

from askback.storage.sql.requests import OPEN, RECORD, REQUESTS
from askback.storage.sql.threads import IN_FRONT, NOTHING_OPEN

# The new state of the threads of a group: key, seq, agents, asked, asked_from, refused_at of each.
KEEP = """
UPDATE threads AS t SET seq = n.seq, agents = n.agents, asked = n.asked, asked_from = n.asked_from,
    refused_at = n.refused_at
FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[])
    AS n (key, seq, agents, asked, asked_from, refused_at)
WHERE t.key = n.key"""
# The counts of tools and agents: (thread keys, names).
COUNTS = """
SELECT c.thread, c.name, c.asked, c.asked_from, c.set_by_asker FROM question_counts AS c
JOIN unnest($1::bigint[], $2::text[]) AS w (thread, name) ON c.thread = w.thread AND c.name = w.name"""
KEEP_COUNTS = """
INSERT INTO question_counts (thread, name, asked, asked_from, set_by_asker)
SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
ON CONFLICT (thread, name) DO UPDATE
SET asked = excluded.asked, asked_from = excluded.asked_from, set_by_asker = excluded.set_by_asker"""
# Those of the keys in which nothing came to be after all.
DROP_EMPTY = "DELETE FROM threads WHERE key = ANY ($1::bigint[]) AND seq = 0"

# By tenant and id: locked until the commit, if it is there -> key, access, agents, archived_at.
LOCK = "SELECT key, access, agents, archived_at FROM threads WHERE tenant = $1 AND id = $2 FOR NO KEY UPDATE"
SET_ACCESS = "UPDATE threads SET access = $2, agents = $3 WHERE key = $1"
SET_ARCHIVED = "UPDATE threads SET archived_at = $2, archiving = $2::bigint IS NOT NULL WHERE key = $1"

# Quotas

# How many are open, counted no further than a limit: keys of threads and their limits; tenants, requesters and limits
# -> key, or tenant and requester, and the count.
PENDING = f"""
SELECT w.key, NULL, NULL, (SELECT count(*) FROM (
    SELECT 1 FROM requests AS r WHERE {OPEN} AND r.thread = w.key LIMIT w.most) AS counted)
FROM unnest($1::bigint[], $2::bigint[]) AS w (key, most)
UNION ALL
SELECT NULL, w.tenant, w.requester, (SELECT count(*) FROM (
    SELECT 1 FROM requests AS r WHERE {OPEN} AND r.tenant = w.tenant AND r.requester = w.requester LIMIT w.most
) AS counted)
FROM unnest($3::text[], $4::text[], $5::bigint[]) AS w (tenant, requester, most)"""

# Exclusive keys

# Who has which key: keys of threads, requesters, exclusive keys.
HOLDERS = f"""
SELECT r.thread, {RECORD} {REQUESTS}
JOIN unnest($1::bigint[], $2::text[], $3::text[]) AS w (thread, requester, exclusive)
    ON w.thread = r.thread AND w.requester = r.requester AND w.exclusive = r.exclusive
WHERE {IN_FRONT}"""

# External ids

# Who has which: keys of threads, requesters, external ids -> key, requester, external id, digest of the body, request.
EXTERNAL = f"""
SELECT r.thread, r.requester, r.external_id, r.body_digest, {RECORD} {REQUESTS}
JOIN unnest($1::bigint[], $2::text[], $3::text[]) AS w (thread, requester, external_id)
    ON w.thread = r.thread AND w.requester = r.requester AND w.external_id = r.external_id"""

# Held messages

# By the key of the thread -> key, owner, data of each, in order.
HELD_MESSAGES = f"""
SELECT m.key, m.owner, m.data FROM messages AS m JOIN threads AS t ON t.key = m.thread
WHERE m.held AND t.key = $1 AND {NOTHING_OPEN} ORDER BY m.seq"""
# Key, new data and seq of each.
DELIVER = """
UPDATE messages AS m SET held = FALSE, data = n.data, seq = n.seq
FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS n (key, data, seq) WHERE m.key = n.key"""

# Erasure

# (the key of the thread, its tenant, its id). All parts see the same state; foreign keys are checked at
# the end.
ERASE = """
WITH its AS MATERIALIZED (SELECT id FROM requests WHERE thread = $1),
claims_ AS (DELETE FROM claims WHERE tenant = $2 AND thread = $3),
executions_ AS (DELETE FROM executions WHERE tenant = $2 AND request IN (SELECT id FROM its)),
candidates_ AS (DELETE FROM candidates WHERE tenant = $2 AND request IN (SELECT id FROM its)),
oauth_attempts_ AS (DELETE FROM oauth_attempts WHERE tenant = $2 AND request IN (SELECT id FROM its)),
personal_marks_ AS (DELETE FROM personal_marks WHERE tenant = $2 AND request IN (SELECT id FROM its)),
comments_ AS (DELETE FROM comments WHERE tenant = $2 AND request IN (SELECT id FROM its)),
secrets_ AS (DELETE FROM secrets WHERE tenant = $2
    AND (scope = 'request' AND subject IN (SELECT id FROM its) OR scope = 'session' AND subject = $3)),
grants_ AS (DELETE FROM grants WHERE tenant = $2 AND thread = $3),
resumes_ AS (DELETE FROM resumes WHERE tenant = $2 AND thread = $3),
refusals_ AS (DELETE FROM refusals WHERE tenant = $2 AND thread = $3),
uses_ AS (DELETE FROM rule_uses WHERE tenant = $2 AND rule IN (
    SELECT id FROM rules WHERE tenant = $2 AND scope = 'thread' AND subject = $3)),
rules_ AS (DELETE FROM rules WHERE tenant = $2 AND scope = 'thread' AND subject = $3),
policies_ AS (DELETE FROM policies WHERE tenant = $2 AND thread = $3),
files_ AS (DELETE FROM files WHERE tenant = $2 AND thread = $3),
events_ AS (DELETE FROM events WHERE thread = $1),
deltas_ AS (DELETE FROM deltas WHERE message IN (SELECT key FROM messages WHERE thread = $1)),
messages_ AS (DELETE FROM messages WHERE thread = $1),
words_ AS (DELETE FROM thread_words WHERE thread = $1),
activity_ AS (DELETE FROM thread_activity WHERE thread = $1),
runs_ AS (DELETE FROM runs WHERE thread = $1),
counts_ AS (DELETE FROM question_counts WHERE thread = $1),
requests_ AS (DELETE FROM requests WHERE thread = $1)
UPDATE threads SET asked = 0, asked_from = 0, refused_at = NULL, title = NULL, metadata = NULL,
    answers_as_messages = FALSE WHERE key = $1"""
# Once its event has its number.
ERASED = "UPDATE threads SET erased = TRUE WHERE key = $1"
SCRUB = """
VACUUM threads, thread_words, thread_activity, runs, question_counts, claims, executions, candidates, oauth_attempts,
    secrets, grants, resumes, refusals, rules, rule_uses, policies, personal_marks, comments, events, deltas,
    messages, requests, files, file_chunks"""
