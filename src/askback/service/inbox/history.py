"""Search settled requests, the most recently settled first.

Each page scans at most `WINDOW` rows and returns a cursor, so its cost does not depend on the number of requests.
"""

from __future__ import annotations

from collections.abc import Sequence

from askback.domain.faults import Faults, fault
from askback.domain.kinds import KINDS
from askback.domain.lifecycle import OUTCOMES
from askback.domain.record import Record
from askback.domain.timestamps import rfc3339
from askback.domain.titles import plain_text
from askback.ports.inbox import HistoryRow
from askback.ports.store import Principal
from askback.service.access import roles, sharing
from askback.service.context import Services
from askback.service.inbox.missed import cursor_of, position_of
from askback.service.lifecycle.read import nanoseconds

WINDOW = 1_000
READ_AT_ONCE = 100


async def list_history(
    ctx: Services,
    principal: Principal,
    *,
    q: str | None = None,
    kind: str | None = None,
    agent: str | None = None,
    thread_id: str | None = None,
    by: str | None = None,
    outcome: str | None = None,
    settled_after: str | None = None,
    settled_before: str | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> tuple[Sequence[tuple[Record, str | None]], str | None]:
    """Return settled requests, each with the title of its thread, and the cursor of the next page or None at the end.

    `q` are texts that the title, the agent, or the id or title of the thread has to contain; `by` is the `user` or id
    of the person who settled it. A page can have fewer requests than `limit`. Raises `Faults`.
    """
    await roles.require(ctx, principal, "list_history")
    if kind is not None and kind not in KINDS:
        raise Faults([fault("kind", "unknown_value", allowed=", ".join(KINDS))])
    if outcome not in (None, *OUTCOMES):
        raise Faults([fault("outcome", "unknown_value", allowed=", ".join(OUTCOMES))])
    size = max(1, min(limit, ctx.limits.page))
    rows = await ctx.store.history(
        principal.tenant,
        thread_id=thread_id,
        requester=agent,
        person=by,
        since=_moment("settled_after", settled_after),
        until=_moment("settled_before", settled_before),
        before=None if cursor is None else position_of(cursor),
        limit=WINDOW,
    )
    words = plain_text(q or "").split()
    history = [
        row
        for row in rows
        if kind in (None, row.kind)
        and outcome in (None, row.outcome)
        and sharing.can_see(principal, row.requester, row.access, row.thread_id)
    ]
    if words:
        history = await _search(ctx, principal.tenant, history, words, limit=size + 1)
    visible = history[:size]
    last_row = visible[-1] if len(history) > size else rows[-1] if len(rows) == WINDOW else None
    records = await ctx.store.requests(principal.tenant, [row.request_id for row in visible])
    page = [
        (sharing.visible_to(principal, records[row.request_id]), row.thread_title)
        for row in visible
        if row.request_id in records
    ]
    return page, None if last_row is None else cursor_of(last_row.place)


async def _search(
    ctx: Services, tenant: str, rows: Sequence[HistoryRow], words: Sequence[str], *, limit: int
) -> Sequence[HistoryRow]:
    """Return the first rows with all words; requests are read in small groups, since one can be large."""
    matches: list[HistoryRow] = []
    for index in range(0, len(rows), READ_AT_ONCE):
        rows_at_once = rows[index : index + READ_AT_ONCE]
        records = await ctx.store.requests(tenant, [row.request_id for row in rows_at_once])
        matches += [
            row
            for row in rows_at_once
            if row.request_id in records and _contains(row, records[row.request_id], words)
        ]
        if len(matches) >= limit:
            break
    return matches[:limit]


def _contains(row: HistoryRow, record: Record, words: Sequence[str]) -> bool:
    names = record.without_names().spec.names
    text = plain_text("\n".join((*names, row.thread_id, row.thread_title or "")))
    return all(word in text for word in words)


def _moment(name: str, text: str | None) -> str | None:
    """Return a time in the format of the history."""
    return None if text is None else rfc3339(-(-nanoseconds(name, text) // 1_000_000))
