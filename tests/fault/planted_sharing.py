"""Faults of servers that share a Postgres, to prove that the fault tests find them."""

from __future__ import annotations

from typing import Any

from askback.delivery.multi_server_bus import MultiServerBus
from askback.ports.bus import Subscription
from askback.storage.postgres import PostgresStore
from tests.fault.planted_later import make_early_settle


async def skip_check(self: MultiServerBus, subscription: Subscription) -> None:
    """A connection is not checked, and the store is not polled."""
    await subscription.wait_until_lost()


PLACES: dict[str, tuple[Any, str, Any]] = {
    "acknowledged before the commit, by servers that share": (
        PostgresStore,
        "settle",
        make_early_settle(PostgresStore.settle),
    ),
    "a dead line that is not noticed": (MultiServerBus, "_poll", skip_check),
}
