"""The part of the store for runs.

29. A run begins once: its id is used once in a thread. It ends once, with its `run.ended`, and keeps its
    reason; the activity of an ended run is no longer recorded. Runs are erased with their thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from askback.domain.events import EventDraft
from askback.domain.runs import Run
from askback.ports.outcome import Outcome

SWEEP_ROWS = 200
"""The number of rows that one query of a sweep returns."""


class RunStore(Protocol):
    """Runs of agents."""

    async def start_run(self, run: Run, event: EventDraft) -> tuple[Run, Outcome]:
        """Store a new run, with its event; `FOUND` with the run that already has its id.

        Raises `ThreadArchived` and `ThreadOfAnother`.
        """
        ...

    async def end_run(self, run: Run, event: EventDraft, *, reason: str | None) -> tuple[Run, Outcome]:
        """End a run, with its event; `REPLAYED` with the stored run if it has already ended."""
        ...

    async def renew_run(self, run: Run, *, at: int) -> None:
        """Record activity of a run that has not ended; an older time changes nothing."""
        ...

    async def run(self, tenant: str, thread_id: str, run_id: str) -> Run | None:
        """Return a run."""
        ...

    async def runs(
        self,
        tenant: str,
        thread_id: str,
        *,
        agent: str | None = None,
        running: bool = False,
        before: int | None = None,
        limit: int = 50,
    ) -> Sequence[Run]:
        """Return the runs of a thread, newest first, with keys below `before`."""
        ...

    async def silent_runs(self, before_ms: int) -> Sequence[Run]:
        """Return up to `SWEEP_ROWS` runs of every tenant that have not ended and have no recorded activity since."""
        ...

    async def last_sign(self, run: Run) -> int:
        """Return when the agent was last active in a run, ms: its last request or message, or the recorded time."""
        ...
