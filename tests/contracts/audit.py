"""Contracts 11 and 12: the side effects of a change, and the chain of the audit log."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from askback.domain.audit import GENESIS, SealStatus, verify_chain
from askback.errors import Unavailable
from askback.ports.audit import AuditHead
from askback.ports.outcome import Outcome
from askback.ports.policy import AuditDraft, Execution, SideEffects
from askback.ports.store import IdTaken, Store
from tests.contracts.samples import (
    NOON,
    answer,
    claim,
    effects,
    entry,
    record,
    request_created,
    rule,
    rule_id,
    secret,
    secret_id,
)
from tests.contracts.suite import StoreSuite


async def written(store: Store, tenant: str = "main") -> list[str]:
    """Return the subjects of the entries of a valid chain, and check the side effects of each."""
    entries = await store.audit(tenant, limit=1_000)
    assert verify_chain(entries, head=await store.audit_head(tenant)) == await store.audit_head(tenant)
    return [json.loads(text)["tool"] for text in entries]


class Stamp:
    """A `HeadSeals` with readable seals: the tenant and the sealed entry."""

    key_id = "stamp"

    def seal(self, head: AuditHead, *, unsealed: int = 0) -> str:
        """Return the seal of an entry."""
        return f"{head.tenant} {head.seq} {head.hash} {unsealed}"

    def follow(self, before: AuditHead, after: AuditHead) -> str | None:
        """Seal the entry if the one before was sealed."""
        intact = self.judge(before, sealed=before.hash) is SealStatus.SEALED
        return self.seal(after) if intact or before == AuditHead(before.tenant, 0, GENESIS) else before.seal

    def judge(self, head: AuditHead, *, sealed: str | None) -> SealStatus:  # noqa: ARG002 - a stamp is for one entry
        """Compare."""
        return SealStatus.SEALED if head.seal == self.seal(head) else SealStatus.WRONG


class AuditContracts(StoreSuite):
    """Side effects are atomic; each tenant has one chain."""

    # 11

    async def test_c11_side_effects_are_written_with_each_kind_of_change(self, store: Store) -> None:
        row = record(1)
        await store.write(effects(1))
        await store.insert(row, request_created(row), claim(), effects(2))
        await store.settle(answer(row), claim(scope="answer"), effects(3))
        await store.revoke_rule("main", rule_id(1), "{}", effects(4))
        await store.consume("main", row.id, Execution("exe_1", NOON), effects(5))
        await store.report("main", row.id, "exe_1", outcome="failed", note=None, effects=effects(6))
        await store.drop_secret("main", secret_id(1), effects(7))
        assert await written(store) == ["1", "2", "3", "4", "5", "6", "7"]
        view = await store.policy("main", thread_id="t1", project=None, now_ms=NOON)
        assert (view.tenant, view.rules) == ('{"n":7}', [rule(n) for n in range(2, 8)])
        assert await store.secrets("main") == [secret(n) for n in range(7, 1, -1)]
        assert len(await store.granted("main", "t1", [f"KEY_{n}" for n in range(9)], requester=None)) == 7

    async def test_c11_a_lost_or_replayed_change_has_no_side_effects(self, store: Store) -> None:
        row, used_execution, ended_side_effects = record(1), Execution("exe_1", NOON), SideEffects((rule(0),))
        await store.insert(row, request_created(row), claim())
        await store.settle(answer(row), claim(scope="answer"))
        await store.consume("main", row.id, used_execution)
        await store.report("main", row.id, used_execution.id, outcome="failed", note=None)
        await store.write(ended_side_effects)
        await store.revoke_rule("main", rule_id(0), "{}")

        await store.insert(record(2), request_created(record(2)), claim(), effects(1))
        await store.settle(answer(row), claim(scope="answer"), effects(2))
        await store.settle(answer(row), None, effects(3))
        await store.settle(answer(record(9)), None, effects(4))
        await store.revoke_rule("main", rule_id(0), "{}", effects(5))
        await store.consume("main", row.id, used_execution, effects(6))
        await store.consume("main", row.id, Execution("exe_2", NOON), effects(7))
        for n, (execution, outcome) in enumerate(
            (("exe_1", "failed"), ("exe_1", "succeeded"), ("exe_2", "failed"))
        ):
            await store.report("main", row.id, execution, outcome=outcome, note=None, effects=effects(8 + n))
        await store.drop_secret("main", secret_id(99), effects(11))
        assert await written(store) == []
        assert [r.id for r in await store.rules("main", ended=True, now_ms=NOON)] == [rule_id(0)]
        view = await store.policy("main", thread_id="t1", project=None, now_ms=NOON)
        assert (view.tenant, view.rules) == (None, [])
        assert await store.secrets("main") == []
        assert await store.granted("main", "t1", [f"KEY_{n}" for n in range(12)], requester=None) == []

    async def test_c11_a_change_is_rolled_back_if_a_side_effect_fails(self, store: Store) -> None:
        row = record(1)
        await store.insert(row, request_created(row))
        await store.write(SideEffects((rule(1),)))
        taken = effects(1)
        results = await asyncio.gather(
            store.insert(record(2), request_created(record(2)), claim(), taken),
            store.settle(answer(row), claim(scope="answer"), taken),
            store.revoke_rule("main", rule_id(1), "{}", taken),
            store.consume("main", row.id, Execution("exe_1", NOON), taken),
            store.write(effects(2)),
            return_exceptions=True,
        )
        assert [type(error) for error in results] == [IdTaken] * 4 + [type(None)]
        assert await store.list_requests("main") == [row]
        assert len(await store.thread_events("main", "t1", after=0)) == 1
        assert await store.rule("main", rule_id(1)) == rule(1)
        assert await store.secrets("main") == [secret(2)]
        assert await written(store) == ["2"]
        for changes in (
            await store.settle(answer(row), claim(scope="answer")),
            await store.insert(record(2), request_created(record(2)), claim()),
        ):
            assert changes is not None
            assert changes.outcome is Outcome.APPLIED
        used_execution = await store.consume("main", row.id, Execution("exe_2", NOON))
        assert used_execution == (Execution("exe_2", NOON), Outcome.APPLIED)

    @pytest.mark.usefixtures("impatient")
    async def test_c11_policy_is_readable_while_the_store_cannot_write(
        self, store: Store, tmp_path: Path
    ) -> None:
        row = record(1)
        await store.insert(row, request_created(row), None, effects(1))
        with self.outage(store, tmp_path):
            results = await asyncio.gather(
                store.write(effects(2)),
                store.settle(answer(row), None, effects(3)),
                store.revoke_rule("main", rule_id(1), "{}", effects(4)),
                store.consume("main", row.id, Execution("exe_1", NOON), effects(5)),
                store.report("main", row.id, "exe_1", outcome="failed", note=None, effects=effects(6)),
                return_exceptions=True,
            )
            assert [type(error) for error in results] == [Unavailable] * 5
            view = await store.policy("main", thread_id="t1", project=None, now_ms=NOON)
            assert view.rules == [rule(1)]
            assert await store.rule("main", rule_id(1)) == rule(1)
        await store.write(effects(2))
        assert await written(store) == ["1", "2"]

    # 12

    async def test_c12_the_chain_has_no_gap_under_50_concurrent_writers(self, store: Store) -> None:
        async def write(n: int, tenant: str) -> None:
            row = record(n, tenant=tenant, thread=f"t{n % 3}")
            entries = tuple(entry(f"{n} {step}", tenant=tenant) for step in ("asked", "allowed", "decided"))
            await store.insert(row, request_created(row), None, SideEffects(audit=entries[:2]))
            await store.settle(answer(row), None, SideEffects(audit=entries[2:]))

        await asyncio.gather(*(write(n, tenant) for n in range(25) for tenant in ("main", "acme")))
        for tenant in ("main", "acme"):
            written_entries = await written(store, tenant)
            steps = [[f"{n} {step}" for step in ("asked", "allowed", "decided")] for n in range(25)]
            assert sorted(written_entries) == sorted(chain(*steps))
            for ask_entry, allowed, decided in steps:
                assert (
                    written_entries.index(allowed)
                    == written_entries.index(ask_entry) + 1
                    < written_entries.index(decided)
                )

    async def test_c12_concurrent_entries_keep_their_order_in_the_chain_of_each_tenant(
        self, store: Store
    ) -> None:
        tenants = ("main", "acme", "main", "main", "acme")
        await store.write(
            SideEffects(audit=tuple(entry(f"{n}", tenant=tenant) for n, tenant in enumerate(tenants)))
        )
        assert await written(store) == ["0", "2", "3"]
        assert await written(store, "acme") == ["1", "4"]

    async def test_c12_the_log_is_read_in_pages_and_ends_at_its_head(self, store: Store) -> None:
        assert (await store.audit_head("main"), await store.audit("main")) == ((0, GENESIS), [])
        for n in range(7):
            await store.write(SideEffects(audit=(entry(f"Nº {n} 🙂"),)))
        all_entries = await store.audit("main")
        assert [json.loads(text)["tool"] for text in all_entries] == [f"Nº {n} 🙂" for n in range(7)]
        assert await store.audit_head("main") == (7, json.loads(all_entries[-1])["hash"])
        assert await store.audit("main", limit=3) == all_entries[:3]
        assert await store.audit("main", after=3, limit=3) == all_entries[3:6]
        assert await store.audit("main", after=7) == []
        assert verify_chain(
            all_entries[3:], after=(3, json.loads(all_entries[2])["hash"])
        ) == await store.audit_head("main")

    async def test_c12_an_entry_that_cannot_be_sealed_fails_its_own_change_only(self, store: Store) -> None:
        row = record(1)
        await store.insert(row, request_created(row))
        outcomes = await asyncio.gather(
            store.write(effects(1)),
            store.settle(
                answer(row),
                None,
                SideEffects((rule(2),), audit=(entry("lost"), AuditDraft("main", "no JSON"))),
            ),
            store.write(SideEffects(audit=(AuditDraft("main", '{"at": 9007199254740993}'),))),
            store.write(effects(3)),
            return_exceptions=True,
        )
        assert [isinstance(outcome, ValueError) for outcome in outcomes] == [False, True, True, False]
        assert sorted(await written(store)) == ["1", "3"]  # whichever was first
        assert await store.get("main", row.id) == row
        assert await store.rule("main", rule_id(2)) is None

    async def test_c12_the_newest_entry_is_sealed_with_the_change_that_wrote_it(self, store: Store) -> None:
        stamp, row = Stamp(), record(1)
        await store.write(effects(1))
        store.seal_with(stamp)
        acme = tuple(entry(f"{n}", tenant="acme") for n in range(3))
        await store.insert(row, request_created(row), None, SideEffects(audit=acme))
        await asyncio.gather(*(store.write(effects(n, tenant="acme")) for n in range(2, 9)))
        await store.write(effects(9))
        acme_head, main_head = await store.audit_heads()
        assert (acme_head.tenant, acme_head.seq, acme_head.seal) == ("acme", 10, stamp.seal(acme_head))
        # An unsealed log stays unsealed until somebody seals it.
        assert (main_head.tenant, main_head.seq, main_head.seal) == ("main", 2, None)
        with pytest.raises(ValueError, match="line 1"):
            await store.write(SideEffects(audit=(AuditDraft("acme", "no JSON"),)))
        assert await store.audit_heads(tenant="acme") == [acme_head]
        assert await store.audit_heads(after="acme", limit=1) == [main_head]
        assert await store.audit_heads(tenant="other") == []

    async def test_c12_a_seal_is_replaced_only_where_the_log_is_still_as_it_was(self, store: Store) -> None:
        stamp = Stamp()
        store.seal_with(stamp)
        await store.write(effects(1))
        [audit_head_before] = await store.audit_heads()
        assert await store.put_seal(audit_head_before, "forged")
        assert not await store.put_seal(audit_head_before, "late")
        await store.write(effects(2))
        [kept_audit_head] = await store.audit_heads()
        assert (kept_audit_head.seq, kept_audit_head.seal) == (2, "forged")
        assert not await store.put_seal(replace(kept_audit_head, seq=1), "late")
        assert await store.put_seal(kept_audit_head, stamp.seal(kept_audit_head))
        await store.write(effects(3))
        [mended_head] = await store.audit_heads()
        assert (mended_head.seq, mended_head.seal) == (3, stamp.seal(mended_head))

    async def test_entries_are_found_by_their_request_and_thread_newest_first(self, store: Store) -> None:
        drafts = tuple(
            replace(entry(f"{n}"), request_id=f"req_{n % 2}", thread_id=None if n % 3 else "t1")
            for n in range(6)
        )
        await store.write(SideEffects(audit=(*drafts, entry("other", tenant="acme"))))

        async def found(**filters: Any) -> list[tuple[int, str]]:
            page = await store.latest_audit("main", **filters)
            return [(seq, json.loads(text)["tool"]) for seq, text in page]

        assert await found(limit=2) == [(6, "5"), (5, "4")]
        assert await found(limit=2, before=5) == [(4, "3"), (3, "2")]
        assert await found(request_id="req_1") == [(6, "5"), (4, "3"), (2, "1")]
        assert await found(thread_id="t1") == [(4, "3"), (1, "0")]
        assert await found(thread_id="t1", request_id="req_0", before=4) == [(1, "0")]
        assert await found(thread_id="t2") == []
