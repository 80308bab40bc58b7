"""Revoke an approval before its call runs (ADR 0045).

Whether the call runs or the approval is revoked first is decided by the one use that an approved call has: a
revocation is a use that nothing can follow. What the request says of it (`revoked`, `used_at`) is for those who read.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from askback.domain.bodies import EmptyBody
from askback.domain.events import REQUEST_REVOKED, REQUEST_USED, Draft
from askback.domain.lifecycle import Status
from askback.domain.record import Record
from askback.domain.timestamps import rfc3339
from askback.domain.validation.structure import parse
from askback.errors import Conflict, Gone
from askback.ports.outcome import Outcome
from askback.ports.policy import Execution, SideEffects
from askback.ports.store import Principal, Settlement
from askback.service import access
from askback.service.assignees import require_to_answer
from askback.service.context import Services
from askback.service.ledger import entry
from askback.service.read import get

REVOKED = "revoked"
"""The outcome of a use that was none."""


async def revoke(ctx: Services, principal: Principal, request_id: str, body: object) -> Record:
    """Revoke an approved call that has not run, for whoever may answer it; the same again changes nothing.

    Returns the request with `revoked`. Raises `Conflict` (`not_approved`, `already_consumed`), `Gone`
    (`decision_expired`), `Forbidden`, `NotFound`.
    """
    await access.require(ctx, principal, "answer", request_id)
    record = await get(ctx, principal, request_id)
    parse(EmptyBody, body)
    await require_to_answer(ctx, principal, record)
    state = record.state.members
    answer = state.get("answer", {})
    if answer.get("decision") != "approve":
        raise Conflict(
            "This call was not approved, so there is nothing to revoke.",
            code="not_approved",
            request=record.as_dict(),
        )
    now = ctx.clock.now_ms()
    used = await ctx.store.execution(record.tenant, record.id)
    if used is None:
        if now >= datetime.fromisoformat(answer["expires_at"]).timestamp() * 1000:
            raise Gone("The approval has expired, so there is nothing to revoke.", code="decision_expired")
        used = await _end(ctx, principal, record, now)
    if used.outcome != REVOKED:
        raise Conflict(
            "The call has already run, so its approval cannot be revoked.",
            code="already_consumed",
            request=record.as_dict(),
        )
    if REVOKED in state:
        return record
    said = {REVOKED: {"at": rfc3339(used.consumed_at), "by": principal.settler}}
    return await note(ctx, record, REQUEST_REVOKED, said)


def is_revoked(used: Execution) -> bool:
    """Whether an approved call was revoked before it could run."""
    return used.outcome == REVOKED


async def note_use(ctx: Services, record: Record, at: int) -> None:
    """Say on a request that a person approved that its call has run, for the pages that show it."""
    if record.state.members.get("source") == "responder":
        await note(ctx, record, REQUEST_USED, {"used_at": rfc3339(at)})


async def note(ctx: Services, record: Record, event: str, said: Mapping[str, Any]) -> Record:
    """Add to the state of an answered request, unless somebody has added something meanwhile."""
    state = record.state.adding(**said)
    step = Settlement(
        tenant=record.tenant,
        id=record.id,
        expected=frozenset({Status.ANSWERED}),
        revision=record.revision,
        status=Status.ANSWERED,
        state=state,
        event=Draft(
            event,
            record.tenant,
            record.thread_id,
            ctx.clock.now_ms(),
            record.id,
            state.text,
            record.requester,
        ),
        state_before=record.state,
    )
    change = await ctx.store.settle(step)
    ctx.newest.drop(record.id)
    return record if change is None else change.record


async def _end(ctx: Services, principal: Principal, record: Record, now: int) -> Execution:
    told = entry("revoke", at=now, tenant=record.tenant, by=principal, about=record)
    end = Execution(ctx.ids.new("rev", now_ms=now), now, outcome=REVOKED)
    used, outcome = await ctx.store.consume(record.tenant, record.id, end, SideEffects(audit=(told,)))
    return used if outcome is Outcome.LOST else end
