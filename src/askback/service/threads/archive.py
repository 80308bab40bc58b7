"""Archive a thread: cancel its open requests and refuse new ones until it is unarchived."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from askback.domain.access import AccessLevel, AccessList
from askback.domain.events import THREAD_ARCHIVED, THREAD_UNARCHIVED, EventDraft
from askback.domain.lifecycle import OPEN, Transition
from askback.domain.record import NO_LABELS, Labels, Record
from askback.domain.timestamps import rfc3339
from askback.domain.validation.text_check import check_identifier
from askback.errors import Conflict
from askback.ports.policy import SideEffects
from askback.ports.store import Principal
from askback.service.access import roles, sharing
from askback.service.audit_entry import audit_entry
from askback.service.context import Services
from askback.service.lifecycle.settle import settle
from askback.service.threads import run_ends

FINISH_AFTER_MS = 5_000
"""After this time another server finishes an archive whose server may have died."""


async def archive_thread(ctx: Services, principal: Principal, thread_id: str) -> dict[str, Any]:
    """Archive a thread and cancel its open requests with the reason `thread_archived`; repeating finishes the job.

    Return `{"id", "archived_at", "cancelled": [request id…]}`. Raises `NotFound`, also for an empty thread, and
    `Forbidden` for a person who is not its owner; in a thread without an owner the level `ALL` is enough.
    """
    await _require(ctx, principal, thread_id)
    now = ctx.clock.now_ms()
    # Refuse new requests first, or one could be created while the last is cancelled.
    await _store(ctx, principal, thread_id, THREAD_ARCHIVED, now, archived_at=now)
    until = ctx.clock.now_ms()  # later than any request that came in just before
    cancelled = await _cancel_open(ctx, principal.tenant, thread_id, principal=principal, until=until)
    view = await ctx.store.thread(principal.tenant, thread_id, limit=1)
    archived_at = None if view is None or view.archived_at is None else rfc3339(view.archived_at)
    return {"id": thread_id, "archived_at": archived_at, "cancelled": cancelled}


async def finish_archiving(ctx: Services) -> None:
    """Cancel open requests of threads whose archive was not finished in time: its server may have died."""
    before_ms = ctx.clock.now_ms() - FINISH_AFTER_MS
    for tenant, thread_id in await ctx.store.archiving(before_ms=before_ms):
        await _cancel_open(ctx, tenant, thread_id, principal=None, until=before_ms)


async def unarchive_thread(ctx: Services, principal: Principal, thread_id: str) -> dict[str, Any]:
    """Unarchive a thread; its cancelled requests stay cancelled. Raises what `archive_thread` raises."""
    await _require(ctx, principal, thread_id)
    await _store(ctx, principal, thread_id, THREAD_UNARCHIVED, ctx.clock.now_ms(), archived_at=None)
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
    requester: str | None = None,
    labels: Labels = NO_LABELS,
) -> list[str]:
    """Cancel the open requests of a thread, or those of one kind, requester or run; return their ids in that order.

    Queued requests are cancelled first, so that none is promoted only to be cancelled. Requests created after `until`
    (ms) stay open: a refused agent may ask something else immediately.
    """
    cancelled: list[str] = []

    async def open_ones() -> list[Record]:
        requests = await ctx.store.list_requests(
            tenant, thread_id=thread_id, statuses=OPEN, kind=kind, requester=requester, labels=labels
        )
        return [record for record in requests if record.created_at <= until]

    while requests := await open_ones():
        for record in sorted(requests, key=lambda item: (not item.queued_behind, item.id)):
            with suppress(
                Conflict
            ):  # somebody has ended it, or it was asked again and comes with the next page
                await settle(ctx, record, Transition.CANCEL, {"reason": reason}, by=by)
                cancelled.append(record.id)
    return cancelled


async def _cancel_open(
    ctx: Services, tenant: str, thread_id: str, *, principal: Principal | None, until: int
) -> list[str]:
    cancelled = await cancel_open(ctx, tenant, thread_id, by=principal, reason="thread_archived", until=until)
    await run_ends.end_all(ctx, tenant, thread_id)
    await ctx.store.end_archiving(tenant, thread_id)
    return cancelled


def actor_json(principal: Principal | None) -> str:
    """Return the data of a thread event: the actor as JSON, null for the server."""
    return json.dumps(None if principal is None else principal.actor)


async def _require(ctx: Services, principal: Principal, thread_id: str) -> None:
    await roles.require(ctx, principal, "archive_thread")
    check_identifier("thread_id", thread_id, ctx.limits)
    access = await sharing.get_access(ctx, principal, thread_id)
    await sharing.require(
        ctx,
        principal,
        access,
        _needed_level(principal, access),
        thread_id=thread_id,
        operation="archive_thread",
    )
    if await ctx.store.thread(principal.tenant, thread_id, limit=1) is None:
        raise sharing.no_such_thread()


def _needed_level(principal: Principal, access: AccessList) -> AccessLevel:
    if principal.role == "requester":
        return AccessLevel.PROMPT
    return AccessLevel.OWNER if access.owner else AccessLevel.ALL


async def _store(
    ctx: Services, principal: Principal, thread_id: str, kind: str, now: int, *, archived_at: int | None
) -> None:
    tenant = principal.tenant
    event = EventDraft(
        kind, tenant, thread_id, now, None, actor_json(principal), principal.id, sharing.agent_of(principal)
    )
    entry = audit_entry(kind, at=now, tenant=tenant, by=principal, thread_id=thread_id)
    await ctx.store.set_archived(event, SideEffects(audit=(entry,)), archived_at=archived_at)
