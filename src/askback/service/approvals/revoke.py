"""Revoke an approval before its call runs (ADR 0045).

A revocation uses up the single use of an approval, so either the call runs or the revocation comes first, never both.
The members `revoked` and `used_at` of the request are only for display.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from askback.domain.events import REQUEST_REVOKED, REQUEST_USED, EventDraft
from askback.domain.lifecycle import Status
from askback.domain.record import Record
from askback.domain.timestamps import rfc3339
from askback.domain.validation.structure import parse
from askback.errors import Conflict, Gone
from askback.ports.outcome import Outcome
from askback.ports.policy import Execution, SideEffects
from askback.ports.store import Principal, Settlement
from askback.service.access import roles
from askback.service.access.assignees import require_can_answer
from askback.service.audit_entry import audit_entry
from askback.service.context import Services
from askback.service.lifecycle.read import get_request
from askback.wire.bodies import EmptyBody

REVOKED_REASON = "revoked"
"""The outcome of a use that is a revocation."""


async def revoke_approval(ctx: Services, principal: Principal, request_id: str, body: object) -> Record:
    """Revoke an approval whose call has not run; the caller must be able to answer it. Repeating changes nothing.

    Returns the request with `revoked`. Raises `Conflict` (`not_approved`, `already_consumed`), `Gone`
    (`decision_expired`), `Forbidden`, `NotFound`.
    """
    await roles.require(ctx, principal, "revoke_approval", request_id)
    record = await get_request(ctx, principal, request_id)
    parse(EmptyBody, body)
    await require_can_answer(ctx, principal, record)
    state = record.state.members
    answer = state.get("answer", {})
    if answer.get("decision") != "approve":
        raise Conflict(
            "This call was not approved, so there is nothing to revoke.",
            code="not_approved",
            request=record.as_dict(),
        )
    now = ctx.clock.now_ms()
    execution = await ctx.store.execution(record.tenant, record.id)
    if execution is None:
        if now >= datetime.fromisoformat(answer["expires_at"]).timestamp() * 1000:
            raise Gone("The approval has expired, so there is nothing to revoke.", code="decision_expired")
        execution = await _use_up(ctx, principal, record, now)
    if execution.outcome != REVOKED_REASON:
        raise Conflict(
            "The call has already run, so its approval cannot be revoked.",
            code="already_consumed",
            request=record.as_dict(),
        )
    if REVOKED_REASON in state:
        return record
    members = {REVOKED_REASON: {"at": rfc3339(execution.consumed_at), "by": principal.settler}}
    return await add_to_answered(ctx, record, REQUEST_REVOKED, members)


def is_revoked(execution: Execution) -> bool:
    """Return whether an approved call was revoked before it could run."""
    return execution.outcome == REVOKED_REASON


async def mark_used(ctx: Services, record: Record, at: int) -> None:
    """Mark a request that a person approved as used, for the pages that show it."""
    if record.state.members.get("source") == "responder":
        await add_to_answered(ctx, record, REQUEST_USED, {"used_at": rfc3339(at)})


async def add_to_answered(ctx: Services, record: Record, event: str, members: Mapping[str, Any]) -> Record:
    """Add members to the state of an answered request, unless it has changed meanwhile."""
    state = record.state.with_members(**members)
    step = Settlement(
        tenant=record.tenant,
        id=record.id,
        expected_statuses=frozenset({Status.ANSWERED}),
        revision=record.revision,
        status=Status.ANSWERED,
        state=state,
        event=EventDraft(
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
    ctx.recent.discard(record.id)
    return record if change is None else change.record


async def _use_up(ctx: Services, principal: Principal, record: Record, now: int) -> Execution:
    entry = audit_entry("revoke", at=now, tenant=record.tenant, by=principal, about=record)
    end = Execution(ctx.ids.new("rev", now_ms=now), now, outcome=REVOKED_REASON)
    execution, outcome = await ctx.store.consume(record.tenant, record.id, end, SideEffects(audit=(entry,)))
    return execution if outcome is Outcome.LOST else end
