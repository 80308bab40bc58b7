"""Handle calls for a thread that was erased meanwhile: nothing is left of it or of its keys."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from askback.domain.events import THREAD_ERASED
from askback.ports.store import Principal
from askback.ports.threads import ThreadArchived
from askback.service.context import Services
from askback.service.sharing import no_such_thread


@asynccontextmanager
async def unless_erased(
    ctx: Services, principal: Principal, thread_id: object, key: str | None
) -> AsyncGenerator[None]:
    """Raise `NotFound` for a call with a key into a thread that was erased: it may be a replay (N5)."""
    try:
        yield
    except ThreadArchived:
        if key is not None and await _is_erased(ctx, principal.tenant, str(thread_id)):
            raise no_such_thread() from None
        raise


async def _is_erased(ctx: Services, tenant: str, thread_id: str) -> bool:
    view = await ctx.store.thread(tenant, thread_id, limit=1)
    if view is None:
        return False
    last = await ctx.store.thread_events(tenant, thread_id, after=view.seq - 1)
    return [event.type for event in last] == [THREAD_ERASED]
