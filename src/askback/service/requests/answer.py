"""Answer or decline a request of any kind, or mark it as shown.

The first valid answer wins. The handlers of each kind are in `kinds.py`. A body that may contain a secret comes as
bytes and is parsed here; one that a transport has parsed already is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from askback.domain import jsontext
from askback.domain.events import REQUEST_SHOWN
from askback.domain.faults import Faults, fault
from askback.domain.kinds import kind_of
from askback.domain.lifecycle import Status, Transition
from askback.domain.record import Record
from askback.domain.secrets.secret import RawBody
from askback.domain.timestamps import rfc3339
from askback.domain.validation.answer import typed_values
from askback.domain.validation.structure import parse
from askback.errors import Conflict
from askback.ports.policy import NOTHING
from askback.ports.store import Change, Claim, Principal
from askback.service.access import roles
from askback.service.access.assignees import can_answer
from askback.service.context import Services
from askback.service.lifecycle import refusals
from askback.service.lifecycle.admission import admit, check_note, parse_for_caller
from askback.service.lifecycle.idempotency import idempotency_claim, with_submission
from askback.service.lifecycle.read import get_recent, get_request
from askback.service.lifecycle.settle import ConcurrentChange, already_settled, replayed, settle
from askback.service.requests.hold_for_hook import hold_decline, is_held
from askback.service.requests.kinds import handlers_of
from askback.wire.bodies import DeclineBody, EmptyBody


async def answer_request(
    ctx: Services,
    principal: Principal,
    request_id: str,
    body: object,
    *,
    key: str | None = None,
    claim: Claim | None = None,
) -> Change:
    """Settle a form with `{"revision", "values"}`, or decide about an approval (`decide.py`).

    The same key with the same body is a replay, before any other check. `claim` replaces a key: the one use of a
    message that answers. Raises `Faults` (the request stays open), `Conflict` or `Gone` (with the current
    request), `Forbidden` for a requester, `NotFound`, `ClaimMismatch`.
    """
    record = await _get_answerable(ctx, principal, request_id)
    handle = handlers_of(record).answer
    if handle is None or kind_of(record).is_secret(record.spec):
        raise Conflict(
            "Secret values are not accepted over the WebSocket. Send them over HTTP, to POST /v1/requests/{id}/answer.",
            code="http_only",
        )
    return await handle(ctx, principal, record, body, key=key, claim=claim)


async def answer_request_bytes(
    ctx: Services, principal: Principal, request_id: str, body: RawBody, *, key: str | None = None
) -> Change:
    """Answer a request of any kind with an unparsed body; raises what `answer_request` raises."""
    record = await _get_answerable(ctx, principal, request_id)
    handlers = handlers_of(record)
    if handlers.answer_unread is not None and kind_of(record).is_secret(record.spec):
        return await handlers.answer_unread(ctx, principal, record, body, key=key)
    read = await parse_for_caller(
        ctx, principal, record, lambda: body.read(lambda text: jsontext.parse(text, limits=ctx.limits))
    )
    assert handlers.answer is not None
    return await handlers.answer(ctx, principal, record, read, key=key)


async def _get_answerable(ctx: Services, principal: Principal, request_id: str) -> Record:
    await roles.require(ctx, principal, "answer_request", request_id)
    return await get_recent(ctx, principal, request_id)


async def decline_request(
    ctx: Services,
    principal: Principal,
    request_id: str,
    body: object,
    *,
    key: str | None = None,
    check_seen: Callable[[Record], None] = lambda _: None,
) -> Change:
    """Settle a request with a `DeclineBody`, or hold it for a hook, even while an answer is checked.

    `skipped` needs a form that allows it (D17). `check_seen` raises if the request has changed since the person saw it.
    The same key with the same body is a replay, before any other check.
    """
    await roles.require(ctx, principal, "decline_request", request_id)
    record = await get_request(ctx, principal, request_id)
    return await decline(ctx, principal, record, body, key=key, check_seen=check_seen)


async def decline(
    ctx: Services,
    principal: Principal,
    record: Record,
    body: object,
    *,
    key: str | None,
    check_seen: Callable[[Record], None] = lambda _: None,
) -> Change:
    """Decline for a caller whose role was checked, as `decline_request` does."""
    payload = await parse_for_caller(ctx, principal, record, lambda: parse(DeclineBody, body))
    claim = idempotency_claim(
        principal, f"decline:{record.id}", key, payload.model_dump_json(exclude_none=True)
    )
    if (earlier_change := await replayed(ctx, claim)) is not None:
        return with_submission(earlier_change)
    await admit(ctx, principal, record)
    check_note(ctx, payload.note)
    check_seen(record)
    if record.settled:
        raise already_settled(record)
    if payload.reason == "skipped" and not kind_of(record).allows_skip(record.spec):
        raise Faults([fault("reason", "skip_not_allowed")])
    typed_text = _typed_values(ctx, record, payload)
    if is_held(record, "decline"):
        return await hold_decline(ctx, principal, record, payload, typed_text, claim)
    refusal = await refusals.remember_refusal(ctx, record) if _is_refusal(record, payload) else None
    outcome = {
        **payload.model_dump(exclude_none=True, exclude={"remember", "values"}),
        "submitted": typed_text,
    }
    return await settle(
        ctx,
        record,
        Transition.DECLINE,
        outcome if refusal is None else {**outcome, "refusal": refusal.shown},
        by=principal,
        claim=claim,
        effects=NOTHING if refusal is None else refusal.effects,
        refused=refusal is not None,
    )


def _typed_values(ctx: Services, record: Record, payload: DeclineBody) -> dict[str, Any] | None:
    """Return the values typed into a declined form, in the format of an answer."""
    if payload.values is None:
        return None
    if not kind_of(record).keeps_submission:
        raise Faults([fault("values", "unknown_field.key")])
    return {"values": typed_values(record.spec.form, payload.values, limits=ctx.limits)}


def _is_refusal(record: Record, payload: DeclineBody) -> bool:
    """Return whether a decline is a refusal that holds for repeated requests."""
    return payload.remember and payload.reason in kind_of(record).refusals


async def mark_shown(ctx: Services, principal: Principal, request_id: str, body: object) -> Record:
    """Mark a pending request as shown, once, and return it; a deadline that counts from then starts.

    Nothing changes if the caller may not answer, or while the request is queued.
    """
    await roles.require(ctx, principal, "mark_shown", request_id)
    record = await get_request(ctx, principal, request_id)
    parse(EmptyBody, body)
    if record.queued_behind or not await can_answer(ctx, principal, record):
        return record
    while record.status is Status.PENDING and "shown_at" not in (state := record.state.members):
        now = ctx.clock.now_ms()
        times = None
        timeouts = record.spec.facts
        if timeouts.timeout_from == "shown":
            escalated = state.get("escalated", 0)
            times = timeouts.schedule(created_at=record.created_at, shown_at=now, escalated=escalated)
        try:
            changes = {"shown_at": rfc3339(now), "unseen": None}
            change = await settle(
                ctx,
                record,
                Transition.NOTE,
                changes,
                by=principal,
                match_state=True,
                event=REQUEST_SHOWN,
                times=times,
            )
        except ConcurrentChange as error:
            record = error.record
        except Conflict:
            return await get_request(ctx, principal, request_id)
        else:
            return change.record
    return record
