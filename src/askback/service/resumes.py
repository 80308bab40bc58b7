"""Lease and acknowledge resumes. A resume that is not acknowledged is leased again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import anyio

from askback.domain.access import Level
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
    if thread_id is not None:
        await sharing.require_in(ctx, principal, thread_id, Level.VIEW, attempted="resume")
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
    outcome = None
    standing = await ctx.store.resume(principal.tenant, resume_id)
    if standing is not None and await _sees(ctx, principal, standing.resume.thread_id):
        outcome = await ctx.store.finish_resume(
            principal.tenant, principal.id, resume_id, attempt=sent.attempt, now_ms=ctx.clock.now_ms()
        )
    if outcome is None:
        raise NotFound("There is no such resume.")
    if outcome is Outcome.LOST:
        raise Conflict(
            "Your lease of this resume has ended, and another worker has it now. Stop working on it.",
            code="lease_lost",
        )


async def _sees(ctx: Services, principal: Principal, thread_id: str) -> bool:
    access = await ctx.store.access(principal.tenant, thread_id)
    return sharing.level(principal, access, thread_id) >= Level.VIEW


async def _lease(ctx: Services, principal: Principal, thread_id: str | None, limit: int) -> Sequence[Lease]:
    if thread_id is not None or not sharing.is_limited(principal):
        return await _lease_in(ctx, principal, thread_id, limit)
    found: list[Lease] = []
    for each, at in (await _in_reach(ctx, principal)).items():
        if at <= ctx.clock.now_ms() and len(found) < limit:
            found += await _lease_in(ctx, principal, each, limit - len(found))
    return found


async def _in_reach(ctx: Services, principal: Principal) -> Mapping[str, int]:
    """Return the threads of a limited token that have resumes, and when the next one can be leased, ms."""
    found = await ctx.store.resume_threads(principal.tenant, principal.id)
    return {thread_id: at for thread_id, at in found.items() if sharing.reaches(principal, thread_id)}


async def _lease_in(
    ctx: Services, principal: Principal, thread_id: str | None, limit: int
) -> Sequence[Lease]:
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
    if thread_id is None and sharing.is_limited(principal):
        at = min((await _in_reach(ctx, principal)).values(), default=None)
    else:
        at = await ctx.store.next_resume(principal.tenant, principal.id, thread_id=thread_id)
    if at is None:
        return SAFETY_POLL_S
    return min(max((at - ctx.clock.now_ms()) / 1000, 0.005), SAFETY_POLL_S)
