"""A thread as it is now: its messages, its requests, and the cursor from which events go on."""

from __future__ import annotations

import json

from askback.errors import NotFound
from askback.ports.store import Principal, ThreadView
from askback.service import access
from askback.service.context import Services

NOTHING = ThreadView(0, (), ())


async def read(ctx: Services, principal: Principal, thread_id: str) -> str:
    """Return the snapshot as JSON text; an unknown thread is an empty one, since the first message makes it."""
    await access.require(ctx, principal, "read")
    if not 0 < len(thread_id) <= ctx.limits.identifier:
        raise NotFound("There is no such thread.")
    view = await ctx.store.thread(principal.tenant, thread_id) or NOTHING
    messages = [f'{m.data[:-1]},"seq":{m.seq}}}' for m in view.messages]
    requests = [
        f'{record.wire[:-1]},"seq":{seq}}}'
        for seq, record in view.requests
        if access.sees(principal, record.requester)
    ]
    return (
        f'{{"id":{json.dumps(thread_id)},"seq":{view.seq},'
        f'"messages":[{",".join(messages)}],"requests":[{",".join(requests)}]}}'
    )
