"""Check that a person may answer a request and is not too fast; replays skip these checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from askback.domain.faults import Faults
from askback.domain.record import Record
from askback.ports.store import Principal
from askback.service.assignees import require_to_answer
from askback.service.context import Services

T = TypeVar("T")


async def admit(ctx: Services, principal: Principal, record: Record) -> None:
    """Raise `RateLimited`, `Forbidden` or `Conflict` where this person cannot answer now, or not at all."""
    if not principal.counted:
        await ctx.pace.take(principal, clock=ctx.clock, store=ctx.store)
    await require_to_answer(ctx, principal, record)


async def readable(ctx: Services, principal: Principal, record: Record, read: Callable[[], T]) -> T:
    """Return what was sent. Only those who may answer learn what is wrong with it; others are refused first."""
    try:
        return read()
    except Faults:
        await admit(ctx, principal, record)
        raise
