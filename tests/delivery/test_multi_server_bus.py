"""The bus of several servers delivers every event once and in order, even if its connection fails. The feed is in memory."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence

import anyio
import pytest

from askback.delivery.multi_server_bus import MultiServerBus
from askback.domain.events import Event
from askback.errors import Unavailable
from askback.ports.bus import Activity, Bus, FeedItem, Notice, UnstoredMessage, tenant_topic
from askback.testing.bus_contracts import BusContracts, event

pytestmark = pytest.mark.anyio


class Line:
    """A subscription that can be cut."""

    def __init__(self) -> None:
        self.cut = asyncio.Event()
        self.dead = False

    async def wait_until_lost(self) -> None:
        await self.cut.wait()

    async def check(self) -> None:
        if self.dead:
            raise Unavailable("no answer", retry_after=1)

    async def close(self) -> None:
        self.cut.set()


class FakeFeed:
    """The committed events, with a connection that can drop notices."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.lines: list[tuple[Line, Callable[[FeedItem], None]]] = []
        self.reconnected = asyncio.Event()
        self.mute = False
        self.unreadable = 0
        self.reads = 0
        self.read_positions: list[int] = []

    def commit(self, *events: Event, origin: str = "other") -> None:
        """Let a server commit something, and notify everybody."""
        self.events += events
        if not self.mute:
            self.notify(origin, events[0].position, events[-1].position)

    def notify(self, origin: str, first: int, last: int) -> None:
        for line, heard in self.lines:
            if not (line.cut.is_set() or line.dead):
                heard(Notice(origin, "main", first, last))

    def cut(self) -> None:
        """Lose every line."""
        for line, _ in self.lines:
            line.cut.set()

    async def tell(self, message: UnstoredMessage) -> None:
        for line, heard in self.lines:
            if not line.cut.is_set():
                heard(message)

    async def subscribe(self, receive: Callable[[FeedItem], None]) -> Line:
        line = Line()
        self.lines.append((line, receive))
        if len(self.lines) > 1:
            self.reconnected.set()
        return line

    async def positions(self) -> Mapping[str, int]:
        return {"main": self.events[-1].position} if self.events else {}

    async def tenant_events(self, tenant: str, *, after: int, limit: int = 500) -> Sequence[Event]:
        self.reads += 1
        await asyncio.sleep(0)
        if self.unreadable:
            self.unreadable -= 1
            raise Unavailable("not now", retry_after=1)
        page = [item for item in self.events if item.position > after][:limit]
        self.read_positions += [item.position for item in page]
        return page


class Listener:
    """A listener of the tenant's inbox, which can be awaited."""

    def __init__(self, bus: MultiServerBus) -> None:
        self.positions: list[int] = []
        self._more = anyio.Event()
        self.leave = bus.listen(tenant_topic("main"), self._hear)

    def _hear(self, received_event: Event) -> None:
        self.positions.append(received_event.position)
        self._more.set()

    async def until(self, position: int) -> list[int]:
        """Return the received events, once they include this one."""
        with anyio.fail_after(120):
            while not self.positions or self.positions[-1] < position:
                self._more = anyio.Event()
                await self._more.wait()
        return self.positions


def shared(feed: FakeFeed, *, poll_s: float = 60.0) -> MultiServerBus:
    return MultiServerBus(feed, origin="me", poll_s=poll_s)


class TestMultiServerBus(BusContracts):
    def make_bus(self) -> Bus:
        return shared(FakeFeed())


async def test_commits_of_other_servers_arrive_in_order_and_are_read_once_for_all_listeners() -> None:
    feed = FakeFeed()
    bus = shared(feed)
    await bus.open()
    listeners = [Listener(bus) for _ in range(50)]
    feed.commit(event(1), event(2))
    feed.commit(event(3))
    for listener in listeners:
        assert await listener.until(3) == [1, 2, 3]
    assert feed.reads == 1
    await bus.close()


async def test_nothing_is_read_for_a_tenant_that_nobody_listens_to() -> None:
    feed = FakeFeed()
    bus = shared(feed)
    await bus.open()
    feed.commit(event(1))
    listener = Listener(bus)
    feed.commit(event(2))
    assert await listener.until(2) == [2]
    listener.leave()
    listener.leave()
    feed.commit(event(3))
    second_listener = Listener(bus)
    bus.publish([event(4)])
    assert second_listener.positions == [4]
    assert feed.reads == 1
    await bus.close()


async def test_an_event_of_this_server_arrives_immediately_and_once() -> None:
    feed = FakeFeed()
    bus = shared(feed)
    await bus.open()
    listener = Listener(bus)
    feed.commit(event(1), origin="me")
    bus.publish([event(1)])
    assert listener.positions == [1]
    feed.commit(event(2))
    assert await listener.until(2) == [1, 2]
    assert feed.reads == 1
    await bus.close()


async def test_an_event_of_this_server_waits_for_earlier_commits_of_others() -> None:
    feed = FakeFeed()
    feed.mute = True
    bus = shared(feed)
    await bus.open()
    listener = Listener(bus)
    feed.commit(event(1), event(2))
    feed.events.append(event(3))
    bus.publish([event(3)])
    assert listener.positions == []
    assert await listener.until(3) == [1, 2, 3]
    assert feed.read_positions == [1, 2]
    await bus.close()


@pytest.mark.parametrize("seed", range(20))
async def test_events_of_two_servers_arrive_once_and_in_order_for_any_order_of_notifications(
    seed: int,
) -> None:
    chance, feed = random.Random(seed), FakeFeed()
    bus = shared(feed)
    await bus.open()
    listener = Listener(bus)
    late_notifications: list[Callable[[], None]] = []
    position = 0
    while position < 60:
        size = chance.randint(1, 4)
        group = [event(position + n) for n in range(1, size + 1)]
        position += size
        feed.events += group
        if chance.random() < 0.5:
            late_notifications.append(lambda group=group: bus.publish(group))
            late_notifications.append(lambda a=group[0].position, b=position: feed.notify("me", a, b))
        else:
            late_notifications += [
                lambda a=group[0].position, b=position: feed.notify("other", a, b)
            ] * chance.randint(0, 2)
        while late_notifications and chance.random() < 0.6:
            late_notifications.pop(chance.randrange(len(late_notifications)))()
            if chance.random() < 0.3:
                await asyncio.sleep(0)
    for item in late_notifications:
        item()
    feed.notify("other", position, position)
    assert await listener.until(position) == list(range(1, position + 1))
    await bus.close()


async def test_events_missed_during_a_lost_connection_arrive_after_reconnecting() -> None:
    feed = FakeFeed()
    bus = shared(feed)
    await bus.open()
    listener = Listener(bus)
    feed.commit(event(1))
    await listener.until(1)
    feed.cut()
    feed.commit(event(2), event(3))
    assert await listener.until(3) == [1, 2, 3]
    assert len(feed.lines) == 2
    await bus.close()


async def test_a_lost_notification_is_found_by_the_poll() -> None:
    feed = FakeFeed()
    bus = shared(feed, poll_s=0.01)
    await bus.open()
    listener = Listener(bus)
    feed.mute = True
    feed.commit(event(1))
    assert await listener.until(1) == [1]
    await bus.close()


async def test_a_line_that_is_dead_without_saying_so_is_replaced() -> None:
    feed = FakeFeed()
    bus = shared(feed, poll_s=0.01)
    await bus.open()
    listener = Listener(bus)
    feed.lines[0][0].dead = True
    feed.commit(event(1))
    assert await listener.until(1) == [1]
    assert len(feed.lines) == 2
    feed.commit(event(2))
    assert await listener.until(2) == [1, 2]
    await bus.close()


async def test_a_read_that_fails_is_tried_again() -> None:
    feed = FakeFeed()
    bus = shared(feed)
    await bus.open()
    listener = Listener(bus)
    feed.unreadable = 2
    feed.commit(event(1), event(2))
    assert await listener.until(2) == [1, 2]
    await bus.close()


async def test_when_the_store_cannot_be_read_listeners_get_what_this_server_committed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("askback.delivery.multi_server_bus.REREAD_S", (0.0, 0.0))
    feed = FakeFeed()
    bus = shared(feed)
    await bus.open()
    listener = Listener(bus)
    feed.unreadable = 99
    feed.commit(event(1))
    bus.publish([event(2), event(3)])
    assert await listener.until(3) == [2, 3]
    feed.unreadable = 0
    bus.publish([event(4)])
    assert listener.positions == [2, 3, 4]
    await bus.close()


async def test_erased_events_do_not_block_later_ones() -> None:
    feed = FakeFeed()
    bus = shared(feed)
    await bus.open()
    listener = Listener(bus)
    feed.commit(event(1), event(2))
    feed.events.clear()
    await asyncio.sleep(0)
    feed.commit(event(5))
    assert await listener.until(5) == [5]
    await bus.close()


async def test_a_store_restored_from_a_backup_is_read_from_its_position() -> None:
    feed = FakeFeed()
    feed.commit(event(1), event(2), event(3))
    bus = shared(feed)
    await bus.open()
    listener = Listener(bus)
    del feed.events[1:]
    feed.cut()
    with anyio.fail_after(120):
        await feed.reconnected.wait()
    feed.commit(event(2))
    assert await listener.until(2) == [2]
    await bus.close()


async def test_an_activity_is_reported_locally_immediately_and_once_at_other_servers() -> None:
    feed = FakeFeed()
    shared_bus, present_shared_bus = MultiServerBus(feed, origin="here"), MultiServerBus(feed, origin="there")
    heard: list[tuple[str, str, bool]] = []
    for name, bus in (("here", shared_bus), ("there", present_shared_bus)):
        await bus.open()
        bus.on_activity(lambda item, name=name: heard.append((name, item.request_id, item.active)))
    shared_bus.report(Activity("", "main", "t1", "req_1", "usr_1", "bob", "Bob", active=True))
    assert heard == [("here", "req_1", True)]
    await shared_bus.close()
    await present_shared_bus.close()
    assert heard == [("here", "req_1", True), ("there", "req_1", True)]
