"""Tokens, login codes and sessions."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

import asyncio
from dataclasses import replace

from askback.ports.store import Session, Store
from askback.testing.store_samples import NOON, principal
from askback.testing.store_suite import StoreSuite

HOUR = 3_600_000


class AccessContracts(StoreSuite):
    """The contracts of `AccessStore`."""

    async def test_a_token_stands_for_its_principal_until_it_is_replaced(self, store: Store) -> None:
        assert await store.token("digest") is None
        await store.put_token("digest", principal("tok_1"))
        assert await store.token("digest") == principal("tok_1")
        await store.put_token("digest", principal("tok_2", tenant="acme", role="admin"))
        assert await store.token("digest") == principal("tok_2", tenant="acme", role="admin")

    async def test_a_runner_is_known_with_the_names_and_threads_that_it_may_lease(self, store: Store) -> None:
        runner = replace(principal(role="runner"), names=("HUBSPOT_*", "A"), threads=("t1", 'a "b", ü'))
        await store.put_token("digest", runner)
        assert await store.token("digest") == runner

    async def test_a_person_keeps_their_id_and_their_groups_from_login_to_session(self, store: Store) -> None:
        ada = replace(principal(), user="ada@example", groups=('ops "east"', "ü"))
        await store.put_token("digest", ada)
        assert await store.token("digest") == ada
        await store.put_login("code", ada, expires_at=NOON + HOUR)
        opened = await store.open_session("code", "s", csrf="c", now_ms=NOON, expires_at=NOON + HOUR)
        assert opened == await store.session("s", now_ms=NOON) == Session(ada, "c", NOON + HOUR)
        assert principal("tok_1").user == "tok_1"

    async def test_of_50_who_use_a_login_code_at_once_one_gets_a_session(self, store: Store) -> None:
        await store.put_login("code", principal(), expires_at=NOON + HOUR)
        opened = await asyncio.gather(
            *(
                store.open_session(
                    "code", f"session {n}", csrf=f"csrf {n}", now_ms=NOON, expires_at=NOON + HOUR
                )
                for n in range(50)
            )
        )
        [(winner, session)] = [(n, s) for n, s in enumerate(opened) if s is not None]
        assert session == Session(principal(), f"csrf {winner}", NOON + HOUR)
        kept = [await store.session(f"session {n}", now_ms=NOON) for n in range(50)]
        assert kept == list(opened)

    async def test_an_unknown_or_late_login_code_opens_nothing(self, store: Store) -> None:
        await store.put_login("late", principal(), expires_at=NOON)
        for code in ("late", "unknown"):
            opened = await store.open_session(code, "s", csrf="c", now_ms=NOON, expires_at=NOON + HOUR)
            assert opened is None
        assert await store.session("s", now_ms=NOON) is None

    async def test_a_session_ends_at_its_time_or_when_it_is_closed(self, store: Store) -> None:
        for name in ("one", "two"):
            await store.put_login(f"code {name}", principal(name), expires_at=NOON + HOUR)
            await store.open_session(f"code {name}", name, csrf="c", now_ms=NOON, expires_at=NOON + HOUR)
        assert await store.session("one", now_ms=NOON + HOUR - 1) is not None
        assert await store.session("one", now_ms=NOON + HOUR) is None
        await store.close_session("one")
        await store.close_session("unknown")
        assert await store.session("one", now_ms=NOON) is None
        assert await store.session("two", now_ms=NOON) is not None
