"""The one way a request ends: a step of the lifecycle, tried as a compare-and-set."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic_core import to_json

from askback.domain.events import Draft
from askback.domain.lifecycle import Action, IllegalTransition, Status, step
from askback.domain.record import Record
from askback.domain.timestamps import rfc3339
from askback.errors import Conflict, Gone, NotFound
from askback.ports.store import Change, Claim, Outcome, Principal, Settlement
from askback.service.context import Services


async def settle(
    ctx: Services,
    record: Record,
    action: Action,
    outcome: Mapping[str, Any],
    *,
    by: Principal | None,
    revision: int | None = None,
    claim: Claim | None = None,
) -> Change:
    """Take `action` on the request as it was read; of several callers the first wins.

    Raises `Conflict` or `Gone` with the request as it now is when this call came too late.
    """
    try:
        status = step(record.status, action)
    except IllegalTransition:
        return await lost(ctx, record, claim)
    now = ctx.clock.now_ms()
    state = {"status": status, "revision": record.revision, **outcome, "settled_at": rfc3339(now)}
    if by is not None:
        state["settled_by"] = {"id": by.id, "name": by.name}
    text = to_json(state).decode()
    change = await ctx.store.settle(
        Settlement(
            tenant=record.tenant,
            id=record.id,
            expected=frozenset({record.status}),
            revision=record.revision if revision is None else revision,
            status=status,
            state=text,
            event=Draft(
                f"request.{status}", record.tenant, record.thread_id, now, record.id, text, record.requester
            ),
        ),
        claim,
    )
    ctx.newest.drop(record.id)
    if change is None:
        raise not_found()
    if change.outcome is Outcome.LOST:
        raise conflict(change.record)
    return change


async def lost(ctx: Services, record: Record, claim: Claim | None) -> Change:
    """Answer a call that came after the end: its own earlier success when the claim says so, else a conflict."""
    if claim is not None:
        event = Draft("request.replayed", record.tenant, record.thread_id, 0, record.id, record.state)
        nothing = Settlement(record.tenant, record.id, frozenset(), None, record.status, record.state, event)
        change = await ctx.store.settle(nothing, claim)
        if change is not None and change.outcome is Outcome.REPLAYED:
            return change
    raise conflict(record)


def conflict(record: Record) -> Conflict:
    """Say why this call cannot be taken, with the request as it is now."""
    request = json.loads(record.wire)
    if record.status is Status.EXPIRED:
        return Gone("The request expired before this came.", request=request)
    if record.settled:
        return Conflict(f"The request is {record.status} already; nothing was changed.", request=request)
    return Conflict(
        f"The form has changed: answer revision {record.revision}.", code="stale_revision", request=request
    )


def not_found() -> NotFound:
    """The answer for what does not exist and for what is not the caller's to see."""
    return NotFound("There is no such request.")
