"""Lease and acknowledge resumes. A resume that is not acknowledged is leased again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import anyio

from askback.domain.access import AccessLevel
from askback.domain.faults import Faults, fault
from askback.domain.validation.structure import parse
from askback.errors import Conflict, NotFound
from askback.ports.bus import tenant_topic, thread_topic
from askback.ports.outcome import Outcome
from askback.ports.resumes import Lease
from askback.ports.store import Principal
from askback.service.access import roles, sharing
from askback.service.context import Services
from askback.service.delivery import authorship
from askback.service.local_state.waiting import SAFETY_POLL_S, ChangeSignal
from askback.wire.bodies import AckBody

PAGE = 20
MAX_ATTEMPT = 2**31 - 1
"""The largest attempt number that a store can hold."""


async def pull_resumes(
    ctx: Services,
    principal: Principal,
    *,
    thread_id: str | None = None,
    seconds: float = 0.0,
    limit: int = PAGE,
) -> Sequence[Lease]:
    """Lease the caller's resumes, of one thread or of all; wait up to `seconds` for the first.

    A server that stops ends the wait early.
    """
    operation = "pull_resumes" if thread_id is None else "pull_thread_resumes"
    await roles.require(ctx, principal, operation)
    if thread_id is not None:
        await sharing.require_in(ctx, principal, thread_id, AccessLevel.VIEW, operation=operation)
    changed = ChangeSignal()
    tenant = principal.tenant
    unsubscribe = ctx.bus.listen(
        tenant_topic(tenant) if thread_id is None else thread_topic(tenant, thread_id), changed
    )
    end = anyio.current_time() + seconds
    try:
        with ctx.waiters.register_signal(changed):
            while True:
                leases = await _lease(ctx, principal, thread_id, limit)
                remaining_s = end - anyio.current_time()
                if leases or remaining_s <= 0 or changed.is_ended:
                    return leases
                await changed.wait(min(remaining_s, await _pause(ctx, principal, thread_id)))
    finally:
        unsubscribe()


async def ack_resume(ctx: Services, principal: Principal, resume_id: str, body: object) -> None:
    """Acknowledge a resume with an `AckBody`, so that it is never delivered again.

    Raises `NotFound`, and `Conflict` (`lease_lost`) if it was leased to another worker since, or the attempt was never
    leased.
    """
    await roles.require(ctx, principal, "ack_resume")
    payload = parse(AckBody, body)
    if not 1 <= payload.attempt <= MAX_ATTEMPT:
        raise Faults([fault("attempt", "out_of_range.needed", min=1, max=MAX_ATTEMPT)])
    outcome = None
    status = await ctx.store.resume(principal.tenant, resume_id)
    if status is not None and await _can_view(ctx, principal, status.resume.thread_id):
        outcome = await ctx.store.finish_resume(
            principal.tenant, principal.id, resume_id, attempt=payload.attempt, now_ms=ctx.clock.now_ms()
        )
    if status is None or outcome is None:
        raise NotFound("There is no such resume.")
    if outcome is Outcome.LOST:
        text = (
            "This attempt was never leased. Acknowledge a resume with the `attempt` with which you received it."
            if payload.attempt > status.attempt
            else "Your lease of this resume has ended, and another worker has it now. Stop working on it."
        )
        raise Conflict(text, code="lease_lost")


async def _can_view(ctx: Services, principal: Principal, thread_id: str) -> bool:
    access = await ctx.store.access(principal.tenant, thread_id)
    return sharing.level(principal, access, thread_id) >= AccessLevel.VIEW


async def _lease(ctx: Services, principal: Principal, thread_id: str | None, limit: int) -> Sequence[Lease]:
    if thread_id is not None or not sharing.is_thread_limited(principal):
        return await _lease_in(ctx, principal, thread_id, limit)
    leases: list[Lease] = []
    for item, due_at in (await _covered_threads(ctx, principal)).items():
        if due_at <= ctx.clock.now_ms() and len(leases) < limit:
            leases += await _lease_in(ctx, principal, item, limit - len(leases))
    return leases


async def _covered_threads(ctx: Services, principal: Principal) -> Mapping[str, int]:
    """Return the threads of a limited token that have resumes, and when the next one can be leased, ms."""
    threads = await ctx.store.resume_threads(principal.tenant, principal.id)
    return {
        thread_id: due_at
        for thread_id, due_at in threads.items()
        if sharing.token_covers(principal, thread_id)
    }


async def _lease_in(
    ctx: Services, principal: Principal, thread_id: str | None, limit: int
) -> Sequence[Lease]:
    now = ctx.clock.now_ms()
    while candidates := await ctx.store.lease_resumes(
        principal.tenant,
        principal.id,
        thread_id=thread_id,
        now_ms=now,
        until_ms=now + ctx.limits.resume_lease_s * 1000,
        limit=max(1, min(limit, ctx.limits.page)),
    ):
        if leases := [
            authorship.with_repeat_mark(lease)
            for lease in candidates
            if await authorship.may_deliver(ctx, lease)
        ]:
            return leases
    return ()


async def _pause(ctx: Services, principal: Principal, thread_id: str | None) -> float:
    """Return the seconds to wait for the next resume to become available, unless an event arrives first."""
    if thread_id is None and sharing.is_thread_limited(principal):
        due_at = min((await _covered_threads(ctx, principal)).values(), default=None)
    else:
        due_at = await ctx.store.next_resume(principal.tenant, principal.id, thread_id=thread_id)
    if due_at is None:
        return SAFETY_POLL_S
    return min(max((due_at - ctx.clock.now_ms()) / 1000, 0.005), SAFETY_POLL_S)
