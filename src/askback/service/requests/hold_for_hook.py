"""Hold a decline or a deadline while a hook decides about it (ADR 58)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from askback.domain.lifecycle import Status
from askback.domain.record import Record
from askback.domain.spec import REQUESTER
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, SideEffects
from askback.ports.store import Change, Claim, Principal
from askback.service.audit_entry import audit_entry
from askback.service.context import Services
from askback.service.lifecycle.checks import submit_for_check
from askback.wire.bodies import DeclineBody


def is_held(record: Record, event: str) -> bool:
    """Return whether a hook decides about a decline or the deadline of a request now; about a decline only once."""
    was_declined_once = event == "decline" and record.state.members.get("declined_once", False)
    return record.status is Status.PENDING and event in record.spec.facts.hooks and not was_declined_once


async def hold_decline(
    ctx: Services,
    principal: Principal,
    record: Record,
    payload: DeclineBody,
    typed_values: Mapping[str, Any] | None,
    claim: Claim | None,
) -> Change:
    """Hold a decline; it is in the audit log immediately, even if the hook asks again."""
    held_outcome = {"event": "decline", **payload.model_dump(exclude_none=True, include={"reason", "note"})}
    if not payload.remember:
        held_outcome["remember"] = False
    entry = audit_entry(
        "decline",
        at=ctx.clock.now_ms(),
        tenant=record.tenant,
        by=principal,
        about=record,
        reason=payload.reason,
        held=True,
    )
    return await _hold(
        ctx,
        record,
        held_outcome,
        typed_values,
        principal=principal,
        claim=claim,
        effects=SideEffects(audit=(entry,)),
    )


async def hold_timeout(ctx: Services, record: Record) -> Change:
    """Hold the deadline of a request."""
    return await _hold(ctx, record, {"event": "timeout"}, None, principal=None)


async def _hold(
    ctx: Services,
    record: Record,
    held_outcome: Mapping[str, Any],
    typed_values: Mapping[str, Any] | None,
    *,
    principal: Principal | None,
    claim: Claim | None = None,
    effects: SideEffects = NOTHING,
) -> Change:
    validator = record.spec.facts.validator
    check_validator = None if validator in {None, REQUESTER} else validator
    change = await submit_for_check(
        ctx,
        record,
        typed_values,
        by=principal,
        claim=claim,
        effects=effects,
        probe=check_validator,
        probe_s=ctx.limits.validator_s,
        held_outcome=held_outcome,
    )
    if check_validator is not None and change.outcome is Outcome.APPLIED:
        ctx.submissions.add(change.record)
    return change
