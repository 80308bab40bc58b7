"""Contracts 21 to 25: the archive, exclusive keys, quotas, held messages, erasure."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from askback.domain.access import UNSHARED, AccessList
from askback.domain.events import (
    MESSAGE_HELD,
    REQUEST_CREATED,
    REQUEST_QUEUED,
    THREAD_ARCHIVED,
    EventDraft,
)
from askback.domain.lifecycle import Status
from askback.domain.record import Record
from askback.ports.outcome import Outcome
from askback.ports.policy import Execution, PolicyRecord, SideEffects
from askback.ports.resumes import Resume
from askback.ports.secrets import SecretLocation
from askback.ports.store import KeyHeld, Settlement, Store
from askback.ports.threads import Quota, QuotaExceeded, ThreadArchived, ThreadConfig, ThreadUse
from tests.contracts.samples import (
    NOON,
    answer,
    claim,
    delta,
    entry,
    grant,
    message,
    message_added,
    record,
    request_created,
    rule,
    secret,
    shared,
)
from tests.contracts.suite import StoreSuite

DAY = 24 * 3600 * 1000


def exclusive_request(n: int, key: str = "k", *, behind: bool = False, thread: str = "t1") -> Record:
    """Make a request with an exclusive key."""
    return replace(record(n, thread=thread), exclusive=key, queued_behind=behind)


def forward(row: Record) -> Settlement:
    """Make the step of a request that leaves its queue."""
    pending = frozenset({Status.PENDING})
    event = EventDraft(
        REQUEST_CREATED, row.tenant, row.thread_id, NOON, row.id, row.state.text, row.requester
    )
    return Settlement(
        row.tenant,
        row.id,
        pending,
        1,
        Status.PENDING,
        row.state,
        event,
        state_before=row.state,
        leave_queue=True,
    )


def thread_event(kind: str, *, tenant: str = "main", thread: str = "t1", time: int = NOON) -> EventDraft:
    """Make an event of a thread as a whole."""
    return EventDraft(kind, tenant, thread, time, None, "null")


async def store_request(store: Store, row: Record, quota: Quota | None = None) -> None:
    """Store a request."""
    kind = REQUEST_QUEUED if row.queued_behind else REQUEST_CREATED
    await store.insert(row, replace(request_created(row), type=kind), quota=quota)


class ThreadContracts(StoreSuite):
    """Threads as a whole."""

    # 21: the archive

    async def test_c21_archiving_refuses_new_requests_and_ends_open_ones(self, store: Store) -> None:
        row = record(1)
        await store.insert(row, request_created(row), claim())
        await store.add_message("m1", message(), message_added(message()))
        archive = thread_event(THREAD_ARCHIVED)
        assert (
            await store.set_archived(archive, SideEffects(audit=(entry("a"),)), archived_at=NOON)
            is Outcome.APPLIED
        )
        assert (
            await store.set_archived(archive, SideEffects(audit=(entry("b"),)), archived_at=NOON)
            is Outcome.REPLAYED
        )
        assert len(await store.audit("main")) == 1
        other = record(2)
        for refused_change in (
            store.insert(other, request_created(other)),
            store.add_message("m2", message(), message_added(message())),
            store.append_text("m1", "x", delta("m1", "x")),
        ):
            with pytest.raises(ThreadArchived):
                await refused_change
        repeated_insert = await store.insert(other, request_created(other), claim())
        assert (repeated_insert.outcome, repeated_insert.record.id) == (Outcome.REPLAYED, row.id)
        ended = await store.settle(answer(row))
        assert ended is not None
        assert ended.outcome is Outcome.APPLIED
        view = await store.thread("main", "t1")
        assert view is not None
        assert (view.seq, view.archived_at, len(view.messages), len(view.requests)) == (4, NOON, 1, 1)

    async def test_c21_an_archived_thread_is_restored(self, store: Store) -> None:
        assert (
            await store.set_archived(thread_event("thread.unarchived"), archived_at=None) is Outcome.REPLAYED
        )
        assert await store.thread("main", "t1") is None
        await store.set_archived(thread_event(THREAD_ARCHIVED), archived_at=NOON)
        assert (
            await store.set_archived(thread_event("thread.unarchived"), archived_at=None) is Outcome.APPLIED
        )
        await store_request(store, record(1))
        events = [event.type for event in await store.thread_events("main", "t1", after=0)]
        assert events == ["thread.archived", "thread.unarchived", "request.created"]

    async def test_c21_a_thread_is_archiving_until_no_request_is_open(self, store: Store) -> None:
        row = record(1)
        await store_request(store, row)
        for thread, time in (("t1", NOON), ("t2", NOON - 1), ("t3", NOON + 1), ("t4", NOON - 2)):
            await store.set_archived(thread_event(THREAD_ARCHIVED, thread=thread), archived_at=time)
        await store.set_archived(thread_event("thread.unarchived", thread="t4"), archived_at=None)
        for thread in ("t2", "t9"):
            await store.end_archiving("other", thread)
        assert await store.archiving(before_ms=NOON + 1) == [("main", "t2"), ("main", "t1")]
        assert await store.archiving(before_ms=NOON + 1, limit=1) == [("main", "t2")]
        for thread in ("t1", "t2"):
            await store.end_archiving("main", thread)
        assert await store.archiving(before_ms=NOON + 1) == [("main", "t1")]
        await store.settle(answer(row))
        assert await store.archiving(before_ms=NOON + 1) == [("main", "t1")]
        await store.end_archiving("main", "t1")
        assert await store.archiving(before_ms=NOON + 2) == [("main", "t3")]

    # 22: exclusive keys

    async def test_c22_of_many_with_the_same_key_one_is_stored(self, store: Store) -> None:
        rows = [exclusive_request(n) for n in range(20)]
        reply = await asyncio.gather(*(store_request(store, row) for row in rows), return_exceptions=True)
        key_conflicts = [item for item in reply if isinstance(item, KeyHeld)]
        assert len(key_conflicts) == 19
        (holder,) = await store.list_requests("main", thread_id="t1")
        assert {item.record for item in key_conflicts} == {holder}
        assert [event.seq for event in await store.thread_events("main", "t1", after=0)] == [1]
        await store_request(store, exclusive_request(30, "other"))
        await store_request(store, exclusive_request(31, thread="t2"))
        await store_request(store, replace(exclusive_request(32), requester="tok_2"))
        await store.settle(answer(holder))
        await store_request(store, exclusive_request(33))

    async def test_c22_queued_requests_are_promoted_one_at_a_time(self, store: Store) -> None:
        first_record, second_record, third_record = (
            exclusive_request(1),
            exclusive_request(2, behind=True),
            exclusive_request(3, behind=True),
        )
        for row in (first_record, third_record, second_record):
            await store_request(store, row)
        assert await store.next_in_line() == []
        early = await store.settle(forward(second_record))
        assert early is not None
        assert (early.outcome, early.record.queued_behind) == (Outcome.LOST, True)
        await store.settle(answer(first_record))
        assert await store.next_in_line() == [second_record]
        reply = await store.settle(forward(second_record))
        assert reply is not None
        assert (reply.outcome, reply.record) == (Outcome.APPLIED, replace(second_record, queued_behind=False))
        assert await store.get("main", second_record.id) == reply.record
        assert await store.next_in_line() == []
        with pytest.raises(KeyHeld):
            await store_request(store, exclusive_request(4))
        await store.settle(answer(second_record))
        assert await store.next_in_line() == [third_record]

    # 23: quotas

    async def test_c23_a_thread_takes_as_many_questions_as_there_are_in_a_window(self, store: Store) -> None:
        quota = Quota(3, DAY)
        reply = await asyncio.gather(
            *(store_request(store, record(n), quota) for n in range(10)), return_exceptions=True
        )
        spent = [item for item in reply if isinstance(item, QuotaExceeded)]
        assert len(spent) == 7
        assert {(item.quota, item.maximum) for item in spent} == {("questions", 3)}
        first = min(n for n, item in enumerate(reply) if item is None)
        assert spent[0].retry_at is not None
        assert NOON + first + DAY <= spent[0].retry_at < NOON + DAY + 10
        assert (await store.use("main", "t1")).question_count == 3
        assert (await store.thread_events("main", "t1", after=0))[-1].seq == 3
        await store_request(store, record(20, kind="approval"), quota)
        await store_request(store, record(21, thread="t2"), quota)
        with pytest.raises(QuotaExceeded):
            await store_request(store, record(22), quota)
        await store_request(store, replace(record(23), created_at=spent[0].retry_at), quota)
        use = await store.use("main", "t1")
        assert use == ThreadUse(1, spent[0].retry_at, 5)

    async def test_c23_a_reset_begins_a_new_window(self, store: Store) -> None:
        quota = Quota(1, DAY)
        await store_request(store, record(1), quota)
        await store.reset_use("main", "t1", SideEffects(audit=(entry("reset"),)))
        await store_request(store, record(2), quota)
        assert len(await store.audit("main")) == 1
        assert await store.use("main", "t9") == ThreadUse(0, 0, 0)

    async def test_c23_a_question_can_be_uncounted(self, store: Store) -> None:
        quota = Quota(1, DAY)
        await store_request(store, record(1), quota)
        await store.settle(replace(answer(record(1)), refunds=True))
        assert (await store.use("main", "t1")).question_count == 0
        await store_request(store, record(2), quota)

    async def test_c23_open_requests_never_exceed_the_quota(self, store: Store) -> None:
        await store_request(store, record(1), Quota(None, DAY, pending_in_thread=1))
        with pytest.raises(QuotaExceeded) as exc_info:
            await store_request(store, record(2, kind="approval"), Quota(None, DAY, pending_in_thread=1))
        assert (exc_info.value.quota, exc_info.value.maximum, exc_info.value.retry_at) == (
            "pending_in_thread",
            1,
            None,
        )
        with pytest.raises(QuotaExceeded) as busy:
            await store_request(store, record(3, thread="t2"), Quota(None, DAY, pending_of_requester=1))
        assert busy.value.quota == "pending_of_requester"
        other = replace(record(4, thread="t2"), requester="tok_2")
        await store_request(store, other, Quota(None, DAY, pending_of_requester=1))
        await store.settle(answer(record(1)))
        await store_request(store, record(5), Quota(None, DAY, pending_in_thread=1, pending_of_requester=1))

    async def test_a_thread_returns_its_settings(self, store: Store) -> None:
        assert await store.thread_config("main", "t1") == ThreadConfig(None, None, None)
        policies = (PolicyRecord("main", "", '{"a":1}'), PolicyRecord("main", "t1", '{"a":2}'))
        await store.write(SideEffects(policies=policies))
        assert await store.thread_config("main", "t2") == ThreadConfig('{"a":1}', None, None)
        row = record(1)
        await store_request(store, row)
        await store.settle(replace(answer(row, status=Status.DECLINED), refused=True))
        assert await store.thread_config("main", "t1") == ThreadConfig('{"a":1}', '{"a":2}', NOON + 1)

    # 24: held messages

    async def test_c24_held_messages_are_delivered_once_when_nothing_is_open(self, store: Store) -> None:
        row = record(1)
        await store_request(store, row)
        held_text = message("late").replace("{", '{"held":true,', 1)
        for name in ("m1", "m2"):
            await store.add_message(
                name, held_text, replace(message_added(held_text), type=MESSAGE_HELD), held=True
            )
        await store.add_message("m3", message("meanwhile"), message_added(message("meanwhile")))
        assert await store.deliverable() == []
        assert await store.deliver("main", "t1", at=NOON) == 0
        await store.settle(answer(row))
        assert list(await store.deliverable()) == [("main", "t1")]
        assert await store.deliver("main", "t1", at=NOON) == 2
        assert await store.deliver("main", "t1", at=NOON) == 0
        assert await store.deliverable() == []
        view = await store.thread("main", "t1")
        assert view is not None
        last_seq = view.seq
        assert [(m.seq, m.data) for m in view.messages] == [
            (4, message("meanwhile")), (last_seq - 1, message("late")), (last_seq, message("late")),
        ]  # fmt: skip
        types = [event.type for event in await store.thread_events("main", "t1", after=1)]
        assert types == [
            *["message.held"] * 2, "message.added", "request.answered", *["message.added"] * 2,
        ]  # fmt: skip

    # 25: erasure

    async def test_c25_only_the_tombstone_of_an_erased_thread_remains(self, store: Store) -> None:
        await _fill_thread(store, "t1", 1)
        await _fill_thread(store, "t2", 2)
        before = [await _remaining_rows(store, thread, n) for thread, n in (("t1", 1), ("t2", 2))]
        assert before[0] == before[1]
        assert all(before[0])
        ada = AccessList("ada")
        await store.set_access(ada, shared(ada), before=UNSHARED)
        seq = (await store.thread_events("main", "t1", after=0))[-1].seq
        assert await store.erase_thread(thread_event("thread.erased"), SideEffects(audit=(entry("erased"),)))
        await store.scrub()
        assert not any(await _remaining_rows(store, "t1", 1))
        assert await _remaining_rows(store, "t2", 2) == before[1]
        view = await store.thread("main", "t1")
        assert view is not None
        assert (view.seq, view.access, view.messages, view.requests) == (seq + 1, ada, [], [])
        events = await store.thread_events("main", "t1", after=0)
        assert [(event.seq, event.type) for event in events] == [(seq + 1, "thread.erased")]
        assert len(await store.audit("main")) == 1
        assert not await store.erase_thread(thread_event("thread.erased", thread="t9"))
        assert not await store.erase_thread(thread_event("thread.erased", tenant="acme"))
        row = record(1)
        assert (await store.insert(row, request_created(row), claim("key 1"))).outcome is Outcome.APPLIED

    async def test_an_idle_thread_has_no_open_request_and_no_recent_activity(self, store: Store) -> None:
        for n, thread in enumerate(("t1", "t2", "t3", "t4")):
            await store_request(store, record(n, thread=thread))
            if thread != "t2":
                await store.settle(answer(record(n, thread=thread)))
        await store.erase_thread(thread_event("thread.erased", thread="t3"))
        idle_threads = await store.idle_threads(before_ms=NOON + 10)
        assert [(item.tenant, item.thread_id, item.since) for item in idle_threads] == [
            ("main", "t1", NOON + 1),
            ("main", "t4", NOON + 1),
        ]
        assert await store.idle_threads(before_ms=NOON + 1) == []
        (last_idle_thread,) = await store.idle_threads(before_ms=NOON + 10, after=("main", "t1"))
        assert last_idle_thread.thread_id == "t4"
        assert len(await store.idle_threads(before_ms=NOON + 10, limit=1)) == 1

    async def test_c25_an_idle_thread_that_was_used_meanwhile_is_kept(self, store: Store) -> None:
        for n, thread in enumerate(("t1", "t2", "t3")):
            await store_request(store, record(n, thread=thread))
            await store.settle(answer(record(n, thread=thread)))
        [*_, idle_since] = [item.since for item in await store.idle_threads(before_ms=NOON + 10)]
        await store_request(store, record(10, thread="t1"))
        await store.add_message(
            "m1", message(), replace(message_added(message(), thread="t2"), at=idle_since + 1)
        )
        erased = [
            await store.erase_thread(thread_event("thread.erased", thread=thread), idle_since=idle_since)
            for thread in ("t1", "t2", "t3")
        ]
        assert erased == [False, False, True]
        views = [await store.thread("main", thread) for thread in ("t1", "t2", "t3")]
        assert [view and len(view.requests) for view in views] == [2, 1, 0]


async def _fill_thread(store: Store, thread: str, n: int) -> None:
    """Fill a thread with everything that can belong to one."""
    row = record(n, thread=thread)
    await store.insert(row, request_created(row), claim(f"key {n}"))
    await store.add_message("m1", message(), message_added(message(), thread=thread))
    await store.settle(answer(row))
    await store.consume("main", row.id, Execution(f"exe_{n}", NOON))
    session, of_request = secret(n * 10), secret(n * 10 + 1)
    await store.write(
        SideEffects(
            rules=(replace(rule(n), scope="thread", subject=thread),),
            policies=(PolicyRecord("main", thread, '{"mode":"plan"}'),),
            secrets=(
                replace(session, scope="session", subject=thread),
                replace(of_request, scope="request", subject=row.id),
            ),
            candidates=((row.id, secret(n * 10 + 2)),),
            grants=(replace(grant(session), thread_id=thread),),
            resumes=(Resume(f"rsm_{n}", "main", thread, "tok_1", row.id, NOON),),
        )
    )


async def _remaining_rows(store: Store, thread: str, n: int) -> list[int]:
    """Count the remaining rows of each kind that `_fill_thread` created."""
    row = record(n, thread=thread)
    names = [secret(n * 10 + i).name for i in range(2)]
    places = [SecretLocation("session", thread), SecretLocation("request", row.id)]
    thread_config = await store.thread_config("main", thread)
    return [
        int(await store.get("main", row.id) is not None),
        int(await store.execution("main", row.id) is not None),
        int(await store.rule("main", rule(n).id) is not None),
        int(thread_config.thread_settings is not None),
        len(await store.secrets_at("main", secret(n * 10).owner, places, names)),
        len(await store.candidates("main", row.id)),
        len(await store.granted("main", thread, names, requester=None)),
        int(await store.next_resume("main", "tok_1", thread_id=thread) is not None),
    ]
