"""Run deadlines and escalation steps, including those that were due while no server ran.

Any number of servers sweep: what is due is a compare-and-set like any other step, so it is done once.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import anyio

from askback.domain.check import tried_until
from askback.domain.deadlines import EscalationStep
from askback.domain.events import REQUEST_DETACHED, REQUEST_ESCALATED, REQUEST_NOTED
from askback.domain.faults import Faults
from askback.domain.lifecycle import Action, Status
from askback.domain.record import Record
from askback.domain.state import Members
from askback.domain.validation.answer import Cleaned
from askback.domain.validation.default import default_answer
from askback.errors import Conflict, Unavailable
from askback.service import checks
from askback.service.context import Services
from askback.service.secrets import probe
from askback.service.settle import Overtaken, settle

IDLE_S = 0.5
"""The longest sleep: a deadline set meanwhile is met within this time."""

log = logging.getLogger(__name__)


async def run(ctx: Services) -> None:
    """Sweep for ever; an unwritable store is tried again at the next turn."""
    while True:
        try:
            await sweep(ctx)
            deadline = await ctx.store.next_deadline()
        except Unavailable:
            log.warning("deadlines wait: the store cannot be written")
            deadline = None
        left = IDLE_S if deadline is None else (deadline - ctx.clock.now_ms()) / 1000
        await anyio.sleep(min(max(left, 0.005), IDLE_S))


async def sweep(ctx: Services) -> int:
    """Deal with everything that is due; return how much. An answer that comes at the same moment may win."""
    dealt_with = 0
    while due := await ctx.store.due(now := ctx.clock.now_ms()):
        for record in due:
            try:
                await _deal_with(ctx, record, now)
                dealt_with += 1
            except (Conflict, Overtaken):
                continue  # somebody was first; what is still due then comes with the next page
    return dealt_with


async def _deal_with(ctx: Services, record: Record, now: int) -> None:
    if record.status is Status.RESOLVING:
        if (tried := tried_until(record)) is not None and tried <= now:
            await probe.give_up(ctx, record)
        else:
            await checks.give_back(ctx, record, now)
        return
    if record.expires_at is None or record.expires_at > now:
        await look(ctx, record, now)
        return
    if record.spec.facts.on_timeout == "resume":
        await _detach(ctx, record)
    elif (answer := _default(ctx, record)) is not None:
        outcome = {"source": "default", "answer": answer.answer}
        await settle(ctx, record, Action.ANSWER, outcome, by=None)
    else:
        await settle(ctx, record, Action.EXPIRE, {}, by=None)


def _default(ctx: Services, record: Record) -> Cleaned | None:
    """Return the answer that a form declares for the end, which one that took its place later need not have."""
    if record.spec.facts.on_timeout != "default":
        return None
    with suppress(Faults):
        return default_answer(record.spec.form, ctx.limits)
    return None


async def _detach(ctx: Services, record: Record) -> None:
    """Let it be answered at any time: nobody waits any more."""
    escalated = record.state.members.get("escalated", 0)
    times = record.spec.facts.after(None, created_at=record.created_at, escalated=escalated)
    await settle(
        ctx,
        record,
        Action.NOTE,
        {"detached": True},
        by=None,
        exactly=True,
        event=REQUEST_DETACHED,
        times=times,
    )


async def look(ctx: Services, record: Record, now: int, *, somebody: bool = False) -> None:
    """Take every step whose time has come, before the deadline; `somebody` says that somebody would see it.

    While an answer is checked no step is due. Raises what `settle` raises.
    """
    if record.status is Status.RESOLVING:
        return
    terms, state = record.spec.facts, record.state.members
    noted: dict[str, Any] = {}
    somebody_by = record.created_at + ctx.limits.unseen_s * 1000 if state.get("unseen") else None
    if somebody_by is not None and (somebody or somebody_by <= now):
        somebody = somebody or "shown_at" in state
        if not somebody and not await ctx.presence.anybody(record.tenant, record.thread_id):
            await settle(ctx, record, Action.CANCEL, {"reason": "not_shown"}, by=None)
            return
        noted["unseen"] = somebody_by = None
    done = state.get("escalated", 0)
    steps = terms.steps_due(created_at=record.created_at, escalated=done, now=now)
    times = terms.after(
        record.expires_at,
        created_at=record.created_at,
        escalated=done + len(steps),
        somebody_by=somebody_by,
    )
    noted |= _escalated(state, steps)
    event = REQUEST_ESCALATED if steps else REQUEST_NOTED
    await settle(
        ctx,
        record,
        Action.NOTE,
        noted,
        by=None,
        exactly=True,
        event=event,
        times=times,
    )


def _escalated(state: Members, steps: Sequence[EscalationStep]) -> dict[str, Any]:
    """Return what these steps note: `assigned` may answer as well from now on, `notified` are to be told."""
    if not steps:
        return {}
    noted: dict[str, Any] = {"escalated": state.get("escalated", 0) + len(steps)}
    if assigned := [*state.get("assigned", ()), *(who for step in steps for who in step.assign)]:
        noted["assigned"] = list(dict.fromkeys(assigned))
    if told := [who for step in steps for who in step.notify]:
        noted["notified"] = list(dict.fromkeys(told))
    return noted
