"""Wait for outcomes: for connections that wait for many requests, and for one long poll.

A wait of a connection is one entry in a dictionary. One listener for each tenant serves all of them, without a task,
future or timer each. A poll reads the oldest waits in turn, so a lost notification costs time and never an answer.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from itertools import islice
from typing import NamedTuple, Protocol

import anyio

from askback.domain.access import AccessList
from askback.domain.events import Event
from askback.domain.record import Record
from askback.ports.bus import request_topic, tenant_topic
from askback.ports.store import Principal
from askback.service.access import roles, sharing
from askback.service.context import Services
from askback.service.lifecycle import read
from askback.service.lifecycle.read import get_delivered, get_request
from askback.service.local_state.waiting import ChangeSignal

POLL_S = 30.0
POLL_BATCH = 2_000
YIELD_EVERY = 100

_log = logging.getLogger(__name__)


class Waiter(Protocol):
    """The receiver of outcomes: one connection, for all its waits."""

    @property
    def principal(self) -> Principal:
        """The principal of the connection."""
        ...

    def on_settled(self, request_id: str, wire: str) -> None:
        """Take the outcome of a request, once; returns immediately."""
        ...

    def on_request_hidden(self) -> None:
        """Handle that a request is now hidden from its requester, who has to read it again; returns immediately."""
        ...


class _Outcome(NamedTuple):
    """A settled request: who may see it, its JSON with and without secret names, and whether a resume was stored."""

    tenant: str
    requester: str
    access: AccessList
    thread_id: str
    wire: str
    redacted_wire: str
    queued: bool


class ConnectionWaits:
    """The requests that connections of this server wait for."""

    def __init__(self, ctx: Services, *, poll_s: float = POLL_S) -> None:
        self._ctx = ctx
        self._poll_s = poll_s
        self._waiting: dict[str, tuple[Waiter, ...]] = {}
        ctx.waiters.add_source(self.awaits)
        self._leaves: dict[str, Callable[[], None]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._polling: asyncio.Task[None] | None = None
        self._held_resumes: set[tuple[str, str]] = set()
        self._dropping: asyncio.Task[None] | None = None

    def count(self) -> int:
        """How many requests have a waiter."""
        return len(self._waiting)

    def awaits(self, request_id: str, principal_id: str) -> bool:
        """Return whether this principal waits for this request."""
        return any(waiter.principal.id == principal_id for waiter in self._waiting.get(request_id, ()))

    def add(self, request_id: str, waiter: Waiter) -> None:
        """Send the outcome to `waiter` once the request settles; the caller has checked its access."""
        waiters = self._waiting.get(request_id, ())
        if waiter not in waiters:
            self._waiting[request_id] = (*waiters, waiter)
        tenant = waiter.principal.tenant
        if tenant not in self._leaves:
            self._leaves[tenant] = self._ctx.bus.listen(tenant_topic(tenant), self._on_event)
        if self._timer is None and self._polling is None:
            self._schedule_poll()

    async def wait_for(self, request_id: str, waiter: Waiter) -> Record:
        """Return the current request, and wait for its outcome if it is open; raises `NotFound`.

        The wait starts before the read, so an outcome in between reaches the waiter.
        """
        self.add(request_id, waiter)
        try:
            await roles.require(self._ctx, waiter.principal, "get_request", request_id)
            record = await read.get_delivered(self._ctx, waiter.principal, request_id)
        except BaseException:
            self.drop((request_id,), waiter)
            raise
        if record.settled:
            self.drop((request_id,), waiter)
        return record

    def drop(self, request_ids: Iterable[str], waiter: Waiter) -> None:
        """Stop waits of `waiter`."""
        for request_id in request_ids:
            other_waiters = tuple(
                other_waiter
                for other_waiter in self._waiting.get(request_id, ())
                if other_waiter is not waiter
            )
            if other_waiters:
                self._waiting[request_id] = other_waiters
            else:
                self._waiting.pop(request_id, None)
        if not self._waiting:
            self.close()

    def close(self) -> None:
        """Stop listening; a new wait starts it again."""
        for unsubscribe in self._leaves.values():
            unsubscribe()
        self._leaves.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def poll(self) -> None:
        """Compare the oldest waits with the store, and move them to the end."""
        for number, request_id in enumerate(list(islice(self._waiting, POLL_BATCH)), 1):
            waiters = self._waiting.pop(request_id, ())
            if not waiters:
                continue
            self._waiting[request_id] = waiters
            await self._compare(request_id, waiters[0])
            if number % YIELD_EVERY == 0:
                await asyncio.sleep(0)

    async def _compare(self, request_id: str, waiter: Waiter) -> None:
        record = await self._ctx.store.get(waiter.principal.tenant, request_id)
        if record is not None and record.settled:
            self._notify_waiters(
                request_id,
                _Outcome(
                    record.tenant,
                    record.requester,
                    record.access,
                    record.thread_id,
                    record.wire,
                    record.without_names().wire,
                    record.state.queued,
                ),
            )

    def _on_event(self, event: Event) -> None:
        if event.settles and event.request_id is not None and event.request_id in self._waiting:
            assert event.state is not None
            self._ctx.metrics.record_wakeup(event, now=self._ctx.clock.now_ms())
            end = _Outcome(
                event.tenant,
                event.requester,
                event.access,
                event.thread_id,
                event.subject,
                (event.redacted or event).subject,
                event.state.queued,
            )
            self._notify_waiters(event.request_id, end)

    def _notify_waiters(self, request_id: str, end: _Outcome) -> None:
        for waiter in self._waiting.pop(request_id, ()):
            principal = waiter.principal
            # A wait may be in place before it is known whether it is allowed; see `wait_for`.
            if principal.tenant != end.tenant:
                continue
            if not sharing.can_see(principal, end.requester, end.access, end.thread_id):
                if principal.id == end.requester:
                    waiter.on_request_hidden()
                continue
            if principal.id == end.requester:
                self._ctx.waiters.mark_sent(request_id, principal.id, is_held=end.queued)
            may_see_names = sharing.can_see_names(principal, end.access, end.thread_id)
            waiter.on_settled(request_id, end.wire if may_see_names else end.redacted_wire)

    def on_arrival(self, request_id: str, principal: Principal) -> None:
        """Record that an outcome has arrived.

        Drop, in the background, the resume that another server held because it did not know of this waiter.
        """
        if not self._ctx.waiters.acknowledge(request_id, principal.id):
            return
        self._held_resumes.add((principal.tenant, request_id))
        if self._dropping is None:
            self._dropping = asyncio.get_running_loop().create_task(self._drop_held_resumes())

    async def _drop_held_resumes(self) -> None:
        """Drop them in groups: those of outcomes that arrive during one statement are in the next."""
        while self._held_resumes:
            dropped, self._held_resumes = self._held_resumes, set[tuple[str, str]]()
            try:
                await self._ctx.store.drop_held(dropped)
            except Exception:  # noqa: BLE001 - the answers have arrived
                _log.warning("resumes could not be dropped; their agents are told twice", exc_info=True)
        self._dropping = None

    def _schedule_poll(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._poll_s, self._tick)

    def _tick(self) -> None:
        self._timer = None
        self._polling = asyncio.get_running_loop().create_task(self._poll_once())

    async def _poll_once(self) -> None:
        try:
            await self.poll()
        except Exception:  # noqa: BLE001 - the poll outlives whatever the store raises
            _log.exception("the store could not be read for the waits; the next poll tries again")
        finally:
            self._polling = None
            if self._waiting:
                self._schedule_poll()


async def long_poll(
    ctx: Services,
    principal: Principal,
    request_id: str,
    *,
    seconds: float,
    revision: int | None = None,
    receipt: bool = False,
) -> Record | None:
    """Return the request once it is settled or no longer at `revision`; None after `seconds` without a change.

    A server that stops ends the poll early.

    The listener is in place before the first read, so no change is missed. With `receipt` the caller acknowledges the
    outcome by reading the request again; until then it does not count as delivered.
    """
    changed, read_request = ChangeSignal(), get_request if receipt else get_delivered
    polling = nullcontext() if receipt else ctx.waiters.polling(request_id, principal.id)
    unsubscribe = ctx.bus.listen(request_topic(principal.tenant, request_id), changed)
    try:
        with ctx.waiters.register_signal(changed):
            record = await read_request(ctx, principal, request_id)
            last_revision = record.revision if revision is None else revision
            with polling, anyio.move_on_after(seconds):
                while not record.settled and record.revision == last_revision and not changed.is_ended:
                    await changed.wait()
                    record = await read_request(ctx, principal, request_id)
    finally:
        unsubscribe()
    return record if record.settled or record.revision != last_revision else None
