"""Accept a person's answer after the requester's check, or ask again.

Meanwhile the request is `resolving`, and the person sees that it is being checked. The submission is part of the state,
so a requester finds it after a crash. A check without a verdict ends by timeout (`checks.py`).

A verdict can be sent twice, for example after a lost connection. With a key the second one is a replay, so it does not
apply to a newer answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from askback.domain.validation.structure import parse
from askback.ports.store import Change, Principal
from askback.service.access import roles
from askback.service.context import Services
from askback.service.lifecycle.checks import (
    require_resolving,
)
from askback.service.lifecycle.idempotency import idempotency_claim
from askback.service.lifecycle.read import get_request
from askback.service.lifecycle.settle import replayed
from askback.service.requests.kinds import handlers_of
from askback.service.requests.reprompt import reprompt
from askback.wire.verdicts import AcceptBody, RepromptBody


async def accept_submission(
    ctx: Services, principal: Principal, request_id: str, body: object, *, key: str | None = None
) -> Change:
    """Accept the submission with an `AcceptBody`. Raises `Faults`, and `Conflict` if nothing is being checked."""
    await roles.require(ctx, principal, "accept_submission", request_id)
    record = await get_request(ctx, principal, request_id)
    payload = parse(AcceptBody, body)
    claim = idempotency_claim(
        principal, f"accept:{request_id}", key, payload.model_dump_json(exclude_unset=True)
    )
    if (earlier_change := await replayed(ctx, claim)) is not None:
        return earlier_change
    require_resolving(record)
    return await handlers_of(record).accept(ctx, principal, record, payload, claim=claim)


async def reprompt_request(
    ctx: Services, principal: Principal, request_id: str, body: object, *, key: str | None = None
) -> Change:
    """Ask the person again with a `RepromptBody`; they can edit the rejected answer.

    After `limits.reprompts` times the request is cancelled instead, with the reason `failed`. Raises `Faults`, and
    `Conflict` if nothing is being checked.
    """
    await roles.require(ctx, principal, "reprompt_request", request_id)
    record = await get_request(ctx, principal, request_id)
    payload = parse(RepromptBody, body)
    claim = idempotency_claim(
        principal, f"reprompt:{request_id}", key, payload.model_dump_json(exclude_unset=True)
    )
    if (earlier_change := await replayed(ctx, claim)) is not None:
        return earlier_change
    require_resolving(record)
    raw = cast("Mapping[str, Any]", body).get("form")
    scrub = await handlers_of(record).scrubber(ctx, record)
    return await reprompt(ctx, record, payload, raw, by=principal, claim=claim, scrub=scrub)
