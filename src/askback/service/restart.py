"""End the open requests of agents that do not survive a restart of their server.

That holds only where the server has its store to itself, and says so (`on_restart`): others may have agents that wait.
"""

from __future__ import annotations

import asyncio
import logging

import anyio

from askback.domain.lifecycle import Action
from askback.domain.record import Record
from askback.errors import Conflict, Unavailable
from askback.service.context import Services
from askback.service.settle import settle

PAGE = 200
AGAIN_S = 1.0

log = logging.getLogger(__name__)


async def run(ctx: Services, *, before_ms: int) -> None:
    """Expire what was asked before that and is awaited; tried again until it is done, and no fault ends the server."""
    while True:
        try:
            expired = await expire(ctx, before_ms=before_ms)
        except Unavailable:
            log.warning("requests of before the restart stay open for now: the store cannot be written")
        except Exception:
            log.exception("requests of before the restart stay open for now")
        else:
            log.info("%d requests of before the restart have expired", expired)
            return
        await anyio.sleep(AGAIN_S)


async def expire(ctx: Services, *, before_ms: int) -> int:
    """Expire them; return how many. What goes on without somebody who waits stays open."""
    expired, after = 0, ("", "")
    while page := await ctx.store.open_requests(after=after, limit=PAGE):
        awaited = [record for record in page if record.created_at < before_ms and _is_awaited(record)]
        # Together, so that they share commits. Where somebody was first, a `Conflict` says so.
        steps = [settle(ctx, record, Action.EXPIRE, {}, by=None) for record in awaited]
        for failed in await asyncio.gather(*steps, return_exceptions=True):
            if isinstance(failed, BaseException) and not isinstance(failed, Conflict):
                raise failed
        expired, after = expired + len(awaited), (page[-1].tenant, page[-1].id)
    return expired


def _is_awaited(record: Record) -> bool:
    return record.spec.facts.delivery != "resume" and not record.state.members.get("detached")
