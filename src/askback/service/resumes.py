"""An agent comes for what has become of its requests: pulled, leased, acknowledged; without an end it comes again."""

from __future__ import annotations

from collections.abc import Sequence

import anyio

from askback.domain.bodies import AckBody
from askback.domain.faults import Faults, fault
from askback.domain.validation.structure import parse
from askback.errors import Conflict, NotFound
from askback.ports.bus import tenant_topic, thread_topic
from askback.ports.outcome import Outcome
from askback.ports.resumes import Lease
from askback.ports.store import Principal
from askback.service import access, authority, sharing
from askback.service.context import Services
from askback.service.nudges import SAFETY_POLL_S, Nudge

PAGE = 20
MAX_ATTEMPT = 2**31 - 1
"""What stores count up to."""


async def pull(
    ctx: Services,
    principal: Principal,
    *,
    thread_id: str | None = None,
    seconds: float = 0.0,
    limit: int = PAGE,
) -> Sequence[Lease]:
    """Lease what is there for the caller in a thread, or in all of them; waits up to `seconds` for the first."""
    await access.require(ctx, principal, "resume")
    if thread_id is None:
        await sharing.require_unlimited(ctx, principal, "resume")
    elif not sharing.reaches(principal, thread_id):
        raise sharing.no_such_thread()
    nudge = Nudge()
    tenant = principal.tenant
    leave = ctx.bus.listen(
        tenant_topic(tenant) if thread_id is None else thread_topic(tenant, thread_id), nudge
    )
    end = anyio.current_time() + seconds
    try:
        while True:
            found = await _lease(ctx, principal, thread_id, limit)
            left = end - anyio.current_time()
            if found or left <= 0:
                return found
            await nudge.wait(min(left, await _pause(ctx, principal, thread_id)))
    finally:
        leave()


async def ack(ctx: Services, principal: Principal, resume_id: str, body: object) -> None:
    """Say with an `AckBody` that the agent has gone on. Once it is so, it stays so, and the resume never comes again.

    Raises `NotFound`, and `Conflict` (`lease_lost`) when it was leased to somebody else since.
    """
    await access.require(ctx, principal, "resume")
    sent = parse(AckBody, body)
    if not 1 <= sent.attempt <= MAX_ATTEMPT:
        raise Faults([fault("attempt", "out_of_range.needed", min=1, max=MAX_ATTEMPT)])
    outcome = await ctx.store.finish_resume(
        principal.tenant, principal.id, resume_id, attempt=sent.attempt, now_ms=ctx.clock.now_ms()
    )
    if outcome is None:
        raise NotFound("There is no such resume.")
    if outcome is Outcome.LOST:
        raise Conflict("Its lease has ended, and another has it now: leave it to them.", code="lease_lost")


async def _lease(ctx: Services, principal: Principal, thread_id: str | None, limit: int) -> Sequence[Lease]:
    now = ctx.clock.now_ms()
    while leased := await ctx.store.lease_resumes(
        principal.tenant,
        principal.id,
        thread_id=thread_id,
        now_ms=now,
        until_ms=now + ctx.limits.resume_lease_s * 1000,
        limit=max(1, min(limit, ctx.limits.page)),
    ):
        if standing := [authority.told(each) for each in leased if await authority.stands(ctx, each)]:
            return standing
    return ()


async def _pause(ctx: Services, principal: Principal, thread_id: str | None) -> float:
    """Return for how long nothing can be there unless something happens, in seconds."""
    at = await ctx.store.next_resume(principal.tenant, principal.id, thread_id=thread_id)
    if at is None:
        return SAFETY_POLL_S
    return min(max((at - ctx.clock.now_ms()) / 1000, 0.005), SAFETY_POLL_S)
