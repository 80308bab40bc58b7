"""Stores with one fault each, to prove that the model notices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from askback.domain.events import Draft
from askback.domain.lifecycle import Status
from askback.domain.record import Record
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, Along
from askback.ports.resumes import Lease
from askback.ports.store import (
    Change,
    Claim,
    Settlement,
)
from askback.testing.fake_store import FakeStore


class LastAnswerWins(FakeStore):
    async def settle(
        self, settlement: Settlement, claim: Claim | None = None, along: Along = NOTHING
    ) -> Change | None:
        return await super().settle(replace(settlement, expected=frozenset(Status)), claim, along)


class ForgetsKeys(FakeStore):
    async def settle(
        self, settlement: Settlement, claim: Claim | None = None, along: Along = NOTHING
    ) -> Change | None:
        return await super().settle(settlement, None, along)


class KeepsLostKeys(FakeStore):
    async def settle(
        self, settlement: Settlement, claim: Claim | None = None, along: Along = NOTHING
    ) -> Change | None:
        change = await super().settle(settlement, claim, along)
        if claim is not None and change is not None and change.outcome is Outcome.LOST:
            self._finish(claim, settlement.id)
        return change


class LeasesToTwo(FakeStore):
    async def lease_resumes(self, *args: Any, now_ms: int, **options: Any) -> Sequence[Lease]:
        return await super().lease_resumes(*args, now_ms=now_ms + 3, **options)


class FinishesForAnybody(FakeStore):
    async def finish_resume(self, *args: Any, attempt: int, **options: Any) -> Outcome | None:
        """The fence is down: an older lease finishes as well."""
        done = await super().finish_resume(*args, attempt=attempt, **options)
        if done is Outcome.LOST:
            return await super().finish_resume(*args, attempt=attempt + 1, **options)
        return done


class LeavesNumbersOut(FakeStore):
    def _emit(self, draft: Draft, record: Record | None) -> int:
        if draft.type == "request.reprompt":
            super()._emit(draft, record)
            self._fresh.pop()
            self._threads[draft.tenant, draft.thread_id].events.pop()
        return super()._emit(draft, record)


class TellsNobody(FakeStore):
    async def append_text(self, *args: Any, **options: Any) -> Outcome:
        self._on_commit, tell = None, self._on_commit
        try:
            return await super().append_text(*args, **options)
        finally:
            self._on_commit = tell


FAULTS = [
    LastAnswerWins,
    ForgetsKeys,
    KeepsLostKeys,
    LeasesToTwo,
    FinishesForAnybody,
    LeavesNumbersOut,
    TellsNobody,
]
