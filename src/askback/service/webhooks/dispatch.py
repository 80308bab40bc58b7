"""Queue events as deliveries and deliver them, with one worker for each webhook, so that a slow one delays no other.

Any number of servers can run it: each delivery is leased to one of them, and another takes over if that one dies.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

import anyio

from askback.domain.events import REQUEST_RESOLVING, Event
from askback.domain.resume import check_cause
from askback.domain.webhooks import RESUME
from askback.errors import Unavailable
from askback.ports.bus import tenant_topic
from askback.ports.webhooks import Delivery, Webhook
from askback.service.context import Services
from askback.service.local_state.waiting import ChangeSignal
from askback.service.webhooks.deliver import LEASE_S, deliver

POLL_S = 2.0
"""The interval of checks for new webhooks and manual redeliveries."""
MAX_CONCURRENT = 4
"""Messages in transit to one webhook."""

log = logging.getLogger(__name__)


async def run_deliveries(ctx: Services) -> None:
    """Deliver forever; a worker that failed is started again at the next poll."""
    working: set[tuple[str, str]] = set()
    async with anyio.create_task_group() as tasks:
        while True:
            for webhook in await _all_webhooks(ctx):
                name = (webhook.tenant, webhook.id)
                if webhook.active and name not in working:
                    working.add(name)
                    tasks.start_soon(_run_worker, ctx, webhook, working)
            await anyio.sleep(POLL_S)


async def _all_webhooks(ctx: Services) -> Sequence[Webhook]:
    """Return every webhook; none while the store cannot be read, and the running workers continue."""
    try:
        return await ctx.store.webhooks()
    except Unavailable:
        log.warning("webhooks wait: the store cannot be read")
        return ()


async def _run_worker(ctx: Services, webhook: Webhook, working: set[tuple[str, str]]) -> None:
    change_signal = ChangeSignal()
    unsubscribe = ctx.bus.listen(tenant_topic(webhook.tenant), change_signal)
    try:
        while (delivered := await deliver_due(ctx, webhook)) is not None:
            if not delivered:
                await change_signal.wait(await _pause(ctx, webhook))
    except Unavailable:
        log.warning("webhooks wait: the store cannot be written")
    except Exception:
        log.exception("deliveries to a webhook stopped; they start again")
    finally:
        unsubscribe()
        working.discard((webhook.tenant, webhook.id))


async def deliver_due(ctx: Services, webhook: Webhook) -> int | None:
    """Queue new events and send up to `MAX_CONCURRENT` due deliveries; return how many, None if the webhook is off."""
    current = await ctx.store.webhook(webhook.tenant, webhook.id)
    if current is None or not current.active:
        return None
    await queue_events(ctx, current)
    now = ctx.clock.now_ms()
    due = await ctx.store.lease_deliveries(
        current, now_ms=now, until_ms=now + LEASE_S * 1000, limit=MAX_CONCURRENT
    )
    async with anyio.create_task_group() as tasks:
        for delivery in due:
            tasks.start_soon(_deliver_safely, ctx, current, delivery)
    return len(due)


async def _deliver_safely(ctx: Services, webhook: Webhook, delivery: Delivery) -> None:
    """Send a delivery; an error ends no other one, and the delivery is sent again when its lease ends."""
    try:
        await deliver(ctx, webhook, delivery)
    except Unavailable:
        log.warning("a delivery waits: the store cannot be used")
    except Exception:
        log.exception("a delivery failed; it is sent again when its lease ends")


async def _pause(ctx: Services, webhook: Webhook) -> float:
    """Return the seconds until the next delivery is due, if no event comes first."""
    next_at = await ctx.store.next_delivery(webhook)
    return POLL_S if next_at is None else min(max((next_at - ctx.clock.now_ms()) / 1000, 0.005), POLL_S)


PAGE = 200
LOG_RETENTION_S = 30 * 24 * 3600
"""How long ended deliveries stay in the log."""


async def queue_events(ctx: Services, webhook: Webhook) -> None:
    """Queue the events after the cursor of a webhook as deliveries.

    If another server does the same concurrently, one of the two writes and the other stops.
    """
    while page := await ctx.store.tenant_events(webhook.tenant, after=webhook.cursor, limit=PAGE):
        now = ctx.clock.now_ms()
        due = [delivery for event in page for delivery in await _deliveries(ctx, webhook, event, now)]
        was_queued = await ctx.store.queue_deliveries(
            webhook, due, cursor=page[-1].position, forget_before=now - LOG_RETENTION_S * 1000
        )
        read_webhook = await ctx.store.webhook(webhook.tenant, webhook.id)
        if not was_queued or read_webhook is None:
            return
        webhook = read_webhook


async def _deliveries(ctx: Services, webhook: Webhook, event: Event, now: int) -> Iterator[Delivery]:
    """Return the deliveries of an event: the event, the resume stored with it, both, or none."""
    if event.request_id is None or webhook.requester not in (None, event.requester):
        return iter(())
    queued: list[tuple[str, str, int]] = []
    if event.type in webhook.events:
        queued.append((event.type, str(event.position), now))
    if (event.settles or event.type == REQUEST_RESOLVING) and RESUME in webhook.events:
        revision = None if event.state is None else event.state.members.get("revision")
        cause = "" if event.settles or revision is None else check_cause(revision)
        resume = await ctx.store.resume_of(webhook.tenant, event.request_id, cause)
        if resume is not None:
            queued.append((RESUME, resume.resume.id, max(now, resume.resume.available_at)))
    return (
        Delivery(
            ctx.ids.new("dlv", now_ms=now),
            webhook.tenant,
            webhook.id,
            kind,
            subject_id,
            since=now,
            next_at=due_at,
        )
        for kind, subject_id, due_at in queued
    )
