"""Requests that nobody waits for when they end: what came of them is queued for their requesters.

That is so by delivery `resume`, by a note that its time is up, or because whoever waited has gone. The last cannot be
known for certain: another server may have the waiter, or it may be about to connect again. So when nobody waits *here*,
a resume is written that is held back for a while, and dropped when the outcome was handed to a waiter after all.
"""

from __future__ import annotations

from askback.domain.record import Record, says
from askback.ports.resumes import Resume
from askback.ports.store import Principal
from askback.service.context import Services


def resumes(ctx: Services, record: Record, *, by: Principal | None, now: int) -> tuple[Resume, ...]:
    """Return what to write along with the end of a request: a resume, or nothing where somebody has the outcome."""
    if by is not None and by.id == record.requester:
        return ()  # it ended it itself, and knows
    durable = says(record.spec, "delivery", "resume")
    if not durable and ctx.attendance.waits(record.id, record.requester):
        return ()
    if says(record.spec, "auto_resume", False):
        return ()
    # Whoever was told that its time is up has gone on, or would be waiting here.
    at_once = durable or says(record.state, "detached", True)
    return (
        Resume(
            ctx.ids.new("rsm", now_ms=now),
            record.tenant,
            record.thread_id,
            record.requester,
            record.id,
            available_at=now if at_once else now + ctx.limits.orphan_s * 1000,
            held=not durable,
        ),
    )


async def reached(ctx: Services, principal: Principal, record: Record) -> None:
    """Note that the requester has read how its request ended: what was held back for it is not needed."""
    if principal.id == record.requester and is_held(record.wire):
        await ctx.store.drop_held(record.tenant, (record.id,))


def is_held(wire: str) -> bool:
    """Whether a resume is kept for a request in case that nobody waits, by its JSON text."""
    return says(wire, "queued", True) and not says(wire, "delivery", "resume")
