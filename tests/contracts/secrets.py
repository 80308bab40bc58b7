"""Contracts 13 and 15: secrets in their locations, their versions, and their erasure."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from askback.errors import Unavailable
from askback.ports.policy import SideEffects
from askback.ports.secrets import SecretLocation, SecretRecord, SecretUse, VersionTaken
from askback.ports.store import Store
from tests.contracts.samples import (
    answer,
    claim,
    effects,
    entry,
    grant,
    record,
    request_created,
    rule,
    secret,
    secret_id,
)
from tests.contracts.suite import StoreSuite


async def write_secrets(store: Store, *secrets: SecretRecord) -> None:
    """Write secrets without another change."""
    await store.write(SideEffects(secrets=secrets))


def sort_as_listed(*secrets: SecretRecord) -> list[SecretRecord]:
    """Return secrets in the order of their list."""
    return sorted(secrets, key=lambda item: item.id, reverse=True)


class SecretContracts(StoreSuite):
    """Places, versions, lists, erasure, rotation, tenants."""

    # Places

    async def test_a_secret_is_found_by_its_id_and_its_scope(self, store: Store) -> None:
        stored_secret = secret(1, scope="session", subject="t1")
        assert await store.secret("main", stored_secret.id) is None
        await write_secrets(store, stored_secret)
        assert await store.secret("main", stored_secret.id) == stored_secret
        assert await store.secrets_at(
            "main", "", [SecretLocation("session", "t1")], [stored_secret.name]
        ) == [stored_secret]

    async def test_one_name_is_a_separate_secret_in_each_scope(self, store: Store) -> None:
        locations = [
            ("", SecretLocation("global", "")),
            ("", SecretLocation("session", "t1")),
            ("", SecretLocation("session", "t2")),
            ("", SecretLocation("project", "t1")),
            ("ada", SecretLocation("global", "")),
        ]
        secrets_by_location = {
            (owner, location): secret(
                n, owner=owner, scope=location.scope, subject=location.subject, name="KEY"
            )
            for n, (owner, location) in enumerate(locations)
        }
        await write_secrets(store, *secrets_by_location.values())
        for (owner, location), one in secrets_by_location.items():
            assert await store.secrets_at("main", owner, [location], ["KEY"]) == [one]
        for owner in ("", "ada", "bob"):
            result = await store.secrets_at("main", owner, [location for _, location in locations], ["KEY"])
            assert sort_as_listed(*result) == sort_as_listed(
                *(one for (kept_owner, _), one in secrets_by_location.items() if kept_owner == owner)
            )

    async def test_names_are_looked_up_in_several_scopes(self, store: Store) -> None:
        session_secrets, shared = (
            [secret(n, scope="session", subject="t1") for n in (1, 2)],
            [secret(3), secret(4)],
        )
        await write_secrets(store, *session_secrets, *shared)
        locations = [SecretLocation("session", "t1"), SecretLocation("global", "")]
        for names, found in (
            (["KEY_1", "KEY_3", "KEY_9"], [session_secrets[0], shared[0]]),
            (["KEY_9"], []),
            ([], []),
        ):
            assert sort_as_listed(*await store.secrets_at("main", "", locations, names)) == sort_as_listed(
                *found
            )
        assert await store.secrets_at("main", "", [], ["KEY_1"]) == []

    async def test_the_last_use_of_a_secret_is_known(self, store: Store) -> None:
        uses = [
            SecretUse("main", secret_id(n), time, f'{{"id":"tok_{time}"}}')
            for n, time in ((1, 1), (1, 2), (2, 3))
        ]
        other_secret_use = SecretUse("other", secret_id(1), 9, "{}")
        for item in (*uses, other_secret_use):
            await store.write(SideEffects(secret_uses=(item,)))
        expected = [secret_id(n) for n in (1, 2, 3)]
        assert await store.secret_uses("main", expected) == {secret_id(1): uses[1], secret_id(2): uses[2]}
        assert await store.secret_uses("other", expected) == {secret_id(1): other_secret_use}

    # 13

    async def test_c13_the_next_version_replaces_the_current_one(self, store: Store) -> None:
        await write_secrets(store, secret(1), secret(2))
        for version in (2, 3):
            await write_secrets(store, secret(1, version=version))
            assert await store.secret("main", secret_id(1)) == secret(1, version=version)
            assert await store.secrets("main") == [secret(2), secret(1, version=version)]

    @pytest.mark.parametrize(
        "late_record",
        [
            secret(1),
            secret(1, version=2),
            secret(1, version=4),
            secret(2, name="KEY_1"),
            secret(2, name="KEY_1", version=3),
            secret(1, name="OTHER"),
            secret(1, name="OTHER", version=3),
            secret(3, version=2),
        ],
        ids=[
            "the first again",
            "the present one again",
            "one is missing",
            "another for the location",
            "another's next",
            "the id elsewhere",
            "moved",
            "nothing before",
        ],
    )
    async def test_c13_a_version_that_does_not_follow_is_refused(
        self, store: Store, late_record: SecretRecord
    ) -> None:
        await write_secrets(store, secret(1), secret(1, version=2))
        with pytest.raises(VersionTaken):
            await write_secrets(store, late_record)
        assert await store.secrets("main") == [secret(1, version=2)]

    async def test_c13_one_of_20_concurrent_writes_of_the_next_version_succeeds(self, store: Store) -> None:
        await write_secrets(store, secret(1))
        next_ones = [replace(secret(1, version=2), sealed=f"sealed.by.{n}") for n in range(20)]
        other_cases = [write_secrets(store, secret(n)) for n in range(2, 22)]
        reply = await asyncio.gather(
            *(write_secrets(store, one) for one in next_ones), *other_cases, return_exceptions=True
        )
        assert Counter(map(type, reply)) == {type(None): 21, VersionTaken: 19}
        [winner] = [item for item, outcome in zip(next_ones, reply[:20], strict=True) if outcome is None]
        assert await store.secrets("main") == [*(secret(n) for n in range(21, 1, -1)), winner]

    async def test_c13_a_change_is_undone_with_a_secret_whose_version_was_taken(self, store: Store) -> None:
        row, tried = record(1), secret(9)
        await store.insert(row, request_created(row), None, SideEffects(candidates=((row.id, tried),)))
        await write_secrets(store, secret(1))
        late_side_effects = SideEffects(
            rules=(rule(1),),
            audit=(entry("late"),),
            secrets=(secret(2), secret(1)),
            grants=(grant(secret(2)),),
            discard=("main", row.id),
        )
        reply = await asyncio.gather(
            store.settle(answer(row), claim(scope="answer"), late_side_effects),
            store.insert(record(2), request_created(record(2)), claim(), late_side_effects),
            store.drop_secret(
                "main", secret_id(1), replace(late_side_effects, secrets=(secret(5), secret(5)))
            ),
            write_secrets(store, secret(3)),
            return_exceptions=True,
        )
        assert [type(outcome) for outcome in reply] == [VersionTaken] * 3 + [type(None)]
        assert await store.list_requests("main") == [row]
        assert len(await store.thread_events("main", "t1", after=0)) == 1
        assert await store.secrets("main") == [secret(3), secret(1)]
        assert await store.candidates("main", row.id) == [tried]
        assert await store.granted("main", "t1", ["KEY_2"], requester=None) == []
        assert (await store.rule("main", rule(1).id), await store.audit("main")) == (None, [])
        change = await store.settle(
            answer(row), claim(scope="answer"), replace(late_side_effects, secrets=(secret(2),))
        )
        assert change is not None
        assert await store.secrets("main") == [secret(3), secret(2), secret(1)]

    async def test_c13_a_write_based_on_an_erased_secret_does_not_overwrite_its_successor(
        self, store: Store
    ) -> None:
        await write_secrets(store, secret(1))
        await store.drop_secret("main", secret_id(1), SideEffects())
        with pytest.raises(VersionTaken):
            await write_secrets(store, secret(1, version=2))
        successor = secret(2, name="KEY_1")
        await write_secrets(store, successor)
        with pytest.raises(VersionTaken):
            await write_secrets(store, secret(1, version=2))
        assert await store.secrets("main") == [successor]

    # 15

    async def test_an_agent_is_added_or_removed_and_the_others_stay(self, store: Store) -> None:
        one = secret(1)
        other_cases = [replace(grant(one), requester=f"agt_{n}") for n in range(4)]
        await write_secrets(store, one)
        await store.write(SideEffects(grants=tuple(other_cases)))
        added = [store.grant_secret("main", one.id, f"agt_{n}", SideEffects()) for n in range(2, 12)]
        await asyncio.gather(
            store.revoke_secret("main", one.id, "agt_0", SideEffects(audit=(entry("taken"),))), *added
        )
        result = await store.agents_of_secrets("main", [one.id])
        assert sorted(result) == sorted((one.id, f"agt_{n}") for n in range(1, 12))
        for agent, level in (("agt_0", 0), ("agt_1", 1)):
            result = await store.granted("main", other_cases[0].thread_id, [one.name], requester=agent)
            assert len(result) == level
        await store.revoke_secret("other", one.id, "agt_1", SideEffects())
        assert (one.id, "agt_1") in await store.agents_of_secrets("main", [one.id])

    async def test_c15_an_erased_secret_is_nowhere(self, store: Store) -> None:
        await write_secrets(store, secret(1), secret(2))
        assert await store.drop_secret("main", secret_id(1), effects(3))
        assert await store.secret("main", secret_id(1)) is None
        assert await store.secrets_at("main", "", [SecretLocation("global", "")], ["KEY_1"]) == []
        assert await store.secrets("main") == [secret(3), secret(2)]
        assert await store.sealed_after("") == [secret(2), secret(3)]
        assert not await store.drop_secret("main", secret_id(1), effects(4))
        assert len(await store.audit("main")) == 1

    async def test_one_of_20_concurrent_erasures_of_a_secret_succeeds(self, store: Store) -> None:
        await write_secrets(store, secret(1))
        reply = await asyncio.gather(
            *(store.drop_secret("main", secret_id(1), SideEffects(audit=(entry(f"{n}"),))) for n in range(20))
        )
        assert Counter(reply) == {True: 1, False: 19}
        assert len(await store.audit("main")) == 1

    # Lists

    async def test_secrets_are_listed_newest_first_in_pages(self, store: Store) -> None:
        secrets = [secret(n) for n in range(1, 8)]
        await write_secrets(store, *secrets[4:], *secrets[:4])
        secrets_newest_first = secrets[::-1]
        assert await store.secrets("main", limit=3) == secrets_newest_first[:3]
        assert (
            await store.secrets("main", limit=3, before=secrets_newest_first[2].id)
            == secrets_newest_first[3:6]
        )
        assert await store.secrets("main", before=secrets_newest_first[6].id) == []

    async def test_secrets_are_listed_by_person_and_without_those_of_one_answer(self, store: Store) -> None:
        shared, hers = [secret(n) for n in (1, 4)], [secret(n, owner="ada") for n in (2, 5)]
        request_secrets = [
            secret(n, owner=owner, scope="request", subject="req_1") for n, owner in ((3, ""), (6, "ada"))
        ]
        await write_secrets(store, *shared, *hers, *request_secrets)
        assert await store.secrets("main") == sort_as_listed(*shared, *hers)
        assert await store.secrets("main", person="ada", before=hers[1].id) == sort_as_listed(
            *shared, hers[0]
        )
        assert await store.secrets("main", person="bob") == sort_as_listed(*shared)
        assert await store.secret("main", request_secrets[0].id) == request_secrets[0]
        assert (
            await store.secrets_at("main", "ada", [SecretLocation("request", "req_1")], ["KEY_6"])
            == request_secrets[1:]
        )

    # Rotation

    async def test_a_rotation_reads_every_text_of_every_tenant_once(self, store: Store) -> None:
        stored_secrets = [secret(n, tenant=("main", "acme")[n % 2]) for n in range(1, 8)]
        request_secret = secret(8, scope="request", subject="req_1")
        attempts = [
            (f"req_{n}", replace(secret(3, version=2, tenant="acme"), sealed=f"tried.{n}")) for n in range(3)
        ]
        new = ("req_9", secret(9))
        await store.write(SideEffects(secrets=(*stored_secrets, request_secret), candidates=(*attempts, new)))
        all_texts = [*stored_secrets, request_secret, *(item for _, item in (*attempts, new))]
        for limit in (1, 2, 3, 200):
            secret_records: list[SecretRecord] = []
            while page := await store.sealed_after(
                secret_records[-1].id if secret_records else "", limit=limit
            ):
                assert len({item.id for item in page}) <= limit
                secret_records += page
            assert [item.id for item in secret_records] == sorted(item.id for item in all_texts)
            assert {item.sealed for item in secret_records} == {item.sealed for item in all_texts}
        of_acme = sorted((item for item in all_texts if item.tenant == "acme"), key=lambda item: item.id)
        page = await store.sealed_after("", tenant="acme", limit=2)
        remaining_secret_records = await store.sealed_after(page[-1].id, tenant="acme")
        assert [item.id for item in (*page, *remaining_secret_records)] == [item.id for item in of_acme]

    async def test_a_ciphertext_is_rewrapped_unless_it_has_changed(self, store: Store) -> None:
        stored_secret, tried = secret(1), secret(1, version=2)
        await store.write(SideEffects(secrets=(stored_secret,), candidates=(("req_1", tried),)))
        assert await store.rewrap(stored_secret.id, sealed="anew.1", instead=stored_secret.sealed)
        assert await store.secrets("main") == [replace(stored_secret, sealed="anew.1")]
        assert await store.candidates("main", "req_1") == [tried]
        assert await store.rewrap(tried.id, sealed="anew.2", instead=tried.sealed)
        assert await store.candidates("main", "req_1") == [replace(tried, sealed="anew.2")]
        for one in (stored_secret.id, secret_id(2)):
            assert not await store.rewrap(one, sealed="late", instead=stored_secret.sealed)
        assert {item.sealed for item in await store.sealed_after("")} == {"anew.1", "anew.2"}

    async def test_a_ciphertext_written_during_a_rotation_is_not_missed(self, store: Store) -> None:
        tried = secret(1)
        await store.write(SideEffects(candidates=(("req_1", tried),)))
        await store.write(SideEffects(promote=("main", "req_1")))
        assert await store.rewrap(tried.id, sealed="anew", instead=tried.sealed)
        assert await store.secret("main", tried.id) == replace(tried, sealed="anew")

    # 8 and 9

    async def test_c8_nothing_of_another_tenants_secrets_is_seen_or_erased(self, store: Store) -> None:
        mine, tried = secret(1), secret(2)
        await store.write(SideEffects(secrets=(mine,), grants=(grant(mine),), candidates=(("req_1", tried),)))
        assert await store.secret("acme", mine.id) is None
        assert await store.secrets_at("acme", "", [SecretLocation("global", "")], [mine.name]) == []
        assert await store.secrets("acme") == []
        assert await store.candidates("acme", "req_1") == []
        assert await store.granted("acme", "t1", [mine.name], requester=None) == []
        assert not await store.drop_secret("acme", mine.id, SideEffects())
        await store.write(SideEffects(discard=("acme", "req_1")))
        await store.write(SideEffects(promote=("acme", "req_1")))
        assert await store.candidates("main", "req_1") == [tried]
        assert await store.secrets("main") == [mine]

    async def test_c8_tenants_may_have_the_same_secret_and_grant(self, store: Store) -> None:
        for tenant in ("main", "acme"):
            stored_secret = secret(1, tenant=tenant)
            await store.write(SideEffects(secrets=(stored_secret,), grants=(grant(stored_secret),)))
        assert await store.drop_secret("acme", secret_id(1), SideEffects())
        assert await store.secret("main", secret_id(1)) == secret(1)
        for tenant, left in (("main", secret(1)), ("acme", None)):
            result = await store.granted(tenant, "t1", ["KEY_1"], requester=None)
            assert result == [(grant(secret(1, tenant=tenant)), left)]

    @pytest.mark.usefixtures("impatient")
    async def test_c9_a_store_that_cannot_write_still_reads_secrets(
        self, store: Store, tmp_path: Path
    ) -> None:
        stored_secret = secret(1)
        await store.write(SideEffects(secrets=(stored_secret,), grants=(grant(stored_secret),)))
        with self.outage(store, tmp_path):
            results = await asyncio.gather(
                write_secrets(store, secret(2)),
                store.drop_secret("main", stored_secret.id, SideEffects()),
                store.rewrap(stored_secret.id, sealed="anew", instead=stored_secret.sealed),
                return_exceptions=True,
            )
            assert [type(error) for error in results] == [Unavailable] * 3
            assert await store.secrets_at("main", "", [SecretLocation("global", "")], ["KEY_1", "KEY_2"]) == [
                stored_secret
            ]
            assert await store.granted("main", "t1", ["KEY_1"], requester="tok_1") == [
                (grant(stored_secret), stored_secret)
            ]
        assert await store.drop_secret("main", stored_secret.id, SideEffects())
