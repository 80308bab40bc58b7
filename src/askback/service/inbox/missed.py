"""List requests that expired without an answer, for each person who could have answered, until they have seen them."""

from __future__ import annotations

from collections.abc import Sequence

from askback.domain.faults import Faults, fault
from askback.domain.record import Record
from askback.domain.timestamps import rfc3339
from askback.domain.validation.structure import parse
from askback.ports.bus import PersonalChange
from askback.ports.inbox import HistoryPosition
from askback.ports.store import Principal
from askback.service.access import roles, sharing
from askback.service.access.assignees import can_answer
from askback.service.context import Services
from askback.wire.inbox import SeenBody

MISSED_MS = 30 * 24 * 3600 * 1000
"""How long a request stays under "Missed"."""
SETTLED_MS = 60_000
"""The time after which each expired request is in the history."""


async def list_missed(
    ctx: Services, principal: Principal, *, limit: int = 50, cursor: str | None = None
) -> tuple[Sequence[Record], str | None]:
    """Return requests that expired in the last 30 days and that the caller could have answered and has not seen.

    The last that expired comes first; the second value is the cursor of the next page or None at the end. A page can
    have fewer requests than `limit`.
    """
    await roles.require(ctx, principal, "list_missed")
    size = max(1, min(limit, ctx.limits.page))
    missed_requests = await _missed_requests(
        ctx,
        principal,
        history_position_before=None if cursor is None else position_of(cursor),
        limit=size + 1,
    )
    page = [
        sharing.visible_to(principal, record)
        for _, record in missed_requests[:size]
        if await can_answer(ctx, principal, record)
    ]
    last_missed = missed_requests[size - 1] if len(missed_requests) > size else None
    return page, None if last_missed is None else cursor_of((last_missed[0], last_missed[1].id))


async def mark_seen(ctx: Services, principal: Principal, body: object) -> None:
    """Note with a `SeenBody` that the caller has seen requests that they missed; unknown ids change nothing."""
    await roles.require(ctx, principal, "mark_seen")
    payload = parse(SeenBody, body)
    if len(payload.request_ids) > ctx.limits.batch:
        raise Faults([fault("request_ids", "too_many", max=ctx.limits.batch)])
    records = await ctx.store.requests(principal.tenant, payload.request_ids)
    seen_ids = [
        record
        for record in records.values()
        if record.settled and sharing.can_see(principal, record.requester, record.access, record.thread_id)
    ]
    await ctx.store.mark_seen(principal.tenant, principal.user, [record.id for record in seen_ids])
    if not await _missed_requests(ctx, principal, history_position_before=None, limit=1):
        # From now on a list does not have to skip seen requests.
        missed_until = rfc3339(ctx.clock.now_ms() - SETTLED_MS)
        await ctx.store.set_missed_until(principal.tenant, principal.user, missed_until)
    for record in seen_ids:
        change = PersonalChange("", record.tenant, record.thread_id, record.id, "seen", principal.user)
        ctx.bus.tell_person(change)


async def _missed_requests(
    ctx: Services, principal: Principal, *, history_position_before: HistoryPosition | None, limit: int
) -> Sequence[tuple[str, Record]]:
    return await ctx.store.missed(
        principal.tenant,
        principal.user,
        since=rfc3339(ctx.clock.now_ms() - MISSED_MS),
        viewer=sharing.person_filter(principal),
        before=history_position_before,
        limit=limit,
    )


def cursor_of(position: HistoryPosition) -> str:
    """Return a place in the history as the cursor of a page."""
    return " ".join(position)


def position_of(cursor: str) -> HistoryPosition:
    """Return the place in the history that a cursor names."""
    settled_at, _, request_id = cursor.partition(" ")
    return settled_at, request_id
