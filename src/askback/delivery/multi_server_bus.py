"""The bus of several servers on one store: each commit reaches the listeners of all servers.

The commits of this server are published immediately. For commits of others it gets a notice and reads the events
from the store, once for all its listeners. Listeners get the events of a tenant in the order of the commits.
If the connection is lost, the missed events are read once there is a new one. A poll compares with the store
periodically and checks the connection, which may be dead without a reset.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby

from askback.delivery.in_process_bus import InProcessBus
from askback.delivery.stream import Stream
from askback.domain.events import Event
from askback.ports.bus import (
    Activity,
    Arrival,
    Dismissal,
    Feed,
    FeedItem,
    Listener,
    PersonalChange,
    Subscription,
    UnstoredMessage,
    tenant_of,
)

PAGE = 500
POLL_S = 5.0
RECONNECT_S = (0.05, 0.2, 0.5, 1.0, 2.0)
REREAD_S = (0.05, 0.2, 1.0)

_log = logging.getLogger(__name__)


class MultiServerBus:
    """The `Bus` port on a `Feed`. `origin` is the name of this server in its notices."""

    def __init__(self, feed: Feed, *, origin: str, poll_s: float = POLL_S) -> None:
        self._feed = feed
        self._origin = origin
        self._poll_s = poll_s
        self._local = InProcessBus()
        self._listening: Counter[str] = Counter()
        self._streams: dict[str, Stream] = {}
        self._readers: dict[str, asyncio.Task[None]] = {}
        self._sending: set[asyncio.Task[None]] = set()
        self._connection: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Subscribe; raises `Unavailable` if the feed cannot be reached."""
        subscription = await self._subscribe()
        self._connection = asyncio.get_running_loop().create_task(self._keep_listening(subscription))

    async def close(self) -> None:
        """End the subscription and all reads."""
        tasks = [*self._readers.values(), *([self._connection] if self._connection else [])]
        self._connection = None
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, *self._sending, return_exceptions=True)

    def publish(self, events: Sequence[Event]) -> None:
        """Publish the commits of this server."""
        for tenant, group in groupby(events, key=lambda event: event.tenant):
            stream, tenant_events = self._stream(tenant), list(group)
            if tenant in self._listening:
                stream.commit(tenant_events)
                self._read_stream(tenant, stream)
            elif tenant_events[-1].position > stream.cursor:
                stream.skip(tenant_events[-1].position)

    def listen(self, topic: str, listener: Listener) -> Callable[[], None]:
        """Call `listener` for the events of `topic` until the returned function is called."""
        tenant = tenant_of(topic)
        unsubscribe = self._local.listen(topic, listener)
        self._listening[tenant] += 1
        active = True

        def stop() -> None:
            nonlocal active
            if active:
                active = False
                unsubscribe()
                self._listening[tenant] -= 1
                if not self._listening[tenant]:
                    del self._listening[tenant]

        return stop

    def dismiss(self, principal_id: str) -> None:
        """Close the connections of a principal here immediately, and tell the other servers."""
        self._local.dismiss(principal_id)
        self._notify_others(Dismissal(self._origin, principal_id))

    def on_dismissal(self, end: Callable[[str], None]) -> None:
        """Call `end` with the id of each dismissed principal, here or elsewhere."""
        self._local.on_dismissal(end)

    def arrive(self, tenant: str, thread_id: str | None) -> None:
        """Notify the listeners of this server immediately, and then the other servers."""
        self._local.arrive(tenant, thread_id)
        self._notify_others(Arrival(self._origin, tenant, thread_id))

    def on_arrival(self, notify: Callable[[str, str | None], None]) -> None:
        """Call `notify` with the tenant and the thread of each arrival, here or elsewhere."""
        self._local.on_arrival(notify)

    def report(self, activity: Activity) -> None:
        """Notify the listeners of this server immediately, and then the other servers."""
        self._local.report(activity)
        self._notify_others(replace(activity, origin=self._origin))

    def on_activity(self, notify: Callable[[Activity], None]) -> None:
        """Call `notify` with each activity, here or elsewhere."""
        self._local.on_activity(notify)

    def tell_person(self, change: PersonalChange) -> None:
        """Notify the listeners of this server immediately, and then the other servers."""
        self._local.tell_person(change)
        self._notify_others(replace(change, origin=self._origin))

    def on_personal_change(self, notify: Callable[[PersonalChange], None]) -> None:
        """Call `notify` with each change, here or elsewhere."""
        self._local.on_personal_change(notify)

    def _notify_others(self, message: UnstoredMessage) -> None:
        task = asyncio.get_running_loop().create_task(self._send(message))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def _send(self, message: UnstoredMessage) -> None:
        try:
            await self._feed.tell(message)
        except Exception as error:  # noqa: BLE001 - the change is stored, and others read it later
            _log.error(
                "the other servers were not notified of a %s: %s", type(message).__name__.lower(), error
            )

    def _stream(self, tenant: str) -> Stream:
        # A tenant that was not in `positions` has no event yet.
        if tenant not in self._streams:
            self._streams[tenant] = Stream(self._local.publish)
        return self._streams[tenant]

    # Commits of other servers

    def _receive(self, feed_item: FeedItem) -> None:
        if feed_item.origin == self._origin:
            return
        if isinstance(feed_item, Dismissal):
            self._local.dismiss(feed_item.principal_id)
        elif isinstance(feed_item, Arrival):
            self._local.arrive(feed_item.tenant, feed_item.thread_id)
        elif isinstance(feed_item, Activity):
            self._local.report(feed_item)
        elif isinstance(feed_item, PersonalChange):
            self._local.tell_person(feed_item)
        else:
            self._expect(feed_item.tenant, feed_item.last_position)

    def _expect(self, tenant: str, position: int) -> None:
        stream = self._stream(tenant)
        if tenant in self._listening:
            stream.expect(position)
            self._read_stream(tenant, stream)
        elif position > stream.cursor:
            stream.skip(position)

    def _read_stream(self, tenant: str, stream: Stream) -> None:
        if stream.behind and tenant not in self._readers:
            self._readers[tenant] = asyncio.get_running_loop().create_task(self._catch_up(tenant, stream))

    async def _catch_up(self, tenant: str, stream: Stream) -> None:
        delays = iter(REREAD_S)
        try:
            while stream.behind:
                try:
                    limit = min(stream.missing, PAGE)
                    stream.fill(await self._feed.tenant_events(tenant, after=stream.cursor, limit=limit))
                except Exception as error:  # noqa: BLE001 - listeners must not wait forever
                    delay = next(delays, None)
                    if delay is None:
                        _log.warning(
                            "commits of other servers cannot be read now; listeners read the store themselves: %s",
                            error,
                        )
                        stream.give_up()
                    else:
                        await asyncio.sleep(delay)
        finally:
            # Not in a callback of the task: a notice in between would find a reader that has ended.
            del self._readers[tenant]

    # The connection

    async def _subscribe(self) -> Subscription:
        """Listen first, then compare, so that no commit in between is missed."""
        subscription = await self._feed.subscribe(self._receive)
        try:
            await self._compare()
        except BaseException:
            await subscription.close()
            raise
        return subscription

    async def _compare(self) -> None:
        old_cursors = {tenant: stream.cursor for tenant, stream in self._streams.items()}
        for tenant, position in (await self._feed.positions()).items():
            if position < old_cursors.get(tenant, 0):
                _log.warning("the store was replaced by an older copy; continuing from its newest event")
                self._stream(tenant).skip(position)
            self._expect(tenant, position)

    async def _keep_listening(self, subscription: Subscription) -> None:
        while True:
            try:
                await self._poll(subscription)
            finally:
                with contextlib.suppress(Exception):
                    await subscription.close()
            _log.warning("the connection to the other servers was lost; reconnecting")
            subscription = await self._connect_again()

    async def _poll(self, subscription: Subscription) -> None:
        """Return when the connection is lost, or the store cannot be read."""
        connection_loss = asyncio.ensure_future(subscription.wait_until_lost())
        try:
            while not connection_loss.done():
                await asyncio.wait([connection_loss], timeout=self._poll_s)
                if not connection_loss.done():
                    await subscription.check()
                    await self._compare()
        except Exception as error:  # noqa: BLE001 - the caller reconnects
            _log.warning("the connection to the other servers does not work: %s", error)
        finally:
            connection_loss.cancel()

    async def _connect_again(self) -> Subscription:
        delays = iter(RECONNECT_S)
        delay = next(delays)
        while True:
            await asyncio.sleep(delay)
            try:
                return await self._subscribe()
            except Exception as error:  # noqa: BLE001 - it tries until the server stops
                _log.warning("cannot connect to the other servers: %s", error)
                delay = next(delays, delay)
