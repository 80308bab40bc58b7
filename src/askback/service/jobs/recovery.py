"""Continue what another server or an earlier run left unfinished.

`run_follow_ups` promotes queued requests, delivers held messages, finishes archives and ends silent runs. The call that
ends a request does so itself where it can; the sweep finds the rest. Any number of servers can sweep, and each step
happens once.

`run_expiry` expires the requests of agents that did not survive a restart. It runs only if the server has its store to
itself (`on_restart`), since other servers may have agents that wait.
"""

from __future__ import annotations

import asyncio
import logging

import anyio

from askback.domain.lifecycle import Transition
from askback.domain.record import Record
from askback.errors import Conflict, Unavailable
from askback.service.context import Services
from askback.service.lifecycle.settle import promote_queued, settle
from askback.service.repeat import repeat
from askback.service.threads import archive, run_ends

INTERVAL_S = 0.4
RETRY_S = 1.0
PAGE = 200

log = logging.getLogger(__name__)


async def run_follow_ups(ctx: Services) -> None:
    """Sweep forever; errors are logged, and the next sweep tries again."""
    await repeat(
        lambda: promote_and_deliver(ctx), interval_s=INTERVAL_S, failure="queued requests and messages wait"
    )


async def promote_and_deliver(ctx: Services) -> None:
    """Promote queued requests, deliver held messages, cancel open requests of archived threads, end silent runs."""
    await promote_queued(ctx)
    for tenant, thread_id in await ctx.store.deliverable():
        await ctx.store.deliver(tenant, thread_id, at=ctx.clock.now_ms())
    await archive.finish_archiving(ctx)
    await run_ends.end_silent(ctx)


async def run_expiry(ctx: Services, *, before_ms: int) -> None:
    """Expire the unattended requests created before `before_ms`; errors are logged and retried until it succeeds."""
    while True:
        try:
            expired = await expire_unattended(ctx, before_ms=before_ms)
        except Unavailable:
            log.warning("requests of before the restart stay open for now: the store cannot be written")
        except Exception:
            log.exception("requests of before the restart stay open for now")
        else:
            log.info("%d requests of before the restart have expired", expired)
            return
        await anyio.sleep(RETRY_S)


async def expire_unattended(ctx: Services, *, before_ms: int) -> int:
    """Expire open requests created before `before_ms` that an agent waits for; return how many."""
    expired, last_record = 0, None
    while page := await ctx.store.open_requests(after=last_record, limit=PAGE):
        awaited_requests = [
            record for record in page if record.created_at < before_ms and _is_awaited(record)
        ]
        # Concurrently, so that they share commits. A `Conflict` means that another change came first.
        steps = [settle(ctx, record, Transition.EXPIRE, {}, by=None) for record in awaited_requests]
        for result in await asyncio.gather(*steps, return_exceptions=True):
            if isinstance(result, BaseException) and not isinstance(result, Conflict):
                raise result
        expired, last_record = expired + len(awaited_requests), page[-1]
    return expired


def _is_awaited(record: Record) -> bool:
    return not record.spec.is_durable and not record.state.members.get("detached")
