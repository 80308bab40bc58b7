"""A person answers: what was sent is checked against what was asked, and the first valid answer wins.

Each kind has a module of its own for what its answers are. A body that may hold a secret comes as bytes, over the one
route that leaves reading it to us; where it was read already, it is refused.
"""

from __future__ import annotations

from askback.domain import jsontext
from askback.domain.bodies import AnswerBody
from askback.domain.lifecycle import Action
from askback.domain.record import Record, says
from askback.domain.secrets.unread import Unread
from askback.domain.standing import said
from askback.domain.validation.answer import check_answer
from askback.domain.validation.structure import parse
from askback.errors import Conflict
from askback.ports.store import Change, Principal
from askback.service import access
from askback.service.assignees import require_to_answer
from askback.service.claims import claim
from askback.service.context import Services
from askback.service.decide import decide
from askback.service.read import newest
from askback.service.secrets.fields import answer_fields, has_sensitive
from askback.service.secrets.submit import submit
from askback.service.settle import conflict, lost, settle


async def answer(
    ctx: Services, principal: Principal, request_id: str, body: object, *, key: str | None = None
) -> Change:
    """Settle a form with `{"revision", "values"}`, or decide about an approval (`decide.py`).

    Raises `Faults` (the request stays open), `Conflict` or `Gone` (with the request as it is),
    `Forbidden` for a requester, `NotFound`, `ClaimMismatch`.
    """
    record = await _asked(ctx, principal, request_id)
    if _is_secret(record):
        raise Conflict("Send what is secret over HTTP, to POST /v1/requests/{id}/answer.", code="http_only")
    return await _answer(ctx, principal, record, body, key)


async def answer_unread(
    ctx: Services, principal: Principal, request_id: str, body: Unread, *, key: str | None = None
) -> Change:
    """Settle a request of any kind with a body that nobody has looked into; raises what `answer` raises."""
    record = await _asked(ctx, principal, request_id)
    if record.kind == "secret":
        return await submit(ctx, principal, record, body, key=key)
    if _is_secret(record):
        return await answer_fields(ctx, principal, record, body, key=key)
    read = body.read(lambda text: jsontext.parse(text, limits=ctx.limits))
    return await _answer(ctx, principal, record, read, key)


async def _asked(ctx: Services, principal: Principal, request_id: str) -> Record:
    await access.require(ctx, principal, "answer", request_id)
    await ctx.pace.take(principal, clock=ctx.clock, store=ctx.store)
    record = await newest(ctx, principal, request_id)
    await require_to_answer(ctx, principal, record)
    return record


def _is_secret(record: Record) -> bool:
    return record.kind == "secret" or (record.kind == "form" and has_sensitive(record))


async def _answer(
    ctx: Services, principal: Principal, record: Record, body: object, key: str | None
) -> Change:
    if record.kind == "approval":
        return await decide(ctx, principal, record, body, key=key)
    sent = parse(AnswerBody, body)
    claimed = claim(principal, f"answer:{record.id}", key, sent)
    if record.settled:
        return await lost(ctx, record, claimed)
    if sent.revision != record.revision:
        raise conflict(record)
    checked = check_answer(ctx.newest.form(record), sent.values, limits=ctx.limits)
    if says(record.spec, "validator", "requester"):
        tried = {"submitted": said(checked), "submitted_by": principal.settler}
        return await settle(ctx, record, Action.SUBMIT, tried, by=principal, claim=claimed)
    outcome = {"source": "responder", "answer": said(checked)}
    return await settle(ctx, record, Action.ANSWER, outcome, by=principal, claim=claimed)
