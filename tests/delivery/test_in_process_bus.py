"""The bus of one process keeps the bus contracts and forgets topics that nobody listens to."""

import pytest

from askback.delivery.in_process_bus import InProcessBus
from askback.ports.bus import Bus, thread_topic
from askback.testing.bus_contracts import BusContracts, event

pytestmark = pytest.mark.anyio


class TestInProcessBus(BusContracts):
    def make_bus(self) -> Bus:
        return InProcessBus()


def test_a_topic_is_removed_with_its_last_listener():
    bus = InProcessBus()
    leaves = [bus.listen(thread_topic("main", f"t{n % 10}"), lambda _: None) for n in range(100)]
    assert bus.topic_count() == 10
    for leave in leaves:
        leave()
    assert bus.topic_count() == 0


def test_a_thousand_listeners_get_the_event_synchronously():
    bus, calls = InProcessBus(), list[int]()
    for n in range(1000):
        bus.listen(thread_topic("main", "t1"), lambda _, n=n: calls.append(n))
    bus.publish([event(1)])
    assert calls == list(range(1000))
