"""Refuse a repeated request for a while after a person refused it (ADR 0036).

A refusal belongs to an agent and a thread, and to what was asked as the policy reads it. People lift it: by a message
in the thread, by "Ask me again", or by an answer that begins a new run of the agent.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from askback.domain.bodies import EmptyBody
from askback.domain.kinds import kind_of
from askback.domain.record import Record
from askback.domain.timestamps import rfc3339
from askback.domain.validation.structure import parse
from askback.ports.outcome import Outcome
from askback.ports.policy import Lift, Refusal, SideEffects
from askback.ports.store import Change, Principal
from askback.ports.threads import Terms
from askback.service import access
from askback.service.assignees import require_to_answer
from askback.service.context import Services
from askback.service.ledger import entry
from askback.service.orphans import is_durable, resumes_at_once
from askback.service.read import get

LONG_AFTER = 3
"""The refusal of the same within `limits.refusal_window_s` from which on it is remembered for long."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """A refusal to be remembered: what is written along with it, and what is shown of it."""

    effects: SideEffects
    shown: Mapping[str, Any]


async def remember(ctx: Services, record: Record) -> Remembered | None:
    """Return what a person's refusal of a request leads to; None for what is never the same again, such as a plan."""
    if (identity := kind_of(record).identity(record.spec)) is None:
        return None
    now = ctx.clock.now_ms()
    before = await _found(ctx, record, identity, since_ms=now - ctx.limits.refusal_window_s * 1000)
    count = len(before) + 1
    seconds = ctx.limits.refusal_s if count < LONG_AFTER else ctx.limits.refusal_long_s
    until = now + seconds * 1000
    refusal = Refusal(
        record.tenant, record.thread_id, record.requester, identity, record.id, at=now, until=until
    )
    return Remembered(SideEffects(refusals=(refusal,)), {"until": rfc3339(until), "count": count})


async def refused_before(ctx: Services, asked: Record, terms: Terms) -> Record | None:
    """Return the request in which a person refused the same of this agent in this thread, while that holds.

    `terms` are those of the thread. Most threads have no refusal, and then nothing is looked up.
    """
    now = asked.created_at
    oldest = now - max(ctx.limits.refusal_s, ctx.limits.refusal_long_s) * 1000
    if terms.refused_at is None or terms.refused_at <= oldest:
        return None
    if (identity := kind_of(asked).identity(asked.spec)) is None:
        return None
    for each in await _found(ctx, asked, identity, since_ms=oldest):
        if each.until > now:
            return await ctx.store.get(each.tenant, each.request_id)
    return None


async def _found(ctx: Services, record: Record, identity: str, *, since_ms: int) -> list[Refusal]:
    where = (record.tenant, record.thread_id, record.requester, identity)
    return list(await ctx.store.refusals(*where, since_ms=since_ms))


async def repeated(
    ctx: Services,
    asked: Record,
    refused: Record,
    *,
    effects: SideEffects | None = None,
    key: str | None = None,
) -> Change:
    """Return the refusal once more, and queue that for an agent that goes on by resumes (N19)."""
    said = key or ctx.ids.new("rsm", now_ms=asked.created_at)
    cause = f"again:{hashlib.sha256(said.encode()).hexdigest()[:32]}"
    resumes = resumes_at_once(ctx, asked, now=asked.created_at, cause=cause)
    told = tuple(replace(each, request_id=refused.id) for each in resumes)
    if effects is not None or told:
        await ctx.store.write(replace(effects or SideEffects(), resumes=told))
    return Change(as_repeated(refused), Outcome.REPLAYED)


def as_repeated(record: Record) -> Record:
    """Return a refused request as it is returned to whoever asks the same again."""
    return replace(record, state=record.state.adding(repeated=True))


async def lift(ctx: Services, principal: Principal, thread_id: str, *, request_id: str | None = None) -> None:
    """Let what was refused in a thread be asked again: all of it, or what one request asked."""
    now = ctx.clock.now_ms()
    told = entry(
        "refusal.lift",
        at=now,
        tenant=principal.tenant,
        by=principal,
        thread_id=thread_id,
        request_id=request_id,
    )
    lifted = Lift(principal.tenant, thread_id, now, request_id)
    await ctx.store.write(SideEffects(lifts=(lifted,), audit=(told,)))


async def lift_by_message(ctx: Services, principal: Principal, thread_id: str) -> None:
    """Lift what was refused in a thread in which a person writes."""
    terms = await ctx.store.terms(principal.tenant, thread_id)
    longest = max(ctx.limits.refusal_s, ctx.limits.refusal_long_s) * 1000
    if terms.refused_at is not None and terms.refused_at > ctx.clock.now_ms() - longest:
        await lift(ctx, principal, thread_id)


async def lifts_by_answer(ctx: Services, record: Record) -> tuple[Lift, ...]:
    """Return what an answer lifts that begins a run of an agent which has ended its turn."""
    if not is_durable(record):
        return ()
    terms = await ctx.store.terms(record.tenant, record.thread_id)
    if terms.refused_at is None:
        return ()
    return (Lift(record.tenant, record.thread_id, ctx.clock.now_ms(), requester=record.requester),)


async def ask_again(ctx: Services, principal: Principal, request_id: str, body: object) -> Record:
    """Let what a person refused be asked again, for whoever may answer it; return the request as it ended.

    Raises `Forbidden`, `NotFound`, `Conflict` for what waits in line.
    """
    await access.require(ctx, principal, "answer", request_id)
    record = await get(ctx, principal, request_id)
    parse(EmptyBody, body)
    await require_to_answer(ctx, principal, record)
    await lift(ctx, principal, record.thread_id, request_id=record.id)
    return record
