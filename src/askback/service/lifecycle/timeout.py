"""End a request at its deadline as its `on_timeout` says."""

from __future__ import annotations

from contextlib import suppress

from askback.domain.events import REQUEST_DETACHED
from askback.domain.faults import Faults
from askback.domain.lifecycle import Status, Transition
from askback.domain.record import Record
from askback.domain.validation.answer import CleanedAnswer, default_answer
from askback.ports.store import Change, Claim, Principal
from askback.service.context import Services
from askback.service.lifecycle.settle import settle


async def time_out(
    ctx: Services, record: Record, *, by: Principal | None = None, claim: Claim | None = None
) -> Change:
    """Take the step of a deadline that has passed, or that a hook accepted. Raises what `settle` raises."""
    checked = record.status is Status.RESOLVING
    on_timeout = record.spec.facts.on_timeout
    if on_timeout == "resume":
        return await _detach(ctx, record, principal=by, claim=claim)
    if (answer := _default(ctx, record)) is not None:
        outcome = {"source": "default", "answer": answer.answer}
        return await settle(
            ctx, record, Transition.ACCEPT if checked else Transition.ANSWER, outcome, by=by, claim=claim
        )
    if on_timeout == "cancel":
        return await settle(ctx, record, Transition.CANCEL, {"reason": "timeout"}, by=by, claim=claim)
    return await settle(ctx, record, Transition.EXPIRE, {}, by=by, claim=claim)


def _default(ctx: Services, record: Record) -> CleanedAnswer | None:
    """Return the default answer of a form; a form that replaced the first one may have none."""
    if record.spec.facts.on_timeout != "default":
        return None
    with suppress(Faults):
        return default_answer(record.spec.form, ctx.limits)
    return None


async def _detach(
    ctx: Services, record: Record, *, principal: Principal | None, claim: Claim | None
) -> Change:
    """Remove the deadline of a request whose requester stops waiting; it can be answered at any time."""
    escalated = record.state.members.get("escalated", 0)
    times = record.spec.facts.schedule_from(None, created_at=record.created_at, escalated=escalated)
    if record.status is Status.RESOLVING:
        return await settle(
            ctx, record, Transition.REPROMPT, {"detached": True}, by=principal, claim=claim, times=times
        )
    changes = {"detached": True}
    return await settle(
        ctx,
        record,
        Transition.NOTE,
        changes,
        by=principal,
        match_state=True,
        event=REQUEST_DETACHED,
        times=times,
    )
