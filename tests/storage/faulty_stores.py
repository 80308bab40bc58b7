"""Stores with one fault each, to prove that the model notices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from askback.domain.lifecycle import Status
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, SideEffects
from askback.ports.resumes import Lease
from askback.ports.store import (
    Change,
    Claim,
    Settlement,
)
from askback.storage.sqlite import changes
from tests.temporary_store import TemporaryStore


class LastAnswerWins(TemporaryStore):
    async def settle(
        self, settlement: Settlement, claim: Claim | None = None, effects: SideEffects = NOTHING
    ) -> Change | None:
        return await super().settle(replace(settlement, expected_statuses=frozenset(Status)), claim, effects)


class ForgetsKeys(TemporaryStore):
    async def settle(
        self, settlement: Settlement, claim: Claim | None = None, effects: SideEffects = NOTHING
    ) -> Change | None:
        return await super().settle(settlement, None, effects)


class KeepsLostKeys(TemporaryStore):
    async def settle(
        self, settlement: Settlement, claim: Claim | None = None, effects: SideEffects = NOTHING
    ) -> Change | None:
        change = await super().settle(settlement, claim, effects)
        if claim is not None and change is not None and change.outcome is Outcome.LOST:
            await self._writer.submit(lambda db, _: _take_claim(db, claim, settlement.id))
        return change


class LeasesToTwo(TemporaryStore):
    async def lease_resumes(self, *args: Any, now_ms: int, **options: Any) -> Sequence[Lease]:
        return await super().lease_resumes(*args, now_ms=now_ms + 3, **options)


class FinishesForAnybody(TemporaryStore):
    async def finish_resume(self, *args: Any, attempt: int, **options: Any) -> Outcome | None:
        """No fencing: an older lease finishes as well."""
        finished_outcome = await super().finish_resume(*args, attempt=attempt, **options)
        if finished_outcome is Outcome.LOST:
            return await super().finish_resume(*args, attempt=attempt + 1, **options)
        return finished_outcome


class LeavesNumbersOut(TemporaryStore):
    async def settle(
        self, settlement: Settlement, claim: Claim | None = None, effects: SideEffects = NOTHING
    ) -> Change | None:
        if settlement.event.type == "request.reprompt":
            location = (settlement.tenant, settlement.event.thread_id)
            await self._writer.submit(lambda db, _: db.execute(_LEAVE_OUT, location) and None)
        return await super().settle(settlement, claim, effects)


class TellsNobody(TemporaryStore):
    async def append_text(self, *args: Any, **options: Any) -> Outcome:
        writer = vars(self._writer)
        tell, writer["_on_commit"] = writer["_on_commit"], None
        try:
            return await super().append_text(*args, **options)
        finally:
            writer["_on_commit"] = tell


_LEAVE_OUT = "UPDATE threads SET seq = seq + 1 WHERE tenant = ? AND id = ?"
_take_claim: Callable[..., None] = vars(changes)["_take_claim"]

FAULTS = [
    LastAnswerWins,
    ForgetsKeys,
    KeepsLostKeys,
    LeasesToTwo,
    FinishesForAnybody,
    LeavesNumbersOut,
    TellsNobody,
]
