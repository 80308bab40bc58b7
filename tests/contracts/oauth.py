"""Contract 30: attempts to connect an account."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

import asyncio
from dataclasses import replace

from askback.ports.oauth import OauthAttempt
from askback.ports.store import Principal, Store
from tests.contracts.suite import StoreSuite

ADA = Principal("usr_ada", "main", "responder", "Ada", user="ada", groups=("a", "b"))
ATTEMPT = OauthAttempt(
    "req_1", "digest-1", ADA, "https://a.example/v1/oauth/callback", "sealed", 1_000, ("de",)
)


class OauthContracts(StoreSuite):
    """Attempts to connect an account."""

    async def test_c30_an_attempt_is_taken_once_by_its_state(self, store: Store) -> None:
        await store.put_oauth_attempt(ATTEMPT, now_ms=0)
        assert await store.take_oauth_attempt("digest-2", now_ms=0) is None
        assert await store.take_oauth_attempt("digest-1", now_ms=999) == ATTEMPT
        assert await store.take_oauth_attempt("digest-1", now_ms=999) is None

    async def test_c30_one_of_several_concurrent_callers_takes_the_attempt(self, store: Store) -> None:
        await store.put_oauth_attempt(ATTEMPT, now_ms=0)
        taken = await asyncio.gather(*(store.take_oauth_attempt("digest-1", now_ms=0) for _ in range(8)))
        assert [item for item in taken if item is not None] == [ATTEMPT]

    async def test_c30_a_new_attempt_replaces_that_of_its_request(self, store: Store) -> None:
        newer = replace(ATTEMPT, digest="digest-2", principal=replace(ADA, name="Bob"), sealed="other")
        other = replace(ATTEMPT, digest="digest-3", principal=replace(ADA, tenant="other"))
        for item in (ATTEMPT, other, newer):
            await store.put_oauth_attempt(item, now_ms=0)
        assert await store.take_oauth_attempt("digest-1", now_ms=0) is None
        assert await store.take_oauth_attempt("digest-2", now_ms=0) == newer
        assert await store.take_oauth_attempt("digest-3", now_ms=0) == other

    async def test_c30_an_expired_attempt_is_not_taken(self, store: Store) -> None:
        await store.put_oauth_attempt(ATTEMPT, now_ms=0)
        assert await store.take_oauth_attempt("digest-1", now_ms=1_000) is None
        await store.put_oauth_attempt(replace(ATTEMPT, request_id="req_2", digest="digest-2"), now_ms=1_000)
        assert await store.take_oauth_attempt("digest-1", now_ms=0) is None
