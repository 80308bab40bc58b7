"""What approvals need of requests: votes, decisions made at once, refusals found again, and one execution."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace

from askback.domain.lifecycle import Status
from askback.ports.outcome import Outcome
from askback.ports.policy import Execution
from askback.ports.store import Change, Store
from askback.testing.store_samples import NOON, answer, claim, created, record, vote
from askback.testing.store_suite import StoreSuite


class ApprovalContracts(StoreSuite):
    """Contract 3 for votes; executions; the newest request about a call."""

    # Votes

    async def test_a_vote_leaves_the_request_open(self, store: Store) -> None:
        row = record(1, expires_at=NOON + 9)
        await store.insert(row, created(row))
        step = vote(row, "ada")
        voted = replace(row, state=step.state)
        assert await store.settle(step, claim()) == Change(voted, Outcome.APPLIED)
        assert await store.list_requests("main", statuses=frozenset({Status.PENDING})) == [voted]
        assert await store.due(NOON + 9) == [voted]
        events = await store.thread_events("main", "t1", after=0)
        assert [(e.seq, e.type, e.settles) for e in events] == [
            (1, "request.created", False),
            (2, "request.voted", False),
        ]
        assert await store.settle(step, claim()) == Change(voted, Outcome.REPLAYED)
        change = await store.settle(answer(row))
        assert change is not None
        assert change.outcome is Outcome.APPLIED

    async def test_c3_of_20_votes_added_to_the_same_votes_one_is_applied(self, store: Store) -> None:
        row = record(1)
        await store.insert(row, created(row))
        steps = [vote(row, f"person {n}") for n in range(20)]
        changes = await asyncio.gather(*(store.settle(step) for step in steps))
        done = [change for change in changes if change is not None]
        assert Counter(change.outcome for change in done) == {Outcome.APPLIED: 1, Outcome.LOST: 19}
        [now] = {change.record for change in done}
        assert now.state in {step.state for step in steps}
        assert await store.settle(vote(now, "person 1", "person 2")) == Change(
            replace(now, state=vote(now, "person 1", "person 2").state), Outcome.APPLIED
        )

    # Decided at once

    async def test_a_request_that_a_rule_decided_comes_settled_with_one_event(self, store: Store) -> None:
        step = answer(record(1))
        row = replace(record(1, expires_at=NOON, digest="d1"), status=Status.ANSWERED, state=step.state)
        assert await store.insert(row, step.event) == Change(row, Outcome.APPLIED)
        assert await store.get("main", row.id) == row
        assert await store.next_deadline() is None
        [event] = await store.thread_events("main", "t1", after=0)
        assert (event.seq, event.type, event.settles) == (1, "request.answered", True)
        view = await store.thread("main", "t1")
        assert view is not None
        assert list(view.requests) == [(1, row)]

    # The same call again

    async def test_the_newest_request_about_a_call_is_found_once_it_has_ended(self, store: Store) -> None:
        async def last(
            thread: str = "t1", requester: str = "tok_1", digest: str = "d1", tenant: str = "main"
        ):
            return await store.last_with_digest(tenant, thread, requester, digest)

        assert await last() is None
        old, new = record(1, digest="d1"), record(2, digest="d1")
        await store.insert(old, created(old))
        assert await last() is None
        change = await store.settle(answer(old))
        assert change is not None
        assert await last() == change.record
        others = [
            record(3, digest="d2"),
            record(4),
            record(5, digest="d1", thread="t2"),
            record(6, digest="d1", requester="tok_2"),
            record(7, digest="d1", tenant="acme"),
        ]
        for row in others:
            await store.insert(row, created(row))
        assert await last() == change.record
        assert [await last("t3"), await last(requester="tok_3"), await last(digest="d3")] == [None] * 3
        await store.insert(new, created(new))
        assert await last() == change.record
        await store.settle(answer(new, status=Status.EXPIRED))
        assert await last() == change.record
        newest = record(8, digest="d1")
        await store.insert(newest, created(newest))
        declined = await store.settle(answer(newest, status=Status.DECLINED))
        assert declined is not None
        assert await last() == declined.record

    # Executions

    async def test_of_50_executions_of_an_approved_call_one_may_run(self, store: Store) -> None:
        row = record(1)
        await store.insert(row, created(row))
        used = await asyncio.gather(
            *(store.consume("main", row.id, Execution(f"exe_{n}", NOON + n)) for n in range(50))
        )
        assert Counter(outcome for _, outcome in used) == {Outcome.APPLIED: 1, Outcome.LOST: 49}
        [winner] = {execution for execution, _ in used}
        assert await store.execution("main", row.id) == winner
        later = Execution(winner.id, NOON + 99)
        assert await store.consume("main", row.id, later) == (winner, Outcome.REPLAYED)

    async def test_an_execution_that_asks_50_times_at_once_uses_its_call_once(self, store: Store) -> None:
        row, execution = record(1), Execution("exe_1", NOON)
        await store.insert(row, created(row))
        used = await asyncio.gather(*(store.consume("main", row.id, execution) for _ in range(50)))
        assert Counter(used) == {(execution, Outcome.APPLIED): 1, (execution, Outcome.REPLAYED): 49}

    async def test_how_an_execution_went_is_reported_once(self, store: Store) -> None:
        row = record(1)
        await store.insert(row, created(row))

        async def report(outcome: str, *, by: str = "exe_1", tenant: str = "main", note: str | None = None):
            return await store.report(tenant, row.id, by, outcome=outcome, note=note)

        assert (await report("succeeded"), await store.execution("main", row.id)) == (None, None)
        await store.consume("main", row.id, Execution("exe_1", NOON))
        assert await report("succeeded", by="exe_2") is None
        assert await report("succeeded", tenant="acme") is None
        reported = Execution("exe_1", NOON, "failed", "exit 1")
        assert await report("failed", note="exit 1") == (reported, Outcome.APPLIED)
        assert await report("failed", note="again") == (reported, Outcome.REPLAYED)
        assert await report("succeeded") == (reported, Outcome.LOST)
        assert await report("failed", by="exe_2") is None
        assert await store.execution("main", row.id) == reported
        assert await store.execution("acme", row.id) is None
        assert await store.consume("main", row.id, Execution("exe_1", NOON + 9)) == (
            reported,
            Outcome.REPLAYED,
        )

    async def test_c8_a_request_of_the_same_name_in_another_tenant_is_used_apart(self, store: Store) -> None:
        rows = [record(1, tenant=tenant) for tenant in ("main", "acme")]
        for row in rows:
            await store.insert(row, created(row))
        for row in rows:
            execution = Execution(f"exe of {row.tenant}", NOON)
            assert await store.consume(row.tenant, row.id, execution) == (execution, Outcome.APPLIED)
