"""Subscribe to events: combine notifications and stored events into one stream without a gap.

A subscription first listens, then reads the store from its cursor, then goes live. It passes an event on directly only
if it is exactly the next one. After any other number it reads the store, so a notification that is lost, doubled or
out of order costs a read and never an event. A slow poll, one timer for all subscriptions, covers a lost
notification with nothing after it.

Every event carries the current access to its thread. A subscription to a thread ends with the first event that its
subscriber may not view. An inbox leaves such events out.

A thread is counted by `seq`, which has no gaps. The inbox is counted by `position`, in which the events of other
tenants leave gaps; these cost a read too, because they look like a loss. An inbox gets only `request.*` events, and
changes of access separately.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Protocol

from askback.domain.access import AccessLevel, AccessList
from askback.domain.events import (
    MESSAGE_ADDED,
    MESSAGE_HELD,
    REQUEST_QUEUED,
    THREAD_ACCESS,
    THREAD_ARCHIVED,
    THREAD_ERASED,
    THREAD_UNARCHIVED,
    THREAD_UPDATED,
    Event,
)
from askback.ports.bus import Activity, PersonalChange, tenant_topic, thread_topic
from askback.ports.store import Principal
from askback.service.access import roles, sharing
from askback.service.context import Services

PAGE = 200
MAX_HELD = 1_000
POLL_S = 30.0

_NEWS_OF_CONVERSATIONS = frozenset(
    {MESSAGE_ADDED, MESSAGE_HELD, THREAD_ARCHIVED, THREAD_ERASED, THREAD_UNARCHIVED, THREAD_UPDATED}
)

_log = logging.getLogger(__name__)


class Subscriber(Protocol):
    """The receiver of events: one connection."""

    def push(self, event: Event) -> None:
        """Take the next event; returns immediately."""
        ...

    async def drain(self) -> None:
        """Return when there is room for another page of stored events."""
        ...

    def on_hidden(self, subscription: Subscription, /) -> None:
        """Handle the end of a subscription whose thread is now hidden; returns immediately."""
        ...

    def on_activity(self, activity: Activity, /) -> None:
        """Take a report that another person answers a request of the thread, or has stopped; returns immediately."""
        ...

    def on_change(self, change: PersonalChange, /) -> None:
        """Receive a comment, reminder or other note for an inbox; returns immediately."""
        ...

    def on_access_change(self, thread_id: str, level: AccessLevel, /) -> None:
        """Handle a new access level of an inbox's reader in a thread; returns immediately."""
        ...


class Subscriptions:
    """All subscriptions of one server, and the poll that checks them."""

    def __init__(self, ctx: Services, *, poll_s: float = POLL_S) -> None:
        self._ctx = ctx
        self._poll_s = poll_s
        self._open: set[Subscription] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._notifications: set[asyncio.Task[None]] = set()
        ctx.bus.on_activity(self._report)
        ctx.bus.on_personal_change(self._notify_subscribers)

    async def open(
        self,
        principal: Principal,
        reader: Subscriber,
        *,
        thread_id: str | None,
        after: int | None,
        readonly: bool = False,
    ) -> Subscription:
        """Subscribe to a thread, or to the inbox (`thread_id` None), after the event `after` (None: from now on).

        A `readonly` subscriber has no way to answer, and does not count as present.
        Raises `Forbidden`, or `NotFound` for an invalid thread id, or a thread that is hidden from the caller.
        """
        await roles.require(self._ctx, principal, "watch_inbox" if thread_id is None else "watch_thread")
        level = None
        if thread_id is not None:
            level = await sharing.require_to_watch(self._ctx, principal, thread_id)
        subscription = Subscription(
            self._ctx, principal, reader, level, thread_id=thread_id, readonly=readonly, on_close=self._remove
        )
        self._open.add(subscription)
        try:
            await subscription.start(after)
        except BaseException:
            subscription.close()
            raise
        self._schedule_poll()
        return subscription

    def count(self) -> int:
        """How many subscriptions are open."""
        return len(self._open)

    def poll(self) -> None:
        """Let every subscription read the store."""
        for subscription in tuple(self._open):
            subscription.check()

    def _report(self, activity: Activity) -> None:
        for subscription in tuple(self._open):
            subscription.report(activity)

    def _notify_subscribers(self, change: PersonalChange) -> None:
        subscriptions = [item for item in self._open if item.matches(change)]
        if subscriptions:
            task = asyncio.get_running_loop().create_task(self._notify_all(change, subscriptions))
            self._notifications.add(task)
            task.add_done_callback(self._notifications.discard)

    async def _notify_all(self, change: PersonalChange, subscriptions: Sequence[Subscription]) -> None:
        access = await self._ctx.store.access(change.tenant, change.thread_id)
        for subscription in subscriptions:
            subscription.notify(change, access)

    def _remove(self, subscription: Subscription) -> None:
        self._open.discard(subscription)
        if not self._open and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _schedule_poll(self) -> None:
        if self._timer is None and self._open:
            self._timer = asyncio.get_running_loop().call_later(self._poll_s, self._tick)

    def _tick(self) -> None:
        self._timer = None
        self.poll()
        self._schedule_poll()


class Subscription:
    """One subscriber of one stream; `cursor` is the number of the last event that it got.

    `level` is its access to the thread; None for an inbox.
    """

    def __init__(
        self,
        ctx: Services,
        principal: Principal,
        reader: Subscriber,
        level: AccessLevel | None,
        *,
        thread_id: str | None,
        readonly: bool,
        on_close: Callable[[Subscription], None],
    ) -> None:
        self.cursor = 0
        self.level = level
        self._ctx = ctx
        self._principal = principal
        self._reader = reader
        self._thread_id = thread_id
        self._readonly = readonly
        self._on_close = on_close
        self._unsubscribe: Callable[[], None] | None = None
        self._leave_presence: Callable[[], None] | None = None
        self._catching_up: asyncio.Task[None] | None = None
        self._queued_events: list[Event] = []
        self._must_catch_up_again = False
        self._access: AccessList | None = None

    async def start(self, after: int | None) -> None:
        """Start to listen, then pass on the events stored after `after`."""
        tenant = self._principal.tenant
        topic = tenant_topic(tenant) if self._thread_id is None else thread_topic(tenant, self._thread_id)
        self.cursor = -1  # no event is the next one while the cursor is unknown
        self._unsubscribe = self._ctx.bus.listen(topic, self._on_event)
        await self.set_readonly(readonly=self._readonly)
        self.cursor = await self._newest() if after is None else after
        self.check()

    def rewind(self, cursor: int) -> None:
        """Pass on the events after `cursor` too."""
        if cursor < self.cursor:
            self.cursor = cursor
            self.check()

    async def set_readonly(self, *, readonly: bool) -> None:
        """Change whether the subscriber has no way to answer; every server knows once this returns."""
        self._readonly = readonly
        if roles.is_person(self._principal) and self._unsubscribe is not None:
            self._update_presence()
            await self._ctx.presence.wait_until_synchronized()

    def _update_presence(self) -> None:
        """Count the subscriber as present while it can answer: not a `readonly` one, nor one who may only view."""
        answers = not self._readonly and (self.level is None or self.level >= AccessLevel.PROMPT)
        if answers and self._leave_presence is None:
            self._leave_presence = self._ctx.presence.enter(self._principal.tenant, self._thread_id)
        elif not answers and self._leave_presence is not None:
            self._leave_presence()
            self._leave_presence = None

    def check(self) -> None:
        """Read the events stored after the cursor, unless a read is in progress."""
        self._must_catch_up_again = True
        if self._catching_up is None and self._unsubscribe is not None:
            self._catching_up = asyncio.get_running_loop().create_task(self._catch_up())

    def report(self, activity: Activity) -> None:
        """Pass on that another person is answering in this thread; agents are not told."""
        principal = self._principal
        is_own_thread = (self._thread_id, principal.tenant) == (activity.thread_id, activity.tenant)
        if is_own_thread and roles.is_person(principal) and principal.user != activity.user:
            self._reader.on_activity(activity)

    def matches(self, change: PersonalChange) -> bool:
        """Return whether this is an inbox in the tenant of a change, and of its person if it is about one."""
        principal = self._principal
        return (
            self._thread_id is None
            and principal.tenant == change.tenant
            and change.user in ("", principal.user)
        )

    def notify(self, change: PersonalChange, access: AccessList) -> None:
        """Pass a change on, if the reader may view its thread with this access."""
        if sharing.level(self._principal, access, change.thread_id) >= AccessLevel.VIEW:
            self._reader.on_change(change)

    def close(self) -> None:
        """End the subscription immediately."""
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        if self._leave_presence is not None:
            self._leave_presence()
            self._leave_presence = None
        if self._catching_up is not None:
            self._catching_up.cancel()
        self._queued_events.clear()
        self._on_close(self)

    def _on_event(self, event: Event) -> None:
        if self._thread_id is None:
            self._notify_inbox(event)
        if self._catching_up is None and self.cursor >= 0:
            self._accept_event(event)
        elif len(self._queued_events) < MAX_HELD:
            self._queued_events.append(event)
        else:
            self._must_catch_up_again = True

    def _notify_inbox(self, event: Event) -> None:
        if event.type == THREAD_ACCESS:
            # It may be lost: lists contain the level too, and every operation checks the access.
            self._reader.on_access_change(
                event.thread_id, sharing.level(self._principal, event.access, event.thread_id)
            )
        elif event.type in _NEWS_OF_CONVERSATIONS:
            self.notify(
                PersonalChange("", event.tenant, event.thread_id, "", "conversation", ""), event.access
            )

    def _accept_event(self, event: Event) -> None:
        number = self._number(event)
        if number == self.cursor + 1:
            self._push_event(event)
        elif number > self.cursor:
            self.check()

    def _push_event(self, event: Event) -> None:
        self.cursor = self._number(event)
        if self._unsubscribe is None:
            return
        if self._thread_id is not None and event.access is not self._access:
            self._set_access(event.access, self._thread_id)
        if self.level is not None and self.level < AccessLevel.VIEW:
            self.close()
            self._reader.on_hidden(self)
        elif (visible_event := self._visible(event)) is not None:
            self._reader.push(visible_event)

    def _set_access(self, access: AccessList, thread_id: str) -> None:
        self._access = access
        self.level = sharing.level(self._principal, access, thread_id)
        if roles.is_person(self._principal):
            self._update_presence()

    async def _catch_up(self) -> None:
        try:
            while self._must_catch_up_again:
                await self._read_stored()
                queued_events, self._queued_events = self._queued_events, []
                for event in queued_events:
                    self._accept_event(event)
        except Exception:  # noqa: BLE001 - the subscription survives any error of the store
            _log.exception("the store could not be read for a watcher; the poll tries again")
        finally:
            self._catching_up = None

    async def _read_stored(self) -> None:
        while self._must_catch_up_again:
            await self._reader.drain()
            self._must_catch_up_again = False
            end = await self._end()
            page = await self._read_events()
            for event in page:
                self._push_event(event)
            if len(page) == PAGE:
                self._must_catch_up_again = True
            else:
                self.cursor = max(self.cursor, end)

    async def _read_events(self) -> Sequence[Event]:
        store, tenant = self._ctx.store, self._principal.tenant
        if self._thread_id is None:
            person = sharing.person_filter(self._principal)
            return await store.tenant_events(tenant, after=self.cursor, person=person, limit=PAGE)
        return await store.thread_events(tenant, self._thread_id, after=self.cursor, limit=PAGE)

    async def _end(self) -> int:
        """Return the position that a read of the inbox reaches even if its last events are not for this reader."""
        return await self._newest() if self._thread_id is None else 0

    async def _newest(self) -> int:
        store, tenant = self._ctx.store, self._principal.tenant
        if self._thread_id is None:
            return await store.last_position(tenant)
        view = await store.thread(tenant, self._thread_id, limit=1)
        return 0 if view is None else view.seq

    def _number(self, event: Event) -> int:
        return event.position if self._thread_id is None else event.seq

    def _visible(self, event: Event) -> Event | None:
        """Return an event as this reader may see it, or None."""
        if self._thread_id is None and not self._is_for_inbox(event):
            return None
        return sharing.visible_event(self._principal, event)

    def _is_for_inbox(self, event: Event) -> bool:
        if event.request_id is None or event.type == REQUEST_QUEUED:
            return False  # nobody can answer a queued one yet; `request.created` comes once it is promoted
        return sharing.can_see(self._principal, event.requester, event.access, event.thread_id)
