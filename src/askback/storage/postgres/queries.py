"""The SQL texts of requests, threads and access, by name; the other modules of queries have the rest.

What is written in groups takes an array for each column, in which all rows of the group stand in the same order. Rows
that others may want as well are locked in the order of their keys, so that two groups cannot wait for each other.
"""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askback.storage.branches import branches
from askback.storage.postgres.access_queries import may_view
from askback.storage.sql.conditions import Conditions

# Threads

# Count on: tenants, ids, how many events each, the agents of a thread that is new -> key, the seq of the last of them,
# and what else a group asks. A thread is made with its first events. The row is locked until the commit, which is why
# a seq is never given twice nor left out: who comes later waits, and a group that is undone gives its numbers back.
NUMBER = """
INSERT INTO threads (tenant, id, seq, agents)
SELECT tenant, id, events, agents
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) AS n (tenant, id, events, agents)
ORDER BY tenant COLLATE "C", id COLLATE "C"
ON CONFLICT (tenant, id) DO UPDATE SET seq = threads.seq + excluded.seq
RETURNING tenant, id, key, seq, access, agents, archived_at, asked, asked_from, refused_at"""
# By tenants and ids.
ACCESS = """
SELECT t.tenant, t.id, t.access, t.agents FROM threads AS t
JOIN unnest($1::text[], $2::text[]) AS w (tenant, id) ON w.tenant = t.tenant AND w.id = t.id"""
# By its tenant and id.
THREAD = "SELECT key, seq, access, agents, archived_at FROM threads WHERE tenant = $1 AND id = $2"

# Events

# Give events their positions, write them, and tell the other servers: how many events of which tenant, the origin;
# then of each event tenant, how many of the tenant come after it, thread, seq, type, request, at, data.
#
# This is the last statement before the commit. The row of a tenant's position stays locked until the commit can be
# seen: Postgres lets go of locks only after that. So who has a higher position has committed later, and a reader that
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

# A row without it was written by an older server, while all were exchanged one after the other.
HIDES_NAMES = "coalesce(r.hides_names, r.kind = 'secret')"

# Both cursors walk an index from where the reader stands. The spec is joined: events keep only the state.
_EVENTS = f"""
SELECT e.type, t.tenant, t.id, e.at, e.request, e.data, coalesce(r.requester, ''), e.seq, e.position, r.spec,
    {HIDES_NAMES}, t.access, t.agents
FROM events AS e JOIN threads AS t ON t.key = e.thread
LEFT JOIN requests AS r ON r.tenant = e.tenant AND r.id = e.request"""
THREAD_EVENTS = f"{_EVENTS} WHERE t.tenant = $1 AND t.id = $2 AND e.seq > $3 ORDER BY e.seq LIMIT $4"
TENANT_EVENTS = f"{_EVENTS} WHERE e.tenant = $1 AND e.position > $2 ORDER BY e.position LIMIT $3"
PERSONS_EVENTS = f"""
{_EVENTS} WHERE e.tenant = $1 AND e.position > $2 AND {may_view("$4")} ORDER BY e.position LIMIT $3"""
LAST_POSITION = "SELECT position FROM positions WHERE tenant = $1"
POSITIONS = "SELECT tenant, position FROM positions"

# Requests

# Columns in this order; an id that is in use is left as it is, and does not come back.
ADD_REQUESTS = """
INSERT INTO requests (tenant, id, thread, kind, requester, status, revision,
                      created_at, expires_at, created_seq, state, spec, digest, due_at, exclusive, behind, hides_names)
SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::integer[],
                     $8::bigint[], $9::bigint[], $10::bigint[], $11::text[], $12::text[], $13::text[], $14::bigint[],
                     $15::text[], $16::boolean[], $17::boolean[])
ON CONFLICT (tenant, id) DO NOTHING RETURNING tenant, id"""

# The compare-and-set: tenant, id, the expected statuses with spaces between, the expected revision and state or null;
# then status, state, by how much the revision grows, a new spec or null, whether the times change, and to what,
# whether it leaves its line.
#
# A row that another server holds is waited for; then its newest version is what is compared.
SETTLE = f"""
WITH step AS (
    SELECT s.* FROM unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::text[], $6::text[], $7::text[],
                           $8::integer[], $9::text[], $10::boolean[], $11::bigint[], $12::bigint[],
                           $13::boolean[])
        AS s (tenant, id, expected, revision, state_before, status, state, growth, spec, timed, expires_at, due_at,
              forward)
    JOIN requests AS r ON r.tenant = s.tenant AND r.id = s.id
    ORDER BY r.tenant, r.id FOR NO KEY UPDATE OF r
)
UPDATE requests AS r SET status = s.status, state = s.state, revision = r.revision + s.growth,
    spec = coalesce(s.spec, r.spec),
    expires_at = CASE WHEN s.timed THEN s.expires_at ELSE r.expires_at END,
    due_at = CASE WHEN s.timed THEN s.due_at ELSE r.due_at END,
    behind = r.behind AND NOT s.forward
FROM step AS s
WHERE r.tenant = s.tenant AND r.id = s.id AND r.status = ANY (string_to_array(s.expected, ' '))
    AND r.revision = coalesce(s.revision, r.revision) AND r.state = coalesce(s.state_before, r.state)
RETURNING r.tenant, r.id, r.kind, r.requester, r.revision, r.created_at, r.expires_at, r.spec, r.digest, r.due_at,
    r.exclusive, r.behind, {HIDES_NAMES}"""

# In the order of the fields of `Record`.
RECORD = f"""
r.id, r.tenant, t.id, r.kind, r.requester, r.status, r.revision,
r.created_at, r.expires_at, r.spec, r.state, r.digest, r.due_at, t.access, t.agents, r.exclusive, r.behind,
{HIDES_NAMES}"""
REQUESTS = "FROM requests AS r JOIN threads AS t ON t.key = r.thread"
# By tenants and ids.
GET = f"""
SELECT {RECORD} {REQUESTS}
JOIN unnest($1::text[], $2::text[]) AS w (tenant, id) ON w.tenant = r.tenant AND w.id = r.id"""

# Written exactly as in the partial indexes, or Postgres would not use them.
OPEN = "r.status IN ('pending', 'resolving')"
# Behind this tenant and id, so many.
OPEN_REQUESTS = f"""
SELECT {RECORD} {REQUESTS} WHERE {OPEN} AND (r.tenant, r.id) > ($1, $2) ORDER BY r.tenant, r.id LIMIT $3"""
DUE = f"""
SELECT {RECORD} {REQUESTS} WHERE {OPEN} AND r.due_at IS NOT NULL AND r.due_at <= $1
ORDER BY r.due_at LIMIT $2"""
NEXT_DEADLINE = f"SELECT min(r.due_at) FROM requests AS r WHERE {OPEN} AND r.due_at IS NOT NULL"


def list_requests(
    tenant: str,
    *,
    thread_id: str | None,
    statuses: Sequence[str] | None,
    only_open: bool,
    kind: str | None,
    requester: str | None,
    person: str | None,
    before: str | None,
    limit: int,
) -> tuple[str, Sequence[Any]]:
    """Return the query of one page of requests with the chosen filters, and its parameters."""
    if thread_id is None and (kind is not None or requester is not None or statuses is not None):
        return _branches(tenant, statuses, kind, requester, person, before, limit)
    where = Conditions()
    if thread_id is None:
        where.add("r.tenant = {}", tenant)
    else:
        where.add("t.tenant = {} AND t.id = {}", tenant, thread_id)
    if statuses is not None:
        where.add("r.status = ANY ({}::text[])", statuses)
    if only_open:
        where.add(OPEN)
    for condition, value in (
        ("r.kind = {}", kind),
        ("r.requester = {}", requester),
        (may_view("{0}"), person),
        ("r.id < {}", before),
    ):
        if value is not None:
            where.add(condition, value)
    return where.query(f"SELECT {RECORD} {REQUESTS}", f"ORDER BY r.id DESC LIMIT {where.parameter(limit)}")


def _branches(
    tenant: str,
    statuses: Sequence[str] | None,
    kind: str | None,
    requester: str | None,
    person: str | None,
    before: str | None,
    limit: int,
) -> tuple[str, Sequence[Any]]:
    """Return the query of one page of requests by kind and status; see `storage.branches`."""
    all_of_them = Conditions()
    tenant_, limit_ = all_of_them.parameter(tenant), all_of_them.parameter(limit)
    common = [f"r.tenant = {tenant_}"]
    for condition, value in (
        ("r.requester = {0}", requester),
        (may_view("{0}"), person),
        ("r.id < {0}", before),
    ):
        if value is not None:
            common.append(condition.format(all_of_them.parameter(value)))
    source = "requests AS r" if person is None else "requests AS r JOIN threads AS t ON t.key = r.thread"
    parts = [
        f"(SELECT r.id FROM {source} WHERE {' AND '.join(common)} AND r.kind = {all_of_them.parameter(of_kind)} "
        f"AND r.status = {all_of_them.parameter(status)} ORDER BY r.id DESC LIMIT {limit_})"
        for of_kind, status in branches(kind=kind, statuses=statuses)
    ]
    page = f"SELECT id FROM ({' UNION ALL '.join(parts)}) AS page ORDER BY id DESC LIMIT {limit_}"
    query = f"SELECT {RECORD} {REQUESTS} WHERE r.tenant = {tenant_} AND r.id IN ({page}) ORDER BY r.id DESC"
    return query, all_of_them.parameters


# The newest requests and messages of a thread, newest first: (thread key, limit).
THREAD_REQUESTS = f"""
SELECT r.created_seq, {RECORD} {REQUESTS} WHERE r.thread = $1 ORDER BY r.id DESC LIMIT $2"""
THREAD_MESSAGES = """
SELECT m.id, m.seq, m.data, (SELECT string_agg(d.text, '' ORDER BY d.seq) FROM deltas AS d WHERE d.message = m.key)
FROM messages AS m WHERE m.thread = $1 ORDER BY m.seq DESC LIMIT $2"""

# Messages

# Thread, id, owner, seq, data of each, and whether it is held; an id that is in use does not come back.
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
CLAIM = "SELECT digest, target FROM claims WHERE id = $1"
CLAIMS = "SELECT id, digest, target FROM claims WHERE id = ANY ($1::bytea[])"
GIVE_CLAIMS_BACK = "DELETE FROM claims WHERE id = ANY ($1::bytea[])"

# Logins, sessions

_PERSON = "principal, tenant, role, name, person, groups"
PUT_LOGIN = f"""
INSERT INTO logins (digest, {_PERSON}, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (digest) DO UPDATE SET principal = excluded.principal, tenant = excluded.tenant, role = excluded.role,
    name = excluded.name, person = excluded.person, groups = excluded.groups, expires_at = excluded.expires_at"""
USE_LOGIN = f"DELETE FROM logins WHERE digest = $1 AND expires_at > $2 RETURNING {_PERSON}"
_SESSION = f"id, {_PERSON}, half, device, created_at, seen_at, expires_at"
ADD_SESSION = f"""
INSERT INTO browser_sessions (digest, {_SESSION})
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"""
# By digests.
SESSIONS = f"SELECT digest, {_SESSION} FROM browser_sessions WHERE digest = ANY ($1::text[])"
# NULL for any tenant, person or id.
LIST_SESSIONS = f"""
SELECT {_SESSION} FROM browser_sessions
WHERE expires_at > $1 AND ($2::text IS NULL OR tenant = $2) AND ($3::text IS NULL OR person = $3)
    AND ($4::text[] IS NULL OR id = ANY ($4))
ORDER BY id DESC"""
TOUCH_SESSION = "UPDATE browser_sessions SET seen_at = greatest(seen_at, $1) WHERE id = $2"
END_SESSIONS = "DELETE FROM browser_sessions WHERE id = ANY ($1::text[])"
SERVER_ID = "SELECT id FROM server"
DROP_LATE_LOGINS = "DELETE FROM logins WHERE expires_at <= $1"
DROP_LATE_SESSIONS = "DELETE FROM browser_sessions WHERE expires_at <= $1"
