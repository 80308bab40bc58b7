"""History, reminders, missed requests and comments."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from askback.domain.access import read_access
from askback.domain.record import Record
from askback.ports.inbox import Comment, HistoryPosition, HistoryRow
from askback.ports.policy import NOTHING, SideEffects
from askback.storage import rows
from askback.storage.sql.conditions import Conditions, may_view
from askback.storage.sql.requests import RECORD, REQUESTS
from askback.storage.sql.transaction import Area, Transaction

_HISTORY = """
SELECT r.settled_at, r.id, r.kind, r.requester, r.outcome, t.id, t.title, t.access, t.agents
FROM requests AS r /* INDEXED BY requests_settled{} */ JOIN threads AS t ON t.key = r.thread"""
_NEWEST = "ORDER BY r.settled_at DESC, r.id DESC LIMIT {}"
BY_IDS = f"SELECT {RECORD} {REQUESTS} WHERE r.tenant = $1 AND r.id = ANY ($2::text[])"

SET_REMINDER = """
INSERT INTO personal_marks (tenant, request, person, remind_at)
SELECT r.tenant, r.id, $3, $4 FROM requests AS r WHERE r.tenant = $1 AND r.id = $2
    AND r.status IN ('pending', 'resolving')
ON CONFLICT (tenant, request, person) DO UPDATE SET remind_at = excluded.remind_at"""
REMINDERS = """
SELECT m.request, m.remind_at FROM personal_marks AS m
JOIN requests AS r ON r.tenant = m.tenant AND r.id = m.request AND r.status IN ('pending', 'resolving')
WHERE m.tenant = $1 AND m.person = $2 AND m.remind_at > $3 ORDER BY m.remind_at"""
MARK_SEEN = """
INSERT INTO personal_marks (tenant, request, person, seen)
SELECT r.tenant, r.id, w.person, TRUE FROM requests AS r
JOIN unnest($1::text[], $2::text[], $3::text[]) AS w (tenant, id, person) ON r.tenant = w.tenant AND r.id = w.id
ON CONFLICT (tenant, request, person) DO UPDATE SET seen = TRUE"""
SET_MISSED_UNTIL = """
INSERT INTO missed_until (tenant, person, until) VALUES ($1, $2, $3)
ON CONFLICT (tenant, person) DO UPDATE SET until = greatest(missed_until.until, excluded.until)"""
_MISSED_REQUESTS = f"""
SELECT r.settled_at, {RECORD} FROM requests AS r /* INDEXED BY requests_expired */
JOIN threads AS t ON t.key = r.thread"""
_IS_UNSEEN = """NOT EXISTS (SELECT 1 FROM personal_marks AS m
    WHERE m.tenant = r.tenant AND m.request = r.id AND m.person = {} AND m.seen = TRUE)"""

# Tenant, request, id, author, text, created_at, the most comments of a request -> a row if it was added.
ADD_COMMENT = """
INSERT INTO comments (tenant, request, id, author, text, created_at)
SELECT r.tenant, r.id, $3, $4, $5, $6 FROM requests AS r WHERE r.tenant = $1 AND r.id = $2
    AND (SELECT count(*) FROM comments AS c WHERE c.tenant = $1 AND c.request = $2) < $7
RETURNING id"""
COMMENTS = """
SELECT c.id, c.request, c.author, c.text, c.created_at FROM comments AS c
WHERE c.tenant = $1 AND c.request = $2 ORDER BY c.id"""
DELETE_COMMENT = "DELETE FROM comments WHERE tenant = $1 AND request = $2 AND id = $3 RETURNING id"


def page_of_history(
    tenant: str,
    *,
    thread_id: str | None,
    requester: str | None,
    person: str | None,
    since: str | None,
    until: str | None,
    before: HistoryPosition | None,
    limit: int,
) -> Sequence[Any]:
    """Return the query of one page of the history, and its parameters; it walks the index of one filter."""
    conditions, index = Conditions(), ""
    if thread_id is not None:
        conditions.add(
            "r.thread = (SELECT key FROM threads WHERE tenant = {} AND id = {})", tenant, thread_id
        )
        index = "_thread"
    else:
        conditions.add("r.tenant = {}", tenant)
        if person is not None:
            index = "_person"
        elif requester is not None:
            index = "_requester"
    conditions.add("r.settled_at IS NOT NULL")
    conditions.add_chosen("r.person = {}", person)
    conditions.add_chosen("r.requester = {}", requester)
    conditions.add_chosen("r.settled_at >= {}", since)
    conditions.add_chosen("r.settled_at < {}", until)
    _add_cursor(conditions, before)
    return conditions.query(_HISTORY.format(index), _NEWEST.format(conditions.parameter(limit)))


def page_of_missed(
    tenant: str, person: str, *, since: str, viewer: str | None, before: HistoryPosition | None, limit: int
) -> Sequence[Any]:
    """Return the query of one page of missed requests, and its parameters."""
    conditions = Conditions()
    conditions.add("r.tenant = {0} AND r.outcome = 'expired' AND r.settled_at > {1}", tenant, since)
    conditions.add(
        "r.settled_at > coalesce((SELECT u.until FROM missed_until AS u WHERE u.tenant = {} AND u.person = {}), '')",
        tenant,
        person,
    )
    conditions.add(_IS_UNSEEN, person)
    conditions.add_chosen(may_view("{0}"), viewer)
    _add_cursor(conditions, before)
    return conditions.query(_MISSED_REQUESTS, _NEWEST.format(conditions.parameter(limit)))


def _history_row(row: rows.Row) -> HistoryRow:
    *record_columns, people, agents = row
    return HistoryRow(*record_columns, access=read_access(people, agents))


def _add_cursor(conditions: Conditions, history_position_before: HistoryPosition | None) -> None:
    if history_position_before is not None:
        conditions.add("(r.settled_at, r.id) < ({}, {})", *history_position_before)


class InboxArea(Area):
    """See `askback.ports.inbox` for what each method promises."""

    async def history(
        self,
        tenant: str,
        *,
        thread_id: str | None = None,
        requester: str | None = None,
        person: str | None = None,
        since: str | None = None,
        until: str | None = None,
        before: HistoryPosition | None = None,
        limit: int = 50,
    ) -> Sequence[HistoryRow]:
        """Read settled requests."""
        query = page_of_history(
            tenant,
            thread_id=thread_id,
            requester=requester,
            person=person,
            since=since,
            until=until,
            before=before,
            limit=limit,
        )
        return [_history_row(row) for row in await self._db.page(*query)]

    async def requests(self, tenant: str, request_ids: Sequence[str]) -> Mapping[str, Record]:
        """Read requests by their ids."""
        records = await self._db.page(BY_IDS, tenant, list(request_ids)) if request_ids else ()
        return {record.id: record for record in map(rows.record, records)}

    async def set_reminder(self, tenant: str, request_id: str, person: str, at: int | None) -> None:
        """Set or take back a reminder."""
        await self._db.change(lambda tx: tx.run(SET_REMINDER, tenant, request_id, person, at))

    async def reminders(self, tenant: str, person: str, *, after: int) -> Mapping[str, int]:
        """Read the reminders of a person."""
        return {row[0]: row[1] for row in await self._db.page(REMINDERS, tenant, person, after)}

    async def missed(
        self,
        tenant: str,
        person: str,
        *,
        since: str,
        viewer: str | None = None,
        before: HistoryPosition | None = None,
        limit: int = 50,
    ) -> Sequence[tuple[str, Record]]:
        """Read requests that a person has missed."""
        query = page_of_missed(tenant, person, since=since, viewer=viewer, before=before, limit=limit)
        return [(row[0], rows.record(row[1:])) for row in await self._db.page(*query)]

    async def mark_seen(self, tenant: str, person: str, request_ids: Sequence[str]) -> None:
        """Store which missed requests a person has seen."""
        mark_rows = [(tenant, request_id, person) for request_id in dict.fromkeys(request_ids)]
        await self._db.change(lambda tx: tx.many(MARK_SEEN, mark_rows))

    async def set_missed_until(self, tenant: str, person: str, until: str) -> None:
        """Note that a person has seen everything until then."""
        await self._db.change(lambda tx: tx.run(SET_MISSED_UNTIL, tenant, person, until))

    async def add_comment(
        self, tenant: str, comment: Comment, effects: SideEffects = NOTHING, *, limit: int
    ) -> bool:
        """Add a comment."""
        values = (comment.request_id, comment.id, comment.author, comment.text, comment.created_at)
        return await self._apply(ADD_COMMENT, tenant, *values, limit, effects=effects) is not None

    async def comments(self, tenant: str, request_id: str) -> Sequence[Comment]:
        """Read the comments of a request."""
        return [Comment(*row) for row in await self._db.page(COMMENTS, tenant, request_id)]

    async def delete_comment(
        self, tenant: str, request_id: str, comment_id: str, effects: SideEffects = NOTHING
    ) -> bool:
        """Delete a comment, and leave nothing of it in the file."""

        async def delete(tx: Transaction) -> bool:
            if await tx.one(DELETE_COMMENT, tenant, request_id, comment_id) is None:
                return False
            await tx.write(effects)
            return True

        return await self._db.change(delete, effects, erases=True)
