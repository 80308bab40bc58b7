"""Contract 14: values under test, and grants."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

import asyncio
from dataclasses import replace

from askback.domain.lifecycle import Status
from askback.ports.outcome import Outcome
from askback.ports.policy import SideEffects
from askback.ports.secrets import SecretLocation, VersionTaken
from askback.ports.store import Store
from tests.contracts.samples import answer, grant, record, request_created, secret
from tests.contracts.suite import StoreSuite

GLOBAL = [SecretLocation("global", "")]


class CandidateContracts(StoreSuite):
    """Candidates and grants."""

    # 14

    async def test_c14_a_candidate_is_found_by_its_request_only(self, store: Store) -> None:
        row = record(1)
        await store.insert(row, request_created(row))
        attempts = [secret(2), secret(1)]
        step = answer(row, status=Status.RESOLVING)
        effects = SideEffects(
            candidates=tuple((row.id, attempt) for attempt in attempts), grants=(grant(attempts[0]),)
        )
        await store.settle(step, None, effects)
        assert await store.candidates("main", row.id) == attempts[::-1]
        assert await store.candidates("main", record(2).id) == []
        assert await store.secret("main", attempts[0].id) is None
        assert await store.secrets_at("main", "", GLOBAL, [attempt.name for attempt in attempts]) == []
        assert await store.secrets("main") == []
        assert await store.granted("main", "t1", ["KEY_2"], requester=None) == [(grant(attempts[0]), None)]

    async def test_c14_candidates_take_their_places_with_the_step_that_accepts_them(
        self, store: Store
    ) -> None:
        row, other = record(1), secret(3)
        attempts = [secret(1, version=2), secret(2)]
        await store.write(SideEffects(secrets=(secret(1),)))
        candidates = (*((row.id, attempt) for attempt in attempts), ("req_other", other))
        await store.insert(row, request_created(row), None, SideEffects(candidates=candidates))
        accepted_side_effects = SideEffects(
            promote=("main", row.id), grants=tuple(grant(attempt) for attempt in attempts)
        )
        change = await store.settle(answer(row), None, accepted_side_effects)
        assert change is not None
        assert await store.secrets("main") == attempts[::-1]
        assert await store.candidates("main", row.id) == []
        assert await store.candidates("main", "req_other") == [other]
        result = await store.granted("main", "t1", ["KEY_1", "KEY_2"], requester="tok_1")
        assert sorted(result, key=lambda pair: pair[0].name) == [
            (grant(attempt), attempt) for attempt in attempts
        ]

    async def test_c14_candidates_are_dropped_with_the_step_that_refuses_them(self, store: Store) -> None:
        row, other = record(1), secret(2)
        candidates = ((row.id, secret(1)), ("req_other", other))
        await store.insert(row, request_created(row), None, SideEffects(candidates=candidates))
        step = replace(answer(row, status=Status.PENDING), asks_again=True)
        change = await store.settle(step, None, SideEffects(discard=("main", row.id)))
        assert change is not None
        assert await store.candidates("main", row.id) == []
        assert await store.secrets("main") == []
        assert await store.sealed_after("") == [other]

    async def test_c14_a_step_that_is_lost_leaves_candidates_as_they_are(self, store: Store) -> None:
        row, tried = record(1), secret(1)
        await store.insert(row, request_created(row), None, SideEffects(candidates=((row.id, tried),)))
        await store.settle(answer(row))
        for lost_effects in (SideEffects(promote=("main", row.id)), SideEffects(discard=("main", row.id))):
            change = await store.settle(answer(row), None, lost_effects)
            assert change is not None
            assert change.outcome is Outcome.LOST
        assert await store.candidates("main", row.id) == [tried]
        assert await store.secrets("main") == []

    async def test_c14_another_try_replaces_the_one_before(self, store: Store) -> None:
        request = record(1).id
        first, second = secret(1), secret(2, scope="session", subject="t1", name="KEY_1")
        await store.write(SideEffects(candidates=((request, first), (request, secret(3)))))
        await store.write(SideEffects(candidates=((request, second),)))
        assert await store.candidates("main", request) == [second, secret(3)]
        second_side_effects = SideEffects(discard=("main", request), candidates=((request, first),))
        await store.write(second_side_effects)
        assert await store.candidates("main", request) == [first]

    async def test_c14_a_candidate_cannot_replace_a_secret_that_changed(self, store: Store) -> None:
        rows = [record(n) for n in range(3)]
        attempts = [secret(1, version=2), secret(2), secret(3, version=2)]
        await store.write(SideEffects(secrets=(secret(1), secret(3))))
        for row, item in zip(rows, attempts, strict=True):
            await store.insert(row, request_created(row), None, SideEffects(candidates=((row.id, item),)))
        taken = secret(9, name="KEY_2")
        await store.write(SideEffects(secrets=(replace(secret(1, version=2), sealed="sealed.first"), taken)))
        await store.drop_secret("main", secret(3).id, SideEffects())
        before = await store.secrets("main")
        late_settlements = [
            store.settle(answer(row), None, SideEffects(promote=("main", row.id))) for row in rows
        ]
        reply = await asyncio.gather(*late_settlements, return_exceptions=True)
        assert [type(outcome) for outcome in reply] == [VersionTaken] * 3
        assert await store.secrets("main") == before
        for row, item in zip(rows, attempts, strict=True):
            assert await store.get("main", row.id) == row
            assert await store.candidates("main", row.id) == [item]

    async def test_an_answer_without_candidates_stores_no_secret(self, store: Store) -> None:
        row = record(1)
        await store.insert(row, request_created(row))
        change = await store.settle(answer(row), None, SideEffects(promote=("main", row.id)))
        assert change is not None
        assert (change.outcome, await store.secrets("main")) == (Outcome.APPLIED, [])

    # Grants

    async def test_an_agent_may_use_a_secret_granted_in_its_thread(self, store: Store) -> None:
        stored_secret = secret(1)
        await store.write(SideEffects(secrets=(stored_secret, secret(2)), grants=(grant(stored_secret),)))
        names = [stored_secret.name, "KEY_2"]
        assert await store.granted("main", "t1", names, requester="tok_1") == [
            (grant(stored_secret), stored_secret)
        ]
        for thread, asking_thread, requester in (
            ("t2", names, "tok_1"),
            ("t1", names, "tok_2"),
            ("t1", ["KEY_2"], "tok_1"),
            ("t1", [], None),
        ):
            assert await store.granted("main", thread, asking_thread, requester=requester) == []

    async def test_the_newest_grant_of_a_name_applies(self, store: Store) -> None:
        old, new = secret(1, name="KEY"), secret(2, scope="session", subject="t1", name="KEY")
        hers, mine = grant(old, 3, requester="tok_2"), grant(new, 2)

        async def holds(requester: str | None) -> list[object]:
            return list(await store.granted("main", "t1", ["KEY"], requester=requester))

        await store.write(SideEffects(secrets=(old, new), grants=(grant(old, 1), mine)))
        assert await holds("tok_1") == [(mine, new)]
        await store.write(SideEffects(grants=(hers,)))
        assert await holds("tok_1") == [(mine, new)]
        assert await holds("tok_2") == await holds(None) == [(hers, old)]
        second_grant = grant(old, 4)
        await store.write(SideEffects(grants=(second_grant,)))
        assert await holds("tok_1") == await holds(None) == [(second_grant, old)]
        assert await holds("tok_2") == [(hers, old)]

    async def test_a_grant_survives_its_secret_and_does_not_cover_a_successor(self, store: Store) -> None:
        stored_secret, another = secret(1), secret(2, name="KEY_1")
        await store.write(SideEffects(secrets=(stored_secret,), grants=(grant(stored_secret),)))
        replaced = secret(1, version=2)
        await store.write(SideEffects(secrets=(replaced,)))
        assert await store.granted("main", "t1", ["KEY_1"], requester=None) == [
            (grant(stored_secret), replaced)
        ]
        await store.drop_secret("main", stored_secret.id, SideEffects())
        await store.write(SideEffects(secrets=(another,)))
        assert await store.granted("main", "t1", ["KEY_1"], requester=None) == [(grant(stored_secret), None)]

    async def test_grants_of_many_names_are_read_in_one_query(self, store: Store) -> None:
        secrets = [secret(n) for n in range(10)]
        for stored_secret in secrets:
            await store.write(SideEffects(secrets=(stored_secret,), grants=(grant(stored_secret),)))
        result = await store.granted("main", "t1", [item.name for item in secrets], requester=None)
        assert sorted(result, key=lambda pair: pair[0].name) == [(grant(item), item) for item in secrets]
