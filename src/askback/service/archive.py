"""Archive a thread: cancel its open requests and refuse new ones until it is unarchived."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from askback.domain.access import Access, Level
from askback.domain.events import THREAD_ARCHIVED, THREAD_UNARCHIVED, Draft
from askback.domain.lifecycle import Action
from askback.domain.record import Record
from askback.domain.timestamps import rfc3339
from askback.domain.validation.prose import check_line
from askback.errors import Conflict
from askback.ports.policy import SideEffects
from askback.ports.store import Principal
from askback.service import access as roles
from askback.service import sharing
from askback.service.context import Services
from askback.service.ledger import entry
from askback.service.settle import settle
from askback.service.withdrawal import OPEN

PATIENCE_MS = 5_000
"""How long whoever archives a thread is left to take back what is open in it."""


async def archive(ctx: Services, principal: Principal, thread_id: str) -> dict[str, Any]:
    """Archive a thread and take back what is open, for `thread_archived`; the same again finishes what was left.

    Return `{"id", "archived_at", "cancelled": [request id…]}`. Raises `NotFound`, also for a thread
    that nothing was ever written to, and `Forbidden` for a person who neither owns the thread nor, where nobody does,
    may do all in it.
    """
    await _require(ctx, principal, thread_id)
    now = ctx.clock.now_ms()
    # First of all nothing new: otherwise one could come while the last is taken back.
    await _set(ctx, principal, thread_id, THREAD_ARCHIVED, now, archived_at=now)
    until = ctx.clock.now_ms()  # later than whatever came in just before
    cancelled = await _take_back(ctx, principal.tenant, thread_id, by=principal, until=until)
    view = await ctx.store.thread(principal.tenant, thread_id, limit=1)
    at = None if view is None or view.archived_at is None else rfc3339(view.archived_at)
    return {"id": thread_id, "archived_at": at, "cancelled": cancelled}


async def finish(ctx: Services) -> None:
    """Take back what is open in threads that somebody began to archive a while ago: their server may have died."""
    before = ctx.clock.now_ms() - PATIENCE_MS
    for tenant, thread_id in await ctx.store.archiving(before_ms=before):
        await _take_back(ctx, tenant, thread_id, by=None, until=before)


async def unarchive(ctx: Services, principal: Principal, thread_id: str) -> dict[str, Any]:
    """Let a thread take something new again; what was taken back stays so. Raises what `archive` raises."""
    await _require(ctx, principal, thread_id)
    await _set(ctx, principal, thread_id, THREAD_UNARCHIVED, ctx.clock.now_ms(), archived_at=None)
    return {"id": thread_id, "archived_at": None}


async def cancel_open(
    ctx: Services,
    tenant: str,
    thread_id: str,
    *,
    by: Principal | None,
    reason: str,
    until: int,
    kind: str | None = None,
) -> list[str]:
    """Take back what is open in a thread, or what is of one kind; return the ids, in the order in which it ended.

    Those in line go first, so that none comes forward only to be taken back; the others end in the order of their ids.
    What was asked after `until` (ms) is left alone: an agent that was refused may ask something else at once.
    """
    cancelled: list[str] = []

    async def open_ones() -> list[Record]:
        found = await ctx.store.list_requests(tenant, thread_id=thread_id, statuses=OPEN, kind=kind)
        return [record for record in found if record.created_at <= until]

    while found := await open_ones():
        for record in sorted(found, key=lambda each: (not each.behind, each.id)):
            with suppress(
                Conflict
            ):  # somebody has ended it, or it was asked again and comes with the next page
                await settle(ctx, record, Action.CANCEL, {"reason": reason}, by=by)
                cancelled.append(record.id)
    return cancelled


async def _take_back(
    ctx: Services, tenant: str, thread_id: str, *, by: Principal | None, until: int
) -> list[str]:
    cancelled = await cancel_open(ctx, tenant, thread_id, by=by, reason="thread_archived", until=until)
    await ctx.store.archiving_ended(tenant, thread_id)
    return cancelled


def by_whom(principal: Principal | None) -> str:
    """Return the data of an event of a thread as a whole: who did it, null for nobody."""
    return json.dumps(None if principal is None else principal.actor)


async def _require(ctx: Services, principal: Principal, thread_id: str) -> None:
    await roles.require(ctx, principal, "archive")
    check_line("thread_id", thread_id, ctx.limits.identifier)
    held = await sharing.of(ctx, principal, thread_id)
    await sharing.require(
        ctx, principal, held, _needed(principal, held), thread_id=thread_id, attempted="archive"
    )
    if await ctx.store.thread(principal.tenant, thread_id, limit=1) is None:
        raise sharing.no_such_thread()


def _needed(principal: Principal, held: Access) -> Level:
    if principal.role == "requester":
        return Level.PROMPT
    return Level.OWNER if held.owner else Level.ALL


async def _set(
    ctx: Services, principal: Principal, thread_id: str, kind: str, now: int, *, archived_at: int | None
) -> None:
    tenant = principal.tenant
    event = Draft(
        kind, tenant, thread_id, now, None, by_whom(principal), principal.id, sharing.agent_of(principal)
    )
    told = entry(kind, at=now, tenant=tenant, by=principal, thread_id=thread_id)
    await ctx.store.set_archived(event, SideEffects(audit=(told,)), archived_at=archived_at)
