"""Read one request or a page of them. Requests without access are reported as not found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from askback.domain.faults import Faults, fault
from askback.domain.kinds import KINDS
from askback.domain.lifecycle import Status
from askback.domain.record import Record
from askback.ports.store import Principal
from askback.service import access, sharing
from askback.service.context import Services
from askback.service.orphans import reached
from askback.service.settle import conflict, not_found


async def get(ctx: Services, principal: Principal, request_id: str) -> Record:
    """Return one request as the caller may see it.

    Raises `NotFound` for an unknown id, another tenant's, another requester's, and one in a thread that is hidden.
    """
    return _seen(principal, await ctx.store.get(principal.tenant, request_id))


async def newest(ctx: Services, principal: Principal, request_id: str) -> Record:
    """Return one request as `get` does, perhaps as it was when it was asked: for what is a compare-and-set anyway.

    Who may see it is as it is now.
    """
    kept = ctx.newest.record(principal.tenant, request_id)
    if kept is None:
        return await get(ctx, principal, request_id)
    access = await ctx.store.access(kept.tenant, kept.thread_id)
    return _seen(principal, kept if access == kept.access else replace(kept, access=access))


async def at_revision(ctx: Services, principal: Principal, record: Record, revision: int) -> Record:
    """Return the open request that was read if this is its revision; an old copy of `newest` is read again first.

    Raises `Conflict` or `Gone` with the request as it is, and `NotFound`.
    """
    if record.settled or revision != record.revision:
        ctx.newest.drop(record.id)
        record = await get(ctx, principal, record.id)
    if record.settled or revision != record.revision:
        raise conflict(record)
    return record


def _seen(principal: Principal, record: Record | None) -> Record:
    if record is None or not sharing.sees(principal, record.requester, record.access, record.thread_id):
        raise not_found()
    return sharing.as_seen(principal, record)


async def look(ctx: Services, principal: Principal, request_id: str) -> Record:
    """Return one request to a caller who will go by it; see `get`, and `orphans.py` for what follows from an end."""
    record = await get(ctx, principal, request_id)
    if record.settled or record.status is Status.RESOLVING:
        await reached(ctx, principal, record)
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
    """Return requests newest first, and the cursor of the next page or None at the end.

    A page of all threads can be shorter: for people by those that wait in line, for a token that is limited to some
    threads by those of others, and for an agent by those of threads that were taken from it. Raises `Faults` for an
    unknown kind.
    """
    if kind is not None and kind not in KINDS:
        raise Faults([fault("kind", "unknown_value", allowed=", ".join(KINDS))])
    size = max(1, min(limit, ctx.limits.page))
    found = await ctx.store.list_requests(
        principal.tenant,
        thread_id=thread_id,
        statuses=statuses,
        kind=kind,
        requester=None if principal.role in access.PEOPLE else principal.id,
        person=sharing.person(principal),
        before=cursor,
        limit=size + 1,
    )
    shown, more = found[:size], len(found) > size
    seen = [
        sharing.as_seen(principal, record)
        for record in shown
        if sharing.sees(principal, record.requester, record.access, record.thread_id)
        # What waits in line waits for nobody yet: over all threads people ask for what there is to answer.
        and (thread_id is not None or not record.behind or not access.is_person(principal))
    ]
    return seen, shown[-1].id if more else None
