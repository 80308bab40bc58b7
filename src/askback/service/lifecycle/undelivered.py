"""Queue outcomes as resumes for requesters that are not connected.

A requester is not connected if its request has the delivery `resume`, was detached at its deadline, or its connection
has ended. The last cannot be known for certain: another server may have the waiter, or it may be about to reconnect.
So if nobody waits at this server, a resume is stored but held back for a while. It is dropped if the outcome reaches
a waiter after all.

A connection can also be dead without a sign. An outcome that was sent therefore counts as unacknowledged until the
connection confirms it; if the connection ends first, a held resume is stored then.
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


def resumes_for_end(ctx: Services, record: Record, *, by: Principal | None, now: int) -> tuple[Resume, ...]:
    """Return the resume to store with the end of a request; none if the requester ended it or waits for it."""
    if by is not None and by.id == record.requester:
        return ()
    return () if is_requester_waiting(ctx, record) else _new_resume(ctx, record, now)


def resumes_for_check(ctx: Services, record: Record, *, now: int) -> tuple[Resume, ...]:
    """Return the resume to store with an answer that the requester has to check."""
    return _new_resume(ctx, record, now, cause=check_cause(record.revision))


def resumes_for_settled(ctx: Services, record: Record, *, now: int, cause: str = "") -> tuple[Resume, ...]:
    """Return the resume to store with a request that is settled on creation, if its delivery is `resume` (N19)."""
    return _new_resume(ctx, record, now, cause=cause) if record.spec.is_durable else ()


def is_requester_waiting(ctx: Services, record: Record) -> bool:
    """Return whether the requester waits for this request at this server; never with the delivery `resume`."""
    return not record.spec.is_durable and ctx.waiters.is_waiting(record.id, record.requester)


def _new_resume(ctx: Services, record: Record, now: int, *, cause: str = "") -> tuple[Resume, ...]:
    if not record.spec.facts.auto_resume:
        return ()
    is_durable = record.spec.is_durable
    # The requester of a detached request was told to continue, so the resume need not be held back.
    is_due_now = is_durable or record.state.members.get("detached", False)
    return (
        Resume(
            ctx.ids.new("rsm", now_ms=now),
            record.tenant,
            record.thread_id,
            record.requester,
            record.id,
            available_at=now if is_due_now else now + ctx.limits.orphan_s * 1000,
            held=not is_durable,
            cause=cause,
        ),
    )


async def mark_delivered(ctx: Services, principal: Principal, record: Record) -> None:
    """Acknowledge that the requester has read the outcome, and drop the resume that was held for it."""
    if principal.id != record.requester:
        return
    ctx.waiters.acknowledge(record.id, principal.id)
    if has_held_resume(record.spec, record.state) or await _was_requeued(ctx, record):
        await ctx.store.drop_held([(record.tenant, record.id)])


async def requeue_unacknowledged(ctx: Services, principal: Principal, request_ids: Iterable[str]) -> None:
    """Store held resumes for outcomes whose connection ended before it confirmed them."""
    unacknowledged_ids = [
        id_ for id_ in request_ids if ctx.waiters.acknowledge(id_, principal.id) is not None
    ]
    now = ctx.clock.now_ms()
    held_resumes: list[Resume] = []
    for request_id in unacknowledged_ids:
        record = await ctx.store.get(principal.tenant, request_id)
        if record is not None and record.settled and not _ended_by_requester(record):
            held_resumes += resumes_for_end(ctx, record, by=None, now=now)
    if held_resumes:
        await ctx.store.hold_resumes(held_resumes)


def _ended_by_requester(record: Record) -> bool:
    return record.state.members.get("settled_by", {}).get("id") == record.requester


async def _was_requeued(ctx: Services, record: Record) -> bool:
    if record.spec.is_durable:
        return False
    stored_resume = await ctx.store.resume_of(record.tenant, record.id)
    return stored_resume is not None and stored_resume.resume.held and stored_resume.attempt == 0


def has_held_resume(spec: Spec, state: State) -> bool:
    """Return whether a resume is held for a settled request in case nobody waits."""
    return state.queued and not spec.is_durable
