"""Begin, read, renew and end runs, and cancel their open requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askback.domain.access import AccessLevel
from askback.domain.events import RUN_STARTED, EventDraft
from askback.domain.record import Labels
from askback.domain.runs import Run
from askback.domain.validation.envelope import check_metadata
from askback.domain.validation.report import Report
from askback.domain.validation.structure import parse
from askback.domain.validation.text_check import TextCheck, check_identifier
from askback.errors import Conflict, NotFound
from askback.ports.outcome import Outcome
from askback.ports.store import Principal
from askback.service.access import roles, sharing
from askback.service.context import Services
from askback.service.threads import archive
from askback.service.threads.details import compact
from askback.service.threads.run_ends import end_run as end
from askback.wire.bodies import EmptyBody
from askback.wire.thread_bodies import EndRunBody, RunBody

_CANCELLED_BY = {"admin": "admin", "requester": "agent_aborted", "responder": "stopped"}


async def start_run(ctx: Services, principal: Principal, thread_id: str, body: object) -> tuple[Run, Outcome]:
    """Begin a run with a `RunBody`; `FOUND` with the caller's open run of that id.

    Raises `Faults`, `NotFound`, `ThreadArchived`, and `Conflict` (`run_ended`, `id_taken`) for an id that was used.
    """
    await roles.require(ctx, principal, "start_run")
    check_identifier("thread_id", thread_id, ctx.limits)
    payload = parse(RunBody, body)
    report = Report()
    TextCheck(report, suspicious=True, limits=ctx.limits).identifier("run_id", payload.run_id)
    if payload.metadata is not None:
        check_metadata(payload.metadata, report, ctx.limits)
    report.finish()
    await _require(ctx, principal, thread_id, AccessLevel.PROMPT, "start_run")
    now = ctx.clock.now_ms()
    run = Run(
        principal.tenant,
        thread_id,
        payload.run_id or ctx.ids.new("run", now_ms=now),
        principal.id,
        now,
        now,
        metadata=None if payload.metadata is None else compact(payload.metadata),
    )
    event = EventDraft(
        RUN_STARTED, run.tenant, thread_id, now, None, "{}", run.agent, sharing.agent_of(principal)
    )
    run_started, outcome = await ctx.store.start_run(run, event)
    if run_started.agent != principal.id:
        raise Conflict(
            "Another agent has a run with this id in this thread. Use another id.", code="id_taken"
        )
    if run_started.ended_at is not None:
        raise Conflict("The run with this id has ended. Start another one.", code="run_ended")
    return run_started, outcome


async def get_run(ctx: Services, principal: Principal, thread_id: str, run_id: str) -> Run:
    """Return a run; an agent sees only its own. Raises `NotFound`."""
    return await _find(ctx, principal, thread_id, run_id, "get_run")


async def _find(ctx: Services, principal: Principal, thread_id: str, run_id: str, operation: str) -> Run:
    await roles.require(ctx, principal, operation)
    await _require(ctx, principal, thread_id, AccessLevel.VIEW, operation)
    run = await ctx.store.run(principal.tenant, thread_id, run_id)
    if run is None or (principal.role == "requester" and run.agent != principal.id):
        raise NotFound("There is no such run.")
    return run


async def list_runs(
    ctx: Services,
    principal: Principal,
    thread_id: str,
    *,
    running: bool = False,
    limit: int = 50,
    cursor: str | None = None,
) -> tuple[Sequence[Run], str | None]:
    """Return the runs of a thread, newest first, and the cursor of the next page or None at the end."""
    await roles.require(ctx, principal, "list_runs")
    await _require(ctx, principal, thread_id, AccessLevel.VIEW, "list_runs")
    size = max(1, min(limit, ctx.limits.page))
    runs = await ctx.store.runs(
        principal.tenant,
        thread_id,
        agent=principal.id if principal.role == "requester" else None,
        running=running,
        before=None if cursor is None else int(cursor),
        limit=size + 1,
    )
    return runs[:size], f"{runs[size - 1].key}" if len(runs) > size else None


async def renew_run(ctx: Services, principal: Principal, thread_id: str, run_id: str, body: object) -> Run:
    """Record that a run is active, and return it. Raises `NotFound`, and `Conflict` if it has ended."""
    run = await _find(ctx, principal, thread_id, run_id, "renew_run")
    parse(EmptyBody, body)
    if run.ended_at is None:
        await ctx.store.renew_run(run, at=ctx.clock.now_ms())
        run = await _find(ctx, principal, thread_id, run_id, "renew_run")
    if run.ended_at is not None:
        raise Conflict("The run has ended. Start another one.", code="run_ended")
    return run


async def end_run(ctx: Services, principal: Principal, thread_id: str, run_id: str, body: object) -> Run:
    """End a run with an `EndRunBody` and return it; an ended run is not changed. Raises `Faults`, `NotFound`.

    A person who may write in the thread may end it, which is how an agent is stopped.
    """
    run = await _find(ctx, principal, thread_id, run_id, "end_run")
    await _require(ctx, principal, thread_id, AccessLevel.PROMPT, "end_run")
    payload = parse(EndRunBody, body)
    report = Report()
    TextCheck(report, suspicious=True).line("", "reason", payload.reason, ctx.limits.identifier)
    report.finish()
    ended_run = await end(ctx, run, payload.reason)
    if payload.cancel:
        await _cancel_open(ctx, principal, thread_id, run_id, run.agent)
    return ended_run


async def cancel_run(
    ctx: Services, principal: Principal, thread_id: str, run_id: str, body: object
) -> dict[str, Any]:
    """Cancel the open requests of a run and return their ids, even if the run was never begun.

    An agent cancels only its own requests.
    """
    await roles.require(ctx, principal, "cancel_run")
    await _require(ctx, principal, thread_id, AccessLevel.PROMPT, "cancel_run")
    parse(EmptyBody, body)
    requester = principal.id if principal.role == "requester" else None
    return {"cancelled": await _cancel_open(ctx, principal, thread_id, run_id, requester)}


async def _cancel_open(
    ctx: Services, principal: Principal, thread_id: str, run_id: str, requester: str | None
) -> list[str]:
    return await archive.cancel_open(
        ctx,
        principal.tenant,
        thread_id,
        by=principal,
        reason=_CANCELLED_BY[principal.role],
        until=ctx.clock.now_ms(),
        requester=requester,
        labels=Labels(run_id=run_id),
    )


async def _require(
    ctx: Services, principal: Principal, thread_id: str, needed_level: AccessLevel, operation: str
) -> None:
    access = await sharing.get_access(ctx, principal, thread_id)
    await sharing.require(ctx, principal, access, needed_level, thread_id=thread_id, operation=operation)
