"""Erase a thread, because its owner asks for it or because its retention period is over.

What stays is its place, so that cursors go on counting, who may see it, and the audit log, in which no values are.
"""

from __future__ import annotations

import logging

import anyio
import anyio.lowlevel

from askback.domain.access import Level
from askback.domain.events import THREAD_ERASED, Draft
from askback.domain.policy.conduct import read_conduct
from askback.errors import Unavailable
from askback.ports.policy import SideEffects
from askback.ports.store import Principal
from askback.ports.threads import Idle
from askback.service import access as roles
from askback.service import archive, sharing
from askback.service.context import Services
from askback.service.ledger import entry

DAY_MS = 24 * 3600 * 1000
EVERY_S = 3600.0
PAGE = 100

log = logging.getLogger(__name__)


async def erase(ctx: Services, principal: Principal, thread_id: str) -> None:
    """Archive a thread, so that nobody waits in it, and erase what is in it; then it is in no file of the store.

    The same again erases what has come meanwhile. Raises `NotFound`, and `Forbidden` for anybody but the owner and
    admins.
    """
    await roles.require(ctx, principal, "erase")
    held = await sharing.of(ctx, principal, thread_id)
    await sharing.require(ctx, principal, held, Level.OWNER, thread_id=thread_id, attempted="erase")
    if await ctx.store.thread(principal.tenant, thread_id, limit=1) is None:
        raise sharing.no_such_thread()
    await archive.archive(ctx, principal, thread_id)
    await _erase(ctx, principal.tenant, thread_id, by=principal)
    await ctx.store.scrub()


async def _erase(ctx: Services, tenant: str, thread_id: str, *, by: Principal | None) -> None:
    now = ctx.clock.now_ms()
    event = Draft(THREAD_ERASED, tenant, thread_id, now, None, archive.by_whom(by))
    told = entry("thread.erased", at=now, tenant=tenant, by=by, thread_id=thread_id)
    await ctx.store.erase_thread(event, SideEffects(audit=(told,)))


async def run(ctx: Services, days: int | None) -> None:
    """Erase what is too old, now and then, for ever. `days` is what holds where no policy says otherwise."""
    while True:
        try:
            await sweep(ctx, days)
        except Unavailable:
            log.warning("old threads are kept for now: the store cannot be written")
        except Exception:
            log.exception("old threads could not be erased; it is tried again")
        await anyio.sleep(EVERY_S)


async def sweep(ctx: Services, days: int | None) -> int:
    """Erase threads in which nothing is open and nothing has happened for as long as they are kept; return how many.

    One thread after the other, so that nobody who writes waits for more than one of them.
    """
    now, erased, after = ctx.clock.now_ms(), 0, ("", "")
    while page := await ctx.store.idle_threads(before_ms=now - DAY_MS, after=after, limit=PAGE):
        for idle in page:
            if await _is_too_old(ctx, idle, days, now):
                await _erase(ctx, idle.tenant, idle.thread_id, by=None)
                erased += 1
            await anyio.lowlevel.checkpoint()
        after = (page[-1].tenant, page[-1].thread_id)
    if erased:
        await ctx.store.scrub()
    return erased


async def _is_too_old(ctx: Services, idle: Idle, days: int | None, now: int) -> bool:
    terms = await ctx.store.terms(idle.tenant, idle.thread_id)
    kept = read_conduct(terms.everywhere, terms.here).retention_days or days
    return kept is not None and idle.since < now - kept * DAY_MS
