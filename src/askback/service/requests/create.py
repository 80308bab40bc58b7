"""Create or cancel a request of any kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from askback.domain.faults import Faults, fault
from askback.domain.kinds import BUILT_IN, FORM, PACKAGE
from askback.domain.lifecycle import CANCELLED_BY, Transition
from askback.domain.record import Record
from askback.domain.validation.structure import parse
from askback.errors import Conflict
from askback.ports.outcome import Outcome
from askback.ports.store import Change, ExternalIdTaken, Principal
from askback.ports.threads import ThreadArchived
from askback.service.access import roles
from askback.service.context import Services
from askback.service.lifecycle.admission import check_note
from askback.service.lifecycle.idempotency import idempotency_claim, require_not_erased, with_submission
from askback.service.lifecycle.read import get_request
from askback.service.lifecycle.settle import replayed, settle
from askback.service.lifecycle.undelivered import mark_delivered
from askback.service.requests.kinds import handlers_for
from askback.wire.bodies import CancelBody


async def create_request(
    ctx: Services, principal: Principal, body: object, *, key: str | None = None
) -> Change:
    """Create a request from an `Ask`, an `ApprovalAsk`, a `SecretRequest` or an `ActionRequest`.

    With a key or an external id that was used before, return the request that the earlier call created.

    Raises `Faults` with every error, `Forbidden` for any role but requester, `ClaimMismatch`, and `Conflict`
    for an external id that was sent with another body.
    """
    await roles.require(ctx, principal, "create_request")
    kind = _member(body, "kind")
    # A body of an unknown kind gets the errors of a form.
    kind_name = kind if isinstance(kind, str) and kind in BUILT_IN else FORM.name
    handlers = handlers_for(PACKAGE.name if isinstance(kind, str) and kind in ctx.kinds else kind_name)
    try:
        change = await handlers.create(ctx, principal, body, key=key)
    except ExternalIdTaken as error:
        change = Change(_same_request(error), Outcome.FOUND)
    except ThreadArchived:
        await require_not_erased(ctx, principal, _member(body, "thread_id"), key)
        raise
    if change.outcome is not Outcome.APPLIED and change.record.settled:
        await mark_delivered(ctx, principal, change.record)
    return change


def _same_request(error: ExternalIdTaken) -> Record:
    if error.same:
        return error.record
    raise Conflict(
        "You have sent another request with this external_id in this thread. Give this one its own external_id.",
        code="external_id_taken",
        request=error.record.as_dict(),
    )


def _member(body: object, name: str) -> object:
    return cast("Mapping[object, object]", body).get(name) if isinstance(body, Mapping) else None


async def cancel_request(
    ctx: Services, principal: Principal, request_id: str, body: object, *, key: str | None = None
) -> Change:
    """Cancel a request with `{"reason"?, "note"?}`; the default reason of an admin is `admin`.

    `domain.lifecycle.CANCELLED_BY` has the reasons of each role; any other raises `Faults`.
    """
    await roles.require(ctx, principal, "cancel_request", request_id)
    record = await get_request(ctx, principal, request_id)
    payload = parse(CancelBody, body)
    claim = idempotency_claim(principal, f"cancel:{request_id}", key, payload)
    if (earlier_change := await replayed(ctx, claim)) is not None:
        return with_submission(earlier_change)
    check_note(ctx, payload.note)
    reason = payload.reason or ("admin" if principal.role == "admin" else "agent_aborted")
    if principal.role not in CANCELLED_BY[reason]:
        allowed = [item for item, roles in CANCELLED_BY.items() if principal.role in roles]
        raise Faults([fault("reason", "unknown_value", allowed=", ".join(allowed))])
    outcome = {"reason": reason} | ({"note": payload.note} if payload.note is not None else {})
    return await settle(ctx, record, Transition.CANCEL, outcome, by=principal, claim=claim)
