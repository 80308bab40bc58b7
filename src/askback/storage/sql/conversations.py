"""Threads sorted by last activity, each with its newest message or request."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from askback.ports.conversations import ActiveThread, PlacedRequest, StoredMessage
from askback.storage import rows
from askback.storage.sql.conditions import Conditions, may_view
from askback.storage.sql.requests import RECORD, REQUESTS
from askback.storage.sql.thread_lists import DETAIL_COLUMNS
from askback.storage.sql.transaction import Area

_ACTIVE = f"""
SELECT a.position, {DETAIL_COLUMNS} FROM thread_activity AS a JOIN threads AS t ON t.key = a.thread"""
# (tenant, thread ids, limit): the first that counts is looked for in each thread before its messages are read.
LATEST_MESSAGES = """
SELECT w.id, m.id, m.seq, m.data,
    (SELECT string_agg(d.text, '' ORDER BY d.seq) FROM deltas AS d WHERE d.message = m.key)
FROM (
    SELECT t.key, t.id, (SELECT min(l.seq) FROM (
        SELECT o.seq FROM messages AS o WHERE o.thread = t.key ORDER BY o.seq DESC LIMIT $3) AS l) AS first
    FROM threads AS t WHERE t.tenant = $1 AND t.id = ANY ($2::text[])
) AS w JOIN messages AS m ON m.thread = w.key AND m.seq >= w.first ORDER BY m.seq"""
# (tenant, thread ids)
LATEST_REQUESTS = f"""
SELECT r.created_seq, {RECORD} {REQUESTS} WHERE t.tenant = $1 AND t.id = ANY ($2::text[])
    AND r.id = (SELECT max(o.id) FROM requests AS o WHERE o.thread = t.key)"""


def page_of_active(tenant: str, *, person: str | None, before: int | None, limit: int) -> Sequence[Any]:
    """Return the query of one page of threads, and its parameters."""
    conditions = Conditions()
    conditions.add("a.tenant = {}", tenant)
    conditions.add("t.erased = FALSE")
    conditions.add_chosen("a.bucket <= {0}::bigint >> 10 AND a.position < {0}", before)
    conditions.add_chosen(may_view("{0}"), person)
    return conditions.page(_ACTIVE, limit=limit, column="a.bucket DESC, a.position")


class ConversationArea(Area):
    """See `askback.ports.conversations` for what each method promises."""

    async def active_threads(
        self, tenant: str, *, person: str | None = None, before: int | None = None, limit: int = 50
    ) -> Sequence[ActiveThread]:
        """Read a page of threads."""
        threads = await self._db.page(*page_of_active(tenant, person=person, before=before, limit=limit))
        return [ActiveThread(row[0], rows.thread_details(row[1:])) for row in threads]

    async def latest_messages(
        self, tenant: str, thread_ids: Sequence[str], *, limit: int = 1
    ) -> Mapping[str, Sequence[StoredMessage]]:
        """Read the newest messages of threads."""
        messages: dict[str, list[StoredMessage]] = {}
        for row in (
            await self._db.page(LATEST_MESSAGES, tenant, list(thread_ids), limit) if thread_ids else ()
        ):
            message = rows.message(row[1:])
            messages.setdefault(row[0], []).append(StoredMessage(message.seq, message.data))
        return messages

    async def latest_requests(self, tenant: str, thread_ids: Sequence[str]) -> Mapping[str, PlacedRequest]:
        """Read the newest request of each thread."""
        requests = await self._db.page(LATEST_REQUESTS, tenant, list(thread_ids)) if thread_ids else ()
        placed_requests = [PlacedRequest(row[0], rows.record(row[1:])) for row in requests]
        return {request.record.thread_id: request for request in placed_requests}
