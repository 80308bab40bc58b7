"""Runs of agents."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askback.domain.events import EventDraft
from askback.domain.runs import Run
from askback.ports.outcome import Outcome
from askback.ports.runs import SWEEP_ROWS
from askback.storage.rows import Row
from askback.storage.sql.conditions import Conditions
from askback.storage.sql.transaction import Area, NoChange, Transaction

_FIELDS = "id, agent, started_at, seen_at, ended_at, reason, metadata, key"
# In the order of the fields of `Run`.
RUNS = """
SELECT t.tenant, t.id, r.id, r.agent, r.started_at, r.seen_at, r.ended_at, r.reason, r.metadata, r.key
FROM runs AS r JOIN threads AS t ON t.key = r.thread"""
RUN = f"{RUNS} WHERE t.tenant = $1 AND t.id = $2 AND r.id = $3"
SILENT_RUNS = f"{RUNS} WHERE r.ended_at IS NULL AND r.seen_at <= $1 ORDER BY r.seen_at LIMIT $2"
# By the key of the thread and the id; an id that is in use does not come back.
START = f"""
INSERT INTO runs (thread, id, agent, started_at, seen_at, metadata) VALUES ($1, $2, $3, $4, $4, $5)
ON CONFLICT DO NOTHING RETURNING {_FIELDS}"""
END = f"""
UPDATE runs SET ended_at = $3, reason = $4 WHERE thread = $1 AND id = $2 AND ended_at IS NULL RETURNING {_FIELDS}"""
RENEW = "UPDATE runs SET seen_at = $2 WHERE key = $1 AND ended_at IS NULL AND seen_at < $2"
OF_THREAD = f"SELECT {_FIELDS} FROM runs WHERE thread = $1 AND id = $2"
# By tenant, thread id, run id, agent: the newest request.
LAST_REQUEST = """
SELECT r.created_at FROM requests AS r /* INDEXED BY requests_run_id_thread */ JOIN threads AS t ON t.key = r.thread
WHERE t.tenant = $1 AND t.id = $2 AND r.run_id = $3 AND r.requester = $4 ORDER BY r.id DESC LIMIT 1"""
# By tenant, thread id, run id, agent: the newest message, of the newest of the thread.
LAST_MESSAGE = """
SELECT e.at FROM (
    SELECT m.thread, m.seq, m.owner, m.data FROM messages AS m JOIN threads AS t ON t.key = m.thread
    WHERE t.tenant = $1 AND t.id = $2 ORDER BY m.seq DESC LIMIT 200
) AS n JOIN events AS e ON e.thread = n.thread AND e.seq = n.seq
WHERE n.owner = $4 AND n.data::json ->> 'run_id' = $3 ORDER BY n.seq DESC LIMIT 1"""


def page_of_runs(
    tenant: str, thread_id: str, *, agent: str | None, running: bool, before: int | None, limit: int
) -> Sequence[Any]:
    """Return the query of one page of runs with the chosen filters, and its parameters; it walks one index."""
    conditions = Conditions()
    conditions.add("t.tenant = {} AND t.id = {}", tenant, thread_id)
    conditions.add_chosen("r.agent = {}", agent)
    if running:
        conditions.add("r.ended_at IS NULL")
    conditions.add_chosen("r.key < {}", before)
    # Left to itself SQLite walks all runs of an agent to find the few that have not ended.
    start = RUNS.replace("runs AS r", "runs AS r /* INDEXED BY runs_open */") if running else RUNS
    return conditions.page(start, limit=limit, column="r.key")


class RunArea(Area):
    """See `askback.ports.runs` for what each method promises."""

    async def start_run(self, run: Run, event: EventDraft) -> tuple[Run, Outcome]:
        """Store a run that begins."""

        async def start(tx: Transaction, thread: int) -> tuple[tuple[Run, Outcome], str]:
            row = await tx.one(START, thread, run.id, run.agent, run.started_at, run.metadata)
            if row is None:
                raise NoChange((_run(run, await tx.one(OF_THREAD, thread, run.id)), Outcome.FOUND))
            started_run = _run(run, row)
            return (started_run, Outcome.APPLIED), started_run.wire

        return await self._db.change_thread(event, start)

    async def end_run(self, run: Run, event: EventDraft, *, reason: str | None) -> tuple[Run, Outcome]:
        """End a run."""

        async def end(tx: Transaction, thread: int) -> tuple[tuple[Run, Outcome], str]:
            row = await tx.one(END, thread, run.id, event.at, reason)
            if row is None:
                current_row = await tx.one(OF_THREAD, thread, run.id)
                raise NoChange((run if current_row is None else _run(run, current_row), Outcome.REPLAYED))
            ended_run = _run(run, row)
            return (ended_run, Outcome.APPLIED), ended_run.wire

        return await self._db.change_thread(event, end, new=False)

    async def renew_run(self, run: Run, *, at: int) -> None:
        """Note a sign of life."""
        await self._db.change(lambda tx: tx.run(RENEW, run.key, at))

    async def run(self, tenant: str, thread_id: str, run_id: str) -> Run | None:
        """Read a run."""
        runs = await self._db.page(RUN, tenant, thread_id, run_id)
        return Run(*runs[0]) if runs else None

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
        """Read the runs of a thread."""
        query = page_of_runs(tenant, thread_id, agent=agent, running=running, before=before, limit=limit)
        return [Run(*row) for row in await self._db.page(*query)]

    async def silent_runs(self, before_ms: int) -> Sequence[Run]:
        """Read runs without recent activity."""
        return [Run(*row) for row in await self._db.page(SILENT_RUNS, before_ms, SWEEP_ROWS)]

    async def last_sign(self, run: Run) -> int:
        """Read when the agent was last active."""
        run_key = (run.tenant, run.thread_id, run.id, run.agent)
        times = [*await self._db.page(LAST_REQUEST, *run_key), *await self._db.page(LAST_MESSAGE, *run_key)]
        return max([run.seen_at, *(row[0] for row in times)])


def _run(run: Run, row: Row | None) -> Run:
    assert row is not None
    return Run(run.tenant, run.thread_id, *row)
