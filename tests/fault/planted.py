"""A server with a fault planted in it, to prove that the kill harness has teeth.

Run as `python planted.py FAULT --port … --data-dir … --ready-json`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from askback.cli.main import main
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, Along
from askback.ports.store import Change
from askback.storage.sqlite.store import SqliteStore

real_insert, real_settle = SqliteStore.insert, SqliteStore.settle


async def forgetful_insert(
    self: SqliteStore, record: Any, event: Any, claim: Any = None, along: Along = NOTHING
) -> Change:
    """Idempotency keys live in memory only."""
    made: dict[Any, Change] = self.__dict__.setdefault("_claims_in_memory", {})
    if claim is not None and claim in made:
        return Change(made[claim].record, Outcome.REPLAYED)
    change = await real_insert(self, record, event, None, along)
    if claim is not None:
        made[claim] = change
    return change


async def early_settle(
    self: SqliteStore, settlement: Any, claim: Any = None, along: Along = NOTHING
) -> Change | None:
    """An answer is acknowledged before it is committed."""
    import asyncio
    import dataclasses

    record = await self.get(settlement.tenant, settlement.id)
    if record is None or record.settled:
        return await real_settle(self, settlement, claim, along)

    async def later() -> None:
        await asyncio.sleep(0.2)
        await real_settle(self, settlement, claim, along)

    asyncio.ensure_future(later())
    return Change(
        dataclasses.replace(record, status=settlement.status, state=settlement.state), Outcome.APPLIED
    )


async def greedy_settle(
    self: SqliteStore, settlement: Any, claim: Any = None, along: Along = NOTHING
) -> Change | None:
    """The last answer wins."""
    import dataclasses

    from askback.domain.lifecycle import Status

    loose = dataclasses.replace(settlement, expected=frozenset(Status), revision=None)
    return await real_settle(self, loose, claim, along)


FAULTS: dict[str, tuple[str, Any]] = {
    "idempotency_in_memory": ("insert", forgetful_insert),
    "acknowledge_before_commit": ("settle", early_settle),
    "last_writer_wins": ("settle", greedy_settle),
}


def plant(arguments: Sequence[str]) -> None:
    """Put the named fault in place and serve."""
    name, *rest = arguments
    method, replacement = FAULTS[name]
    setattr(SqliteStore, method, replacement)
    sys.argv = ["askback", "serve", *rest]
    main()


if __name__ == "__main__":
    plant(sys.argv[1:])
