"""The access to a thread: stored with it, returned with its rows, and applied by every list."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path

from askback.domain.access import UNSHARED, AccessLevel, AccessList
from askback.domain.events import committed_event
from askback.ports.outcome import Outcome
from askback.ports.policy import SideEffects
from askback.ports.store import Store
from tests.contracts.samples import (
    NOON,
    answer,
    effects,
    entry,
    message,
    message_added,
    record,
    request_created,
    rule,
    secret,
    shared,
)
from tests.contracts.suite import StoreSuite

ODD = 'bob "b" \\ é 🙂'
ADAS = AccessList("ada", AccessLevel.NONE, {ODD: AccessLevel.VIEW, "cy": AccessLevel.ALL})
SEEN = AccessList("ada", AccessLevel.VIEW, {"cy": AccessLevel.ALL})
ALL_PEOPLE = ("ada", ODD, "cy", "dan", "", "none", "owner")


class SharingContracts(StoreSuite):
    """Access to threads."""

    async def test_a_thread_is_everybodys_until_it_is_shared(self, store: Store) -> None:
        assert await store.access("main", "t1") == UNSHARED
        assert await store.set_access(ADAS, shared(ADAS), before=UNSHARED) is Outcome.APPLIED
        assert await store.access("main", "t1") == ADAS
        assert await store.access("acme", "t1") == UNSHARED
        assert await store.access("main", "t2") == UNSHARED
        view = await store.thread("main", "t1")
        assert view is not None
        assert (view.seq, view.access) == (1, ADAS)
        assert list(await store.thread_events("main", "t1", after=0)) == [
            committed_event(shared(ADAS), seq=1, position=1, spec=None, access=ADAS)
        ]

    async def test_one_of_many_concurrent_access_changes_succeeds(self, store: Store) -> None:
        expected = [replace(ADAS, owner=f"ada {n}") for n in range(20)]
        reply = await asyncio.gather(
            *(
                store.set_access(w, shared(w), SideEffects(audit=(entry(w.owner),)), before=UNSHARED)
                for w in expected
            )
        )
        assert Counter(reply) == {Outcome.APPLIED: 1, Outcome.LOST: 19}
        winner = expected[reply.index(Outcome.APPLIED)]
        assert await store.access("main", "t1") == winner
        assert [event.seq for event in await store.thread_events("main", "t1", after=0)] == [1]
        assert len(await store.audit("main")) == 1

    async def test_side_effects_of_an_access_change_are_written_with_it(self, store: Store) -> None:
        assert await store.set_access(ADAS, shared(ADAS), effects(1), before=SEEN) is Outcome.LOST
        assert await store.rule("main", rule(1).id) is None
        await store.set_access(ADAS, shared(ADAS), effects(1), before=UNSHARED)
        assert await store.rule("main", rule(1).id) == rule(1)

    async def test_records_and_events_carry_the_access_to_their_thread(self, store: Store) -> None:
        early, second_row = record(1), record(2)
        assert (await store.insert(early, request_created(early))).record.access == UNSHARED
        await store.set_access(ADAS, shared(ADAS), before=UNSHARED)
        assert (await store.insert(second_row, request_created(second_row))).record.access == ADAS
        settled_request = await store.settle(answer(early))
        assert settled_request is not None
        assert settled_request.record.access == ADAS
        assert await store.get("main", early.id) == settled_request.record
        assert [request.access for request in await store.list_requests("main")] == [ADAS, ADAS]
        assert [event.access for event in await store.thread_events("main", "t1", after=0)] == [ADAS] * 4
        assert [e.access for e in await store.tenant_events("main", after=0)] == [ADAS] * 4

    async def test_live_events_carry_the_current_access(self, tmp_path: Path) -> None:
        access_lists: list[AccessList] = []
        async with self.opened(
            tmp_path, on_commit=lambda e: access_lists.extend(x.access for x in e)
        ) as store:
            await store.insert(record(1), request_created(record(1)))
            await store.set_access(ADAS, shared(ADAS), before=UNSHARED)
            await store.add_message("m1", message(), message_added(message()))
            await store.set_access(SEEN, shared(SEEN), before=ADAS)
        assert access_lists == [UNSHARED, ADAS, ADAS, SEEN]

    # Lists

    async def test_a_person_finds_requests_and_events_of_the_threads_that_they_may_view(
        self, store: Store
    ) -> None:
        threads = {"t1": ADAS, "t2": SEEN, "t3": UNSHARED}
        rows = [record(n, thread=f"t{n % 3 + 1}") for n in range(1, 10)]
        for row in rows:
            await store.insert(row, request_created(row))
        for thread, access in list(threads.items())[:2]:
            await store.set_access(access, shared(access, thread=thread), before=UNSHARED)
        for person in ALL_PEOPLE:
            theirs = [r for r in rows if threads[r.thread_id].level(person) >= AccessLevel.VIEW]
            result = await store.list_requests("main", person=person)
            assert [r.id for r in result] == [their.id for their in reversed(theirs)]
            page = await store.list_requests("main", person=person, before=rows[6].id, limit=2)
            assert page == [r for r in result if r.id < rows[6].id][:2]
            events = await store.tenant_events("main", after=0, person=person)
            assert [event.request_id for event in events if event.request_id] == [r.id for r in theirs]
            assert (
                await store.tenant_events("main", after=events[1].position, person=person, limit=2)
                == (events[2:4])
            )
            one = await store.list_requests("main", thread_id="t1", person=person)
            assert [r.id for r in one] == [r.id for r in reversed(theirs) if r.thread_id == "t1"]

    async def test_rules_of_a_thread_are_found_by_those_who_may_view_it(self, store: Store) -> None:
        rules = [
            rule(1, scope="thread", subject="t1"),
            rule(2, scope="thread", subject="t2"),
            rule(3, scope="thread", subject="nowhere"),
            rule(4, scope="project", subject="t1"),
            rule(5),
        ]
        await store.write(SideEffects(rules=tuple(rules)))
        await store.set_access(ADAS, shared(ADAS), before=UNSHARED)
        for person in ALL_PEOPLE:
            hidden = ADAS.level(person) < AccessLevel.VIEW
            result = await store.rules("main", now_ms=NOON, person=person)
            assert result == [r for r in reversed(rules) if not (hidden and r is rules[0])]
        assert await store.rules("main", now_ms=NOON) == rules[::-1]

    async def test_secrets_are_listed_for_people_who_may_manage_them(self, store: Store) -> None:
        stored_secrets = [
            secret(1),
            secret(2, owner="ada"),
            secret(3, owner="cy", scope="project", subject="p"),
            secret(4, owner="ada", scope="session", subject="t1"),
            secret(5, scope="session", subject="t1"),
            secret(6, scope="session", subject="t2"),
            secret(7, owner="dan", scope="session", subject="t1"),
        ]
        await store.write(SideEffects(secrets=tuple(stored_secrets)))
        await store.set_access(ADAS, shared(ADAS), before=UNSHARED)
        theirs = {"ada": [1, 2, 4, 5, 6, 7], "cy": [1, 3, 4, 5, 6, 7], "dan": [1, 6, 7], ODD: [1, 6]}
        for person, numbers in theirs.items():
            result = await store.secrets("main", person=person)
            assert [s.name for s in result] == [f"KEY_{n}" for n in reversed(numbers)]
        assert await store.secrets("main") == stored_secrets[::-1]

    async def test_a_personal_level_overrides_the_level_for_everyone(self, store: Store) -> None:
        access = AccessList("ada", AccessLevel.ALL, {"bob": AccessLevel.PROMPT})
        await store.write(SideEffects(secrets=(secret(1, scope="session", subject="t1"),)))
        await store.set_access(access, shared(access), before=UNSHARED)
        assert await store.secrets("main", person="bob") == []
        assert len(await store.secrets("main", person="cy")) == 1
