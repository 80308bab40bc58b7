"""Cancel a request, as its requester or as an admin."""

from __future__ import annotations

from askback.domain.bodies import CancelBody
from askback.domain.faults import Faults, fault
from askback.domain.lifecycle import CANCELLED_BY, Action
from askback.domain.validation.structure import parse
from askback.ports.store import Change, Principal
from askback.service import access
from askback.service.claims import claim
from askback.service.context import Services
from askback.service.notes import check_note
from askback.service.read import get
from askback.service.settle import replayed, settle
from askback.service.submission import with_submission


async def cancel(
    ctx: Services, principal: Principal, request_id: str, body: object, *, key: str | None = None
) -> Change:
    """Settle a request with `{"reason"?, "note"?}`; the reason of an admin is `admin` unless it says another.

    Which reasons a role may give is in `domain.lifecycle.CANCELLED_BY`; another one is a fault.
    """
    await access.require(ctx, principal, "cancel", request_id)
    record = await get(ctx, principal, request_id)
    sent = parse(CancelBody, body)
    claimed = claim(principal, f"cancel:{request_id}", key, sent)
    if (before := await replayed(ctx, claimed)) is not None:
        return with_submission(before)
    check_note(ctx, sent.note)
    reason = sent.reason or ("admin" if principal.role == "admin" else "agent_aborted")
    if principal.role not in CANCELLED_BY[reason]:
        allowed = [each for each, roles in CANCELLED_BY.items() if principal.role in roles]
        raise Faults([fault("reason", "unknown_value", allowed=", ".join(allowed))])
    outcome = {"reason": reason} | ({"note": sent.note} if sent.note is not None else {})
    return await settle(ctx, record, Action.CANCEL, outcome, by=principal, claim=claimed)
