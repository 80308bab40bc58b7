"""The part of the store that is about runs.

29. A run begins once: its id is used once in a thread. It ends once, with its `run.ended`, and keeps its reason; a run
    that has ended is not noted as alive any more. Runs are erased with their thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from askback.domain.events import EventDraft
from askback.domain.runs import Run
from askback.ports.outcome import Outcome


class RunStore(Protocol):
    """Runs of agents."""

    async def start_run(self, run: Run, event: EventDraft) -> tuple[Run, Outcome]:
        """Store a run that begins, with its event; `FOUND` with the run that has its id already.

        Raises `ThreadArchived` and `ThreadOfAnother`.
        """
        ...

    async def end_run(self, run: Run, event: EventDraft, *, reason: str | None) -> tuple[Run, Outcome]:
        """End a run with its event; `REPLAYED` with the run as it is if it has ended already."""
        ...

    async def renew_run(self, run: Run, *, at: int) -> None:
        """Note a sign of life of a run that has not ended; an older one changes nothing."""
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
        """Return the runs of a thread, the last that began first, with keys below `before`."""
        ...

    async def silent_runs(self, before_ms: int, *, limit: int = 200) -> Sequence[Run]:
        """Return runs of every tenant that have not ended and were not noted as alive since."""
        ...

    async def last_sign(self, run: Run) -> int:
        """Return when the agent last asked or wrote in a run, ms, or when that was last noted."""
        ...
