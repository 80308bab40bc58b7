"""Record the outcome of an action, from the person or from the agent that asked.

A failure ends the request, or with `retry` leaves it open with the failed attempt, so that the person can try again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from askback.domain.action import ActionAnswerBody, OutcomeBody
from askback.domain.events import REQUEST_ATTEMPTED
from askback.domain.kinds import kind_of
from askback.domain.lifecycle import Status, Transition
from askback.domain.record import Record
from askback.domain.shown_texts import shown_texts
from askback.domain.timestamps import rfc3339
from askback.domain.validation.action import check_outcome
from askback.domain.validation.structure import parse
from askback.errors import Conflict
from askback.ports.store import Change, Claim, Principal
from askback.service.access import roles
from askback.service.context import Services
from askback.service.lifecycle.admission import admit, parse_for_caller
from askback.service.lifecycle.checks import submit_for_check
from askback.service.lifecycle.idempotency import idempotency_claim, with_submission
from askback.service.lifecycle.read import get_request, require_revision
from askback.service.lifecycle.settle import ConcurrentChange, already_settled, replayed, settle


async def answer_action(
    ctx: Services,
    principal: Principal,
    record: Record,
    body: object,
    *,
    key: str | None,
    claim: Claim | None = None,
) -> Change:
    """Record the person's outcome from an `ActionAnswerBody`; see `answer_request`, which has checked the role."""
    payload = await parse_for_caller(ctx, principal, record, lambda: parse(ActionAnswerBody, body))
    claim = claim or idempotency_claim(principal, f"answer:{record.id}", key, payload)
    if (earlier_change := await replayed(ctx, claim)) is not None:
        return with_submission(earlier_change, payload.revision)
    await admit(ctx, principal, record)
    record = await require_revision(ctx, principal, record, payload.revision)
    check_outcome(payload, record.spec.action, ctx.limits)
    shown_parts = shown_texts(payload.languages or (), **record.spec.action.texts)
    if payload.outcome == "done" and record.spec.facts.validator is not None:
        answer = {"outcome": "done", **({"shown": shown_parts} if shown_parts else {})}
        return await submit_for_check(ctx, record, answer, by=principal, claim=claim)
    return await _record(
        ctx, principal, record, payload, source="responder", claim=claim, shown_texts=shown_parts
    )


async def report_outcome(
    ctx: Services, principal: Principal, request_id: str, body: object, *, key: str | None
) -> Change:
    """Record the outcome of the agent's own request from an `OutcomeBody`.

    Raises `Faults`, `NotFound`, `Conflict` or `Gone`; `Conflict` (`not_an_action`) for a request of another kind.
    """
    await roles.require(ctx, principal, "report_outcome", request_id)
    record = await get_request(ctx, principal, request_id)
    payload = parse(OutcomeBody, body)
    claim = idempotency_claim(principal, f"outcome:{request_id}", key, payload)
    if (earlier_change := await replayed(ctx, claim)) is not None:
        return earlier_change
    if not kind_of(record).is_reported:
        raise Conflict(
            "This request is not an action. Only a person can answer it.",
            code="not_an_action",
            request=record.as_dict(),
        )
    check_outcome(payload, record.spec.action, ctx.limits)
    return await _record(ctx, principal, record, payload, source="requester", claim=claim)


async def _record(
    ctx: Services,
    principal: Principal,
    record: Record,
    payload: OutcomeBody,
    *,
    source: str,
    claim: Claim | None,
    shown_texts: Mapping[str, str] | None = None,
) -> Change:
    if payload.retry:
        return await note_failure(ctx, record, {"reason": payload.reason}, by=principal, claim=claim)
    answer = payload.model_dump(include={"outcome", "reason"}, exclude_none=True)
    if shown_texts is not None:
        answer["shown"] = shown_texts
    outcome = {"source": source, "answer": answer}
    return await settle(ctx, record, Transition.ANSWER, outcome, by=principal, claim=claim)


async def note_failure(
    ctx: Services,
    record: Record,
    failure: dict[str, Any],
    *,
    by: Principal | None,
    claim: Claim | None = None,
) -> Change:
    """Record a failed attempt of a pending request, which stays open. Raises what `settle` raises."""
    members = {"at": rfc3339(ctx.clock.now_ms()), "by": None if by is None else by.settler, **failure}
    attempt = {name: value for name, value in members.items() if value is not None}
    while record.status is Status.PENDING:
        attempt["number"] = record.state.members.get("attempt", {}).get("number", 0) + 1
        try:
            return await settle(
                ctx,
                record,
                Transition.NOTE,
                {"attempt": attempt},
                by=by,
                claim=claim,
                match_state=True,
                event=REQUEST_ATTEMPTED,
            )
        except ConcurrentChange as error:
            record = error.record
    raise already_settled(record)
