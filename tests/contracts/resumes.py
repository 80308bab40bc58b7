"""Contracts 16 and 17: resumes, which are leased to one at a time and finished once."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

import asyncio
from dataclasses import replace

from askback.domain.lifecycle import Status
from askback.domain.spec import Spec
from askback.ports.outcome import Outcome
from askback.ports.policy import SideEffects
from askback.ports.resumes import Resume
from askback.ports.store import Store
from tests.contracts.samples import NOON, answer, record, request_created, request_id
from tests.contracts.suite import StoreSuite


def resume(
    n: int, *, thread: str = "t1", requester: str = "tok_1", time: int = NOON, is_held: bool = False
) -> Resume:
    """Make the resume of the n-th request."""
    return Resume(f"rsm_{n:026d}", "main", thread, requester, request_id(n), time, is_held)


async def settled(store: Store, *resumes: Resume) -> None:
    """Settle a request with each of the resumes."""
    for item in resumes:
        n = int(item.request_id.removeprefix("req_"))
        row = record(n, thread=item.thread_id, requester=item.requester)
        await store.insert(row, request_created(row))
        await store.settle(answer(row), None, SideEffects(resumes=(item,)))


async def lease_resumes(
    store: Store, *, now: int = NOON, until: int = NOON + 60, thread: str | None = None
) -> list[int]:
    """Lease, and return the requests of the resumes."""
    leases = await store.lease_resumes("main", "tok_1", thread_id=thread, now_ms=now, until_ms=until)
    return [int(lease.record.id.removeprefix("req_")) for lease in leases]


class ResumeContracts(StoreSuite):
    """Resumes."""

    async def test_c11_a_resume_comes_with_its_step_or_not_at_all(self, store: Store) -> None:
        row = record(1)
        await store.insert(row, request_created(row))
        late_settlement = answer(row, expected_statuses=frozenset({Status.RESOLVING}))
        await store.settle(late_settlement, None, SideEffects(resumes=(resume(1),)))
        assert await lease_resumes(store) == []
        await store.settle(answer(row), None, SideEffects(resumes=(resume(1),)))
        [lease] = await store.lease_resumes("main", "tok_1", now_ms=NOON, until_ms=NOON + 60)
        assert lease.resume == replace(resume(1), available_at=NOON + 60)
        assert lease.record == await store.get("main", row.id)
        assert (lease.attempt, lease.until) == (1, NOON + 60)

    async def test_c16_one_of_many_concurrent_pulls_gets_the_resume(self, store: Store) -> None:
        await settled(store, *(resume(n) for n in range(1, 6)))
        result = await asyncio.gather(*(lease_resumes(store) for _ in range(10)))
        assert sorted(n for item in result for n in item) == [1, 2, 3, 4, 5]

    async def test_c16_threads_with_resumes_are_listed_with_when_the_next_can_be_leased(
        self, store: Store
    ) -> None:
        resumes = (resume(1), resume(2, thread="t2", time=NOON + 9), resume(3, thread="t2"))
        await settled(store, *resumes, resume(4, thread="t3", requester="tok_2"))
        assert await store.resume_threads("main", "tok_1") == {"t1": NOON, "t2": NOON}
        assert await lease_resumes(store, thread="t2") == [3]
        assert await store.resume_threads("main", "tok_1") == {"t1": NOON, "t2": NOON + 9}
        await store.finish_resume("main", "tok_1", resume(3).id, attempt=1, now_ms=NOON)
        await lease_resumes(store, thread="t1")
        await store.finish_resume("main", "tok_1", resume(1).id, attempt=1, now_ms=NOON)
        assert await store.resume_threads("main", "tok_1") == {"t2": NOON + 9}
        assert await store.resume_threads("acme", "tok_1") == {}

    async def test_c16_it_is_leased_again_when_its_lease_has_ended(self, store: Store) -> None:
        await settled(store, resume(1))
        assert await lease_resumes(store, until=NOON + 60) == [1]
        assert await lease_resumes(store, now=NOON + 59) == []
        assert await store.next_resume("main", "tok_1") == NOON + 60
        [second_lease] = await store.lease_resumes("main", "tok_1", now_ms=NOON + 60, until_ms=NOON + 120)
        assert second_lease.attempt == 2

    async def test_c16_an_older_lease_is_refused(self, store: Store) -> None:
        await settled(store, resume(1))
        await lease_resumes(store, until=NOON + 60)
        await lease_resumes(store, now=NOON + 60, until=NOON + 120)
        finish = [
            await store.finish_resume("main", "tok_1", resume(1).id, attempt=attempt, now_ms=NOON + 70)
            for attempt in (1, 2, 2, 1)
        ]
        assert finish == [Outcome.LOST, Outcome.APPLIED, Outcome.REPLAYED, Outcome.REPLAYED]

    async def test_c16_a_lease_that_has_ended_may_be_finished_while_nobody_else_has_it(
        self, store: Store
    ) -> None:
        await settled(store, resume(1))
        await lease_resumes(store, until=NOON + 60)
        finished_outcome = await store.finish_resume(
            "main", "tok_1", resume(1).id, attempt=1, now_ms=NOON + 99
        )
        assert finished_outcome is Outcome.APPLIED

    async def test_c17_a_finished_job_never_comes_again(self, store: Store) -> None:
        await settled(store, resume(1))
        await lease_resumes(store)
        await store.finish_resume("main", "tok_1", resume(1).id, attempt=1, now_ms=NOON)
        assert await lease_resumes(store, now=NOON + 999) == []
        assert await store.next_resume("main", "tok_1") is None

    async def test_c17_it_does_not_come_before_its_time(self, store: Store) -> None:
        await settled(store, resume(1, time=NOON + 5))
        assert await lease_resumes(store, now=NOON + 4) == []
        assert await store.next_resume("main", "tok_1") == NOON + 5
        assert await lease_resumes(store, now=NOON + 5) == [1]

    async def test_resumes_are_found_by_their_requester_and_by_thread(self, store: Store) -> None:
        await settled(store, resume(1), resume(2, thread="t2"), resume(3, requester="tok_2"))
        assert await store.next_resume("main", "tok_1", thread_id="t3") is None
        assert await lease_resumes(store, thread="t2") == [2]
        assert await lease_resumes(store) == [1]
        assert await store.next_resume("other", "tok_2") is None
        other_leases = await store.lease_resumes("other", "tok_2", now_ms=NOON, until_ms=NOON + 9)
        assert other_leases == []
        for person in (("main", "tok_1"), ("other", "tok_2")):
            assert await store.finish_resume(*person, resume(3).id, attempt=0, now_ms=NOON) is None
        assert await store.finish_resume("main", "tok_2", "rsm_\0", attempt=0, now_ms=NOON) is None

    async def test_a_page_of_resumes_has_the_oldest(self, store: Store) -> None:
        await settled(store, *(resume(n) for n in (1, 2, 3)))
        leases = await store.lease_resumes("main", "tok_1", now_ms=NOON, until_ms=NOON + 9, limit=2)
        assert [lease.resume.id for lease in leases] == [resume(1).id, resume(2).id]

    async def test_a_held_resume_is_dropped_unless_somebody_has_it(self, store: Store) -> None:
        await settled(store, resume(1, is_held=True), resume(2, is_held=True), resume(3))
        await store.lease_resumes("main", "tok_1", now_ms=NOON, until_ms=NOON + 60, limit=1)
        await store.drop_held([("main", request_id(n)) for n in (1, 2, 3, 4)])
        assert await lease_resumes(store, now=NOON + 60, until=NOON + 120) == [1, 3]

    async def test_a_resume_can_be_held_later_once_and_for_a_request_that_is_there(
        self, store: Store
    ) -> None:
        await settled(store, resume(1))
        row = record(2)
        await store.insert(row, request_created(row))
        await store.settle(answer(row))
        await store.hold_resumes([replace(resume(1), id="rsm_late"), resume(2, is_held=True), resume(3)])
        assert await lease_resumes(store) == [1, 2]
        first_resume_status, second_resume_status, third_resume_status = [
            await store.resume_of("main", request_id(n)) for n in (1, 2, 3)
        ]
        assert first_resume_status is not None
        assert first_resume_status.resume.id == resume(1).id
        assert second_resume_status is not None
        assert second_resume_status.resume.held
        assert third_resume_status is None

    async def test_a_request_has_one_resume_for_each_cause(self, store: Store) -> None:
        await settled(store, resume(1))
        check = replace(resume(1), id="rsm_check", cause="check:1")
        second_resume = replace(resume(1), id="rsm_again", cause="again:k")
        for _ in range(2):
            await store.write(
                SideEffects(resumes=(check, replace(second_resume, id=f"{second_resume.id}{_}")))
            )
        leases = await store.lease_resumes("main", "tok_1", now_ms=NOON, until_ms=NOON + 60)
        assert sorted(lease.resume.cause for lease in leases) == ["", "again:k", "check:1"]
        standing = await store.resume_of("main", request_id(1), "check:1")
        assert standing is not None
        assert (standing.resume.id, standing.resume.cause, standing.attempt) == ("rsm_check", "check:1", 1)

    async def test_a_step_can_change_the_times_and_the_form(self, store: Store) -> None:
        row = record(1, expires_at=NOON + 9)
        await store.insert(row, request_created(row))
        spec = Spec(row.spec.text.replace("Nº 1", "Another"))
        step = replace(
            answer(row, status=Status.PENDING), asks_again=True, spec=spec, times=(NOON + 20, NOON + 10)
        )
        change = await store.settle(step)
        assert change is not None
        assert change.record == await store.get("main", row.id)
        assert change.record == replace(
            row, revision=2, state=step.state, spec=spec, expires_at=NOON + 20, due_at=NOON + 10
        )
        assert await store.due(NOON + 9, limit=9) == []
        assert await store.next_deadline() == NOON + 10
        await store.settle(replace(answer(row, status=Status.PENDING, revision=2), times=(None, None)))
        assert await store.next_deadline() is None
