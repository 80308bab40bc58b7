"""End runs: when their agent ends them, when they were silent for too long, and when their thread is archived."""

from __future__ import annotations

from askback.domain.events import RUN_ENDED, EventDraft
from askback.domain.lifecycle import OPEN
from askback.domain.record import Labels
from askback.domain.runs import ARCHIVED, SILENT_REASON, Run
from askback.service.context import Services


async def end_run(ctx: Services, run: Run, reason: str | None) -> Run:
    """End a run and return it; an ended run is not changed."""
    now = ctx.clock.now_ms()
    event = EventDraft(RUN_ENDED, run.tenant, run.thread_id, now, None, "{}", run.agent)
    has_ended, _ = await ctx.store.end_run(run, event, reason=reason)
    return has_ended


async def end_all(ctx: Services, tenant: str, thread_id: str) -> None:
    """End the open runs of an archived thread."""
    while runs := await ctx.store.runs(tenant, thread_id, running=True):
        for run in runs:
            await end_run(ctx, run, ARCHIVED)


async def end_silent(ctx: Services) -> None:
    """End the runs whose last activity is too long ago.

    A run is active when a request or message has its id, when an agent waits for one of its open requests, and when the
    agent calls `renew`. Only `renew` is recorded immediately: the others are looked up here, so that they cost nothing.
    """
    now = ctx.clock.now_ms()
    before_ms = now - ctx.limits.run_silence_s * 1000
    for run in await ctx.store.silent_runs(before_ms):
        last_sign = now if await _is_awaited(ctx, run) else await ctx.store.last_sign(run)
        if last_sign > before_ms:
            await ctx.store.renew_run(run, at=last_sign)
        else:
            await end_run(ctx, run, SILENT_REASON)


async def _is_awaited(ctx: Services, run: Run) -> bool:
    """Return whether somebody waits for an open request of a run."""
    requests = await ctx.store.list_requests(
        run.tenant,
        thread_id=run.thread_id,
        statuses=OPEN,
        requester=run.agent,
        labels=Labels(run_id=run.id),
    )
    return any(not record.spec.is_durable and not record.state.members.get("detached") for record in requests)
