"""Waiting for outcomes on behalf of connections: a pending wait is one entry in a dictionary.

One listener for each tenant serves all waits; there is no task, no future and no timer for each. A
patrol re-reads the oldest waits in turn, so a nudge that was lost costs time and never an answer.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Protocol

from askback.domain.events import Event
from askback.domain.record import Record
from askback.errors import NotFound
from askback.ports.bus import tenant_topic
from askback.ports.store import Principal
from askback.service import access
from askback.service.context import Services
from askback.service.read import get

PATROL_S = 30.0
PATROL_SIZE = 2_000
BREATH = 100

_log = logging.getLogger(__name__)


class Waiter(Protocol):
    """Who is told: one connection, for all its waits."""

    @property
    def principal(self) -> Principal:
        """Whose connection it is."""
        ...

    def settled(self, request_id: str, wire: str) -> None:
        """Take the outcome of a request, once; returns at once."""
        ...


class Waits:
    """Every request that some connection waits for."""

    def __init__(self, ctx: Services, *, patrol_s: float = PATROL_S) -> None:
        self._ctx = ctx
        self._patrol_s = patrol_s
        self._waiting: dict[str, tuple[Waiter, ...]] = {}
        self._leaves: dict[str, Callable[[], None]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._patrolling: asyncio.Task[None] | None = None

    def count(self) -> int:
        """How many requests are waited for."""
        return len(self._waiting)

    def add(self, request_id: str, waiter: Waiter) -> None:
        """Tell `waiter` when the request settles; the caller has checked that it may know."""
        known = self._waiting.get(request_id, ())
        if waiter not in known:
            self._waiting[request_id] = (*known, waiter)
        tenant = waiter.principal.tenant
        if tenant not in self._leaves:
            self._leaves[tenant] = self._ctx.bus.listen(tenant_topic(tenant), self._on_event)
        if self._timer is None and self._patrolling is None:
            self._wind()

    async def look(self, request_id: str, waiter: Waiter) -> Record:
        """Return the request as it is now, and watch it if it is open; raises `NotFound`.

        The wait is in place before the read, so an outcome in between reaches the waiter either way.
        """
        self.add(request_id, waiter)
        try:
            await access.require(self._ctx, waiter.principal, "read", request_id)
            record = await get(self._ctx, waiter.principal, request_id)
        except BaseException:
            self.drop((request_id,), waiter)
            raise
        if record.settled:
            self.drop((request_id,), waiter)
        return record

    def drop(self, request_ids: Iterable[str], waiter: Waiter) -> None:
        """Forget waits of `waiter`."""
        for request_id in request_ids:
            left = tuple(w for w in self._waiting.get(request_id, ()) if w is not waiter)
            if left:
                self._waiting[request_id] = left
            else:
                self._waiting.pop(request_id, None)
        if not self._waiting:
            self.close()

    def close(self) -> None:
        """Stop listening; a new wait starts it again."""
        for leave in self._leaves.values():
            leave()
        self._leaves.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def patrol(self) -> None:
        """Compare the oldest waits with the store, and put them at the end of the row."""
        for number, request_id in enumerate(list(islice(self._waiting, PATROL_SIZE)), 1):
            waiters = self._waiting.pop(request_id, ())
            if not waiters:
                continue
            self._waiting[request_id] = waiters
            await self._compare(request_id, waiters[0])
            if number % BREATH == 0:
                await asyncio.sleep(0)

    async def _compare(self, request_id: str, waiter: Waiter) -> None:
        try:
            record = await get(self._ctx, waiter.principal, request_id)
        except NotFound:
            return
        if record.settled:
            self._tell(request_id, record.wire, record.tenant, record.requester)

    def _on_event(self, event: Event) -> None:
        if event.settles and event.request_id is not None and event.request_id in self._waiting:
            self._tell(event.request_id, request_text(event), event.tenant, event.requester)

    def _tell(self, request_id: str, wire: str, tenant: str, requester: str) -> None:
        for waiter in self._waiting.pop(request_id, ()):
            # A wait may be in place before it is known whether it is allowed; see `look`.
            if waiter.principal.tenant == tenant and access.sees(waiter.principal, requester):
                waiter.settled(request_id, wire)

    def _wind(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._patrol_s, self._tick)

    def _tick(self) -> None:
        self._timer = None
        self._patrolling = asyncio.get_running_loop().create_task(self._patrol_once())

    async def _patrol_once(self) -> None:
        try:
            await self.patrol()
        except Exception:  # noqa: BLE001 - the patrol outlives whatever the store raises
            _log.exception("the store could not be read for the waits; the next patrol tries again")
        finally:
            self._patrolling = None
            if self._waiting:
                self._wind()


def request_text(event: Event) -> str:
    """Cut the request out of the text of its event, without decoding it.

    Every string in the text is JSON, where a quote is escaped, so the first bare `"request":` is the key.
    """
    start = event.text.index('"request":') + len('"request":')
    return event.text[start:-1]
