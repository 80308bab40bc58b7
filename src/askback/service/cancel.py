"""Whoever asked takes it back, or an admin does."""

from __future__ import annotations

from askback.domain.bodies import CancelBody
from askback.domain.faults import Faults, fault
from askback.domain.lifecycle import Action
from askback.domain.validation.structure import parse
from askback.ports.store import Change, Principal
from askback.service import access
from askback.service.claims import claim
from askback.service.context import Services
from askback.service.notes import check_note
from askback.service.read import get
from askback.service.settle import replayed, settle
from askback.service.submission import with_submission

AGENTS_REASONS = ("agent_aborted", "user_message", "superseded", "shutdown", "not_shown", "failed")
"""The reasons that an agent may give; the others say that a person did it."""
_NOT_AN_AGENTS = frozenset({"admin", "thread_archived"})


async def cancel(
    ctx: Services, principal: Principal, request_id: str, body: object, *, key: str | None = None
) -> Change:
    """Settle a request with `{"reason"?, "note"?}`; the reason of an admin is `admin` unless it says another."""
    await access.require(ctx, principal, "cancel", request_id)
    record = await get(ctx, principal, request_id)
    sent = parse(CancelBody, body)
    claimed = claim(principal, f"cancel:{request_id}", key, sent)
    if (before := await replayed(ctx, claimed)) is not None:
        return with_submission(before)
    check_note(ctx, sent.note)
    if principal.role != "admin" and sent.reason in _NOT_AN_AGENTS:
        raise Faults([fault("reason", "unknown_value", allowed=", ".join(AGENTS_REASONS))])
    reason = sent.reason or ("admin" if principal.role == "admin" else "agent_aborted")
    outcome = {"reason": reason} | ({"note": sent.note} if sent.note is not None else {})
    return await settle(ctx, record, Action.CANCEL, outcome, by=principal, claim=claimed)
