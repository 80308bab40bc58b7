"""Enforce how much may be asked: the quota of a thread, its usage, and the error when it is used up."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from askback.domain.access import Level
from askback.domain.bodies import ResetBody
from askback.domain.limits import Limits
from askback.domain.policy.conduct import Conduct, read_conduct
from askback.domain.timestamps import rfc3339
from askback.domain.validation.prose import check_line
from askback.domain.validation.structure import parse
from askback.errors import RateLimited, Refused
from askback.ports.policy import SideEffects
from askback.ports.store import Principal
from askback.ports.threads import Quota, QuotaSpent
from askback.service import access, sharing
from askback.service.context import Services
from askback.service.ledger import entry

PENDING_RETRY_S = 60.0
"""When to look again for room: only an answer or a withdrawal makes it, and nobody knows when that comes."""

_PENDING = {
    "pending_in_thread": "This thread already has {most} open requests (`max_pending`).",
    "pending_of_requester": "You already have {most} open requests (`max_pending_per_agent`).",
}


def quota(conduct: Conduct, limits: Limits) -> Quota:
    """Return what the store holds a new request to."""
    return Quota(
        conduct.max_questions,
        conduct.questions_window_s * 1000,
        _or(conduct.max_pending, limits.max_pending),
        _or(conduct.max_pending_per_agent, limits.max_pending_per_agent),
    )


def _or(chosen: int | None, default: int) -> int:
    return default if chosen is None else chosen


def refused(ctx: Services, spent: QuotaSpent, conduct: Conduct) -> Refused:
    """Say what to do instead: a model reads it."""
    if spent.what != "questions":
        said = _PENDING[spent.what].format(most=spent.most)
        return RateLimited(
            f"{said} Wait for answers, or cancel the requests that are no longer needed.",
            code="too_many_pending",
            retry_after=PENDING_RETRY_S,
        )
    words = conduct.max_questions_text or (
        f"This thread takes no more questions for now (`max_questions`: {spent.most}). "
        "Go on with what you know, or make reasonable assumptions."
    )
    left = 0 if spent.again_at is None else (spent.again_at - ctx.clock.now_ms()) / 1000
    return RateLimited(words, code="too_many_questions", retry_after=max(left, 1))


async def show(ctx: Services, principal: Principal, thread_id: str | None) -> dict[str, Any]:
    """Return every size and count that is enforced, and with a thread how much of it that has used.

    Raises `NotFound` for a thread that is hidden from the caller.
    """
    limits: dict[str, Any] = asdict(ctx.limits)
    if thread_id is None:
        terms = await ctx.store.terms(principal.tenant, "")
        return limits | _counts(read_conduct(terms.everywhere))
    held = await sharing.of(ctx, principal, thread_id)
    await sharing.require(ctx, principal, held, Level.VIEW, thread_id=thread_id, attempted="read")
    terms = await ctx.store.terms(principal.tenant, thread_id)
    conduct = read_conduct(terms.everywhere, terms.here)
    return limits | _counts(conduct) | {"thread": await _used(ctx, principal, thread_id, conduct)}


async def reset(ctx: Services, principal: Principal, body: object) -> dict[str, Any]:
    """Count the questions of a thread anew, with a `ResetBody`; return what `show` does of the thread."""
    await access.require(ctx, principal, "limits")
    sent = parse(ResetBody, body)
    check_line("thread_id", sent.thread_id, ctx.limits.identifier)
    now = ctx.clock.now_ms()
    told = entry("limits.reset", at=now, tenant=principal.tenant, by=principal, thread_id=sent.thread_id)
    await ctx.store.reset_use(principal.tenant, sent.thread_id, SideEffects(audit=(told,)))
    return (await show(ctx, principal, sent.thread_id))["thread"]


def _counts(conduct: Conduct) -> dict[str, Any]:
    return {
        name: getattr(conduct, name)
        for name in (
            "max_questions",
            "questions_window_s",
            "max_pending",
            "max_pending_per_agent",
            "max_submissions_per_minute",
            "max_messages_per_hour",
        )
        if getattr(conduct, name) is not None
    }


async def _used(ctx: Services, principal: Principal, thread_id: str, conduct: Conduct) -> dict[str, Any]:
    use = await ctx.store.use(principal.tenant, thread_id)
    ends = use.asked_from + conduct.questions_window_s * 1000
    running = use.asked > 0 and ends > ctx.clock.now_ms()
    return {
        "id": thread_id,
        "questions": use.asked if running else 0,
        "questions_reset_at": rfc3339(ends) if running else None,
        "pending": use.pending,
    }
