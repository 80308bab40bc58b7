"""Let a decline or a deadline that was held for a hook stand (ADR 58)."""

from __future__ import annotations

from askback.domain.kinds import kind_of
from askback.domain.lifecycle import Transition
from askback.domain.record import Record
from askback.ports.policy import NOTHING
from askback.ports.store import Change, Claim, Principal
from askback.service.context import Services
from askback.service.lifecycle import refusals
from askback.service.lifecycle.settle import settle
from askback.service.lifecycle.timeout import time_out


async def apply_held_outcome(
    ctx: Services, record: Record, *, by: Principal | None = None, claim: Claim | None = None
) -> Change:
    """End the request as it would have ended without the hook. Raises what `settle` raises."""
    state = record.state.members
    held_outcome = state.get("held", {})
    if held_outcome["event"] == "timeout":
        return await time_out(ctx, record, by=by, claim=claim)
    remembered = None
    if held_outcome.get("remember", True) and held_outcome["reason"] in kind_of(record).refusals:
        remembered = await refusals.remember_refusal(ctx, record)
    outcome = {
        "reason": held_outcome["reason"],
        "note": held_outcome.get("note"),
        "submitted": state.get("submitted"),
        "settled_by": state.get("submitted_by"),
        "refusal": None if remembered is None else remembered.shown,
    }
    return await settle(
        ctx,
        record,
        Transition.DECLINE,
        outcome,
        by=by,
        claim=claim,
        effects=NOTHING if remembered is None else remembered.effects,
        refused=remembered is not None,
    )
