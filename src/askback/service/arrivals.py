"""Start the usual wait of requests that waited for a person, once somebody opens a page."""

from __future__ import annotations

import logging

from askback.domain.record import Record
from askback.errors import Conflict, Unavailable
from askback.service import deadlines
from askback.service.context import Services
from askback.service.settle import Overtaken

log = logging.getLogger(__name__)


async def run(ctx: Services) -> None:
    """See to every arrival, for ever. What fails here is found by the deadlines."""
    while True:
        for record in await ctx.unseen.seen():
            try:
                await _see(ctx, record)
            except Unavailable:
                log.warning("%s still waits for somebody: the store cannot be written", record.id)
            except Exception:
                log.exception("%s still waits for somebody", record.id)


async def _see(ctx: Services, asked: Record) -> None:
    record = await ctx.store.get(asked.tenant, asked.id)
    while record is not None and not record.settled and record.state.members.get("unseen"):
        try:
            await deadlines.look(ctx, record, ctx.clock.now_ms(), somebody=True)
        except Overtaken as overtaken:
            record = overtaken.record
        except Conflict:
            return  # it has ended, or is being answered
        else:
            return
