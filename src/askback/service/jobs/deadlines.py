"""Run deadlines and escalation steps, including those that were due while no server ran.

Any number of servers can sweep: each step is a compare-and-set, so it happens once.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import anyio

from askback.domain.check import probe_deadline
from askback.domain.deadlines import EscalationStep
from askback.domain.events import REQUEST_ESCALATED, REQUEST_NOTED
from askback.domain.lifecycle import Status, Transition
from askback.domain.record import Record
from askback.domain.state import Members
from askback.errors import Conflict, NotFound, Unavailable
from askback.service.context import Services
from askback.service.lifecycle import checks
from askback.service.lifecycle.settle import ConcurrentChange, settle
from askback.service.lifecycle.timeout import time_out
from askback.service.requests.hold_for_hook import hold_timeout, is_held
from askback.service.requests.kinds import handlers_of

IDLE_S = 0.5
"""The longest sleep, and so the longest delay of a deadline that is set meanwhile."""

RETRY_S = 60
"""The pause before a step that failed is tried again."""
PAGE = 200

log = logging.getLogger(__name__)


async def run(ctx: Services) -> None:
    """Sweep forever; a store that cannot be written is tried again at the next sweep."""
    failed = dict[str, int]()
    while True:
        try:
            await sweep(ctx, failed)
            deadline = await ctx.store.next_deadline()
        except Unavailable:
            log.warning("deadlines wait: the store cannot be written")
            deadline = None
        remaining_s = IDLE_S if deadline is None or failed else (deadline - ctx.clock.now_ms()) / 1000
        await anyio.sleep(min(max(remaining_s, 0.005), IDLE_S))


async def sweep(ctx: Services, failed: dict[str, int] | None = None) -> int:
    """Process every due request and return how many. An answer that comes at the same moment can win.

    A request whose step fails delays no other: it is in `failed`, by its id, with the time (ms) of the next attempt.
    """
    dealt_with, failed = 0, {} if failed is None else failed
    while due := await _due(ctx, failed):
        for record in due:
            now = ctx.clock.now_ms()
            try:
                await _process_due(ctx, record, now)
                dealt_with += 1
            except (Conflict, ConcurrentChange, NotFound):
                continue  # another change came first; if the request is still due, the next page has it
            except Unavailable:
                raise
            except Exception:
                log.exception("the deadline of %s could not be processed; it is tried again", record.id)
                failed[record.id] = now + RETRY_S * 1000
    return dealt_with


async def _due(ctx: Services, failed: dict[str, int]) -> Sequence[Record]:
    """Return a page of due requests, without those that have just failed."""
    now = ctx.clock.now_ms()
    for request_id in [id_ for id_, retry_at in failed.items() if retry_at <= now]:
        del failed[request_id]
    page = await ctx.store.due(now, limit=PAGE + len(failed))
    return [record for record in page if record.id not in failed]


async def _process_due(ctx: Services, record: Record, now: int) -> None:
    if record.status is Status.RESOLVING:
        if (probe_until := probe_deadline(record)) is not None and probe_until <= now:
            await handlers_of(record).end_check(ctx, record)
        else:
            await checks.reopen_unchecked(ctx, record, now)
        return
    if record.expires_at is None or record.expires_at > now:
        await take_due_steps(ctx, record, now)
        return
    if is_held(record, "timeout"):
        await hold_timeout(ctx, record)
    else:
        await time_out(ctx, record)


async def take_due_steps(ctx: Services, record: Record, now: int, *, has_viewer: bool = False) -> None:
    """Take every step that is due before the deadline. `has_viewer` says that a viewer is present.

    No step is due while an answer is checked. Raises what `settle` raises.
    """
    if record.status is Status.RESOLVING:
        return
    timeouts, state = record.spec.facts, record.state.members
    new_members: dict[str, Any] = {}
    viewer_by = record.created_at + ctx.limits.unseen_s * 1000 if state.get("unseen") else None
    if viewer_by is not None and (has_viewer or viewer_by <= now):
        has_viewer = has_viewer or "shown_at" in state
        if not has_viewer and not await ctx.presence.has_viewer(record.tenant, record.thread_id):
            await settle(ctx, record, Transition.CANCEL, {"reason": "not_shown"}, by=None)
            return
        new_members["unseen"] = viewer_by = None
    escalated_count = state.get("escalated", 0)
    steps = timeouts.steps_due(created_at=record.created_at, escalated=escalated_count, now=now)
    times = timeouts.schedule_from(
        record.expires_at,
        created_at=record.created_at,
        escalated=escalated_count + len(steps),
        viewer_by=viewer_by,
    )
    new_members |= _escalated(state, steps)
    event = REQUEST_ESCALATED if steps else REQUEST_NOTED
    await settle(
        ctx,
        record,
        Transition.NOTE,
        new_members,
        by=None,
        match_state=True,
        event=event,
        times=times,
    )


def _escalated(state: Members, steps: Sequence[EscalationStep]) -> dict[str, Any]:
    """Return the state changes of escalation steps: who may answer from now on, and who is notified."""
    if not steps:
        return {}
    new_members: dict[str, Any] = {"escalated": state.get("escalated", 0) + len(steps)}
    if assigned := [*state.get("assigned", ()), *(person for step in steps for person in step.assign)]:
        new_members["assigned"] = list(dict.fromkeys(assigned))
    if notified := [person for step in steps for person in step.notify]:
        new_members["notified"] = list(dict.fromkeys(notified))
    return new_members


async def watch_for_viewers(ctx: Services) -> None:
    """Continue requests that waited for a viewer, once one arrives, forever. The deadline sweep repeats what fails."""
    while True:
        for record in await ctx.awaiting_viewer.next_seen():
            try:
                await _record_viewer(ctx, record)
            except Unavailable:
                log.warning("%s still waits for somebody: the store cannot be written", record.id)
            except Exception:
                log.exception("%s still waits for somebody", record.id)


async def _record_viewer(ctx: Services, request_record: Record) -> None:
    record = await ctx.store.get(request_record.tenant, request_record.id)
    while record is not None and not record.settled and record.state.members.get("unseen"):
        try:
            await take_due_steps(ctx, record, ctx.clock.now_ms(), has_viewer=True)
        except ConcurrentChange as error:
            record = error.record
        except Conflict:
            return  # it has ended, or is being answered already
        else:
            return
