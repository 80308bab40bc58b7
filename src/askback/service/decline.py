"""Decline a request: skipped, dismissed or refused. A decline is never an answer."""

from __future__ import annotations

from collections.abc import Callable

from askback.domain.bodies import DeclineBody
from askback.domain.faults import Faults, fault
from askback.domain.kinds import kind_of
from askback.domain.lifecycle import Action
from askback.domain.record import Record
from askback.domain.validation.structure import parse
from askback.ports.policy import NOTHING
from askback.ports.store import Change, Principal
from askback.service import access, refusals
from askback.service.admission import admit, readable
from askback.service.claims import claim
from askback.service.context import Services
from askback.service.notes import check_note
from askback.service.read import get
from askback.service.settle import conflict, replayed, settle
from askback.service.submission import with_submission


async def decline(
    ctx: Services,
    principal: Principal,
    request_id: str,
    body: object,
    *,
    key: str | None = None,
    seen: Callable[[Record], None] = lambda _: None,
) -> Change:
    """Settle a request with `{"reason", "note"?}`, also while an answer to it is checked.

    `skipped` only where the form allows it (D17). `seen` raises where the person saw something else. The same key with
    the same body is a replay, before anything else is checked.
    """
    await access.require(ctx, principal, "decline", request_id)
    record = await get(ctx, principal, request_id)
    sent = await readable(ctx, principal, record, lambda: parse(DeclineBody, body))
    claimed = claim(principal, f"decline:{request_id}", key, sent)
    if (before := await replayed(ctx, claimed)) is not None:
        return with_submission(before)
    await admit(ctx, principal, record)
    check_note(ctx, sent.note)
    seen(record)
    if record.settled:
        raise conflict(record)
    if sent.reason == "skipped" and not kind_of(record).allows_skip(record.spec):
        raise Faults([fault("reason", "skip_not_allowed")])
    remembered = await refusals.remember(ctx, record) if _is_refusal(record, sent) else None
    outcome = sent.model_dump(exclude_none=True, exclude={"remember"})
    return await settle(
        ctx,
        record,
        Action.DECLINE,
        outcome if remembered is None else {**outcome, "refusal": remembered.shown},
        by=principal,
        claim=claimed,
        effects=NOTHING if remembered is None else remembered.effects,
        refused=remembered is not None,
    )


def _is_refusal(record: Record, sent: DeclineBody) -> bool:
    """Whether the person does not want to be asked this again."""
    return sent.remember and sent.reason in kind_of(record).refusals
