"""Export a thread as one document."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Any

from askback.domain import jsontext
from askback.domain.access import Level
from askback.domain.kinds import kind_of
from askback.domain.timestamps import rfc3339
from askback.ports.policy import SideEffects
from askback.ports.store import Principal, ThreadView
from askback.service import access as roles
from askback.service import sharing
from askback.service.context import Services
from askback.service.ledger import entry

PAGE = 500
ALL = 2**31 - 1


async def export(ctx: Services, principal: Principal, thread_id: str) -> str:
    """Return a thread as JSON text, complete as of its `seq`, without any secret: of those there are names.

    It has `id`, `exported_at`, `archived_at`, `access`, `seq`, and the lists `messages`, `requests`, `executions`,
    `events` and `audit`. Raises `NotFound`, and `Forbidden` for anybody but the owner and admins.
    """
    await roles.require(ctx, principal, "erase")
    held = await sharing.of(ctx, principal, thread_id)
    await sharing.require(ctx, principal, held, Level.OWNER, thread_id=thread_id, attempted="export")
    view = await ctx.store.thread(principal.tenant, thread_id, limit=ALL)
    if view is None:
        raise sharing.no_such_thread()
    now, tenant = ctx.clock.now_ms(), principal.tenant
    told = entry("thread.exported", at=now, tenant=tenant, by=principal, thread_id=thread_id)
    await ctx.store.write(SideEffects(audit=(told,)))
    about = {
        "id": thread_id,
        "exported_at": rfc3339(now),
        "archived_at": None if view.archived_at is None else rfc3339(view.archived_at),
        "access": view.access.shown,
        "seq": view.seq,
    }
    lists: dict[str, list[str]] = {
        "messages": [message.wire for message in view.messages],
        "requests": [record.wire_with(seq=seq) for seq, record in view.requests],
        "executions": [text async for text in _executions(ctx, view)],
        "events": [text async for text in _events(ctx, tenant, thread_id, until=view.seq)],
        "audit": [text async for text in _audit(ctx, tenant, thread_id)],
    }
    parts = ",".join(f'"{name}":[{",".join(texts)}]' for name, texts in lists.items())
    return jsontext.merge(json.dumps(about), f"{{{parts}}}")


async def _executions(ctx: Services, view: ThreadView) -> AsyncIterator[str]:
    for _, record in view.requests:
        used = await ctx.store.execution(record.tenant, record.id) if kind_of(record).is_executed else None
        if used is not None:
            said: dict[str, Any] = {**asdict(used), "consumed_at": rfc3339(used.consumed_at)}
            yield json.dumps({"request_id": record.id, **said})


async def _events(ctx: Services, tenant: str, thread_id: str, *, until: int) -> AsyncIterator[str]:
    after = 0
    while after < until:
        page = await ctx.store.thread_events(tenant, thread_id, after=after, limit=PAGE)
        for event in page:
            if event.seq <= until:
                yield event.text
        after = page[-1].seq if page else until


async def _audit(ctx: Services, tenant: str, thread_id: str) -> AsyncIterator[str]:
    after = 0
    while page := await ctx.store.audit(tenant, after=after, limit=PAGE):
        for text in page:
            if json.loads(text).get("thread_id") == thread_id:
                yield text
        after += len(page)
