"""Wait until a request changes (long poll). A wait costs only a listener."""

from __future__ import annotations

from contextlib import nullcontext

import anyio

from askback.domain.record import Record
from askback.ports.bus import request_topic
from askback.ports.store import Principal
from askback.service.context import Services
from askback.service.nudges import Nudge
from askback.service.read import get, look


async def wait(
    ctx: Services,
    principal: Principal,
    request_id: str,
    *,
    seconds: float,
    revision: int | None = None,
    receipt: bool = False,
) -> Record | None:
    """Return the request once it is settled or no longer at `revision`; None after `seconds` without that.

    The listener is in place before the first read, so a change in between is not missed. With `receipt` the caller says
    that the outcome has arrived, by reading the request once more; until then it goes as if nobody had waited.
    """
    nudge, read = Nudge(), get if receipt else look
    attended = nullcontext() if receipt else ctx.attendance.polling(request_id, principal.id)
    leave = ctx.bus.listen(request_topic(principal.tenant, request_id), nudge)
    try:
        record = await read(ctx, principal, request_id)
        known = record.revision if revision is None else revision
        with attended, anyio.move_on_after(seconds):
            while not record.settled and record.revision == known:
                await nudge.wait()
                record = await read(ctx, principal, request_id)
    finally:
        leave()
    return record if record.settled or record.revision != known else None
