"""Nudges that are lost, doubled or out of order cost time, and nobody who waits is told twice or never."""

from __future__ import annotations

import pytest

from askback.service.waits import Waits
from tests.requirements import requirement
from tests.service.test_watch import AGENT, BadBus, Collector, ask, services, settle

pytestmark = [pytest.mark.anyio, pytest.mark.fault]


@requirement("G5")
@pytest.mark.parametrize("seed", range(10))
async def test_every_wait_is_told_once_over_a_bus_that_misbehaves(seed: int) -> None:
    bus = BadBus(seed)
    ctx, store = services(bus)
    waits, waiter = Waits(ctx), Collector(AGENT)
    ids = [f"req_{number}" for number in range(50)]
    for request_id in ids:
        await ask(store, request_id)
        await waits.look(request_id, waiter)
    for request_id in ids:
        await settle(store, request_id)
    told = len(waiter.outcomes)
    bus.mute = True
    await waits.patrol()
    assert told < len(ids), "nothing was lost, so nothing was proved"
    assert sorted(request_id for request_id, _ in waiter.outcomes) == sorted(ids)
    assert waits.count() == 0
