"""What those who watch a server ask it: whether it can work, and its numbers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

import anyio

from askback.domain.metrics import CONTENT_TYPE
from askback.errors import Unavailable
from askback.service.context import Services
from askback.service.exposition import exposition
from askback.transports.endpoint import Handler
from askback.transports.http import Call, Reply, json_reply

FRESH_S = 1.0
PATIENCE_S = 5.0

log = logging.getLogger(__name__)


class Readiness:
    """The handler of `GET /readyz`: 200 while a change can be stored, else 503 with the reason.

    Anybody may ask, so it is looked at most once a second, however many do.
    """

    def __init__(self) -> None:
        self._lock = anyio.Lock()
        self._looked: float | None = None
        self._trouble: str | None = None

    async def __call__(self, call: Call) -> Reply:
        """Answer."""
        call.ctx.read_only.require_writable()
        async with self._lock:
            if self._looked is None or anyio.current_time() - self._looked > FRESH_S:
                self._trouble = await _trouble(call.ctx)
                self._looked = anyio.current_time()
        if self._trouble is not None:
            raise Unavailable(self._trouble, retry_after=PATIENCE_S)
        return json_reply({"status": "ready"})


def metrics(connections: Callable[[], Mapping[str, int]]) -> Handler:
    """Return the handler of `GET /metrics`; `connections` counts what is open, by kind."""

    async def show(call: Call) -> Reply:
        text = await exposition(call.ctx, call.principal, connections())
        return Reply(200, text.encode(), ((b"content-type", CONTENT_TYPE.encode()),))

    return show


async def _trouble(ctx: Services) -> str | None:
    try:
        with anyio.fail_after(PATIENCE_S):
            await ctx.store.check_writable()
    except Unavailable as error:
        log.warning("not ready: %s", error.message)
        return f"This server cannot store anything just now. {error.message}"
    except TimeoutError:
        log.warning("not ready: the store did not answer within %.0f s", PATIENCE_S)
        return "This server cannot store anything just now."
    return None
