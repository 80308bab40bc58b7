"""Answer a request: check the submission against the request, and accept the first valid answer.

Each kind has a module of its own for what its answers are. A body that may hold a secret comes as bytes, over the one
route that leaves reading it to us; where it was read already, it is refused.
"""

from __future__ import annotations

from askback.domain import jsontext
from askback.domain.kinds import kind_of
from askback.domain.record import Record
from askback.domain.secrets.unread import Unread
from askback.errors import Conflict
from askback.ports.store import Change, Claim, Principal
from askback.service import access
from askback.service.admission import readable
from askback.service.context import Services
from askback.service.kinds import handlers_of
from askback.service.read import newest


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
    handle = handlers_of(record).answer
    if handle is None or kind_of(record).is_secret(record.spec):
        raise Conflict(
            "Secret values are not accepted over the WebSocket. Send them over HTTP, to POST /v1/requests/{id}/answer.",
            code="http_only",
        )
    return await handle(ctx, principal, record, body, key=key, claimed=claimed)


async def answer_unread(
    ctx: Services, principal: Principal, request_id: str, body: Unread, *, key: str | None = None
) -> Change:
    """Settle a request of any kind with a body that nobody has looked into; raises what `answer` raises."""
    record = await _asked(ctx, principal, request_id)
    handlers = handlers_of(record)
    if handlers.answer_unread is not None and kind_of(record).is_secret(record.spec):
        return await handlers.answer_unread(ctx, principal, record, body, key=key)
    read = await readable(
        ctx, principal, record, lambda: body.read(lambda text: jsontext.parse(text, limits=ctx.limits))
    )
    assert handlers.answer is not None
    return await handlers.answer(ctx, principal, record, read, key=key)


async def _asked(ctx: Services, principal: Principal, request_id: str) -> Record:
    await access.require(ctx, principal, "answer", request_id)
    return await newest(ctx, principal, request_id)
