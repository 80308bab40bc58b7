"""Enforce how much may be asked: the quota of a thread, its usage, and the error when it is used up."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from askback.domain.access import AccessLevel
from askback.domain.limits import DEFAULTS, Limits
from askback.domain.policy.question_limits import count_name, limit_of_count
from askback.domain.policy.settings import BOUNDS, ThreadSettings, read_thread_settings
from askback.domain.request import Ask, AskedLimit, Envelope
from askback.domain.timestamps import rfc3339
from askback.domain.validation.structure import parse
from askback.domain.validation.text_check import check_identifier
from askback.errors import RateLimited, Refused
from askback.ports.policy import SideEffects
from askback.ports.store import Principal
from askback.ports.threads import CountLimit, QuestionCount, Quota, QuotaExceeded
from askback.service.access import roles, sharing
from askback.service.audit_entry import audit_entry
from askback.service.context import Services
from askback.wire.bodies import ResetBody

PENDING_RETRY_S = 60.0
"""The `retry_after` of a full thread; nobody knows when the next request ends."""

_UNLIMITED_MS = BOUNDS["questions_window_s"][1] * 1000
"""The window of a limit that has none."""

_PENDING = {
    "pending_in_thread": "This thread already has {most} open requests (`max_pending`).",
    "pending_of_requester": "You already have {most} open requests (`max_pending_per_agent`).",
}


def thread_quota(settings: ThreadSettings, limits: Limits, envelope: Envelope, agent: str) -> Quota:
    """Return the quota that the store enforces for a new request of an agent."""
    tool = envelope.agent and envelope.agent.tool
    limits_by_name = {
        limit.name: CountLimit(limit.name, limit.max)
        for limit in settings.question_limits or ()
        if limit.applies_to(tool, agent)
    }
    name = None
    if (request_limit := _own_limit(envelope)) is not None:
        name = count_name(tool, None if tool else agent)
        limits_by_name.setdefault(name, CountLimit(name, request_limit.max, _UNLIMITED_MS))
    return Quota(
        settings.max_questions,
        settings.questions_window_s * 1000,
        _or(settings.max_pending, limits.max_pending),
        _or(settings.max_pending_per_agent, limits.max_pending_per_agent),
        tuple(limits_by_name.values()),
        name,
    )


def _own_limit(envelope: Envelope) -> AskedLimit | None:
    return envelope.question_limit if isinstance(envelope, Ask) else None


def _or(value: int | None, default: int) -> int:
    return default if value is None else value


def quota_error(
    ctx: Services, exceeded_quota: QuotaExceeded, settings: ThreadSettings, envelope: Envelope
) -> Refused:
    """Return the error for a used-up quota, with a message that tells a model what to do."""
    if exceeded_quota.quota != "questions":
        sentence = _PENDING[exceeded_quota.quota].format(most=exceeded_quota.maximum)
        return RateLimited(
            f"{sentence} Wait for answers, or cancel the requests that are no longer needed.",
            code="too_many_pending",
            retry_after=PENDING_RETRY_S,
        )
    texts = {limit.name: limit.text for limit in settings.question_limits or ()}
    request_limit = _own_limit(envelope)
    text = (
        settings.max_questions_text
        if exceeded_quota.limit is None
        else texts.get(exceeded_quota.limit, request_limit and request_limit.text)
    )
    setting = "max_questions" if exceeded_quota.limit is None else "question_limits"
    words = text or (
        f"This thread accepts no more questions for now (`{setting}`: {exceeded_quota.maximum}). "
        "Go on with what you know, or make reasonable assumptions."
    )
    remaining_s = (
        0 if exceeded_quota.retry_at is None else (exceeded_quota.retry_at - ctx.clock.now_ms()) / 1000
    )
    return RateLimited(words, code="too_many_questions", retry_after=max(remaining_s, 1))


async def get_limits(ctx: Services, principal: Principal, thread_id: str | None) -> dict[str, Any]:
    """Return every limit, who set it unless it is askback's default, and the usage of a thread if one is named.

    Raises `NotFound` for a thread that is hidden from the caller.
    """
    if thread_id is None:
        thread_config = await ctx.store.thread_config(principal.tenant, "")
        return _limits_json(ctx.limits, read_thread_settings(thread_config.tenant_settings))
    access = await sharing.get_access(ctx, principal, thread_id)
    await sharing.require(
        ctx, principal, access, AccessLevel.VIEW, thread_id=thread_id, operation="get_limits"
    )
    thread_config = await ctx.store.thread_config(principal.tenant, thread_id)
    settings = read_thread_settings(thread_config.tenant_settings, thread_config.thread_settings)
    return _limits_json(ctx.limits, settings) | {"thread": await _usage(ctx, principal, thread_id, settings)}


async def reset_limits(ctx: Services, principal: Principal, body: object) -> dict[str, Any]:
    """Reset the question count of a thread with a `ResetBody` and return its usage."""
    await roles.require(ctx, principal, "reset_limits")
    payload = parse(ResetBody, body)
    check_identifier("thread_id", payload.thread_id, ctx.limits)
    now = ctx.clock.now_ms()
    entry = audit_entry(
        "limits.reset", at=now, tenant=principal.tenant, by=principal, thread_id=payload.thread_id
    )
    await ctx.store.reset_use(principal.tenant, payload.thread_id, SideEffects(audit=(entry,)))
    return (await get_limits(ctx, principal, payload.thread_id))["thread"]


def _limits_json(limits: Limits, settings: ThreadSettings) -> dict[str, Any]:
    of_thread, of_askback, of_server = _thread_limits(settings), asdict(DEFAULTS), asdict(limits)
    set_by: dict[str, Literal["server", "policy"]] = {
        name: "server" for name, value in of_server.items() if value != of_askback[name]
    }
    set_by |= dict.fromkeys(of_thread.keys() & settings.model_fields_set, "policy")
    return of_server | of_thread | {"set_by": set_by}


def _thread_limits(settings: ThreadSettings) -> dict[str, Any]:
    return {
        name: getattr(settings, name)
        for name in (
            "max_questions",
            "questions_window_s",
            "max_pending",
            "max_pending_per_agent",
            "max_submissions_per_minute",
            "max_messages_per_hour",
        )
        if getattr(settings, name) is not None
    }


async def _usage(
    ctx: Services, principal: Principal, thread_id: str, settings: ThreadSettings
) -> dict[str, Any]:
    use = await ctx.store.use(principal.tenant, thread_id)
    window_end = use.counted_since + settings.questions_window_s * 1000
    running = use.question_count > 0 and window_end > ctx.clock.now_ms()
    return {
        "id": thread_id,
        "questions": use.question_count if running else 0,
        "questions_reset_at": rfc3339(window_end) if running else None,
        "pending": use.pending,
        "question_limits": await _question_limits(ctx, principal, thread_id, settings),
    }


async def _question_limits(
    ctx: Services, principal: Principal, thread_id: str, settings: ThreadSettings
) -> list[dict[str, Any]]:
    """Return the limits of the policy, then those of askers; an agent sees no limits of other agents."""
    policy_limits = {limit.name: limit for limit in settings.question_limits or ()}
    counts = await ctx.store.question_counts(principal.tenant, thread_id, list(policy_limits))
    limits = [
        (limit, *_policy_usage(ctx, counts.get(limit.name), settings.questions_window_s), "policy")
        for limit in policy_limits.values()
    ]
    limits += [
        (limit_of_count(name, count.agent_limit), count.question_count, None, "asker")
        for name, count in counts.items()
        if name not in policy_limits and count.agent_limit is not None
    ]
    return [
        limit.model_dump(include={"tool", "agent", "max"}, exclude_none=True)
        | {"used": used, "reset_at": reset_at, "set_by": set_by}
        for limit, used, reset_at, set_by in limits
        if roles.is_person(principal) or limit.agent in (None, principal.id)
    ]


def _policy_usage(ctx: Services, count: QuestionCount | None, window_s: int) -> tuple[int, str | None]:
    """Return how many forms a limit of the policy has counted in its window, and when the window ends."""
    if count is None or count.question_count == 0:
        return 0, None
    window_end = count.since + window_s * 1000
    return (count.question_count, rfc3339(window_end)) if window_end > ctx.clock.now_ms() else (0, None)
