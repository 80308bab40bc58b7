"""One request, state by state, until it ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from askback.client.eventfeed import EventFeed
from askback.client.link import Link
from askback.client.operations import frame
from askback.client.session import FOREVER
from askback.domain.lifecycle import TERMINAL, Status
from askback.domain.request import InputRequest

FIRST_LOOK_S = 0.5
LOOK_S = 15.0
"""How often to look although nothing was announced: a lost event costs time, and nothing else."""

_RANK = {Status.PENDING: 0, Status.RESOLVING: 1}


async def states(link: Link, request: InputRequest) -> AsyncGenerator[InputRequest]:
    """Yield a request as it is, and then each later state, also over lost connections; the last one is terminal.

    Its end is waited for like any other, so that the server knows that somebody has it.
    """
    yield request
    latest = _moment(request)
    if latest[1] == len(_RANK):
        return
    pause = FIRST_LOOK_S
    ending = await link.wait(request.id)
    feed = EventFeed(link, request.thread_id, None)
    coming: asyncio.Task[dict[str, Any]] | None = None
    try:
        while latest[1] != len(_RANK):
            coming = coming or asyncio.create_task(_next(feed))
            await asyncio.wait({coming, ending}, timeout=pause, return_when=asyncio.FIRST_COMPLETED)
            if ending.done():
                found: Any = ending.result()
            elif coming.done():
                event, coming = coming.result(), None
                found = event.get("request")
            else:
                found = await link.call(frame("get", request_id=request.id), retry_for=FOREVER)
                pause = min(pause * 2, LOOK_S)
            if found is None or found["id"] != request.id:
                continue
            now = InputRequest.model_validate(found)
            if _moment(now) > latest:
                latest = _moment(now)
                yield now
    finally:
        link.abandon(ending)
        feed.close()
        for task in (coming, ending):
            if task is not None and not task.cancel() and not task.cancelled():
                task.exception()  # it is seen: what ended the one may have ended the other


async def _next(feed: EventFeed) -> dict[str, Any]:
    return await anext(feed)


def _moment(request: InputRequest) -> tuple[int, int]:
    """Return what grows from state to state."""
    return request.revision, len(_RANK) if request.status in TERMINAL else _RANK[request.status]
