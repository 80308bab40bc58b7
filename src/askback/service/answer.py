"""A person answers: the values are checked against the form, and the first valid answer wins."""

from __future__ import annotations

from askback.domain.bodies import AnswerBody
from askback.domain.lifecycle import Action
from askback.domain.record import Record
from askback.domain.validation.answer import check_answer
from askback.domain.validation.structure import parse
from askback.ports.store import Change, Principal
from askback.service import access
from askback.service.claims import claim
from askback.service.context import Services
from askback.service.decide import decide
from askback.service.read import get
from askback.service.settle import conflict, lost, settle


async def answer(
    ctx: Services, principal: Principal, request_id: str, body: object, *, key: str | None = None
) -> Change:
    """Settle a form with `{"revision", "values"}`, or decide about an approval (`decide.py`).

    Raises `Faults` (the request stays open), `Conflict` or `Gone` (with the request as it is),
    `Forbidden` for a requester, `NotFound`, `ClaimMismatch`.
    """
    await access.require(ctx, principal, "answer", request_id)
    record = ctx.newest.record(principal.tenant, request_id) or await get(ctx, principal, request_id)
    await access.require_assigned(ctx, principal, record)
    if record.kind == "approval":
        return await decide(ctx, principal, record, body, key=key)
    sent = parse(AnswerBody, body)
    claimed = claim(principal, f"answer:{request_id}", key, sent)
    if record.settled:
        return await lost(ctx, record, claimed)
    if sent.revision != record.revision:
        raise conflict(record)
    return await settle(
        ctx,
        record,
        Action.ANSWER,
        _outcome(ctx, record, sent.values),
        by=principal,
        claim=claimed,
    )


def _outcome(ctx: Services, record: Record, values: object) -> dict[str, object]:
    checked = check_answer(ctx.newest.form(record), values, limits=ctx.limits)
    found = (
        {"values": checked.values, "other": checked.other} if checked.other else {"values": checked.values}
    )
    return {"source": "responder", "answer": found}
