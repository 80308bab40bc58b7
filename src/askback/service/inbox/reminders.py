"""Postpone a request until a time, for one person on all their devices; nobody else notices (ADR 69)."""

from __future__ import annotations

from typing import Any

from askback.domain.faults import Faults, fault
from askback.domain.timestamps import rfc3339
from askback.domain.validation.structure import parse
from askback.ports.bus import PersonalChange
from askback.ports.store import Principal
from askback.service.access import roles
from askback.service.context import Services
from askback.service.lifecycle.read import get_request, nanoseconds
from askback.service.lifecycle.settle import already_settled
from askback.wire.inbox import ReminderBody


async def set_reminder(ctx: Services, principal: Principal, request_id: str, body: object) -> dict[str, Any]:
    """Set the caller's reminder of an open request with a `ReminderBody`, and return it.

    Raises `NotFound`, `Faults` for a time that has passed or is beyond `limits.max_timeout_s`, and `Conflict` or `Gone`
    for a request that has ended.
    """
    await roles.require(ctx, principal, "set_reminder", request_id)
    record = await get_request(ctx, principal, request_id)
    payload = parse(ReminderBody, body)
    remind_at, now = nanoseconds("at", payload.at) // 1_000_000, ctx.clock.now_ms()
    if not now < remind_at <= now + ctx.limits.max_timeout_s * 1000:
        days = ctx.limits.max_timeout_s // (24 * 3600)
        raise Faults([fault("at", "out_of_range.reminder", days=days)])
    if record.settled:
        raise already_settled(record)
    await _store_reminder(ctx, principal, record.id, record.thread_id, remind_at)
    return {"request_id": record.id, "at": rfc3339(remind_at)}


async def delete_reminder(ctx: Services, principal: Principal, request_id: str) -> None:
    """Remove the caller's reminder, if there is one. Raises `NotFound`."""
    await roles.require(ctx, principal, "delete_reminder", request_id)
    record = await get_request(ctx, principal, request_id)
    await _store_reminder(ctx, principal, record.id, record.thread_id, None)


async def list_reminders(ctx: Services, principal: Principal) -> dict[str, Any]:
    """Return the reminders of the caller that are not due yet, the next one first."""
    await roles.require(ctx, principal, "list_reminders")
    reminders = await ctx.store.reminders(principal.tenant, principal.user, after=ctx.clock.now_ms())
    return {
        "reminders": [{"request_id": item, "at": rfc3339(remind_at)} for item, remind_at in reminders.items()]
    }


async def _store_reminder(
    ctx: Services, principal: Principal, request_id: str, thread_id: str, remind_at: int | None
) -> None:
    await ctx.store.set_reminder(principal.tenant, request_id, principal.user, remind_at)
    ctx.bus.tell_person(
        PersonalChange("", principal.tenant, thread_id, request_id, "reminder", principal.user)
    )
