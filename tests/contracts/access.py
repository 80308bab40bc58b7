"""Login codes and sessions."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import Any

from askback.ports.policy import AuditDraft, SideEffects
from askback.ports.sessions import Session
from askback.ports.store import Store
from tests.contracts.samples import NOON, new_session, principal
from tests.contracts.suite import StoreSuite

HOUR = 3_600_000


class AccessContracts(StoreSuite):
    """The contracts of `AccessStore`."""

    async def test_a_person_keeps_their_id_and_their_groups_from_login_to_session(self, store: Store) -> None:
        ada = replace(principal(), user="ada@example", groups=('ops "east"', "ü"))
        await store.put_login("code", ada, expires_at=NOON + HOUR)
        new = new_session(browser_secret="h", device="Firefox", expires_at=NOON + HOUR)
        opened_items = await store.open_session("code", "s", new)
        expected = Session(new.id, ada, "h", "Firefox", NOON, NOON, NOON + HOUR)
        assert opened_items == await store.session("s", now_ms=NOON) == expected
        assert principal("tok_1").user == "tok_1"

    async def test_one_of_50_concurrent_uses_of_a_login_code_gets_a_session(self, store: Store) -> None:
        await store.put_login("code", principal(), expires_at=NOON + HOUR)
        opened_items = await asyncio.gather(
            *(
                store.open_session(
                    "code", f"session {n}", new_session(f"ses_{n}", browser_secret=f"half {n}")
                )
                for n in range(50)
            )
        )
        [(winner, session)] = [(n, s) for n, s in enumerate(opened_items) if s is not None]
        assert session == new_session(f"ses_{winner}", browser_secret=f"half {winner}").of(principal())
        sessions = [await store.session(f"session {n}", now_ms=NOON) for n in range(50)]
        assert sessions == list(opened_items)

    async def test_an_unknown_or_late_login_code_opens_nothing(self, store: Store) -> None:
        await store.put_login("late", principal(), expires_at=NOON)
        for code in ("late", "unknown"):
            assert await store.open_session(code, "s", new_session()) is None
        assert await store.session("s", now_ms=NOON) is None

    async def test_a_session_ends_at_its_time_or_when_it_is_closed(self, store: Store) -> None:
        for name in ("one", "two"):
            await store.put_login(f"code {name}", principal(name), expires_at=NOON + HOUR)
            await store.open_session(f"code {name}", name, new_session(f"ses_{name}", expires_at=NOON + HOUR))
        assert await store.session("one", now_ms=NOON + HOUR - 1) is not None
        assert await store.session("one", now_ms=NOON + HOUR) is None
        ended_audit_draft = AuditDraft("main", '{"action":"session.ended"}')
        await store.end_sessions(["ses_one", "unknown"], SideEffects(audit=(ended_audit_draft,)))
        assert await store.session("one", now_ms=NOON) is None
        assert await store.session("two", now_ms=NOON) is not None
        assert len(await store.audit("main", after=0, limit=9)) == 1

    async def test_sessions_are_listed_newest_first_by_tenant_person_or_id(self, store: Store) -> None:
        people = {"a": principal("a"), "b": principal("b"), "c": principal("c", tenant="acme")}
        for name, person in people.items():
            await store.put_login(name, person, expires_at=NOON + HOUR)
            await store.open_session(name, name, new_session(f"ses_{name}", expires_at=NOON + HOUR))

        async def found(tenant: str | None, now_ms: int = NOON, **only: Any) -> list[str]:
            return [session.principal.id for session in await store.sessions(tenant, now_ms=now_ms, **only)]

        assert await found("main") == ["b", "a"]
        assert await found(None) == ["c", "b", "a"]
        assert await found("main", person="a") == ["a"]
        assert await found(None, ids=["ses_a", "ses_c", "ses_x"]) == ["c", "a"]
        assert await found(None, ids=[]) == await found("main", NOON + HOUR) == []

    async def test_the_last_use_of_a_session_never_goes_back(self, store: Store) -> None:
        await store.put_login("code", principal(), expires_at=NOON + HOUR)
        await store.open_session("code", "s", new_session(expires_at=NOON + HOUR))
        for now_ms in (NOON + 5, NOON + 3):
            await store.touch_session("ses_1", now_ms=now_ms)
        session = await store.session("s", now_ms=NOON)
        assert session is not None
        assert session.seen_at == NOON + 5

    async def test_a_store_has_one_id_that_fits_into_the_name_of_a_cookie(self, store: Store) -> None:
        first = await store.server_id()
        assert re.fullmatch("[0-9a-f]{16}", first)
        assert await store.server_id() == first
