"""Watch events: combine notifications and stored events into one stream without a gap.

A watcher listens first, then reads the store from its cursor, then goes live. It passes an event
on directly only when it is exactly the next one; after any other number it reads the store, so a
lost, doubled or reordered nudge costs a read and never an event. A slow patrol, one timer for all
watchers, finds the nudge that was lost with nothing after it.

Every event says who may see it, as it is now. An event of a thread that its watcher may not view, be it the one that
says so, ends the watching. An inbox leaves such events out.

A thread is counted by `seq`, which has no gaps. The inbox is counted by `position`, where the
events of other tenants leave gaps: there a gap costs a read as well, for it cannot be told from a
loss. Only `request.*` events reach an inbox; that the access to a thread has changed it hears beside them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Protocol

from askback.domain.access import Level
from askback.domain.events import REQUEST_LINED_UP, THREAD_ACCESS, Event
from askback.ports.bus import tenant_topic, thread_topic
from askback.ports.store import Principal
from askback.service import access, sharing
from askback.service.context import Services

PAGE = 200
HELD = 1_000
PATROL_S = 30.0

_log = logging.getLogger(__name__)


class Reader(Protocol):
    """Who the events are for: one connection."""

    def push(self, event: Event) -> None:
        """Take the next event; returns at once."""
        ...

    async def drained(self) -> None:
        """Return when there is room for another page of stored events."""
        ...

    def ended(self, watcher: Watcher, /) -> None:
        """Learn that a thread is not this reader's to watch any more; returns at once."""
        ...

    def shared(self, thread_id: str, level: Level, /) -> None:
        """Learn what the reader of an inbox may do in a thread from now on; returns at once."""
        ...


class Watches:
    """All the watchers of one server, and the patrol that looks after them."""

    def __init__(self, ctx: Services, *, patrol_s: float = PATROL_S) -> None:
        self._ctx = ctx
        self._patrol_s = patrol_s
        self._open: set[Watcher] = set()
        self._timer: asyncio.TimerHandle | None = None

    async def open(
        self, principal: Principal, reader: Reader, *, thread_id: str | None, after: int | None
    ) -> Watcher:
        """Watch a thread, or everything (`thread_id` None), from the event after `after` (None: from now on).

        Raises `Forbidden`, or `NotFound` for a thread id that none can have, or that is hidden from the caller.
        """
        await access.require(self._ctx, principal, "inbox" if thread_id is None else "watch")
        level = None
        if thread_id is not None:
            if not 0 < len(thread_id) <= self._ctx.limits.identifier:
                raise sharing.no_such_thread()
            level = await sharing.require_in(self._ctx, principal, thread_id, Level.VIEW, attempted="watch")
        watcher = Watcher(self._ctx, principal, reader, level, thread_id=thread_id, left=self._closed)
        self._open.add(watcher)
        try:
            await watcher.start(after)
        except BaseException:
            watcher.close()
            raise
        self._wind()
        return watcher

    def count(self) -> int:
        """How many watchers are open."""
        return len(self._open)

    def patrol(self) -> None:
        """Let every watcher compare itself with the store."""
        for watcher in tuple(self._open):
            watcher.check()

    def _closed(self, watcher: Watcher) -> None:
        self._open.discard(watcher)
        if not self._open and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wind(self) -> None:
        if self._timer is None and self._open:
            self._timer = asyncio.get_running_loop().call_later(self._patrol_s, self._tick)

    def _tick(self) -> None:
        self._timer = None
        self.patrol()
        self._wind()


class Watcher:
    """One reader's place in one stream; `cursor` is the number of the last event that it was given.

    `level` is what the reader may do in its thread; None for an inbox.
    """

    def __init__(
        self,
        ctx: Services,
        principal: Principal,
        reader: Reader,
        level: Level | None,
        *,
        thread_id: str | None,
        left: Callable[[Watcher], None],
    ) -> None:
        self.cursor = 0
        self.level = level
        self._ctx = ctx
        self._principal = principal
        self._reader = reader
        self._thread_id = thread_id
        self._left = left
        self._leave: Callable[[], None] | None = None
        self._absent: Callable[[], None] | None = None
        self._catching_up: asyncio.Task[None] | None = None
        self._held: list[Event] = []
        self._again = False

    async def start(self, after: int | None) -> None:
        """Begin to listen, then to pass on what is stored above `after`."""
        tenant = self._principal.tenant
        topic = tenant_topic(tenant) if self._thread_id is None else thread_topic(tenant, self._thread_id)
        self.cursor = -1  # nothing is next while the cursor is not known
        self._leave = self._ctx.bus.listen(topic, self._on_event)
        if access.is_person(self._principal):
            self._attend()
            await self._ctx.presence.known()
        self.cursor = await self._newest() if after is None else after
        self.check()

    def _attend(self) -> None:
        """Count as somebody who could answer here, or stop counting: who may only read is not there to answer."""
        answers = self.level is None or self.level >= Level.PROMPT
        if answers and self._absent is None:
            self._absent = self._ctx.presence.enter(self._principal.tenant, self._thread_id)
        elif not answers and self._absent is not None:
            self._absent()
            self._absent = None

    def check(self) -> None:
        """Read what is stored above the cursor, unless that is under way."""
        self._again = True
        if self._catching_up is None and self._leave is not None:
            self._catching_up = asyncio.get_running_loop().create_task(self._catch_up())

    def close(self) -> None:
        """Stop at once and forget the reader."""
        if self._leave is not None:
            self._leave()
            self._leave = None
        if self._absent is not None:
            self._absent()
            self._absent = None
        if self._catching_up is not None:
            self._catching_up.cancel()
        self._held.clear()
        self._left(self)

    def _on_event(self, event: Event) -> None:
        if self._thread_id is None and event.type == THREAD_ACCESS:
            # Of no consequence when it is lost: what an inbox lists says it too, and each service asks for itself.
            self._reader.shared(
                event.thread_id, sharing.level(self._principal, event.access, event.thread_id)
            )
        if self._catching_up is None and self.cursor >= 0:
            self._take(event)
        elif len(self._held) < HELD:
            self._held.append(event)
        else:
            self._again = True

    def _take(self, event: Event) -> None:
        number = self._number(event)
        if number == self.cursor + 1:
            self._pass_on(event)
        elif number > self.cursor:
            self.check()

    def _pass_on(self, event: Event) -> None:
        self.cursor = self._number(event)
        if self._leave is None:
            return
        if self._thread_id is not None:
            self.level = sharing.level(self._principal, event.access, event.thread_id)
            if access.is_person(self._principal):
                self._attend()
        if self.level is not None and self.level < Level.VIEW:
            self.close()
            self._reader.ended(self)
        elif self._concerns(event):
            if event.redacted is not None and not sharing.learns_names(
                self._principal, event.access, event.thread_id
            ):
                event = event.redacted
            self._reader.push(event)

    async def _catch_up(self) -> None:
        try:
            while self._again:
                await self._read_stored()
                held, self._held = self._held, []
                for event in held:
                    self._take(event)
        except Exception:  # noqa: BLE001 - the watcher outlives whatever the store raises
            _log.exception("the store could not be read for a watcher; the patrol tries again")
        finally:
            self._catching_up = None

    async def _read_stored(self) -> None:
        while self._again:
            await self._reader.drained()
            self._again = False
            end = await self._end()
            page = await self._stored()
            for event in page:
                self._pass_on(event)
            if len(page) == PAGE:
                self._again = True
            else:
                self.cursor = max(self.cursor, end)

    async def _stored(self) -> Sequence[Event]:
        store, tenant = self._ctx.store, self._principal.tenant
        if self._thread_id is None:
            who = sharing.person(self._principal)
            return await store.tenant_events(tenant, after=self.cursor, person=who, limit=PAGE)
        return await store.thread_events(tenant, self._thread_id, after=self.cursor, limit=PAGE)

    async def _end(self) -> int:
        """Return how far a read of the inbox comes at least, though what is not for this reader is not in it."""
        return await self._newest() if self._thread_id is None else 0

    async def _newest(self) -> int:
        store, tenant = self._ctx.store, self._principal.tenant
        if self._thread_id is None:
            return await store.last_position(tenant)
        view = await store.thread(tenant, self._thread_id, limit=1)
        return 0 if view is None else view.seq

    def _number(self, event: Event) -> int:
        return event.position if self._thread_id is None else event.seq

    def _concerns(self, event: Event) -> bool:
        if event.request_id is None:
            return self._thread_id is not None
        if event.type == REQUEST_LINED_UP and self._thread_id is None:
            return False  # nobody can answer it yet; it is created, for an inbox, when it comes forward
        # Two agents may work in one thread; neither sees what the other asks.
        return sharing.sees(self._principal, event.requester, event.access, event.thread_id)
