"""Contract 1: acknowledged changes are there after the store was closed and opened again."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from askback.domain.audit import verify_chain
from askback.ports.outcome import Outcome
from askback.ports.policy import Execution, SideEffects
from askback.ports.store import Change, ClaimMismatch, Store
from tests.contracts.samples import (
    NOON,
    answer,
    claim,
    delta,
    effects,
    message,
    message_added,
    new_session,
    principal,
    record,
    request_created,
    rule_id,
    secret,
    token,
    vote,
)
from tests.contracts.suite import StoreSuite


class DurableContracts(StoreSuite):
    """For stores that keep their data when they are closed."""

    async def test_c1_a_reopened_store_has_everything_that_was_acknowledged(self, tmp_path: Path) -> None:
        rows = [record(n, expires_at=NOON + n) for n in range(20)]
        async with self.opened(tmp_path) as store:
            await asyncio.gather(*(store.insert(row, request_created(row)) for row in rows))
            await asyncio.gather(*(store.settle(answer(row)) for row in rows[::2]))
            await store.add_message("m1", message(), message_added(message()))
            await store.append_text("m1", "!", delta("m1", "!"))
            await store.put_token("digest", token())
            await store.put_login("used", principal(), expires_at=NOON + 9)
            await store.put_login("free", principal(), expires_at=NOON + 9)
            await store.open_session("used", "session", new_session())
            before = (
                await store.list_requests("main"),
                await store.thread("main", "t1"),
                await store.tenant_events("main", after=0),
                await store.next_deadline(),
                await store.token("digest"),
                await store.session("session", now_ms=NOON),
            )
        async with self.opened(tmp_path) as store:
            reopened_state = (
                await store.list_requests("main"),
                await store.thread("main", "t1"),
                await store.tenant_events("main", after=0),
                await store.next_deadline(),
                await store.token("digest"),
                await store.session("session", now_ms=NOON),
            )
            assert reopened_state == before
            repeated_changes = [
                await store.open_session(code, f"by {code}", new_session(f"ses_{code}"))
                for code in ("used", "free")
            ]
            assert [session is not None for session in repeated_changes] == [False, True]

    async def test_c1_numbering_continues_after_reopening(self, tmp_path: Path) -> None:
        for n in range(1, 4):
            async with self.opened(tmp_path) as store:
                await store.insert(record(n), request_created(record(n)))
                events = await store.thread_events("main", "t1", after=0)
                assert [event.seq for event in events] == list(range(1, n + 1))
                assert [e.position for e in events] == sorted({e.position for e in events})

    async def test_c4_keys_are_remembered_after_a_reopen(self, tmp_path: Path) -> None:
        row, step = record(1), answer(record(1))
        async with self.opened(tmp_path) as store:
            await store.insert(row, request_created(row), claim())
            change = await store.settle(step, claim(scope="answer"))
            assert change is not None
        async with self.opened(tmp_path) as store:
            replayed_change = Change(change.record, Outcome.REPLAYED)
            assert await store.insert(record(2), request_created(record(2)), claim()) == replayed_change
            assert await store.settle(step, claim(scope="answer")) == replayed_change
            with pytest.raises(ClaimMismatch):
                await store.insert(record(2), request_created(record(2)), claim(digest="d2"))

    async def test_c1_policy_executions_secrets_and_the_audit_log_outlast_a_reopen(
        self, tmp_path: Path
    ) -> None:
        async def read_all(store: Store) -> tuple[object, ...]:
            return (
                await store.policy("main", thread_id="t1", project=None, now_ms=NOON),
                await store.rules("main", ended=True, now_ms=NOON),
                await store.refusals("main", "t1", "tok_1", "same", since_ms=0),
                await store.consume("main", row.id, Execution("exe_1", NOON)),
                await store.audit("main"),
                await store.audit_head("main"),
                await store.secrets("main"),
                await store.candidates("main", row.id),
                await store.granted("main", "t1", ["KEY_2"], requester=None),
            )

        row = record(1, digest="d1")
        async with self.opened(tmp_path) as store:
            await store.insert(row, request_created(row), None, effects(1))
            await store.settle(vote(row, "ada"), None, effects(2))
            await store.settle(answer(row), None, effects(3))
            await store.consume("main", row.id, Execution("exe_1", NOON), effects(4))
            await store.report("main", row.id, "exe_1", outcome="failed", note="exit 1", effects=effects(5))
            await store.revoke_rule("main", rule_id(1), "{}", effects(6))
            await store.write(SideEffects(candidates=((row.id, secret(9)),)))
            before = await read_all(store)
        async with self.opened(tmp_path) as store:
            assert await read_all(store) == before
            await store.write(effects(7))
            log = await store.audit("main")
            assert len(log) == 7
            assert verify_chain(log, head=await store.audit_head("main")) == await store.audit_head("main")
