"""A thread is put away: what is open in it is taken back, and it takes nothing new until that is undone."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from askback.domain.access import Access, Level
from askback.domain.events import THREAD_ARCHIVED, THREAD_UNARCHIVED, Draft
from askback.domain.lifecycle import Action, Status
from askback.domain.timestamps import rfc3339
from askback.domain.validation.prose import check_line
from askback.errors import Conflict
from askback.ports.policy import Along
from askback.ports.store import Principal
from askback.service import access as roles
from askback.service import sharing
from askback.service.context import Services
from askback.service.ledger import entry
from askback.service.settle import settle

OPEN = frozenset({Status.PENDING, Status.RESOLVING})


async def archive(ctx: Services, principal: Principal, thread_id: str) -> dict[str, Any]:
    """Archive a thread and take back what is open, for `thread_archived`; the same again finishes what was left.

    Return `{"id", "archived_at", "cancelled": [request id…]}`. Raises `NotFound`, and `Forbidden` for a person who
    neither owns the thread nor, where nobody does, may do all in it.
    """
    await _require(ctx, principal, thread_id)
    now = ctx.clock.now_ms()
    # First of all nothing new: otherwise one could come while the last is taken back.
    await _set(ctx, principal, thread_id, THREAD_ARCHIVED, now, archived_at=now)
    cancelled = await cancel_open(ctx, principal, thread_id, reason="thread_archived")
    view = await ctx.store.thread(principal.tenant, thread_id, limit=1)
    at = None if view is None or view.archived_at is None else rfc3339(view.archived_at)
    return {"id": thread_id, "archived_at": at, "cancelled": cancelled}


async def unarchive(ctx: Services, principal: Principal, thread_id: str) -> dict[str, Any]:
    """Let a thread take something new again; what was taken back stays so. Raises what `archive` raises."""
    await _require(ctx, principal, thread_id)
    await _set(ctx, principal, thread_id, THREAD_UNARCHIVED, ctx.clock.now_ms(), archived_at=None)
    return {"id": thread_id, "archived_at": None}


async def cancel_open(
    ctx: Services, principal: Principal, thread_id: str, *, reason: str, kind: str | None = None
) -> list[str]:
    """Take back what is open in a thread, or what is of one kind; return the ids, in the order in which it ended.

    Those in line go first, so that none comes forward only to be taken back; the others end in the order of their ids.
    """
    cancelled: list[str] = []
    while found := await ctx.store.list_requests(
        principal.tenant, thread_id=thread_id, statuses=OPEN, kind=kind
    ):
        for record in sorted(found, key=lambda each: (not each.behind, each.id)):
            with suppress(
                Conflict
            ):  # somebody has ended it, or it was asked again and comes with the next page
                await settle(ctx, record, Action.CANCEL, {"reason": reason}, by=principal)
                cancelled.append(record.id)
    return cancelled


def by_whom(principal: Principal | None) -> str:
    """Return the data of an event of a thread as a whole: who did it, null for nobody."""
    return json.dumps(None if principal is None else principal.actor)


async def _require(ctx: Services, principal: Principal, thread_id: str) -> None:
    await roles.require(ctx, principal, "archive")
    check_line("thread_id", thread_id, ctx.limits.identifier)
    held = await sharing.of(ctx, principal, thread_id)
    await sharing.require(ctx, principal, held, _needed(principal, held), attempted="archive")


def _needed(principal: Principal, held: Access) -> Level:
    if principal.role == "requester":
        return Level.PROMPT
    return Level.OWNER if held.owner else Level.ALL


async def _set(
    ctx: Services, principal: Principal, thread_id: str, kind: str, now: int, *, archived_at: int | None
) -> None:
    tenant = principal.tenant
    event = Draft(kind, tenant, thread_id, now, None, by_whom(principal), principal.id)
    told = entry(kind, at=now, tenant=tenant, by=principal, thread_id=thread_id)
    await ctx.store.set_archived(event, Along(audit=(told,)), archived_at=archived_at)
