"""Planted faults that act a moment after their acknowledgement."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
from collections.abc import Callable
from typing import Any

from askback.errors import Unavailable
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, SideEffects
from askback.ports.store import Change, Settlement, Store

LATER_S = 0.2

_under_way: set[asyncio.Future[None]] = set()


def call_later(call: Callable[[], Any], *, later_s: float = LATER_S) -> None:
    """Call something in a moment, and ignore a failure."""

    async def later() -> None:
        await asyncio.sleep(later_s)
        with contextlib.suppress(Unavailable):
            await call()

    task = asyncio.ensure_future(later())
    _under_way.add(task)
    task.add_done_callback(_under_way.discard)


def make_early_settle(settle: Callable[..., Any]) -> Callable[..., Any]:
    """Make a store's `settle` that is acknowledged before its commit, and is not retried."""

    async def early_settle(
        self: Store, settlement: Settlement, claim: Any = None, effects: SideEffects = NOTHING
    ) -> Change | None:
        record = await self.get(settlement.tenant, settlement.id)
        if record is None or record.settled:
            return await settle(self, settlement, claim, effects)
        call_later(lambda: settle(self, settlement, claim, effects))
        return Change(
            dataclasses.replace(record, status=settlement.status, state=settlement.state), Outcome.APPLIED
        )

    return early_settle
