"""Erase a thread, because its owner asks for it or because its retention period is over.

The thread's sequence number, its access and its audit entries stay; those contain no values.
"""

from __future__ import annotations

import anyio.lowlevel

from askback.domain.access import AccessLevel
from askback.domain.events import THREAD_ERASED, EventDraft
from askback.domain.policy.settings import read_thread_settings
from askback.ports.policy import SideEffects
from askback.ports.store import Principal
from askback.ports.threads import IdleThread
from askback.service.access import roles, sharing
from askback.service.audit_entry import audit_entry
from askback.service.context import Services
from askback.service.repeat import repeat
from askback.service.threads import archive

DAY_MS = 24 * 3600 * 1000
INTERVAL_S = 3600.0
PAGE = 100


async def erase_thread(ctx: Services, principal: Principal, thread_id: str) -> None:
    """Archive a thread and erase its contents from all files of the store.

    Repeating it erases data that was written meanwhile. Raises `NotFound`, and `Forbidden` for anybody but
    the owner and admins.
    """
    await roles.require(ctx, principal, "erase_thread")
    access = await sharing.get_access(ctx, principal, thread_id)
    await sharing.require(
        ctx, principal, access, AccessLevel.OWNER, thread_id=thread_id, operation="erase_thread"
    )
    if await ctx.store.thread(principal.tenant, thread_id, limit=1) is None:
        raise sharing.no_such_thread()
    await archive.archive_thread(ctx, principal, thread_id)
    await _erase_contents(ctx, principal.tenant, thread_id, principal=principal)
    await ctx.store.scrub()


async def _erase_contents(
    ctx: Services, tenant: str, thread_id: str, *, principal: Principal | None, idle_since: int | None = None
) -> bool:
    now = ctx.clock.now_ms()
    event = EventDraft(THREAD_ERASED, tenant, thread_id, now, None, archive.actor_json(principal))
    entry = audit_entry("thread.erased", at=now, tenant=tenant, by=principal, thread_id=thread_id)
    return await ctx.store.erase_thread(event, SideEffects(audit=(entry,)), idle_since=idle_since)


async def run_retention(ctx: Services, days: int | None) -> None:
    """Erase expired threads every hour, forever. `days` is the default retention; None keeps threads."""
    await repeat(
        lambda: erase_expired(ctx, days), interval_s=INTERVAL_S, failure="old threads are kept for now"
    )


async def erase_expired(ctx: Services, days: int | None) -> int:
    """Erase threads without open requests whose retention is over and return how many.

    They are erased one by one, so that writers wait for at most one of them; one that was used meanwhile is kept.
    """
    now, erased, last_thread = ctx.clock.now_ms(), 0, ("", "")
    try:
        while page := await ctx.store.idle_threads(before_ms=now - DAY_MS, after=last_thread, limit=PAGE):
            for idle_thread in page:
                if await _is_too_old(ctx, idle_thread, days, now):
                    erased += await _erase_contents(
                        ctx,
                        idle_thread.tenant,
                        idle_thread.thread_id,
                        principal=None,
                        idle_since=idle_thread.since,
                    )
                await anyio.lowlevel.checkpoint()
            last_thread = (page[-1].tenant, page[-1].thread_id)
    finally:
        if erased:  # also those before an error: the next run no longer finds them
            await ctx.store.scrub()
    return erased


async def _is_too_old(ctx: Services, idle_thread: IdleThread, days: int | None, now: int) -> bool:
    thread_config = await ctx.store.thread_config(idle_thread.tenant, idle_thread.thread_id)
    retention_days = (
        read_thread_settings(thread_config.tenant_settings, thread_config.thread_settings).retention_days
        or days
    )
    return retention_days is not None and idle_thread.since < now - retention_days * DAY_MS
