"""Delivers for as long as the server lives: one worker for each webhook, so that a slow one holds up no other.

Any number of servers do so: each delivery is leased to one of them, and comes to the others when that one is gone.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import anyio

from askback.errors import Unavailable
from askback.ports.bus import tenant_topic
from askback.ports.webhooks import Webhook
from askback.service.context import Services
from askback.service.nudges import Nudge
from askback.service.webhooks.deliver import LEASE_S, deliver
from askback.service.webhooks.queue import read_on

LOOK_S = 2.0
"""How often it is looked for webhooks that were made meanwhile, and for what is to be sent again by hand."""
AT_ONCE = 4
"""How many messages are on their way to one webhook."""

log = logging.getLogger(__name__)


async def run(ctx: Services) -> None:
    """Deliver for ever; a worker that failed begins again at the next look."""
    working: set[tuple[str, str]] = set()
    async with anyio.create_task_group() as tasks:
        while True:
            for webhook in await _known(ctx):
                name = (webhook.tenant, webhook.id)
                if webhook.active and name not in working:
                    working.add(name)
                    tasks.start_soon(_work, ctx, webhook, working)
            await anyio.sleep(LOOK_S)


async def _known(ctx: Services) -> Sequence[Webhook]:
    """Return every webhook, or none while the store cannot be read: what is on its way goes on."""
    try:
        return await ctx.store.webhooks()
    except Unavailable:
        log.warning("webhooks wait: the store cannot be read")
        return ()


async def sweep(ctx: Services) -> int:
    """Deliver all that is due now; return how many attempts that took."""
    done = 0
    for webhook in await ctx.store.webhooks():
        while (sent := await _turn(ctx, webhook)) is not None and sent:
            done += sent
    return done


async def _work(ctx: Services, webhook: Webhook, working: set[tuple[str, str]]) -> None:
    nudge = Nudge()
    leave = ctx.bus.listen(tenant_topic(webhook.tenant), nudge)
    try:
        while (sent := await _turn(ctx, webhook)) is not None:
            if not sent:
                await nudge.wait(await _pause(ctx, webhook))
    except Unavailable:
        log.warning("webhooks wait: the store cannot be written")
    except Exception:
        log.exception("deliveries to a webhook stopped; they start again")
    finally:
        leave()
        working.discard((webhook.tenant, webhook.id))


async def _turn(ctx: Services, webhook: Webhook) -> int | None:
    """Read on and send what is due, at most so many; return how many, None when the webhook is off or gone."""
    known = await ctx.store.webhook(webhook.tenant, webhook.id)
    if known is None or not known.active:
        return None
    await read_on(ctx, known)
    now = ctx.clock.now_ms()
    due = await ctx.store.lease_deliveries(known, now_ms=now, until_ms=now + LEASE_S * 1000, limit=AT_ONCE)
    async with anyio.create_task_group() as tasks:
        for delivery in due:
            tasks.start_soon(deliver, ctx, known, delivery)
    return len(due)


async def _pause(ctx: Services, webhook: Webhook) -> float:
    """Return for how long there is nothing to do unless something happens, in seconds."""
    at = await ctx.store.next_delivery(webhook)
    return LOOK_S if at is None else min(max((at - ctx.clock.now_ms()) / 1000, 0.005), LOOK_S)
