"""Whoever asked takes it back, or an admin does."""

from __future__ import annotations

from askback.domain.bodies import CancelBody
from askback.domain.lifecycle import Action
from askback.domain.validation.structure import parse
from askback.ports.store import Change, Principal
from askback.service import access
from askback.service.claims import claim
from askback.service.context import Services
from askback.service.notes import check_note
from askback.service.read import get
from askback.service.settle import settle


async def cancel(
    ctx: Services, principal: Principal, request_id: str, body: object, *, key: str | None = None
) -> Change:
    """Settle a request with `{"reason"?, "note"?}`; the reason of an admin is `admin` unless it says another."""
    await access.require(ctx, principal, "cancel", request_id)
    record = await get(ctx, principal, request_id)
    sent = parse(CancelBody, body)
    check_note(ctx, sent.note)
    claimed = claim(principal, f"cancel:{request_id}", key, sent)
    reason = sent.reason or ("admin" if principal.role == "admin" else "agent_aborted")
    outcome = {"reason": reason} | ({"note": sent.note} if sent.note is not None else {})
    return await settle(ctx, record, Action.CANCEL, outcome, by=principal, claim=claimed)
