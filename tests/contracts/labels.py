"""Contract 27, and the agent's own ids of a request: external ids, tool calls, runs."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from itertools import product

import pytest

from askback.domain.events import EventDraft
from askback.domain.lifecycle import Status
from askback.domain.record import Labels, Record
from askback.ports.outcome import Outcome
from askback.ports.policy import SideEffects
from askback.ports.store import Change, ExternalIdTaken, Store
from askback.ports.threads import Quota
from tests.contracts.samples import NOON, answer, claim, entry, record, request_created
from tests.contracts.suite import StoreSuite


def named_request(
    n: int, external_id: str = "x1", digest: str = "d1", *, thread: str = "t1", requester: str = "tok_1"
) -> Record:
    """Make the n-th request, with an external id."""
    labels = Labels(external_id=external_id, body_digest=digest)
    return replace(record(n, thread=thread, requester=requester), labels=labels)


class LabelContracts(StoreSuite):
    """Labels of requests."""

    @pytest.mark.parametrize("plain", [True, False])
    async def test_c27_an_external_id_is_used_once_in_a_thread_by_a_requester(
        self, store: Store, *, plain: bool
    ) -> None:
        effects = SideEffects() if plain else SideEffects(audit=(entry("x"),))
        first_record = named_request(1)
        await store.insert(first_record, request_created(first_record), claim("k1"), effects)
        for digest, same in (("d1", True), ("d2", False)):
            second_record = named_request(2, digest=digest)
            with pytest.raises(ExternalIdTaken) as exc_info:
                await store.insert(
                    second_record, request_created(second_record), claim("k2"), effects, quota=Quota(9, 1000)
                )
            assert (exc_info.value.record, exc_info.value.same) == (first_record, same)
        for other in (
            named_request(3, "x2"),
            named_request(4, thread="t2"),
            named_request(5, requester="tok_2"),
            record(6),
        ):
            assert (await store.insert(other, request_created(other))).outcome is Outcome.APPLIED
        assert [event.seq for event in await store.thread_events("main", "t1", after=0)] == [1, 2, 3, 4]
        assert await store.find_claim(claim("k2")) is None
        assert (await store.use("main", "t1")).question_count == 0
        assert await store.request_of("main", "t1", "tok_1", "x1") == (first_record, "d1")
        for location in (("t1", "tok_1", "x9"), ("t2", "tok_2", "x1"), ("t9", "tok_1", "x1")):
            assert await store.request_of("main", *location) is None
        assert await store.request_of("acme", "t1", "tok_1", "x1") is None

    async def test_c27_one_of_many_concurrent_creates_is_stored_and_the_others_return_it(
        self, store: Store
    ) -> None:
        rows = [named_request(n, digest=f"d{n % 2}") for n in range(40)]
        reply = await asyncio.gather(
            *(store.insert(row, request_created(row)) for row in rows), return_exceptions=True
        )
        (stored,) = [item.record for item in reply if isinstance(item, Change)]
        taken = [item for item in reply if isinstance(item, ExternalIdTaken)]
        assert {item.record for item in taken} == {stored}
        assert Counter(item.same for item in taken) == {True: 19, False: 20}

    async def test_c27_a_request_that_has_ended_keeps_its_external_id(self, store: Store) -> None:
        first_record, second_record = named_request(1), named_request(2)
        await store.insert(first_record, request_created(first_record))
        ended = await store.settle(answer(first_record))
        assert ended is not None
        with pytest.raises(ExternalIdTaken) as exc_info:
            await store.insert(second_record, request_created(second_record))
        assert exc_info.value.record == ended.record
        settled = replace(named_request(3, "x3").as_settled(Status.CANCELLED, reason="not_shown"))
        await store.insert(settled, request_created(settled))
        assert await store.request_of("main", "t1", "tok_1", "x3") == (settled, "d1")

    async def test_c27_an_erased_thread_has_no_external_ids(self, store: Store) -> None:
        first_record, second_record = named_request(1), named_request(2)
        await store.insert(first_record, request_created(first_record))
        await store.erase_thread(EventDraft("thread.erased", "main", "t1", NOON, None, "{}", ""))
        assert await store.list_requests("main", labels=Labels(external_id="x1")) == []
        assert (await store.insert(second_record, request_created(second_record))).outcome is Outcome.APPLIED

    @pytest.mark.parametrize("plain", [True, False])
    async def test_requests_are_found_by_their_labels_and_their_time(
        self, store: Store, *, plain: bool
    ) -> None:
        rows = [
            replace(
                record(n, thread=f"t{n % 2}", requester=f"tok_{n % 3}"),
                labels=Labels(
                    f"run_{n % 4}" if n % 5 else None, f"call_{n % 3}", f"x{n}" if n % 7 else None, "d"
                ),
            )
            for n in range(30)
        ]
        effects = SideEffects() if plain else SideEffects(audit=(entry("x"),))
        for row in rows:
            await store.insert(row, request_created(row), effects=effects)
        await store.settle(answer(rows[9]))
        assert (ended := await store.get("main", rows[9].id)) is not None
        now = [replace(ended, labels=row.labels) if row.id == ended.id else row for row in rows]
        label_combinations = product(
            (None, "t1"), (None, "run_1"), (None, "call_0"), (None, "x9"), (None, "tok_0")
        )
        for thread, run, call, external, requester in label_combinations:
            for statuses in (None, frozenset({Status.PENDING})):
                result = await store.list_requests(
                    "main",
                    thread_id=thread,
                    statuses=statuses,
                    requester=requester,
                    labels=Labels(run, call, external),
                    after=rows[3].id,
                    before=rows[28].id,
                )
                assert result == [
                    r
                    for r in reversed(now[4:28])
                    if thread in (None, r.thread_id)
                    and (statuses is None or r.status in statuses)
                    and requester in (None, r.requester)
                    and run in (None, r.labels.run_id)
                    and call in (None, r.labels.tool_call_id)
                    and external in (None, r.labels.external_id)
                ]
