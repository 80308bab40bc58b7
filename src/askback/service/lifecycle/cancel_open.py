"""Cancel the open requests of an agent that has lost access."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from askback.domain.lifecycle import OPEN, Transition
from askback.domain.record import Record
from askback.errors import Conflict, Gone, NotFound
from askback.ports.store import Principal
from askback.service.context import Services
from askback.service.lifecycle.settle import settle


async def cancel_matching(
    ctx: Services,
    tenant: str,
    *,
    by: Principal,
    requester: str | None = None,
    thread_id: str | None = None,
    concerns: Callable[[Record], bool] = lambda _: True,
) -> None:
    """Cancel the open requests of a requester or a thread for which `concerns` is true, newest first.

    A request that is answered meanwhile stays answered.
    """
    cursor = None
    while records := await ctx.store.list_requests(
        tenant, thread_id=thread_id, statuses=OPEN, requester=requester, before=cursor, limit=ctx.limits.page
    ):
        for record in filter(concerns, records):
            with suppress(Conflict, Gone, NotFound):
                await settle(ctx, record, Transition.CANCEL, {"reason": "admin"}, by=by)
        cursor = records[-1].id
