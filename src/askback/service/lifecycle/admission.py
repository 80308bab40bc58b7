"""Check that a person may answer a request and is not too fast; replays skip these checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from askback.domain.faults import Faults
from askback.domain.record import Record
from askback.domain.validation.report import Report
from askback.domain.validation.text_check import report_note
from askback.ports.store import Principal
from askback.service.access.assignees import require_can_answer
from askback.service.context import Services

T = TypeVar("T")


async def admit(ctx: Services, principal: Principal, record: Record) -> None:
    """Raise `RateLimited`, `Forbidden` or `Conflict` if this person cannot answer now, or not at all.

    For an agent that reports an answer, `report_answer` has checked that it may.
    """
    if not principal.counted:
        await ctx.rate_limiter.count_answer(principal, clock=ctx.clock, store=ctx.store)
    if not principal.reports:
        await require_can_answer(ctx, principal, record)


async def parse_for_caller(ctx: Services, principal: Principal, record: Record, read: Callable[[], T]) -> T:
    """Parse a body. Faults are shown only to callers who may answer; others are refused first."""
    try:
        return read()
    except Faults:
        await admit(ctx, principal, record)
        raise


def check_note(ctx: Services, note: str | None) -> None:
    """Raise `Faults` for a note that is longer than the limit or contains characters that nobody types."""
    report = Report()
    report_note(report, note, ctx.limits.note)
    report.finish()
