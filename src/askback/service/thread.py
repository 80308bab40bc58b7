"""Read a thread: its messages, its requests, and the cursor for later events."""

from __future__ import annotations

import json

from askback.domain.access import Level
from askback.domain.policy.conduct import read_conduct
from askback.domain.timestamps import rfc3339
from askback.ports.store import Principal, ThreadView
from askback.service import access, sharing
from askback.service.context import Services

NOTHING = ThreadView(0, (), ())


async def read(ctx: Services, principal: Principal, thread_id: str) -> str:
    """Return the snapshot as JSON text; an unknown thread is an empty one, since the first message makes it.

    Raises `NotFound` for one that is hidden from the caller.
    """
    await access.require(ctx, principal, "read")
    if not 0 < len(thread_id) <= ctx.limits.identifier:
        raise sharing.no_such_thread()
    view = await ctx.store.thread(principal.tenant, thread_id) or NOTHING
    await sharing.require(ctx, principal, view.access, Level.VIEW, thread_id=thread_id, attempted="read")
    messages = [message.wire for message in view.messages]
    requests = [
        sharing.as_seen(principal, record).wire_with(seq=seq)
        for seq, record in view.requests
        if sharing.sees(principal, record.requester, record.access, thread_id)
    ]
    held = sharing.level(principal, view.access, thread_id).word
    terms = await ctx.store.terms(principal.tenant, thread_id)
    policy = read_conduct(terms.everywhere, terms.here).free_text
    archived = "" if view.archived_at is None else f'"archived_at":"{rfc3339(view.archived_at)}",'
    return (
        f'{{"id":{json.dumps(thread_id)},"seq":{view.seq},"access":{{"level":"{held}"}},'
        f'{archived}"free_text":"{policy}",'
        f'"messages":[{",".join(messages)}],"requests":[{",".join(requests)}]}}'
    )
