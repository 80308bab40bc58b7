"""A person will not deal with it: skipped, dismissed or refused. Never an answer."""

from __future__ import annotations

from askback.domain.bodies import DeclineBody
from askback.domain.faults import Faults, fault
from askback.domain.lifecycle import Action
from askback.domain.validation.structure import parse
from askback.ports.store import Change, Principal
from askback.service import access
from askback.service.assignees import require_to_answer
from askback.service.claims import claim
from askback.service.context import Services
from askback.service.notes import check_note
from askback.service.read import get
from askback.service.refusals import digest_of
from askback.service.settle import lost, settle


async def decline(
    ctx: Services, principal: Principal, request_id: str, body: object, *, key: str | None = None
) -> Change:
    """Settle a request with `{"reason", "note"?}`; `skipped` only where the form allows it (D17)."""
    await access.require(ctx, principal, "decline", request_id)
    await ctx.pace.take(principal, clock=ctx.clock, store=ctx.store)
    record = await get(ctx, principal, request_id)
    await require_to_answer(ctx, principal, record)
    sent = parse(DeclineBody, body)
    check_note(ctx, sent.note)
    claimed = claim(principal, f"decline:{request_id}", key, sent)
    if record.settled:
        return await lost(ctx, record, claimed)
    if sent.reason == "skipped" and not (record.kind == "form" and ctx.newest.form(record).allow_skip):
        raise Faults([fault("reason", "skip_not_allowed")])
    unwanted = record.kind == "form" and sent.reason != "skipped"
    return await settle(
        ctx,
        record,
        Action.DECLINE,
        sent.model_dump(exclude_none=True),
        by=principal,
        claim=claimed,
        refused=digest_of(ctx.newest.form(record)) if unwanted else None,
    )
