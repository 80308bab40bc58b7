"""Reading requests: one, or a page of them. What a caller may not see does not exist for it."""

from __future__ import annotations

from collections.abc import Sequence

from askback.domain.lifecycle import Status
from askback.domain.record import Record
from askback.ports.store import Principal
from askback.service import access
from askback.service.context import Services
from askback.service.settle import not_found


async def get(ctx: Services, principal: Principal, request_id: str) -> Record:
    """Return one request, or raise `NotFound`: for an unknown id, another tenant's, another requester's."""
    record = await ctx.store.get(principal.tenant, request_id)
    if record is None or not access.sees(principal, record.requester):
        raise not_found()
    return record


async def page(
    ctx: Services,
    principal: Principal,
    *,
    thread_id: str | None = None,
    statuses: frozenset[Status] | None = None,
    kind: str | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> tuple[Sequence[Record], str | None]:
    """Return requests newest first, and the cursor of the next page or None at the end."""
    size = max(1, min(limit, ctx.limits.page))
    found = await ctx.store.list_requests(
        principal.tenant,
        thread_id=thread_id,
        statuses=statuses,
        kind=kind,
        requester=None if access.sees(principal, "") else principal.id,
        before=cursor,
        limit=size + 1,
    )
    more = len(found) > size
    return found[:size], found[size - 1].id if more else None
