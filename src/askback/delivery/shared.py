"""The bus of several servers on one store: what any of them commits reaches the listeners of all.

What this server commits is handed over at once. Of what others commit it gets a notice, and reads the events from the
store, once for all its listeners. Listeners hear a tenant's events in the order of the commits, whichever server made
them. When the line is lost, what was missed is read as soon as there is a new one; and a patrol compares with the
store now and then, and with the other end of the line, which may be dead without saying so.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby

from askback.delivery.local import LocalBus
from askback.delivery.stream import Stream
from askback.domain.events import Event
from askback.ports.bus import Arrival, Dismissal, Feed, Listener, News, Subscription, tenant_of

PAGE = 500
PATROL_S = 5.0
CONNECT_AGAIN_S = (0.05, 0.2, 0.5, 1.0, 2.0)
READ_AGAIN_S = (0.05, 0.2, 1.0)

_log = logging.getLogger(__name__)


class SharedBus:
    """The `Bus` port on a `Feed`. `origin` is what this server's own notices are known by."""

    def __init__(self, feed: Feed, *, origin: str, patrol_s: float = PATROL_S) -> None:
        self._feed = feed
        self._origin = origin
        self._patrol_s = patrol_s
        self._local = LocalBus()
        self._listening: Counter[str] = Counter()
        self._streams: dict[str, Stream] = {}
        self._readers: dict[str, asyncio.Task[None]] = {}
        self._telling: set[asyncio.Task[None]] = set()
        self._line: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Begin to hear; raises what the feed raises when it cannot be reached."""
        subscription = await self._subscribe()
        self._line = asyncio.get_running_loop().create_task(self._keep_listening(subscription))

    async def close(self) -> None:
        """Hear no more, and read no more."""
        tasks = [*self._readers.values(), *([self._line] if self._line else [])]
        self._line = None
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, *self._telling, return_exceptions=True)

    def publish(self, events: Sequence[Event]) -> None:
        """Hand over what this server committed."""
        for tenant, group in groupby(events, key=lambda event: event.tenant):
            stream, mine = self._stream(tenant), list(group)
            if tenant in self._listening:
                stream.commit(mine)
                self._read_on(tenant, stream)
            elif mine[-1].position > stream.cursor:
                stream.skip(mine[-1].position)

    def listen(self, topic: str, listener: Listener) -> Callable[[], None]:
        """Call `listener` for the events of `topic` until the returned function is called."""
        tenant = tenant_of(topic)
        leave = self._local.listen(topic, listener)
        self._listening[tenant] += 1
        there = True

        def gone() -> None:
            nonlocal there
            if there:
                there = False
                leave()
                self._listening[tenant] -= 1
                if not self._listening[tenant]:
                    del self._listening[tenant]

        return gone

    def dismiss(self, principal_id: str) -> None:
        """End what a principal has open here at once, and tell the others."""
        self._local.dismiss(principal_id)
        self._tell(Dismissal(self._origin, principal_id))

    def on_dismissal(self, end: Callable[[str], None]) -> None:
        """Call `end` with the id of each principal who leaves, here or elsewhere."""
        self._local.on_dismissal(end)

    def arrive(self, tenant: str, thread_id: str | None) -> None:
        """Tell this server at once that somebody watches, and then the others."""
        self._local.arrive(tenant, thread_id)
        self._tell(Arrival(self._origin, tenant, thread_id))

    def on_arrival(self, told: Callable[[str, str | None], None]) -> None:
        """Call `told` with the tenant and the thread of each arrival, here or elsewhere."""
        self._local.on_arrival(told)

    def _tell(self, news: Dismissal | Arrival) -> None:
        telling = asyncio.get_running_loop().create_task(self._told(news))
        self._telling.add(telling)
        telling.add_done_callback(self._telling.discard)

    async def _told(self, news: Dismissal | Arrival) -> None:
        try:
            await self._feed.tell(news)
        except Exception as error:  # noqa: BLE001 - what it is about has happened, whoever hears of it
            _log.error("the other servers were not told of a %s: %s", type(news).__name__.lower(), error)

    def _stream(self, tenant: str) -> Stream:
        # A tenant that the store did not have when it was asked has its first event still to come.
        if tenant not in self._streams:
            self._streams[tenant] = Stream(self._local.publish)
        return self._streams[tenant]

    # What others commit

    def _heard(self, news: News) -> None:
        if news.origin == self._origin:
            return
        if isinstance(news, Dismissal):
            self._local.dismiss(news.principal_id)
        elif isinstance(news, Arrival):
            self._local.arrive(news.tenant, news.thread_id)
        else:
            self._expect(news.tenant, news.last)

    def _expect(self, tenant: str, position: int) -> None:
        stream = self._stream(tenant)
        if tenant in self._listening:
            stream.expect(position)
            self._read_on(tenant, stream)
        elif position > stream.cursor:
            stream.skip(position)

    def _read_on(self, tenant: str, stream: Stream) -> None:
        if stream.behind and tenant not in self._readers:
            self._readers[tenant] = asyncio.get_running_loop().create_task(self._catch_up(tenant, stream))

    async def _catch_up(self, tenant: str, stream: Stream) -> None:
        delays = iter(READ_AGAIN_S)
        try:
            while stream.behind:
                try:
                    stream.fill(await self._feed.tenant_events(tenant, after=stream.cursor, limit=PAGE))
                except Exception as error:  # noqa: BLE001 - whatever it is, listeners must not wait for ever
                    delay = next(delays, None)
                    if delay is None:
                        _log.warning("what others committed cannot be read, listeners have to: %s", error)
                        stream.give_up()
                    else:
                        await asyncio.sleep(delay)
        finally:
            # Here, and not in a callback of the task: what is heard in between would find a reader that has ended.
            del self._readers[tenant]

    # The line

    async def _subscribe(self) -> Subscription:
        """Listen, then compare: what is committed in between is heard of, and expected twice."""
        subscription = await self._feed.subscribe(self._heard)
        try:
            await self._compare()
        except BaseException:
            await subscription.close()
            raise
        return subscription

    async def _compare(self) -> None:
        before = {tenant: stream.cursor for tenant, stream in self._streams.items()}
        for tenant, position in (await self._feed.positions()).items():
            if position < before.get(tenant, 0):
                _log.warning("the store is an older copy of itself: its events are counted from there")
                self._stream(tenant).skip(position)
            self._expect(tenant, position)

    async def _keep_listening(self, subscription: Subscription) -> None:
        while True:
            try:
                await self._patrol(subscription)
            finally:
                with contextlib.suppress(Exception):
                    await subscription.close()
            _log.warning("the line to the other servers was lost; connecting again")
            subscription = await self._connect_again()

    async def _patrol(self, subscription: Subscription) -> None:
        """Return when the line is lost, or the store cannot be asked."""
        lost = asyncio.ensure_future(subscription.lost())
        try:
            while not lost.done():
                await asyncio.wait([lost], timeout=self._patrol_s)
                if not lost.done():
                    await subscription.check()
                    await self._compare()
        except Exception as error:  # noqa: BLE001 - see the caller: it connects again
            _log.warning("what others commit cannot be heard or asked for: %s", error)
        finally:
            lost.cancel()

    async def _connect_again(self) -> Subscription:
        delays = iter(CONNECT_AGAIN_S)
        delay = next(delays)
        while True:
            await asyncio.sleep(delay)
            try:
                return await self._subscribe()
            except Exception as error:  # noqa: BLE001 - it is tried for as long as the server lives
                _log.warning("the other servers cannot be heard: %s", error)
                delay = next(delays, delay)
