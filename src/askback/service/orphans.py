"""Queue the outcomes of requests that nobody waits for, for their requesters.

That is so by delivery `resume`, by a note that its time is up, or because whoever waited has gone. The last cannot be
known for certain: another server may have the waiter, or it may be about to connect again. So when nobody waits *here*,
a resume is written that is held back for a while, and dropped when the outcome was handed to a waiter after all.

And whoever waits here may be gone without a word: what is written to a dead connection is lost. So whoever is told is
in doubt until their connection says that it has arrived. If it ends before, such a resume is written then.
"""

from __future__ import annotations

from collections.abc import Iterable

from askback.domain.record import Record
from askback.domain.resume import check_cause
from askback.domain.spec import Spec
from askback.domain.state import State
from askback.ports.resumes import Resume
from askback.ports.store import Principal
from askback.service.context import Services


def resumes(ctx: Services, record: Record, *, by: Principal | None, now: int) -> tuple[Resume, ...]:
    """Return what to write along with the end of a request: a resume, or nothing where somebody has the outcome."""
    if by is not None and by.id == record.requester:
        return ()  # it ended it itself, and knows
    return () if requester_waits(ctx, record) else _resume(ctx, record, now)


def check_resumes(ctx: Services, record: Record, *, now: int) -> tuple[Resume, ...]:
    """Return what to write along with an answer that waits for its requester to check it."""
    return _resume(ctx, record, now, cause=check_cause(record.revision))


def resumes_at_once(ctx: Services, record: Record, *, now: int, cause: str = "") -> tuple[Resume, ...]:
    """Return what to write along with a request that is settled as it is made, for one who goes on by resumes (N19)."""
    return _resume(ctx, record, now, cause=cause) if is_durable(record) else ()


def is_durable(record: Record) -> bool:
    """Whether the requester of a request has ended its turn, and goes on by a resume."""
    return record.spec.facts.delivery == "resume"


def requester_waits(ctx: Services, record: Record) -> bool:
    """Whether the requester is here to be told at once; one who has ended its turn is told by a resume in any case."""
    return not is_durable(record) and ctx.attendance.waits(record.id, record.requester)


def _resume(ctx: Services, record: Record, now: int, *, cause: str = "") -> tuple[Resume, ...]:
    if not record.spec.facts.auto_resume:
        return ()
    durable = is_durable(record)
    # Whoever was told that its time is up has gone on, or would be waiting here.
    at_once = durable or record.state.members.get("detached", False)
    return (
        Resume(
            ctx.ids.new("rsm", now_ms=now),
            record.tenant,
            record.thread_id,
            record.requester,
            record.id,
            available_at=now if at_once else now + ctx.limits.orphan_s * 1000,
            held=not durable,
            cause=cause,
        ),
    )


async def reached(ctx: Services, principal: Principal, record: Record) -> None:
    """Note that the requester has read how its request ended: what was held back for it is not needed."""
    if principal.id != record.requester:
        return
    ctx.attendance.heard(record.id, principal.id)
    if is_held(record.spec, record.state) or await _was_held_later(ctx, record):
        await ctx.store.drop_held(record.tenant, (record.id,))


async def unheard(ctx: Services, principal: Principal, request_ids: Iterable[str]) -> None:
    """Hold resumes for outcomes that somebody was told over a connection that has ended before they arrived."""
    doubtful = [each for each in request_ids if ctx.attendance.heard(each, principal.id)]
    now = ctx.clock.now_ms()
    held: list[Resume] = []
    for request_id in doubtful:
        record = await ctx.store.get(principal.tenant, request_id)
        if record is not None and record.settled and not _ended_by_requester(record):
            held += resumes(ctx, record, by=None, now=now)
    if held:
        await ctx.store.hold_resumes(held)


def _ended_by_requester(record: Record) -> bool:
    return record.state.members.get("settled_by", {}).get("id") == record.requester


async def _was_held_later(ctx: Services, record: Record) -> bool:
    if is_durable(record):
        return False
    standing = await ctx.store.resume_of(record.tenant, record.id)
    return standing is not None and standing.resume.held and standing.attempt == 0


def is_held(spec: Spec, state: State) -> bool:
    """Whether a resume is kept for a request in case that nobody waits."""
    return state.members.get("queued", False) and spec.facts.delivery != "resume"
