"""Contract 29: runs begin and end once."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

import asyncio
import json
from collections import Counter
from dataclasses import replace
from itertools import product

import pytest

from askback.domain.access import ThreadAgents
from askback.domain.events import RUN_ENDED, RUN_STARTED, THREAD_ARCHIVED, THREAD_ERASED, EventDraft
from askback.domain.record import Labels
from askback.domain.runs import Run
from askback.ports.outcome import Outcome
from askback.ports.store import Store
from askback.ports.threads import ThreadArchived, ThreadOfAnother
from tests.contracts.samples import NOON, message_added, record, request_created
from tests.contracts.suite import StoreSuite


def run(n: int = 1, *, thread: str = "t1", agent: str = "agt_a", tenant: str = "main") -> Run:
    """Make the n-th run."""
    return Run(tenant, thread, f"run_{n}", agent, NOON + n, NOON + n, metadata='{"n":null}')


def run_event(kind: str, run: Run, time: int = NOON) -> EventDraft:
    """Make an event of a run."""
    return EventDraft(
        kind, run.tenant, run.thread_id, time, None, "null", run.agent, ThreadAgents((run.agent,))
    )


async def begin(store: Store, run: Run) -> Run:
    """Begin a run and return the stored run."""
    started, outcome = await store.start_run(run, run_event(RUN_STARTED, run))
    assert outcome is Outcome.APPLIED
    return started


class RunContracts(StoreSuite):
    """Runs."""

    async def test_c29_the_snapshot_of_a_thread_has_the_runs_that_have_not_ended(self, store: Store) -> None:
        first_run, ended_run, last_run = [await begin(store, run(n)) for n in (1, 2, 3)]
        await begin(store, run(4, thread="t2"))
        await store.end_run(ended_run, run_event(RUN_ENDED, ended_run), reason=None)
        view = await store.thread("main", "t1")
        assert view is not None
        assert (view.seq, list(view.runs)) == (4, [last_run, first_run])
        one = await store.thread("main", "t1", limit=1)
        assert one is not None
        assert list(one.runs) == [last_run]

    async def test_c29_a_run_begins_and_ends_once_with_its_events(self, store: Store) -> None:
        started_run = await begin(store, run())
        assert started_run == replace(run(), key=started_run.key)
        assert await store.start_run(run(), run_event(RUN_STARTED, run())) == (started_run, Outcome.FOUND)
        ended, outcome = await store.end_run(
            started_run, run_event(RUN_ENDED, run(), NOON + 9), reason="done"
        )
        assert (ended, outcome) == (replace(started_run, ended_at=NOON + 9, reason="done"), Outcome.APPLIED)
        second_end = await store.end_run(started_run, run_event(RUN_ENDED, run(), NOON + 10), reason="other")
        assert second_end == (ended, Outcome.REPLAYED)
        assert await store.start_run(run(), run_event(RUN_STARTED, run())) == (ended, Outcome.FOUND)
        assert await store.run("main", "t1", "run_1") == ended
        events = await store.thread_events("main", "t1", after=0)
        assert [(event.seq, event.type, json.loads(event.text)["run"]) for event in events] == [
            (1, "run.started", json.loads(started_run.wire)),
            (2, "run.ended", json.loads(ended.wire)),
        ]
        for location in (("acme", "t1", "run_1"), ("main", "t2", "run_1"), ("main", "t1", "\0")):
            assert await store.run(*location) is None

    async def test_c29_one_of_many_concurrent_starts_and_ends_of_a_run_succeeds(self, store: Store) -> None:
        reply = await asyncio.gather(
            *(store.start_run(run(), run_event(RUN_STARTED, run())) for _ in range(20))
        )
        assert Counter(outcome for _, outcome in reply) == {Outcome.APPLIED: 1, Outcome.FOUND: 19}
        started = reply[0][0]
        ended = await asyncio.gather(
            *(store.end_run(started, run_event(RUN_ENDED, run()), reason=f"{n}") for n in range(20))
        )
        assert Counter(outcome for _, outcome in ended) == {Outcome.APPLIED: 1, Outcome.REPLAYED: 19}
        assert len({item for item, _ in ended}) == 1
        assert [event.seq for event in await store.thread_events("main", "t1", after=0)] == [1, 2]

    async def test_c29_runs_are_listed_in_pages_the_last_that_began_first(self, store: Store) -> None:
        agents = ThreadAgents(("agt_a", "agt_b"))
        rows: list[Run] = []
        for n in range(8):
            item = run(n, agent=f"agt_{'ab'[n % 2]}")
            started, _ = await store.start_run(item, replace(run_event(RUN_STARTED, item), agent=None))
            rows.append(started)
        assert agents.ids
        await store.end_run(rows[3], replace(run_event(RUN_ENDED, rows[3]), agent=None), reason=None)
        rows[3] = replace(rows[3], ended_at=NOON)
        for agent, running, before in product((None, "agt_b"), (False, True), (None, rows[6].key)):
            result = await store.runs("main", "t1", agent=agent, running=running, before=before, limit=3)
            assert (
                result
                == [
                    row
                    for row in reversed(rows)
                    if agent in (None, row.agent)
                    and (not running or row.ended_at is None)
                    and (before is None or row.key < before)
                ][:3]
            )

    async def test_c29_a_request_a_message_or_a_renewal_extends_a_run(self, store: Store) -> None:
        started_run = await begin(store, run())
        assert await store.last_sign(started_run) == started_run.seen_at
        new_request = replace(record(20, requester="agt_a"), labels=Labels(run_id="run_1"))
        await store.insert(new_request, request_created(new_request))
        other = replace(record(30, requester="agt_a"), labels=Labels(run_id="run_2"))
        await store.insert(other, request_created(other))
        assert await store.last_sign(started_run) == NOON + 20
        message_text = json.dumps({"role": "agent", "run_id": "run_1", "content": []})
        for time, owner in ((NOON + 40, "agt_a"), (NOON + 50, "agt_b")):
            await store.add_message(
                f"m{time}", message_text, replace(message_added(message_text), at=time, owner=owner)
            )
        assert await store.last_sign(started_run) == NOON + 40
        assert await store.silent_runs(NOON) == []
        assert await store.silent_runs(NOON + 1) == [started_run]
        await store.renew_run(started_run, at=NOON + 60)
        await store.renew_run(started_run, at=NOON + 55)
        assert await store.silent_runs(NOON + 59) == []
        (renewed,) = await store.silent_runs(NOON + 60)
        assert renewed.seen_at == await store.last_sign(renewed) == NOON + 60
        ended, _ = await store.end_run(renewed, run_event(RUN_ENDED, run()), reason=None)
        await store.renew_run(ended, at=NOON + 99)
        assert await store.silent_runs(NOON + 999) == []
        assert await store.run("main", "t1", "run_1") == ended

    async def test_c29_an_archived_thread_begins_no_run_and_ends_what_it_has(self, store: Store) -> None:
        started_run = await begin(store, run())
        draft = EventDraft(THREAD_ARCHIVED, "main", "t1", NOON, None, "null")
        await store.set_archived(draft, archived_at=NOON)
        with pytest.raises(ThreadArchived):
            await store.start_run(run(2), run_event(RUN_STARTED, run(2)))
        _, outcome = await store.end_run(started_run, run_event(RUN_ENDED, run()), reason=None)
        assert outcome is Outcome.APPLIED

    async def test_c29_another_agent_begins_no_run(self, store: Store) -> None:
        await begin(store, run())
        with pytest.raises(ThreadOfAnother):
            await store.start_run(run(2, agent="agt_b"), run_event(RUN_STARTED, run(2, agent="agt_b")))
        assert [item.id for item in await store.runs("main", "t1")] == ["run_1"]

    async def test_c29_runs_are_erased_with_their_thread(self, store: Store) -> None:
        await begin(store, run())
        await begin(store, run(thread="t2"))
        await store.erase_thread(EventDraft(THREAD_ERASED, "main", "t1", NOON, None, "null"))
        assert await store.runs("main", "t1") == []
        assert len(await store.runs("main", "t2")) == 1
        await begin(store, run())
