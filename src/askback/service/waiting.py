"""Continue waiting items once others have ended: queued requests, held messages, a started archive.

Whoever ends a request lets the next one come forward at once, where that is known to matter. This finds the rest: what
was left behind by a server that died, and what is to be delivered. Any number of servers may; each thing happens once.
"""

from __future__ import annotations

import logging

import anyio

from askback.errors import Unavailable
from askback.service import archive
from askback.service.context import Services
from askback.service.settle import come_forward

EVERY_S = 0.4

log = logging.getLogger(__name__)


async def run(ctx: Services) -> None:
    """Sweep for ever; an unwritable store is tried again at the next turn, and no fault ends it."""
    while True:
        try:
            await sweep(ctx)
        except Unavailable:
            log.warning("what waits in line goes on waiting: the store cannot be used")
        except Exception:
            log.exception("what waits in line could not be let forward; it is tried again")
        await anyio.sleep(EVERY_S)


async def sweep(ctx: Services) -> None:
    """Let everything come that has nothing to wait for any more, and end what an archived thread still has open."""
    await come_forward(ctx)
    for tenant, thread_id in await ctx.store.deliverable():
        await ctx.store.deliver(tenant, thread_id, at=ctx.clock.now_ms())
    await archive.finish(ctx)
