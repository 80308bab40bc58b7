"""The conformance suite of `Bus`: subclass `BusContracts` and implement `make_bus`.

    class TestMyBus(BusContracts):
        def make_bus(self) -> Bus:
            return MyBus()

`settled` waits until all events are delivered, for a bus that is not immediate.
"""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from askback.domain.events import Event
from askback.ports.bus import Bus, request_topic, tenant_topic, thread_topic


def event(
    seq: int, *, thread: str = "t1", tenant: str = "main", request: str | None = None, position: int = 0
) -> Event:
    """Make a committed event with only the fields that a bus reads."""
    return Event(
        "message.added", tenant, thread, seq, position or seq, request, settles=False, text=f'{{"seq":{seq}}}'
    )


class BusContracts:
    """The contracts of `askback.ports.bus`."""

    pytestmark = pytest.mark.anyio

    def make_bus(self) -> Bus:
        """Return a new bus without listeners."""
        raise NotImplementedError

    async def wait_until_delivered(self, bus: Bus) -> None:
        """Wait until everything published so far is delivered."""

    @pytest.fixture
    async def bus(self) -> AsyncIterator[Bus]:
        """An open bus without listeners."""
        bus = self.make_bus()
        await bus.open()
        yield bus
        await bus.close()

    async def test_an_event_reaches_its_request_its_thread_and_its_tenant(self, bus: Bus) -> None:
        received = list[tuple[str, int]]()
        for name, topic in (
            ("request", request_topic("main", "req_1")),
            ("thread", thread_topic("main", "t1")),
            ("tenant", tenant_topic("main")),
            ("other request", request_topic("main", "req_2")),
            ("other tenant's request", request_topic("acme", "req_1")),
            ("other thread", thread_topic("main", "t2")),
            ("other tenant's thread", thread_topic("acme", "t1")),
            ("other tenant", tenant_topic("acme")),
        ):
            bus.listen(topic, lambda e, name=name: received.append((name, e.seq)))
        bus.publish([event(1, request="req_1"), event(2)])
        await self.wait_until_delivered(bus)
        assert sorted(received) == [
            ("request", 1),
            ("tenant", 1),
            ("tenant", 2),
            ("thread", 1),
            ("thread", 2),
        ]

    async def test_events_of_a_thread_arrive_in_the_order_published(self, bus: Bus) -> None:
        received = list[int]()
        bus.listen(thread_topic("main", "t1"), lambda e: received.append(e.seq))
        bus.publish([event(n) for n in range(1, 51)])
        bus.publish([event(n) for n in range(51, 101)])
        await self.wait_until_delivered(bus)
        assert received == list(range(1, 101))

    async def test_a_listener_that_left_is_not_called_again(self, bus: Bus) -> None:
        received = list[int]()
        unsubscribe = bus.listen(tenant_topic("main"), lambda e: received.append(e.seq))
        bus.publish([event(1)])
        await self.wait_until_delivered(bus)
        unsubscribe()
        unsubscribe()
        bus.publish([event(2)])
        await self.wait_until_delivered(bus)
        assert received == [1]

    async def test_a_listener_may_leave_and_make_others_leave_while_it_is_called(self, bus: Bus) -> None:
        called = list[str]()

        def first(_: Event) -> None:
            called.append("first")
            leave_first()
            stop_second()

        leave_first = bus.listen(tenant_topic("main"), first)
        stop_second = bus.listen(tenant_topic("main"), lambda _: called.append("second"))
        bus.listen(tenant_topic("main"), lambda _: called.append("third"))
        bus.publish([event(1), event(2)])
        await self.wait_until_delivered(bus)
        assert called == ["first", "third", "third"]

    async def test_a_failing_listener_does_not_keep_the_event_from_the_others(self, bus: Bus) -> None:
        received = list[int]()

        def fail(_: Event) -> None:
            raise RuntimeError("a listener must not raise; this one does")

        bus.listen(tenant_topic("main"), fail)
        bus.listen(tenant_topic("main"), lambda e: received.append(e.seq))
        bus.publish([event(1), event(2)])
        await self.wait_until_delivered(bus)
        assert received == [1, 2]

    async def test_the_same_listener_may_listen_twice(self, bus: Bus) -> None:
        received = list[int]()

        def listener(event: Event) -> None:
            received.append(event.seq)

        unsubscribe = bus.listen(tenant_topic("main"), listener)
        bus.listen(tenant_topic("main"), listener)
        unsubscribe()
        bus.publish([event(1)])
        await self.wait_until_delivered(bus)
        assert received == [1]

    async def test_a_dismissal_reaches_every_listener(self, bus: Bus) -> None:
        first_received, second_received = list[str](), list[str]()
        bus.on_dismissal(first_received.append)
        bus.on_dismissal(second_received.append)
        bus.dismiss("tok_1")
        bus.dismiss("tok_2")
        await self.wait_until_delivered(bus)
        assert first_received == second_received == ["tok_1", "tok_2"]

    async def test_an_arrival_reaches_every_listener(self, bus: Bus) -> None:
        first_received, second_received = list[tuple[str, str | None]](), list[tuple[str, str | None]]()
        bus.on_arrival(lambda tenant, thread_id: first_received.append((tenant, thread_id)))
        bus.on_arrival(lambda tenant, thread_id: second_received.append((tenant, thread_id)))
        bus.arrive("main", "t1")
        bus.arrive("acme", None)
        await self.wait_until_delivered(bus)
        assert first_received == second_received == [("main", "t1"), ("acme", None)]
