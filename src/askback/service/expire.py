"""Deadlines: requests whose time is over are settled, also those that fell due while nothing ran."""

from __future__ import annotations

import logging

import anyio

from askback.domain.lifecycle import Action
from askback.errors import Conflict, Unavailable
from askback.service.context import Services
from askback.service.settle import settle

IDLE_S = 0.5
"""The longest sleep: a deadline set meanwhile is met within this time."""

log = logging.getLogger(__name__)


async def run(ctx: Services) -> None:
    """Sweep for ever; an unwritable store is tried again at the next turn."""
    while True:
        try:
            await sweep(ctx)
            deadline = await ctx.store.next_deadline()
        except Unavailable:
            log.warning("deadlines wait: the store cannot be written")
            deadline = None
        left = IDLE_S if deadline is None else (deadline - ctx.clock.now_ms()) / 1000
        await anyio.sleep(min(max(left, 0.005), IDLE_S))


async def sweep(ctx: Services) -> int:
    """Expire everything that is due; return how many. An answer that comes at the same moment may win."""
    expired = 0
    while due := await ctx.store.due(ctx.clock.now_ms()):
        for record in due:
            try:
                await settle(ctx, record, Action.EXPIRE, {}, by=None)
                expired += 1
            except Conflict:
                continue
    return expired
