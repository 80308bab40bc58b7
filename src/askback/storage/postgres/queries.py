"""The SQL texts of group writes; `storage.sql` has the rest.

Each takes an array for each column, with all rows of the group in the same order. Shared rows are locked in the
order of their keys, so that two groups cannot wait for each other.
"""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

from askback.storage.sql.requests import HIDES_NAMES

# Threads

# Count on: tenants, ids, how many events each, the agents of a thread that is new -> key, the seq of the last of them,
# and the other columns that a group needs. A thread is created with its first events. The row is locked until the
# commit, so no seq is repeated or skipped: a later group waits, and a rolled back group returns its numbers.
NUMBER = """
INSERT INTO threads (tenant, id, seq, agents)
SELECT tenant, id, events, agents
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) AS n (tenant, id, events, agents)
ORDER BY tenant COLLATE "C", id COLLATE "C"
ON CONFLICT (tenant, id) DO UPDATE SET seq = threads.seq + excluded.seq
RETURNING tenant, id, key, seq, access, agents, archived_at, asked, asked_from, refused_at"""

# Events

# Give events their positions, write them, and tell the other servers: how many events of which tenant, the origin;
# then of each event tenant, how many of the tenant come after it, thread, seq, type, request, at, data.
#
# This is the last statement before the commit. The row of a tenant's position stays locked until the commit can be
# seen: Postgres releases locks only after that. So who has a higher position has committed later, and a reader that
# sees position n sees all below n. The lock is held for this one round trip, the commit and no longer.
LOG = """
WITH place AS (
    INSERT INTO positions (tenant, position)
    SELECT tenant, events FROM unnest($1::text[], $2::bigint[]) AS n (tenant, events)
    ORDER BY tenant COLLATE "C"
    ON CONFLICT (tenant) DO UPDATE SET position = positions.position + excluded.position
    RETURNING tenant, position
), written AS (
    INSERT INTO events (tenant, position, thread, seq, type, request, at, data)
    SELECT e.tenant, place.position - e.after, e.thread, e.seq, e.type, e.request, e.at, e.data
    FROM unnest($4::text[], $5::bigint[], $6::bigint[], $7::bigint[],
                $8::text[], $9::text[], $10::bigint[], $11::text[])
        AS e (tenant, after, thread, seq, type, request, at, data)
    JOIN place ON place.tenant = e.tenant
)
SELECT place.tenant, place.position,
    pg_notify('askback', json_build_array($3::text, place.tenant, place.position - n.events + 1, place.position)::text)
FROM place JOIN unnest($1::text[], $2::bigint[]) AS n (tenant, events) ON n.tenant = place.tenant"""

POSITIONS = "SELECT tenant, position FROM positions"

# Requests

# Columns in this order; an id that is in use is skipped and not returned.
ADD_REQUESTS = """
INSERT INTO requests (tenant, id, thread, kind, requester, status, revision,
                      created_at, expires_at, created_seq, state, spec, digest, due_at, exclusive, behind, hides_names,
                      run_id, tool_call_id, external_id, body_digest, settled_at, person, outcome)
SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::integer[],
                     $8::bigint[], $9::bigint[], $10::bigint[], $11::text[], $12::text[], $13::text[], $14::bigint[],
                     $15::text[], $16::boolean[], $17::boolean[], $18::text[], $19::text[], $20::text[], $21::text[],
                     $22::text[], $23::text[], $24::text[])
ON CONFLICT (tenant, id) DO NOTHING RETURNING tenant, id"""

# The compare-and-set: tenant, id, the expected statuses with spaces between, the expected revision and state or null;
# then status, state, by how much the revision grows, a new spec or null, whether the times change, and to what,
# how the request ends (`domain.state.End`), whether it leaves its line.
#
# A row that another server has locked is waited for; then its newest version is compared.
SETTLE = f"""
WITH step AS (
    SELECT s.* FROM unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::text[], $6::text[], $7::text[],
                           $8::integer[], $9::text[], $10::boolean[], $11::bigint[], $12::bigint[],
                           $13::text[], $14::text[], $15::text[], $16::boolean[])
        AS s (tenant, id, expected, revision, state_before, status, state, growth, spec, timed, expires_at, due_at,
              settled_at, person, outcome, forward)
    JOIN requests AS r ON r.tenant = s.tenant AND r.id = s.id
    ORDER BY r.tenant, r.id FOR NO KEY UPDATE OF r
)
UPDATE requests AS r SET status = s.status, state = s.state, revision = r.revision + s.growth,
    spec = coalesce(s.spec, r.spec),
    expires_at = CASE WHEN s.timed THEN s.expires_at ELSE r.expires_at END,
    due_at = CASE WHEN s.timed THEN s.due_at ELSE r.due_at END,
    behind = r.behind AND NOT s.forward, settled_at = s.settled_at, person = s.person, outcome = s.outcome
FROM step AS s
WHERE r.tenant = s.tenant AND r.id = s.id AND r.status = ANY (string_to_array(s.expected, ' '))
    AND r.revision = coalesce(s.revision, r.revision) AND r.state = coalesce(s.state_before, r.state)
RETURNING r.tenant, r.id, r.kind, r.requester, r.revision, r.created_at, r.expires_at, r.spec, r.digest, r.due_at,
    r.exclusive, r.behind, {HIDES_NAMES}"""

# Messages

# Thread, id, owner, seq, data of each, and whether it is held; an id that is in use is not returned.
ADD_MESSAGES = """
INSERT INTO messages (thread, id, owner, seq, data, held)
SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::boolean[])
ON CONFLICT DO NOTHING RETURNING thread, id"""
# Lock messages: tenant, thread id, message id, owner, how many bytes there may be already -> the key of each message
# that its owner may extend so far, in a thread that takes something new.
EXTEND = """
SELECT d.tenant, d.thread, d.id, m.key FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])
    AS d (tenant, thread, id, owner, room)
JOIN threads AS t ON t.tenant = d.tenant AND t.id = d.thread AND t.archived_at IS NULL
JOIN messages AS m ON m.thread = t.key AND m.id = d.id AND m.owner = d.owner AND m.appended <= d.room
ORDER BY m.key FOR NO KEY UPDATE OF m"""
# Message, seq, text of each; the messages are locked.
ADD_DELTAS = """
WITH delta AS (SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[]) AS d (message, seq, text)),
grown AS (
    UPDATE messages AS m SET appended = m.appended + octet_length(d.text) FROM delta AS d WHERE m.key = d.message
)
INSERT INTO deltas (message, seq, text) SELECT message, seq, text FROM delta"""
# Those of tenants, thread ids, message ids and owners that are there, and whether their threads take nothing new.
MESSAGES_THERE = """
SELECT w.tenant, w.thread, w.id, t.archived_at IS NOT NULL FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
    AS w (tenant, thread, id, owner)
JOIN threads AS t ON t.tenant = w.tenant AND t.id = w.thread
JOIN messages AS m ON m.thread = t.key AND m.id = w.id AND m.owner = w.owner"""

# Claims

# Id, tenant, thread, digest, target of each -> the ids that were free. One that another server is about to take is
# waited for.
TAKE_CLAIMS = """
INSERT INTO claims (id, tenant, thread, digest, target)
SELECT * FROM unnest($1::bytea[], $2::text[], $3::text[], $4::text[], $5::text[])
    AS c (id, tenant, thread, digest, target) ORDER BY c.id
ON CONFLICT DO NOTHING RETURNING id"""
CLAIMS = "SELECT id, digest, target FROM claims WHERE id = ANY ($1::bytea[])"
GIVE_CLAIMS_BACK = "DELETE FROM claims WHERE id = ANY ($1::bytea[])"
