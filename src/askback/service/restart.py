"""Agents that do not outlive their server: what they waited for when it ended is over when it starts again.

That holds only where the server has its store to itself, and says so (`on_restart`): others may have agents that wait.
"""

from __future__ import annotations

import logging
from contextlib import suppress

import anyio

from askback.domain.lifecycle import Action
from askback.domain.record import Record, says
from askback.errors import Conflict, Unavailable
from askback.service.context import Services
from askback.service.settle import Overtaken, settle

PAGE = 200
AGAIN_S = 1.0

log = logging.getLogger(__name__)


async def run(ctx: Services, *, before_ms: int) -> None:
    """Expire what was asked before that and is awaited; tried again while the store cannot be written."""
    while True:
        try:
            expired = await expire(ctx, before_ms=before_ms)
        except Unavailable:
            log.warning("requests of before the restart stay open for now: the store cannot be written")
            await anyio.sleep(AGAIN_S)
        else:
            log.info("%d requests of before the restart have expired", expired)
            return


async def expire(ctx: Services, *, before_ms: int) -> int:
    """Expire them; return how many. What goes on without somebody who waits stays open."""
    expired, after = 0, ("", "")
    while page := await ctx.store.open_requests(after=after, limit=PAGE):
        awaited = [record for record in page if record.created_at < before_ms and _is_awaited(record)]
        async with anyio.create_task_group() as tasks:  # together, so that they share commits
            for record in awaited:
                tasks.start_soon(_expire, ctx, record)
        expired, after = expired + len(awaited), (page[-1].tenant, page[-1].id)
    return expired


def _is_awaited(record: Record) -> bool:
    return not says(record.spec, "delivery", "resume") and not says(record.state, "detached", True)


async def _expire(ctx: Services, record: Record) -> None:
    with suppress(Conflict, Overtaken):  # somebody was first
        await settle(ctx, record, Action.EXPIRE, {}, by=None)
