"""Report that a person is answering a request, so that other readers need not begin as well.

The report is not stored and is no event: it goes over the bus to the people who have the thread open now. Agents never
get it.
"""

from __future__ import annotations

from askback.domain.lifecycle import Status
from askback.domain.validation.structure import parse
from askback.ports.bus import Activity
from askback.ports.store import Principal
from askback.service.access import roles
from askback.service.access.assignees import can_answer
from askback.service.context import Services
from askback.service.lifecycle.read import get_request
from askback.wire.bodies import AnsweringBody


async def mark_answering(
    ctx: Services, principal: Principal, request_id: str, body: object
) -> Activity | None:
    """Report that the caller answers a request with `{"active"?}`, and return the report.

    If nobody can answer it, or the caller may not, nothing is reported and None is returned.
    Raises `NotFound`, `Faults`, and `RateLimited`.
    """
    await roles.require(ctx, principal, "mark_answering", request_id)
    ctx.rate_limiter.count_activity(principal, clock=ctx.clock)
    record = await get_request(ctx, principal, request_id)
    payload = parse(AnsweringBody, body)
    if record.status is not Status.PENDING or record.queued_behind:
        return None
    if not await can_answer(ctx, principal, record):
        return None
    activity = Activity(
        "",
        principal.tenant,
        record.thread_id,
        record.id,
        principal.id,
        principal.user,
        principal.name,
        active=payload.active,
    )
    ctx.bus.report(activity)
    return activity
