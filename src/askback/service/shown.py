"""Record that a person has seen a request, and start a deadline that counts from then."""

from __future__ import annotations

from askback.domain.bodies import EmptyBody
from askback.domain.events import REQUEST_SHOWN
from askback.domain.lifecycle import Action, Status
from askback.domain.record import Record
from askback.domain.timestamps import rfc3339
from askback.domain.validation.structure import parse
from askback.errors import Conflict
from askback.ports.store import Principal
from askback.service import access
from askback.service.assignees import may_answer
from askback.service.context import Services
from askback.service.read import get
from askback.service.settle import Overtaken, settle


async def shown(ctx: Services, principal: Principal, request_id: str, body: object) -> Record:
    """Note it, unless somebody was shown it before or it has ended; return the request as it is then.

    Nothing is noted of who may not answer, nor while it waits in line: no clock begins before somebody sees it who may.
    """
    await access.require(ctx, principal, "answer", request_id)
    record = await get(ctx, principal, request_id)
    parse(EmptyBody, body)
    if record.behind or not await may_answer(ctx, principal, record):
        return record
    while record.status is Status.PENDING and "shown_at" not in (state := record.state.members):
        now = ctx.clock.now_ms()
        times = None
        terms = record.spec.facts
        if terms.timeout_from == "shown":
            escalated = state.get("escalated", 0)
            times = terms.times(created_at=record.created_at, shown_at=now, escalated=escalated)
        try:
            noted = {"shown_at": rfc3339(now), "unseen": None}
            change = await settle(
                ctx, record, Action.NOTE, noted, by=principal, exactly=True, event=REQUEST_SHOWN, times=times
            )
        except Overtaken as overtaken:
            record = overtaken.record
        except Conflict:
            return await get(ctx, principal, request_id)
        else:
            return change.record
    return record
