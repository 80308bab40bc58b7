"""Reads of threads and their events, and changes of a thread without an event."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

from collections.abc import Mapping, Sequence

from askback.domain.access import UNSHARED as OPEN_ACCESS
from askback.domain.access import AccessList, read_access
from askback.domain.events import Event
from askback.domain.policy.question_limits import MAX_LIMITS
from askback.domain.record import Record
from askback.ports.policy import NOTHING, SideEffects
from askback.ports.runs import SWEEP_ROWS
from askback.ports.store import ThreadView
from askback.ports.threads import IdleThread, QuestionCount, ThreadConfig, ThreadUse
from askback.storage import rows
from askback.storage.sql.conditions import may_view
from askback.storage.sql.requests import HIDES_NAMES, OPEN, RECORD, REQUESTS
from askback.storage.sql.runs import RUNS
from askback.storage.sql.transaction import Area, Transaction

# Threads, by tenant and id, which come first where there are columns of them.

THREAD = """
SELECT key, seq, access, agents, archived_at, title, metadata FROM threads WHERE tenant = $1 AND id = $2"""
# The newest requests and messages of a thread, newest first: (thread key, limit).
THREAD_REQUESTS = f"""
SELECT r.created_seq, {RECORD} {REQUESTS} WHERE r.thread = $1 ORDER BY r.id DESC LIMIT $2"""
THREAD_MESSAGES = """
SELECT m.id, m.seq, m.data, (SELECT string_agg(d.text, '' ORDER BY d.seq) FROM deltas AS d WHERE d.message = m.key)
FROM messages AS m WHERE m.thread = $1 ORDER BY m.seq DESC LIMIT $2"""
# (thread key, limit). Left to itself SQLite may walk all runs of the thread.
THREAD_RUNS = f"""
{RUNS.replace("runs AS r", "runs AS r /* INDEXED BY runs_open */")}
WHERE r.thread = $1 AND r.ended_at IS NULL ORDER BY r.key DESC LIMIT $2"""
ACCESS = """
SELECT t.tenant, t.id, t.access, t.agents FROM threads AS t
JOIN unnest($1::text[], $2::text[]) AS w (tenant, id) ON t.tenant = w.tenant AND t.id = w.id"""
TERMS = """
SELECT w.tenant, w.thread,
    (SELECT p.data FROM policies AS p WHERE p.tenant = w.tenant AND p.thread = ''),
    (SELECT p.data FROM policies AS p WHERE p.tenant = w.tenant AND p.thread = w.thread),
    t.refused_at, t.answers_as_messages, t.access, t.agents
FROM unnest($1::text[], $2::text[]) AS w (tenant, thread)
LEFT JOIN threads AS t ON t.tenant = w.tenant AND t.id = w.thread"""
USE = f"""
SELECT t.asked, t.asked_from, (SELECT count(*) FROM requests AS r WHERE {OPEN} AND r.thread = t.key)
FROM threads AS t WHERE t.tenant = $1 AND t.id = $2"""
RESET = "UPDATE threads SET asked = 0, asked_from = 0 WHERE tenant = $1 AND id = $2"
COUNTS = """
SELECT c.name, c.asked, c.asked_from, c.set_by_asker FROM question_counts AS c JOIN threads AS t ON t.key = c.thread
WHERE t.tenant = $1 AND t.id = $2 AND c.name = ANY ($3::text[])"""
COUNTS_OF_ASKERS = """
SELECT c.name, c.asked, c.asked_from, c.set_by_asker FROM question_counts AS c JOIN threads AS t ON t.key = c.thread
WHERE t.tenant = $1 AND t.id = $2 AND c.set_by_asker IS NOT NULL ORDER BY c.name LIMIT $3"""
RESET_COUNTS = """
DELETE FROM question_counts WHERE thread = (SELECT key FROM threads WHERE tenant = $1 AND id = $2)"""

# Events. Both cursors walk an index from the reader's position. The spec is joined: events keep only the state.

_EVENTS = f"""
SELECT e.type, t.tenant, t.id, e.at, r.id, e.data, coalesce(r.requester, ''), e.seq, e.position, r.spec,
    {HIDES_NAMES}, t.access, t.agents
FROM events AS e JOIN threads AS t ON t.key = e.thread
LEFT JOIN requests AS r ON r.tenant = e.tenant AND r.id = e.request"""
THREAD_EVENTS = f"{_EVENTS} WHERE t.tenant = $1 AND t.id = $2 AND e.seq > $3 ORDER BY e.seq LIMIT $4"
TENANT_EVENTS = f"{_EVENTS} WHERE e.tenant = $1 AND e.position > $2 ORDER BY e.position LIMIT $3"
PERSONS_EVENTS = f"""
{_EVENTS} WHERE e.tenant = $1 AND e.position > $2 AND {may_view("$4")} ORDER BY e.position LIMIT $3"""
LAST_POSITION = "SELECT position FROM positions WHERE tenant = $1"

# Exclusive keys

IN_FRONT = f"{OPEN} AND r.exclusive IS NOT NULL AND r.behind = FALSE"
# (tenant, request id) -> a row when another has the key of this one.
HELD_BY_ANOTHER = f"""
SELECT 1 FROM requests AS b JOIN requests AS r
    ON r.thread = b.thread AND r.requester = b.requester AND r.exclusive = b.exclusive
WHERE b.tenant = $1 AND b.id = $2 AND b.behind = TRUE AND {IN_FRONT}"""
# A frequent query. Without a hint SQLite uses the index of open requests by thread, and reads all of them.
NEXT_IN_LINE = f"""
SELECT {RECORD} FROM requests AS r /* INDEXED BY requests_behind */ JOIN threads AS t ON t.key = r.thread
WHERE {OPEN} AND r.behind = TRUE AND NOT EXISTS (
    SELECT 1 FROM requests AS o WHERE o.thread = r.thread AND o.requester = r.requester AND o.exclusive = r.exclusive
        AND o.status IN ('pending', 'resolving') AND o.behind = FALSE
) AND NOT EXISTS (
    SELECT 1 FROM requests AS o WHERE o.thread = r.thread AND o.requester = r.requester AND o.exclusive = r.exclusive
        AND o.status IN ('pending', 'resolving') AND o.behind = TRUE AND o.id < r.id
) LIMIT $1"""

# The archive, held messages, threads in which nothing happens

NOTHING_OPEN = f"NOT EXISTS (SELECT 1 FROM requests AS r WHERE {OPEN} AND r.thread = t.key)"
# (before, limit), (tenant, thread id)
ARCHIVING = """
SELECT tenant, id FROM threads WHERE archiving = TRUE AND archived_at < $1 ORDER BY archived_at LIMIT $2"""
END_ARCHIVING = f"""
UPDATE threads AS t SET archiving = FALSE WHERE t.tenant = $1 AND t.id = $2 AND archiving = TRUE AND {NOTHING_OPEN}"""
DELIVERABLE = f"""
SELECT DISTINCT t.tenant, t.id FROM messages AS m JOIN threads AS t ON t.key = m.thread
WHERE m.held = TRUE AND {NOTHING_OPEN} LIMIT $1"""
# (tenant, id, before, limit): the last event of a thread is the one with its seq.
_LAST_EVENT = f"""
FROM threads AS t JOIN events AS e ON e.thread = t.key AND e.seq = t.seq
WHERE e.type <> 'thread.erased' AND {NOTHING_OPEN}"""
IDLE_THREADS = f"""
SELECT t.tenant, t.id, e.at {_LAST_EVENT} AND (t.tenant, t.id) > ($1, $2) AND e.at < $3
ORDER BY t.tenant, t.id LIMIT $4"""
# By the key of the thread: a row when it is still idle since a time.
STILL_IDLE = f"SELECT 1 {_LAST_EVENT} AND t.key = $1 AND e.at <= $2"


class ThreadArea(Area):
    """See `askback.ports.threads` and `askback.ports.store` for what each method promises."""

    async def thread(self, tenant: str, thread_id: str, *, limit: int = 500) -> ThreadView | None:
        """Read a thread in one snapshot."""
        if not self._db.can_store(thread_id):
            return None

        async def read(tx: Transaction) -> ThreadView | None:
            thread = await tx.one(THREAD, tenant, thread_id)
            if thread is None:
                return None
            key, *columns = thread
            messages = [rows.message(row) for row in await tx.all(THREAD_MESSAGES, key, limit)]
            running = await tx.all(THREAD_RUNS, key, limit)
            return rows.thread_view(columns, messages, await tx.all(THREAD_REQUESTS, key, limit), running)

        return await self._db.snapshot(read)

    async def access(self, tenant: str, thread_id: str) -> AccessList:
        """Read the access levels of a thread."""
        row = await self._db.find(ACCESS, tenant, thread_id)
        return OPEN_ACCESS if row is None else read_access(row[2], row[3])

    async def thread_config(self, tenant: str, thread_id: str) -> ThreadConfig:
        """Read the settings and the access of a thread."""
        row = await self._db.find(TERMS, tenant, thread_id)
        return ThreadConfig(None, None, None) if row is None else rows.thread_config(row[2:])

    async def question_counts(
        self, tenant: str, thread_id: str, names: Sequence[str]
    ) -> Mapping[str, QuestionCount]:
        """Return the counts of tools and agents."""
        count_rows = await self._db.rows(COUNTS, tenant, thread_id, list(names)) if names else ()
        of_askers = await self._db.rows(COUNTS_OF_ASKERS, tenant, thread_id, MAX_LIMITS)
        return {name: QuestionCount(*count) for name, *count in (*of_askers, *count_rows)}

    async def use(self, tenant: str, thread_id: str) -> ThreadUse:
        """Read the usage of a thread, on which its limits are checked."""
        row = await self._db.row(USE, tenant, thread_id)
        return ThreadUse(0, 0, 0) if row is None else ThreadUse(*row)

    async def reset_use(self, tenant: str, thread_id: str, effects: SideEffects = NOTHING) -> None:
        """Reset the count of a thread's questions."""

        async def reset(tx: Transaction) -> None:
            await tx.run(RESET, tenant, thread_id)
            await tx.run(RESET_COUNTS, tenant, thread_id)
            await tx.write(effects)

        await self._db.change(reset, effects)

    async def thread_events(
        self, tenant: str, thread_id: str, *, after: int, limit: int = 500
    ) -> Sequence[Event]:
        """Read events of a thread after `after`."""
        return [
            rows.event(row) for row in await self._db.page(THREAD_EVENTS, tenant, thread_id, after, limit)
        ]

    async def tenant_events(
        self, tenant: str, *, after: int, person: str | None = None, limit: int = 500
    ) -> Sequence[Event]:
        """Read events of a tenant after `after`."""
        if person is None:
            events = await self._db.page(TENANT_EVENTS, tenant, after, limit)
        else:
            events = await self._db.page(PERSONS_EVENTS, tenant, after, limit, person)
        return [rows.event(row) for row in events]

    async def last_position(self, tenant: str) -> int:
        """Read the position of the tenant's newest event."""
        row = await self._db.row(LAST_POSITION, tenant)
        return 0 if row is None else row[0] or 0

    async def archiving(self, *, before_ms: int, limit: int = 200) -> Sequence[tuple[str, str]]:
        """Read threads whose archiving has not ended."""
        return [(row[0], row[1]) for row in await self._db.page(ARCHIVING, before_ms, limit)]

    async def end_archiving(self, tenant: str, thread_id: str) -> None:
        """Mark an archived thread as having no open requests, unless it has some."""
        await self._db.change(lambda tx: tx.run(END_ARCHIVING, tenant, thread_id))

    async def next_in_line(self) -> Sequence[Record]:
        """Read the next queued request of each key that is free."""
        return [rows.record(row) for row in await self._db.page(NEXT_IN_LINE, SWEEP_ROWS)]

    async def deliverable(self) -> Sequence[tuple[str, str]]:
        """Read the threads that can deliver their held messages."""
        return [(row[0], row[1]) for row in await self._db.page(DELIVERABLE, SWEEP_ROWS)]

    async def idle_threads(
        self, *, before_ms: int, after: tuple[str, str] = ("", ""), limit: int = 100
    ) -> Sequence[IdleThread]:
        """Read threads without activity since."""
        return [IdleThread(*row) for row in await self._db.page(IDLE_THREADS, *after, before_ms, limit)]
