"""Refuse a repeated request for a while after a person refused it (ADR 0036).

A refusal applies to one agent, one thread and one question or call. It is lifted by a message in the thread, by
"Ask me again", or by an answer that starts a new run of the agent.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from askback.domain.kinds import kind_of
from askback.domain.record import Record
from askback.domain.timestamps import rfc3339
from askback.domain.validation.structure import parse
from askback.domain.values import frozen
from askback.ports.outcome import Outcome
from askback.ports.policy import Lift, Refusal, SideEffects
from askback.ports.store import Change, Principal
from askback.ports.threads import ThreadConfig
from askback.service.access import roles
from askback.service.access.assignees import require_can_answer
from askback.service.audit_entry import audit_entry
from askback.service.context import Services
from askback.service.lifecycle.read import get_request
from askback.service.lifecycle.undelivered import resumes_for_settled
from askback.wire.bodies import EmptyBody

LONG_FROM_COUNT = 3
"""From this many refusals within `limits.refusal_window_s` on, the longer period applies."""


@frozen(slots=True)
class RememberedRefusal:
    """A refusal to store: its side effects, and the members that the request shows."""

    effects: SideEffects
    shown: Mapping[str, Any]


async def remember_refusal(ctx: Services, record: Record) -> RememberedRefusal | None:
    """Return the refusal to store for a declined request; None for a request that cannot repeat, such as a plan."""
    if (identity := kind_of(record).identity(record.spec)) is None:
        return None
    now = ctx.clock.now_ms()
    earlier_refusals = await _stored_refusals(
        ctx, record, identity, since_ms=now - ctx.limits.refusal_window_s * 1000
    )
    count = len(earlier_refusals) + 1
    seconds = ctx.limits.refusal_s if count < LONG_FROM_COUNT else ctx.limits.refusal_long_s
    refused_until = now + seconds * 1000
    refusal = Refusal(
        record.tenant, record.thread_id, record.requester, identity, record.id, at=now, until=refused_until
    )
    return RememberedRefusal(
        SideEffects(refusals=(refusal,)), {"until": rfc3339(refused_until), "count": count}
    )


async def find_refused(ctx: Services, record: Record, thread_config: ThreadConfig) -> Record | None:
    """Return the earlier request that a person refused, if the same agent repeats it too soon in the thread.

    `thread_config` are the settings of the thread. Most threads have no refusal, and then nothing is read.
    """
    created_at = record.created_at
    oldest = created_at - max(ctx.limits.refusal_s, ctx.limits.refusal_long_s) * 1000
    if thread_config.refused_at is None or thread_config.refused_at <= oldest:
        return None
    if (identity := kind_of(record).identity(record.spec)) is None:
        return None
    for refusal in await _stored_refusals(ctx, record, identity, since_ms=oldest):
        if refusal.until > created_at:
            return await ctx.store.get(refusal.tenant, refusal.request_id)
    return None


async def _stored_refusals(ctx: Services, record: Record, identity: str, *, since_ms: int) -> list[Refusal]:
    refusal_key = (record.tenant, record.thread_id, record.requester, identity)
    return list(await ctx.store.refusals(*refusal_key, since_ms=since_ms))


async def repeat_refusal(
    ctx: Services,
    record: Record,
    refused_request: Record,
    *,
    effects: SideEffects | None = None,
    key: str | None = None,
) -> Change:
    """Return the earlier refusal, and queue a resume if the new request asks for one (N19)."""
    resume_key = key or ctx.ids.new("rsm", now_ms=record.created_at)
    cause = f"again:{hashlib.sha256(resume_key.encode()).hexdigest()[:32]}"
    resumes = resumes_for_settled(ctx, record, now=record.created_at, cause=cause)
    repeated_resumes = tuple(replace(resume, request_id=refused_request.id) for resume in resumes)
    if effects is not None or repeated_resumes:
        await ctx.store.write(replace(effects or SideEffects(), resumes=repeated_resumes))
    return Change(mark_repeated(refused_request), Outcome.REPLAYED)


def mark_repeated(record: Record) -> Record:
    """Return a refused request with the mark `repeated`."""
    return replace(record, state=record.state.with_members(repeated=True))


async def lift_refusals(
    ctx: Services, principal: Principal, thread_id: str, *, request_id: str | None = None
) -> None:
    """Lift the refusals of a thread, or that of one request."""
    now = ctx.clock.now_ms()
    entry = audit_entry(
        "refusal.lift",
        at=now,
        tenant=principal.tenant,
        by=principal,
        thread_id=thread_id,
        request_id=request_id,
    )
    refusal_lift = Lift(principal.tenant, thread_id, now, request_id)
    await ctx.store.write(SideEffects(lifts=(refusal_lift,), audit=(entry,)))


async def lift_by_message(ctx: Services, principal: Principal, thread_id: str) -> None:
    """Lift the refusals of a thread because a person wrote in it."""
    thread_config = await ctx.store.thread_config(principal.tenant, thread_id)
    longest = max(ctx.limits.refusal_s, ctx.limits.refusal_long_s) * 1000
    if thread_config.refused_at is not None and thread_config.refused_at > ctx.clock.now_ms() - longest:
        await lift_refusals(ctx, principal, thread_id)


async def ask_again(ctx: Services, principal: Principal, request_id: str, body: object) -> Record:
    """Lift the refusal of a request for a caller who may answer it, and return the request.

    Raises `Forbidden`, `NotFound`, and `Conflict` for a queued request.
    """
    await roles.require(ctx, principal, "ask_again", request_id)
    record = await get_request(ctx, principal, request_id)
    parse(EmptyBody, body)
    await require_can_answer(ctx, principal, record)
    await lift_refusals(ctx, principal, record.thread_id, request_id=record.id)
    return record
