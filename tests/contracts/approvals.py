"""Requests for approvals: votes, immediate decisions, remembered refusals, and one execution."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from askback.domain.lifecycle import Status
from askback.ports.outcome import Outcome
from askback.ports.policy import Execution, Lift, Refusal, SideEffects
from askback.ports.store import Change, ClaimMismatch, Store
from tests.contracts.samples import NOON, answer, claim, record, request_created, request_id, vote
from tests.contracts.suite import StoreSuite


class ApprovalContracts(StoreSuite):
    """Contract 3 for votes; executions; earlier refusals."""

    # Votes

    async def test_a_vote_leaves_the_request_open(self, store: Store) -> None:
        row = record(1, expires_at=NOON + 9)
        await store.insert(row, request_created(row))
        step = vote(row, "ada")
        voted = replace(row, state=step.state)
        assert await store.settle(step, claim()) == Change(voted, Outcome.APPLIED)
        assert await store.list_requests("main", statuses=frozenset({Status.PENDING})) == [voted]
        assert await store.due(NOON + 9, limit=9) == [voted]
        events = await store.thread_events("main", "t1", after=0)
        assert [(event.seq, event.type, event.settles) for event in events] == [
            (1, "request.created", False),
            (2, "request.voted", False),
        ]
        assert await store.settle(step, claim()) == Change(voted, Outcome.REPLAYED)
        change = await store.settle(answer(row))
        assert change is not None
        assert change.outcome is Outcome.APPLIED

    async def test_c3_of_20_votes_added_to_the_same_votes_one_is_applied(self, store: Store) -> None:
        row = record(1)
        await store.insert(row, request_created(row))
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

    # The same again

    async def test_a_refusal_is_found_by_its_call_until_it_is_lifted(self, store: Store) -> None:
        def refusal(n: int, **changes: Any) -> Refusal:
            made_refusal = Refusal("main", "t1", "tok_1", "same", request_id(n), NOON + n, NOON + 600)
            return replace(made_refusal, **changes)

        async def found(identity: str = "same", *, since_ms: int = NOON) -> list[Refusal]:
            return list(await store.refusals("main", "t1", "tok_1", identity, since_ms=since_ms))

        other_cases = (
            refusal(4, thread_id="t2"),
            refusal(5, requester="tok_2"),
            refusal(6, tenant="acme"),
            refusal(7, identity="other"),
        )
        first_refusal, second_refusal = refusal(1), refusal(2)
        await store.write(SideEffects(refusals=(first_refusal, second_refusal, *other_cases)))
        assert await found() == [second_refusal, first_refusal]
        assert await found(since_ms=NOON + 1) == [second_refusal]
        await store.write(SideEffects(lifts=(Lift("main", "t1", NOON + 9, request_id(1)),)))
        assert await found() == [
            replace(second_refusal, until=NOON + 9),
            replace(first_refusal, until=NOON + 9),
        ]
        assert await found("other") == [other_cases[3]]
        await store.write(SideEffects(lifts=(Lift("main", "t1", NOON + 10, requester="tok_2"),)))
        assert await found("other") == [other_cases[3]]
        await store.write(SideEffects(lifts=(Lift("main", "t1", NOON + 10),)))
        assert await found("other") == [replace(other_cases[3], until=NOON + 10)]
        assert await found() == [
            replace(second_refusal, until=NOON + 9),
            replace(first_refusal, until=NOON + 9),
        ]
        other_thread_refusals = await store.refusals("main", "t2", "tok_1", "same", since_ms=NOON)
        assert list(other_thread_refusals) == [other_cases[0]]

    async def test_an_idempotency_key_returns_its_request(self, store: Store) -> None:
        assert await store.find_claim(claim()) is None
        row = record(1)
        await store.insert(row, request_created(row), claim())
        assert await store.find_claim(claim()) == row.id
        assert await store.find_claim(claim(principal="tok_2")) is None
        with pytest.raises(ClaimMismatch):
            await store.find_claim(claim(digest="d2"))

    # Executions

    async def test_one_of_50_executions_of_an_approved_call_may_run(self, store: Store) -> None:
        row = record(1)
        await store.insert(row, request_created(row))
        used = await asyncio.gather(
            *(store.consume("main", row.id, Execution(f"exe_{n}", NOON + n)) for n in range(50))
        )
        assert Counter(outcome for _, outcome in used) == {Outcome.APPLIED: 1, Outcome.LOST: 49}
        [winner] = {execution for execution, _ in used}
        assert await store.execution("main", row.id) == winner
        later_execution = Execution(winner.id, NOON + 99)
        assert await store.consume("main", row.id, later_execution) == (winner, Outcome.REPLAYED)

    async def test_an_execution_repeated_50_times_concurrently_uses_its_call_once(self, store: Store) -> None:
        row, execution = record(1), Execution("exe_1", NOON)
        await store.insert(row, request_created(row))
        used = await asyncio.gather(*(store.consume("main", row.id, execution) for _ in range(50)))
        assert Counter(used) == {(execution, Outcome.APPLIED): 1, (execution, Outcome.REPLAYED): 49}

    async def test_how_an_execution_went_is_reported_once(self, store: Store) -> None:
        row = record(1)
        await store.insert(row, request_created(row))

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

    async def test_c8_the_same_request_id_in_another_tenant_is_independent(self, store: Store) -> None:
        rows = [record(1, tenant=tenant) for tenant in ("main", "acme")]
        for row in rows:
            await store.insert(row, request_created(row))
        for row in rows:
            execution = Execution(f"exe of {row.tenant}", NOON)
            assert await store.consume(row.tenant, row.id, execution) == (execution, Outcome.APPLIED)
