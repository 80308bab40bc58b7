"""Answer a request: check the submission against the request, and accept the first valid answer.

Each kind has a module of its own for what its answers are. A body that may hold a secret comes as bytes, over the one
route that leaves reading it to us; where it was read already, it is refused.
"""

from __future__ import annotations

from askback.domain import jsontext
from askback.domain.bodies import AnswerBody
from askback.domain.lifecycle import Action
from askback.domain.record import Record
from askback.domain.secrets.unread import Unread
from askback.domain.validation.answer import check_answer
from askback.domain.validation.structure import parse
from askback.errors import Conflict
from askback.ports.policy import NOTHING, Along
from askback.ports.store import Change, Claim, Principal
from askback.service import access, refusals
from askback.service.admission import admit, readable
from askback.service.checks import submitted
from askback.service.claims import claim
from askback.service.context import Services
from askback.service.decide import decide
from askback.service.read import at_revision, newest
from askback.service.secrets.fields import answer_fields
from askback.service.secrets.submit import submit
from askback.service.settle import replayed, settle
from askback.service.submission import with_submission


async def answer(
    ctx: Services,
    principal: Principal,
    request_id: str,
    body: object,
    *,
    key: str | None = None,
    claimed: Claim | None = None,
) -> Change:
    """Settle a form with `{"revision", "values"}`, or decide about an approval (`decide.py`).

    The same key with the same body is a replay, before anything else is checked. `claimed` stands for a key.
    Raises `Faults` (the request stays open), `Conflict` or `Gone` (with the request as it is),
    `Forbidden` for a requester, `NotFound`, `ClaimMismatch`.
    """
    record = await _asked(ctx, principal, request_id)
    if _is_secret(record):
        raise Conflict(
            "Secret values are not accepted over the WebSocket. Send them over HTTP, to POST /v1/requests/{id}/answer.",
            code="http_only",
        )
    return await _answer(ctx, principal, record, body, key, claimed)


async def answer_unread(
    ctx: Services, principal: Principal, request_id: str, body: Unread, *, key: str | None = None
) -> Change:
    """Settle a request of any kind with a body that nobody has looked into; raises what `answer` raises."""
    record = await _asked(ctx, principal, request_id)
    if record.kind == "secret":
        return await submit(ctx, principal, record, body, key=key)
    if _is_secret(record):
        return await answer_fields(ctx, principal, record, body, key=key)
    read = await readable(
        ctx, principal, record, lambda: body.read(lambda text: jsontext.parse(text, limits=ctx.limits))
    )
    return await _answer(ctx, principal, record, read, key)


async def _asked(ctx: Services, principal: Principal, request_id: str) -> Record:
    await access.require(ctx, principal, "answer", request_id)
    return await newest(ctx, principal, request_id)


def _is_secret(record: Record) -> bool:
    return record.kind == "secret" or (record.kind == "form" and bool(record.spec.sensitive))


async def _answer(
    ctx: Services,
    principal: Principal,
    record: Record,
    body: object,
    key: str | None,
    claimed: Claim | None = None,
) -> Change:
    if record.kind == "approval":
        return await decide(ctx, principal, record, body, key=key)
    sent = await readable(ctx, principal, record, lambda: parse(AnswerBody, body))
    claimed = claimed or claim(principal, f"answer:{record.id}", key, sent)
    if (before := await replayed(ctx, claimed)) is not None:
        return with_submission(before, sent.revision)
    await admit(ctx, principal, record)
    record = await at_revision(ctx, principal, record, sent.revision)
    checked = check_answer(record.spec.form, sent.values, limits=ctx.limits)
    if record.spec.facts.validator is not None:
        change = await submitted(ctx, record, checked.answer, by=principal, claim=claimed)
    else:
        outcome = {"source": "responder", "answer": checked.answer}
        along = Along(lifts=lifts) if (lifts := await refusals.lifts_by_answer(ctx, record)) else NOTHING
        change = await settle(ctx, record, Action.ANSWER, outcome, by=principal, claim=claimed, along=along)
    return change
