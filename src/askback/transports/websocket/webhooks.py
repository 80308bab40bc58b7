"""The operations on webhooks over the WebSocket; making one, which shows a secret, goes over HTTP alone."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType

from askback.service.webhooks import keep, log
from askback.transports.webhook_texts import deliveries_text, delivery_shown, webhook_shown, webhooks_text
from askback.transports.websocket.arguments import Frame, needed, text, whole
from askback.transports.websocket.whole_threads import Caller

PAGE = 50


async def _listed(peer: Caller, _frame: Frame) -> str:
    return webhooks_text(await keep.listed(peer.ctx, peer.principal))


async def _switch(peer: Caller, frame: Frame) -> str:
    body = frame.get("body", {})
    return json.dumps(
        webhook_shown(await keep.switch(peer.ctx, peer.principal, needed(frame, "webhook_id"), body))
    )


async def _remove(peer: Caller, frame: Frame) -> str:
    await keep.remove(peer.ctx, peer.principal, needed(frame, "webhook_id"))
    return "{}"


async def _deliveries(peer: Caller, frame: Frame) -> str:
    limit = whole(frame, "limit", minimum=1, maximum=peer.ctx.limits.page)
    found, cursor = await log.page(
        peer.ctx,
        peer.principal,
        needed(frame, "webhook_id"),
        limit=limit or PAGE,
        cursor=text(frame, "cursor"),
    )
    return deliveries_text(found, cursor)


async def _redeliver(peer: Caller, frame: Frame) -> str:
    again = await log.redeliver(peer.ctx, peer.principal, needed(frame, "webhook_id"), frame.get("body", {}))
    return json.dumps(delivery_shown(again))


WEBHOOKS: Mapping[str, Callable[[Caller, Frame], Awaitable[str]]] = MappingProxyType(
    {
        "webhooks": _listed,
        "switch_webhook": _switch,
        "remove_webhook": _remove,
        "deliveries": _deliveries,
        "redeliver": _redeliver,
    }
)
