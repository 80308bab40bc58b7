"""What has happened becomes deliveries: the events after the cursor of a webhook, each of them once."""

from __future__ import annotations

from collections.abc import Iterator

from askback.domain.events import REQUEST_RESOLVING, Event
from askback.domain.resume import check_cause
from askback.domain.webhooks import RESUME
from askback.ports.webhooks import Delivery, Webhook
from askback.service.context import Services

PAGE = 200
REMEMBERED_S = 30 * 24 * 3600
"""How long the log has deliveries that ended."""


async def read_on(ctx: Services, webhook: Webhook) -> None:
    """Queue what has happened since a webhook was last looked at, and up to now.

    Where another server is reading on as well, one of the two writes; the other one is done.
    """
    while page := await ctx.store.tenant_events(webhook.tenant, after=webhook.cursor, limit=PAGE):
        now = ctx.clock.now_ms()
        due = [each for event in page for each in await _deliveries(ctx, webhook, event, now)]
        moved = await ctx.store.queue_deliveries(
            webhook, due, cursor=page[-1].position, forget_before=now - REMEMBERED_S * 1000
        )
        read = await ctx.store.webhook(webhook.tenant, webhook.id)
        if not moved or read is None:
            return
        webhook = read


async def _deliveries(ctx: Services, webhook: Webhook, event: Event, now: int) -> Iterator[Delivery]:
    """Return what an event is to a webhook: itself, the resume that was written with it, both, or nothing."""
    if event.request_id is None or webhook.requester not in (None, event.requester):
        return iter(())
    told: list[tuple[str, str, int]] = []
    if event.type in webhook.events:
        told.append((event.type, str(event.position), now))
    if (event.settles or event.type == REQUEST_RESOLVING) and RESUME in webhook.events:
        revision = None if event.state is None else event.state.members.get("revision")
        cause = "" if event.settles or revision is None else check_cause(revision)
        left = await ctx.store.resume_of(webhook.tenant, event.request_id, cause)
        if left is not None:
            told.append((RESUME, left.resume.id, max(now, left.resume.available_at)))
    return (
        Delivery(
            ctx.ids.new("dlv", now_ms=now), webhook.tenant, webhook.id, kind, about, since=now, next_at=at
        )
        for kind, about, at in told
    )
