"""Faults of servers that share a Postgres, to prove that the fault tests find them."""

from __future__ import annotations

import dataclasses
from typing import Any

from askback.delivery.shared import SharedBus
from askback.ports.bus import Subscription
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, Along
from askback.ports.store import Change
from askback.storage.postgres import PostgresStore
from tests.fault.planted_later import soon

_settle = PostgresStore.settle


async def _early_settle(
    self: PostgresStore, settlement: Any, claim: Any = None, along: Along = NOTHING
) -> Change | None:
    """A step is acknowledged before it is committed, and is not tried again."""
    record = await self.get(settlement.tenant, settlement.id)
    if record is None or record.settled:
        return await _settle(self, settlement, claim, along)
    soon(lambda: _settle(self, settlement, claim, along))
    return Change(
        dataclasses.replace(record, status=settlement.status, state=settlement.state), Outcome.APPLIED
    )


async def _trusting(self: SharedBus, subscription: Subscription) -> None:
    """A line that does not say that it is dead is not asked, and the store is not either."""
    await subscription.lost()


PLACES: dict[str, tuple[Any, str, Any]] = {
    "acknowledged before the commit, by servers that share": (PostgresStore, "settle", _early_settle),
    "a dead line that is not noticed": (SharedBus, "_patrol", _trusting),
}
