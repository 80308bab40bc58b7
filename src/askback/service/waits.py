"""Wait for outcomes on behalf of connections: a pending wait is one entry in a dictionary.

One listener for each tenant serves all waits; there is no task, no future and no timer for each. A
patrol re-reads the oldest waits in turn, so a nudge that was lost costs time and never an answer.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from itertools import islice
from typing import NamedTuple, Protocol

from askback.domain.access import Access
from askback.domain.events import Event
from askback.domain.record import Record
from askback.ports.bus import tenant_topic
from askback.ports.store import Principal
from askback.service import access, read, sharing
from askback.service.context import Services
from askback.service.orphans import is_held

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

    def hidden(self) -> None:
        """Learn that a request was hidden from its requester: whoever looks again hears it; returns at once."""
        ...


class _End(NamedTuple):
    """How a request ended: whose it is, who may see it, its text, also without names, and whether a resume is held."""

    tenant: str
    requester: str
    access: Access
    thread_id: str
    wire: str
    redacted: str
    held: bool


class Waits:
    """Every request that some connection waits for."""

    def __init__(self, ctx: Services, *, patrol_s: float = PATROL_S) -> None:
        self._ctx = ctx
        self._patrol_s = patrol_s
        self._waiting: dict[str, tuple[Waiter, ...]] = {}
        ctx.attendance.at(self.awaits)
        self._leaves: dict[str, Callable[[], None]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._patrolling: asyncio.Task[None] | None = None
        self._dropping: set[asyncio.Task[None]] = set()

    def count(self) -> int:
        """How many requests are waited for."""
        return len(self._waiting)

    def awaits(self, request_id: str, principal_id: str) -> bool:
        """Whether this principal waits for this request."""
        return any(waiter.principal.id == principal_id for waiter in self._waiting.get(request_id, ()))

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
            record = await read.look(self._ctx, waiter.principal, request_id)
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
        record = await self._ctx.store.get(waiter.principal.tenant, request_id)
        if record is not None and record.settled:
            self._tell(
                request_id,
                _End(
                    record.tenant,
                    record.requester,
                    record.access,
                    record.thread_id,
                    record.wire,
                    record.without_names().wire,
                    is_held(record.spec, record.state),
                ),
            )

    def _on_event(self, event: Event) -> None:
        if event.settles and event.request_id is not None and event.request_id in self._waiting:
            assert event.spec is not None
            assert event.state is not None
            self._ctx.metrics.woken(event, now=self._ctx.clock.now_ms())
            end = _End(
                event.tenant,
                event.requester,
                event.access,
                event.thread_id,
                event.subject,
                (event.redacted or event).subject,
                is_held(event.spec, event.state),
            )
            self._tell(event.request_id, end)

    def _tell(self, request_id: str, end: _End) -> None:
        for waiter in self._waiting.pop(request_id, ()):
            who = waiter.principal
            # A wait may be in place before it is known whether it is allowed; see `look`.
            if who.tenant != end.tenant:
                continue
            if not sharing.sees(who, end.requester, end.access, end.thread_id):
                if who.id == end.requester:
                    waiter.hidden()
                continue
            if who.id == end.requester:
                self._ctx.attendance.told(request_id, who.id)
            learns = sharing.learns_names(who, end.access, end.thread_id)
            waiter.settled(request_id, end.wire if learns else end.redacted)
            if who.id == end.requester and end.held:
                self._reached(end.tenant, request_id)

    def _reached(self, tenant: str, request_id: str) -> None:
        """Drop what another server held back for a waiter that it did not know of; nobody waits for that."""
        dropping = asyncio.get_running_loop().create_task(self._ctx.store.drop_held(tenant, (request_id,)))
        self._dropping.add(dropping)
        dropping.add_done_callback(self._dropped)

    def _dropped(self, task: asyncio.Task[None]) -> None:
        self._dropping.discard(task)
        if not task.cancelled() and task.exception() is not None:
            _log.warning("a resume could not be dropped; its agent is told twice", exc_info=task.exception())

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
