"""Contract 34: the people of a tenant."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

from dataclasses import replace

from askback.ports.agents import Token
from askback.ports.people import KNOWN_MS
from askback.ports.sessions import IDLE_MS
from askback.ports.store import Principal, Store
from tests.contracts.samples import NOON, agent, new_session, token
from tests.contracts.suite import StoreSuite

ADA = Principal("usr_1", "main", "responder", "Ada", user="ada", groups=("ops",))
BOB = Principal("usr_2", "main", "responder", "Bob")


async def sign_in(store: Store, principal: Principal, time: int = NOON) -> None:
    """Open a session of a person."""
    name = f"{principal.id}-{time}"
    await store.put_login(name, principal, expires_at=time + 1)
    new = replace(new_session(f"ses_{name}", expires_at=time + 2 * IDLE_MS), created_at=time)
    assert await store.open_session(name, f"digest-{name}", new) is not None


async def names(store: Store, time: int = NOON, **filters: object) -> list[tuple[str, str]]:
    """Return the people in a store, by id and name."""
    result = await store.people("main", now_ms=time, **filters)  # type: ignore[arg-type]  # filters by name
    return [(item.user, item.name) for item in result]


class PeopleContracts(StoreSuite):
    """People."""

    async def test_c34_people_are_known_by_their_sessions_and_tokens(self, store: Store) -> None:
        await sign_in(store, ADA)
        await sign_in(store, BOB)
        await sign_in(store, replace(ADA, id="usr_9", name="Eve", user="eve", tenant="acme"))
        requester, eva = agent(), token(1)
        await store.put_token("a", token(2, agent=requester))
        await store.put_token("e", eva)
        ended = replace(token(3).principal, expires_at=NOON)
        await store.put_token("o", Token(ended))
        await store.put_token("r", replace(token(4), revoked_at=NOON))
        of_eva = (eva.principal.id, eva.principal.name)
        assert await names(store) == [("ada", "Ada"), ("ada", "Ada"), of_eva, ("usr_2", "Bob")]
        (found, *_) = await store.people("main", now_ms=NOON, ids=["ada"])
        assert (found, found.groups) == (ADA, ("ops",))
        assert await names(store, ids=["usr_2", "eve", "\0"]) == [("usr_2", "Bob")]

    async def test_c34_people_are_listed_for_a_limited_time_after_their_session(self, store: Store) -> None:
        await sign_in(store, ADA)
        await sign_in(store, BOB)
        await sign_in(store, replace(ADA, id="usr_3", name="Ada King"), NOON + 5)
        assert await names(store, NOON + IDLE_MS + 9) == [("ada", "Ada King")]
        assert await names(store, NOON + KNOWN_MS + 4) == [("ada", "Ada King")]
        assert await names(store, NOON + KNOWN_MS + 5) == []

    async def test_c34_people_are_listed_in_pages_each_whole_and_once(self, store: Store) -> None:
        for n in range(5):
            for index in range(3):
                await sign_in(store, replace(ADA, id=f"usr_{n}{index}", user=f"p{n}"), NOON + index)
        assert {who for who, _ in await names(store, limit=2)} == {"p0", "p1"}
        assert len(await names(store, limit=2)) == 8
        assert {who for who, _ in await names(store, after="p1", limit=2)} == {"p2", "p3"}
        assert {who for who, _ in await names(store, after="p3", limit=2)} == {"p4"}
