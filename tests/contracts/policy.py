"""Rules and settings: which ones decide about a call, and until when."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import anyio.lowlevel
import pytest

from askback.domain.access import AccessLevel, AccessList
from askback.domain.events import THREAD_ERASED, EventDraft
from askback.ports.policy import PolicyView, RuleUsage, SideEffects
from askback.ports.store import IdTaken, Store
from tests.contracts.samples import (
    NOON,
    agent,
    answer,
    effects,
    entry,
    policy,
    record,
    request_created,
    root,
    rule,
    rule_id,
    shared,
    use,
)
from tests.contracts.suite import StoreSuite


class PolicyContracts(StoreSuite):
    """Scopes, expiry, revocation, pages, settings, tenants."""

    # What decides

    async def test_a_call_is_matched_by_rules_of_its_thread_its_project_and_all_threads(
        self, store: Store
    ) -> None:
        global_rule, thread_rule, other_thread_rule = (
            rule(3),
            rule(2, scope="thread", subject="t1"),
            rule(4, scope="thread", subject="t2"),
        )
        web, api = rule(1, scope="project", subject="web"), rule(5, scope="project", subject="api")
        nameless = rule(6, scope="project")
        await store.write(SideEffects((global_rule, thread_rule, other_thread_rule, web)))
        await store.write(SideEffects((api, nameless)))
        for thread, project, met in (
            ("t1", "web", [web, thread_rule, global_rule]),
            ("t2", "api", [global_rule, other_thread_rule, api]),
            ("t3", None, [global_rule, nameless]),
            ("web", "t1", [global_rule]),
        ):
            view = await store.policy("main", thread_id=thread, project=project, now_ms=NOON)
            assert view == PolicyView(None, None, met)

    async def test_a_rule_decides_until_it_expires_or_is_revoked(self, store: Store) -> None:
        short, revoked, lasting = rule(1, expires_at=NOON), rule(2), rule(3, expires_at=NOON + 9)
        await store.write(SideEffects((short, revoked, lasting)))
        assert await store.revoke_rule("main", revoked.id, "{}")
        for now, met in ((NOON - 1, [short, lasting]), (NOON, [lasting]), (NOON + 9, [])):
            view = await store.policy("main", thread_id="t1", project=None, now_ms=now)
            assert view.rules == met

    async def test_the_last_written_settings_of_a_tenant_and_a_thread_apply(self, store: Store) -> None:
        await store.write(
            SideEffects(
                policies=(policy('{"n":1}'), policy('{"n":2}', thread="t1"), policy('{"n":3}', thread="t2"))
            )
        )
        await store.write(SideEffects(policies=(policy('{"n":4}'), policy('{"n":5}', thread="t2"))))
        for thread, own in (("t1", '{"n":2}'), ("t2", '{"n":5}'), ("t3", None), ("", None)):
            view = await store.policy("main", thread_id=thread, project=None, now_ms=NOON)
            assert view == PolicyView('{"n":4}', own, [])

    async def test_concurrent_settings_are_merged_and_null_removes_one(self, store: Store) -> None:
        await store.write(SideEffects(policies=(policy('{"a":1,"b":null,"c":{"d":1,"e":2}}'),)))
        await asyncio.gather(
            *(store.write(SideEffects(policies=(policy(f'{{"n{n}":1}}'),))) for n in range(20))
        )
        await store.write(SideEffects(policies=(policy('{"a":null,"c":{"e":null,"f":3}}'),)))
        view = await store.policy("main", thread_id="", project=None, now_ms=NOON)
        assert view.tenant is not None
        assert json.loads(view.tenant) == {"c": {"d": 1, "f": 3}} | {f"n{n}": 1 for n in range(20)}

    async def test_rules_and_settings_are_read_in_one_snapshot(self, store: Store) -> None:
        async def write() -> None:
            for n in range(1, 40):
                written = f'{{"n":{n}}}'
                own_side_effects = SideEffects((rule(n),), (policy(written), policy(written, thread="t1")))
                await store.write(own_side_effects)

        async def read() -> None:
            snapshot_count = 0
            while snapshot_count < 39:
                view = await store.policy("main", thread_id="t1", project=None, now_ms=NOON)
                snapshot_count = len(view.rules)
                known = f'{{"n":{snapshot_count}}}' if snapshot_count else None
                assert (view.tenant, view.thread) == (known, known)
                await (
                    anyio.lowlevel.checkpoint()
                )  # a store may read without a pause, and the writer needs its turn

        await asyncio.gather(write(), *(read() for _ in range(4)))

    async def test_a_call_is_decided_by_the_last_change_of_rules_settings_and_roots(
        self, store: Store
    ) -> None:
        async def view() -> PolicyView:
            return await store.policy("main", thread_id="t1", project=None, now_ms=NOON, agent=agent(1).id)

        assert await view() == PolicyView(None, None, [])
        await store.write(SideEffects((rule(1),)))
        assert await view() == PolicyView(None, None, [rule(1)])
        first = record(1)
        await store.insert(first, request_created(first), None, SideEffects((rule(2),)))
        assert (await view()).rules == [rule(1), rule(2)]
        await store.settle(answer(first), None, SideEffects((rule(3, scope="thread", subject="t1"),)))
        assert len((await view()).rules) == 3
        await store.revoke_rule("main", rule_id(1), "{}")
        assert len((await view()).rules) == 2
        await store.write(SideEffects(policies=(policy('{"n":1}'), policy('{"n":2}', thread="t1"))))
        assert ((await view()).tenant, (await view()).thread) == ('{"n":1}', '{"n":2}')
        await store.add_agent(agent(1))
        assert (await view()).roots == ()
        await store.set_roots("main", agent(1).id, (root("/a"),), before=())
        assert (await view()).roots == ("/a",)
        await store.erase_thread(EventDraft(THREAD_ERASED, "main", "t1", NOON, None, "{}", ""))
        assert await view() == PolicyView('{"n":1}', None, [rule(2)], ("/a",))

    # Ends

    async def test_one_of_20_concurrent_revocations_of_a_rule_succeeds(self, store: Store) -> None:
        await store.write(SideEffects((rule(1),)))
        reply = await asyncio.gather(*(store.revoke_rule("main", rule_id(1), f"{n}") for n in range(20)))
        [winner] = [n for n, revoked in enumerate(reply) if revoked]
        assert await store.rule("main", rule_id(1)) == replace(rule(1), revoked=True, wire=f"{winner}")
        assert not await store.revoke_rule("main", rule_id(2), "{}")

    async def test_the_id_of_a_rule_is_never_free_again(self, store: Store) -> None:
        await store.write(SideEffects((rule(1),)))
        await store.revoke_rule("main", rule_id(1), "ended")
        for taken in (
            SideEffects((rule(2), rule(1)), (policy("{}"),), (entry("a"),)),
            SideEffects((rule(3), rule(3))),
        ):
            with pytest.raises(IdTaken):
                await store.write(taken)
        stored_rules = await store.rules("main", ended=True, now_ms=NOON)
        assert stored_rules == [replace(rule(1), revoked=True, wire="ended")]
        view = await store.policy("main", thread_id="t1", project=None, now_ms=NOON)
        assert (view.tenant, await store.audit("main")) == (None, [])

    # Uses

    async def test_uses_of_a_rule_are_counted_in_the_transaction_of_their_change(self, store: Store) -> None:
        row, other = record(1), record(2, thread="t2")
        await store.insert(row, request_created(row), None, SideEffects(uses=(use(1), use(1), use(2))))
        await asyncio.gather(*(store.write(SideEffects(uses=(use(1), use(2)))) for _ in range(20)))
        await store.insert(
            other, request_created(other), None, SideEffects(uses=(use(1, time=NOON + 9, about=2),))
        )
        await store.settle(answer(record(3)), None, SideEffects(uses=(use(1),)))
        assert await store.rule_usage("main", [rule_id(1), rule_id(2), rule_id(3)]) == {
            rule_id(1): RuleUsage(23, NOON + 9, other.id, "t2", None),
            rule_id(2): RuleUsage(21, NOON, row.id, "t1", None),
        }
        assert await store.rule_usage("acme", [rule_id(1)]) == {}
        assert await store.rule_usage("main", []) == {}

    async def test_the_uses_of_a_rule_are_hidden_and_erased_with_their_thread(self, store: Store) -> None:
        row, thread_rule = record(1), rule(1, scope="thread", subject="t1")
        await store.insert(
            row, request_created(row), None, SideEffects((thread_rule,), uses=(use(1), use(2)))
        )
        single_access_list = AccessList("ada", others=AccessLevel.NONE)
        await store.set_access(
            single_access_list, shared(single_access_list), before=await store.access("main", "t1")
        )
        other_rule_usage, nobodys = (
            RuleUsage(1, NOON, row.id, "t1", None),
            RuleUsage(1, NOON, None, None, None),
        )
        assert await store.rule_usage("main", [rule_id(2)], person="ada") == {rule_id(2): other_rule_usage}
        assert await store.rule_usage("main", [rule_id(2)], person="bob") == {rule_id(2): nobodys}
        await store.erase_thread(EventDraft(THREAD_ERASED, "main", "t1", NOON, None, "{}", ""))
        assert await store.rule_usage("main", [rule_id(1), rule_id(2)]) == {rule_id(2): nobodys}

    # Lists

    async def test_rules_are_listed_newest_first_in_pages(self, store: Store) -> None:
        rules = [rule(n) for n in range(1, 8)]
        await store.write(SideEffects((*rules[4:], *rules[:4])))
        newest = rules[::-1]
        assert await store.rules("main", now_ms=NOON, limit=3) == newest[:3]
        assert await store.rules("main", now_ms=NOON, limit=3, before=newest[2].id) == newest[3:6]
        assert await store.rules("main", now_ms=NOON, before=newest[6].id) == []

    async def test_rules_are_found_by_any_mix_of_filters(self, store: Store) -> None:
        subjects = (("always", ""), ("thread", "a"), ("project", "a"), ("thread", "b"))
        rules = [
            rule(n, scope=scope, subject=subject, expires_at=NOON + n % 3 - 1 if n % 2 else None)
            for n in range(24)
            for scope, subject in [subjects[n % 4]]
        ]
        await store.write(SideEffects(tuple(rules)))
        for n in range(0, 24, 5):
            rules[n] = replace(rules[n], revoked=True, wire="{}")
            await store.revoke_rule("main", rules[n].id, "{}")
        for thread in (None, "a", "none"):
            for project in (None, "a"):
                scopes = {("thread", thread), ("project", project)}
                for ended in (False, True):
                    result = await store.rules(
                        "main",
                        thread_id=thread,
                        project=project,
                        ended=ended,
                        now_ms=NOON,
                        before=rule_id(20),
                    )
                    assert result == [
                        r
                        for r in reversed(rules[:20])
                        if (thread is project is None or (r.scope, r.subject) in scopes)
                        and (ended or not (r.revoked or (r.expires_at or NOON + 1) <= NOON))
                    ]

    # 8

    async def test_c8_nothing_of_another_tenants_policy_is_seen_or_changed(self, store: Store) -> None:
        await store.write(effects(1))
        assert await store.rule("acme", rule_id(1)) is None
        assert await store.rules("acme", ended=True, now_ms=NOON) == []
        assert not await store.revoke_rule("acme", rule_id(1), "{}")
        view = await store.policy("acme", thread_id="t1", project=None, now_ms=NOON)
        assert view == PolicyView(None, None, [])
        await store.write(effects(1, tenant="acme"))
        await store.revoke_rule("acme", rule_id(1), "{}")
        assert await store.rule("main", rule_id(1)) == rule(1)
