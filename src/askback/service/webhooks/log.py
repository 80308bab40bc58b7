"""List the deliveries of a webhook, and send one again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from askback.domain.faults import Faults, fault
from askback.domain.validation.structure import parse
from askback.domain.webhooks import RESUME
from askback.errors import Conflict, NotFound
from askback.ports.policy import SideEffects
from askback.ports.store import Principal
from askback.ports.webhooks import Delivery, DeliveryState, Webhook
from askback.service.audit_entry import audit_entry
from askback.service.context import Services
from askback.service.webhooks.manage import get_webhook
from askback.wire.bodies import RedeliverBody


async def list_deliveries(
    ctx: Services, principal: Principal, webhook_id: str, *, limit: int = 50, cursor: str | None = None
) -> tuple[Sequence[Delivery], str | None]:
    """Return the deliveries of a webhook, newest first, and the cursor of the next page. Raises `NotFound`."""
    await get_webhook(ctx, principal, webhook_id, "list_deliveries")
    size = max(1, min(limit, ctx.limits.page))
    rows = await ctx.store.deliveries(principal.tenant, webhook_id, before=cursor, limit=size + 1)
    return rows[:size], rows[size - 1].id if len(rows) > size else None


async def redeliver(ctx: Services, principal: Principal, webhook_id: str, body: object) -> Delivery:
    """Send a delivery or a resume again, from a `RedeliverBody`; it is retried for three days.

    Raises `NotFound`, and `Conflict` (`webhook_off`).
    """
    webhook = await get_webhook(ctx, principal, webhook_id, "redeliver")
    payload = parse(RedeliverBody, body)
    if (payload.delivery is None) == (payload.resume is None):
        raise Faults([fault("", "one_of_two")])
    if not webhook.active:
        raise Conflict("This webhook is disabled. Enable it first.", code="webhook_off")
    now = ctx.clock.now_ms()
    new_delivery = await _find_delivery(ctx, webhook, payload, now)
    entry = audit_entry(
        "webhook.redeliver",
        at=now,
        tenant=principal.tenant,
        by=principal,
        webhook_id=webhook.id,
        delivery_id=new_delivery.id,
    )
    return await ctx.store.deliver_again(new_delivery, SideEffects(audit=(entry,)))


async def _find_delivery(ctx: Services, webhook: Webhook, payload: RedeliverBody, now: int) -> Delivery:
    if payload.delivery is not None:
        delivery = await ctx.store.delivery(webhook.tenant, webhook.id, payload.delivery)
        if delivery is None:
            raise NotFound("There is no such delivery.")
        return replace(delivery, since=now, next_at=now, state=DeliveryState.WAITING, again=True)
    resume = await ctx.store.resume(webhook.tenant, payload.resume or "")
    if resume is None or webhook.requester not in (None, resume.resume.requester):
        raise NotFound("There is no such resume.")
    return Delivery(
        ctx.ids.new("dlv", now_ms=now),
        webhook.tenant,
        webhook.id,
        RESUME,
        resume.resume.id,
        since=now,
        next_at=now,
        again=True,
    )
