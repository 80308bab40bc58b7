"""Contracts 2 to 6, 9 and 10: the guarantees of writes."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from askback.domain.events import Event
from askback.domain.lifecycle import Status
from askback.errors import Unavailable
from askback.ports.outcome import Outcome
from askback.ports.store import Change, ClaimMismatch, IdTaken, MessageMissing, Store
from tests.contracts.samples import (
    answer,
    claim,
    delta,
    message,
    message_added,
    record,
    request_created,
    token,
)
from tests.contracts.suite import StoreSuite


class WriteContracts(StoreSuite):
    """Numbering, compare-and-set, claims, events, isolation, outage, cancellation."""

    # 2: numbers

    async def test_c2_seq_is_gapless_in_each_thread_under_200_concurrent_inserts(self, store: Store) -> None:
        rows = [record(n, thread=f"t{n % 5}") for n in range(200)]
        await asyncio.gather(*(store.insert(row, request_created(row)) for row in rows))
        for thread in range(5):
            events = await store.thread_events("main", f"t{thread}", after=0)
            assert [event.seq for event in events] == list(range(1, 41))
        positions = [e.position for e in await store.tenant_events("main", after=0)]
        assert positions == sorted(set(positions))
        assert len(positions) == 200

    async def test_c2_a_change_that_was_refused_leaves_no_event(self, store: Store) -> None:
        row = record(1)
        await store.insert(row, request_created(row))
        await store.settle(answer(row))
        await store.settle(answer(row, "late"))
        with pytest.raises(IdTaken):
            await store.insert(row, request_created(row))
        events = await store.thread_events("main", "t1", after=0)
        assert [(event.seq, event.type) for event in events] == [
            (1, "request.created"),
            (2, "request.answered"),
        ]

    # 3: compare-and-set

    async def test_c3_one_of_100_concurrent_settlements_is_applied_and_99_return_it(
        self, store: Store
    ) -> None:
        row = record(1)
        await store.insert(row, request_created(row))
        changes = await asyncio.gather(*(store.settle(answer(row, f"person {n}")) for n in range(100)))
        done = [c for c in changes if c is not None]
        assert Counter(c.outcome for c in done) == {Outcome.APPLIED: 1, Outcome.LOST: 99}
        winner = next(c.record for c in done if c.outcome is Outcome.APPLIED)
        assert winner.status is Status.ANSWERED
        assert {c.record for c in done} == {winner}
        assert await store.get("main", row.id) == winner

    @pytest.mark.parametrize(
        ("expected_statuses", "revision"),
        [(frozenset({Status.PENDING}), 2), (frozenset({Status.RESOLVING}), 1), (frozenset[Status](), None)],
        ids=["old revision", "other status", "no status"],
    )
    async def test_c3_a_step_that_does_not_fit_the_row_changes_nothing(
        self, store: Store, expected_statuses: frozenset[Status], revision: int | None
    ) -> None:
        row = record(1)
        await store.insert(row, request_created(row))
        change = await store.settle(answer(row, expected_statuses=expected_statuses, revision=revision))
        assert change == Change(row, Outcome.LOST)
        assert await store.get("main", row.id) == row

    async def test_c3_a_step_for_any_revision_is_applied(self, store: Store) -> None:
        row = record(1)
        await store.insert(row, request_created(row))
        step = answer(row, status=Status.EXPIRED, revision=None)
        assert await store.settle(step) == Change(
            replace(row, status=Status.EXPIRED, state=step.state), Outcome.APPLIED
        )

    async def test_c3_a_step_for_an_unknown_request_returns_none(self, store: Store) -> None:
        assert await store.settle(answer(record(1))) is None
        assert await store.thread("main", "t1") is None

    async def test_c3_a_step_that_asks_again_raises_the_revision(self, store: Store) -> None:
        row = record(1)
        await store.insert(row, request_created(row))
        step = replace(answer(row, status=Status.PENDING), asks_again=True)
        change = await store.settle(step)
        assert change is not None
        assert change.record == replace(row, revision=2, state=step.state)
        assert await store.get("main", row.id) == change.record
        late_settlement = await store.settle(answer(row))
        assert late_settlement is not None
        assert late_settlement.outcome is Outcome.LOST
        assert (await store.settle(answer(row, revision=2))) is not None
        events = await store.thread_events("main", "t1", after=0)
        assert [event.seq for event in events] == [1, 2, 3]

    # 4: claims

    async def test_c4_the_same_key_and_body_return_the_first_request(self, store: Store) -> None:
        first, second = record(1), record(2)
        assert (await store.insert(first, request_created(first), claim())).outcome is Outcome.APPLIED
        settled_request = await store.settle(answer(first))
        assert settled_request is not None
        assert await store.insert(second, request_created(second), claim()) == Change(
            settled_request.record, Outcome.REPLAYED
        )
        assert await store.get("main", second.id) is None

    async def test_c4_of_50_inserts_with_one_key_one_is_applied(self, store: Store) -> None:
        rows = [record(n) for n in range(50)]
        changes = await asyncio.gather(*(store.insert(row, request_created(row), claim()) for row in rows))
        assert Counter(c.outcome for c in changes) == {Outcome.APPLIED: 1, Outcome.REPLAYED: 49}
        assert len({c.record for c in changes}) == 1

    async def test_c4_another_body_under_the_same_key_is_a_mismatch(self, store: Store) -> None:
        row = record(1)
        await store.insert(row, request_created(row), claim())
        with pytest.raises(ClaimMismatch):
            await store.insert(record(2), request_created(record(2)), claim(digest="d2"))
        with pytest.raises(ClaimMismatch):
            await store.settle(answer(row), claim(digest="d2"))
        with pytest.raises(ClaimMismatch):
            await store.add_message("m1", message(), message_added(message()), claim(digest="d2"))
        assert await store.get("main", row.id) == row
        assert len(await store.thread_events("main", "t1", after=0)) == 1

    async def test_c4_keys_of_others_and_for_other_things_are_other_keys(self, store: Store) -> None:
        claims = [
            claim(),
            claim(principal="tok_2"),
            claim(scope="message"),
            claim("k2"),
            claim(tenant="acme"),
        ]
        for n, item in enumerate(claims):
            row = record(n, tenant=item.tenant)
            assert (await store.insert(row, request_created(row), item)).outcome is Outcome.APPLIED

    async def test_c4_a_repeated_answer_is_replayed_and_a_lost_one_loses_again(self, store: Store) -> None:
        row = record(1)
        await store.insert(row, request_created(row))
        own_claim, other_claim = claim(scope=f"answer:{row.id}"), claim("k2", scope=f"answer:{row.id}")
        won = await store.settle(answer(row), own_claim)
        assert won is not None
        assert await store.settle(answer(row), own_claim) == Change(won.record, Outcome.REPLAYED)
        for _ in range(2):
            assert await store.settle(answer(row, "late"), other_claim) == Change(won.record, Outcome.LOST)

    async def test_c4_a_repeated_message_returns_the_first_id(self, store: Store) -> None:
        key = claim(scope="message:t1")
        assert await store.add_message("m1", message(), message_added(message()), key) == (
            "m1",
            Outcome.APPLIED,
        )
        assert await store.add_message("m2", message(), message_added(message()), key) == (
            "m1",
            Outcome.REPLAYED,
        )
        view = await store.thread("main", "t1")
        assert view is not None
        assert [m.id for m in view.messages] == ["m1"]

    async def test_c4_a_repeated_delta_is_appended_once(self, store: Store) -> None:
        await store.add_message("m1", message("a"), message_added(message("a")))
        key = claim(scope="append:m1")
        assert await store.append_text("m1", "b", delta("m1", "b"), key) is Outcome.APPLIED
        assert await store.append_text("m1", "b", delta("m1", "b"), key) is Outcome.REPLAYED
        view = await store.thread("main", "t1")
        assert view is not None
        assert (view.seq, view.messages[0].data) == (2, message("ab"))

    async def test_c4_a_key_stays_free_when_its_write_fails(self, store: Store) -> None:
        row = record(1)
        await store.insert(row, request_created(row))
        with pytest.raises(IdTaken):
            await store.insert(row, request_created(row), claim())
        other = record(2)
        assert (await store.insert(other, request_created(other), claim())).outcome is Outcome.APPLIED

    # 5: events

    async def test_c5_events_arrive_in_order_on_the_loop_before_the_caller_goes_on(
        self, tmp_path: Path
    ) -> None:
        seen_events: list[Event] = []
        threads: set[int] = set()

        def listen(events: Sequence[Event]) -> None:
            seen_events.extend(events)
            threads.add(threading.get_ident())

        async with self.opened(tmp_path, on_commit=listen) as store:
            for n in range(3):
                await store.insert(record(n), request_created(record(n)))
                assert len(seen_events) == n + 1
            await asyncio.gather(*(store.insert(record(n), request_created(record(n))) for n in range(3, 60)))
            assert [e.position for e in seen_events] == sorted(e.position for e in seen_events)
            assert list(await store.tenant_events("main", after=0)) == seen_events
        assert threads == {threading.get_ident()}

    async def test_c5_a_failing_listener_does_not_fail_the_write(self, tmp_path: Path) -> None:
        def fail(_: object) -> None:
            raise RuntimeError("a listener with a fault")

        async with self.opened(tmp_path, on_commit=fail) as store:
            assert (await store.insert(record(1), request_created(record(1)))).outcome is Outcome.APPLIED
            assert (await store.insert(record(2), request_created(record(2)))).outcome is Outcome.APPLIED

    # 6: isolation of failures

    async def test_c6_failing_operations_do_not_fail_their_neighbours(self, store: Store) -> None:
        await store.insert(record(0), request_created(record(0)), claim("used"))
        good = [record(n) for n in range(1, 40)]
        taken = [store.insert(record(0), request_created(record(0)), claim(f"fresh {n}")) for n in range(10)]
        writes = [store.insert(row, request_created(row), claim(row.id)) for row in good]
        mismatch = [
            store.insert(record(99), request_created(record(99)), claim("used", "other")) for _ in range(10)
        ]
        missing = [store.append_text("none", "x", delta("none", "x")) for _ in range(10)]
        calls = [*writes[:13], *taken, *writes[13:26], *mismatch, *missing, *writes[26:]]
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        assert Counter(type(o) for o in outcomes) == {
            Change: 39,
            IdTaken: 10,
            ClaimMismatch: 10,
            MessageMissing: 10,
        }
        events = await store.thread_events("main", "t1", after=0)
        assert [event.seq for event in events] == list(range(1, 41))
        assert {e.request_id for e in events} == {row.id for row in [record(0), *good]}

    # 9 and 10: trouble

    @pytest.mark.usefixtures("impatient")
    async def test_c9_a_store_that_cannot_write_reports_it_and_still_reads(
        self, store: Store, tmp_path: Path
    ) -> None:
        row = record(1)
        await store.insert(row, request_created(row))
        with self.outage(store, tmp_path):
            results = await asyncio.gather(
                store.insert(record(2), request_created(record(2))),
                store.settle(answer(row)),
                store.add_message("m1", message(), message_added(message())),
                store.put_token("digest", token()),
                return_exceptions=True,
            )
            assert [type(error) for error in results] == [Unavailable] * 4
            assert await store.get("main", row.id) == row
            assert await store.list_requests("main") == [row]
        assert (await store.insert(record(2), request_created(record(2)))).outcome is Outcome.APPLIED
        assert [event.seq for event in await store.thread_events("main", "t1", after=0)] == [1, 2]

    async def test_c10_a_cancelled_write_happens_whole_or_not_at_all(self, store: Store) -> None:
        rows = [record(n) for n in range(60)]
        calls = [
            asyncio.ensure_future(store.insert(row, request_created(row), claim(row.id))) for row in rows
        ]
        await asyncio.sleep(0)
        for call in calls[::2]:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        await store.insert(record(99), request_created(record(99)))
        present = {request.id for request in await store.list_requests("main", limit=100)}
        assert {row.id for row in rows[1::2]} <= present
        events = await store.thread_events("main", "t1", after=0)
        assert [event.seq for event in events] == list(range(1, len(present) + 1))
        assert {e.request_id for e in events} == present
        for row in rows[::2]:
            replayed_outcome = (await store.insert(row, request_created(row), claim(row.id))).outcome
            assert replayed_outcome is (Outcome.REPLAYED if row.id in present else Outcome.APPLIED)
