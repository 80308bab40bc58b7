"""Agents, their roots, and tokens."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

import asyncio
from dataclasses import replace

from askback.ports.outcome import Outcome
from askback.ports.policy import SideEffects
from askback.ports.store import Store
from tests.contracts.samples import NOON, agent, entry, root, token
from tests.contracts.suite import StoreSuite

ADMIN_JSON = '{"id":"tok_admin","name":"Ada"}'


class AgentContracts(StoreSuite):
    """The contracts of `AgentStore`."""

    async def test_a_token_identifies_its_principal_until_it_is_replaced(self, store: Store) -> None:
        assert await store.token("digest") is None
        await store.put_token("digest", token(1))
        assert await store.token("digest") == token(1)
        other = replace(
            token(2, tenant="acme", role="admin", ends=NOON + 9), revoked_at=NOON, revoked_by=ADMIN_JSON
        )
        await store.put_token("digest", other)
        assert await store.token("digest") == await store.token_by_id("acme", other.id) == other
        assert await store.token_by_id("main", token(1).id) is None

    async def test_a_token_keeps_its_limits_its_person_and_their_groups(self, store: Store) -> None:
        made = token(role="runner")
        person = replace(
            made.principal,
            names=("HUBSPOT_*", "A"),
            threads=("t1", 'a "b", ü'),
            user="ada@example",
            groups=('ops "east"', "ü"),
        )
        await store.put_token("digest", replace(made, principal=person))
        assert await store.token("digest") == replace(made, principal=person)

    async def test_an_agent_is_stored_once_and_found_in_its_tenant(self, store: Store) -> None:
        first = agent(1, user="ada", roots=(root("/srv/ü/shop"),))
        assert await store.add_agent(first, SideEffects(audit=(entry("a"),))) is Outcome.APPLIED
        second_outcome = await store.add_agent(replace(first, name="b"), SideEffects(audit=(entry("b"),)))
        assert second_outcome is Outcome.REPLAYED
        assert await store.agent("main", first.id) == first
        assert await store.agent("acme", first.id) is None
        assert (await store.audit_head("main"))[0] == 1

    async def test_agents_and_tokens_are_listed_by_id_page_by_page(self, store: Store) -> None:
        own_items = [agent(n, created_at=None) for n in (1, 2, 3)]
        for one in [*own_items, agent(4, tenant="acme")]:
            await store.add_agent(one)
        tokens = [token(n, agent=own_items[n % 2]) for n in (1, 2, 3, 4)]
        for n, one in enumerate([*tokens, token(5), token(6, tenant="acme")]):
            await store.put_token(f"digest {n}", one)
        assert await store.agents("main", limit=2) == [own_items[2], own_items[1]]
        assert await store.agents("main", before=own_items[1].id) == [own_items[0]]
        assert await store.tokens("main", limit=2) == [token(5), tokens[3]]
        assert await store.tokens("main", agent=own_items[1].id) == [tokens[2], tokens[0]]
        assert await store.tokens("main", agent=own_items[1].id, before=tokens[2].id) == [tokens[0]]
        assert sorted(t.id for t in await store.tokens_from("api")) == [token(n).id for n in range(1, 7)]
        assert await store.tokens_from("settings") == []

    async def test_c22_one_of_50_concurrent_changes_of_the_roots_of_an_agent_succeeds(
        self, store: Store
    ) -> None:
        await store.add_agent(agent(1))
        made = await asyncio.gather(
            *(
                store.set_roots(
                    "main", agent(1).id, (root(f"/{n}"),), SideEffects(audit=(entry(f"{n}"),)), before=()
                )
                for n in range(50)
            )
        )
        [winner] = [n for n, outcome in enumerate(made) if outcome is Outcome.APPLIED]
        stored_agent = await store.agent("main", agent(1).id)
        assert stored_agent is not None
        assert stored_agent.roots == (root(f"/{winner}"),)
        assert (await store.audit_head("main"))[0] == 1
        assert await store.set_roots("main", "agt_none", (), before=()) is Outcome.LOST

    async def test_the_policy_of_a_call_has_the_roots_of_its_agent(self, store: Store) -> None:
        await store.add_agent(agent(1, roots=(root("/b"), root("/a"))))
        result = await store.policy("main", thread_id="t1", project=None, now_ms=NOON, agent=agent(1).id)
        other = await store.policy("acme", thread_id="t1", project=None, now_ms=NOON, agent=agent(1).id)
        nobody = await store.policy("main", thread_id="t1", project=None, now_ms=NOON)
        assert (result.roots, other.roots, nobody.roots) == (("/b", "/a"), (), ())

    async def test_c22_an_agent_is_stopped_once(self, store: Store) -> None:
        await store.add_agent(agent(1))
        for at, outcome in ((NOON, Outcome.APPLIED), (NOON + 1, Outcome.REPLAYED)):
            side_effects = SideEffects(audit=(entry("stop"),))
            assert await store.stop_agent("main", agent(1).id, side_effects, at=at) is outcome
        assert await store.agent("main", agent(1).id) == replace(agent(1), stopped_at=NOON)
        assert (await store.audit_head("main"))[0] == 1

    async def test_c21_a_revoked_token_stays_known_as_revoked(self, store: Store) -> None:
        for n in (1, 2, 3):
            await store.put_token(f"digest {n}", token(n))
        await store.put_token("digest 4", token(1, tenant="acme"))
        ids = [token(1).id, token(2).id, "tok_none"]
        first = await store.revoke_tokens(
            "main", ids, SideEffects(audit=(entry("1"),)), at=NOON + 5, by=ADMIN_JSON
        )
        second_revocation = await store.revoke_tokens(
            "main", ids, SideEffects(audit=(entry("2"),)), at=NOON + 6, by="{}"
        )
        assert (sorted(first), list(second_revocation)) == (ids[:2], [])
        assert await store.token("digest 1") == replace(token(1), revoked_at=NOON + 5, revoked_by=ADMIN_JSON)
        assert await store.token("digest 3") == token(3)
        assert await store.token("digest 4") == token(1, tenant="acme")
        assert (await store.audit_head("main"))[0] == 1

    async def test_the_last_use_of_a_token_never_goes_back(self, store: Store) -> None:
        await store.put_token("digest 1", token(1))
        await store.put_token("digest 2", token(2))
        await store.touch_tokens({("main", token(1).id): NOON + 5, ("main", "tok_none"): NOON})
        await store.touch_tokens({("main", token(1).id): NOON + 3, ("acme", token(2).id): NOON})
        assert await store.token("digest 1") == replace(token(1), last_used_at=NOON + 5)
        assert await store.token("digest 2") == token(2)
