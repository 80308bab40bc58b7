"""Contracts 2, 7 and 8: the results of reads, and their tenants."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

import asyncio
import json

import pytest

from askback.domain.events import (
    MESSAGE_DELTA,
    MESSAGE_UPDATED,
    THREAD_ARCHIVED,
    EventDraft,
    committed_event,
)
from askback.domain.lifecycle import Status
from askback.domain.transcript import UnknownToolCall, append_parts, update_tool_call
from askback.ports.outcome import Outcome
from askback.ports.store import IdTaken, MessageFull, MessageMissing, Store, ThreadView
from askback.ports.threads import ThreadArchived
from tests.contracts.samples import (
    NOON,
    answer,
    claim,
    delta,
    message,
    message_added,
    message_updated,
    record,
    request_created,
    request_id,
)
from tests.contracts.suite import StoreSuite


class ReadContracts(StoreSuite):
    """Events, requests, threads, deadlines; freshness; tenants."""

    async def test_c2_replayed_events_are_composed_from_the_written_rows(self, store: Store) -> None:
        row, step = record(1, thread='t "1"\n'), answer(record(1, thread='t "1"\n'))
        data, further_event_draft = message("Hé"), delta("m1", " 🙂", thread=row.thread_id)
        await store.insert(row, request_created(row))
        await store.add_message("m1", data, message_added(data, thread=row.thread_id))
        await store.append_text("m1", " 🙂", further_event_draft)
        await store.settle(step)
        drafts = [
            (request_created(row), row.spec),
            (message_added(data, thread=row.thread_id), None),
            (further_event_draft, None),
            (step.event, row.spec),
        ]
        assert list(await store.thread_events("main", row.thread_id, after=0)) == [
            committed_event(draft, seq=n, position=n, spec=spec) for n, (draft, spec) in enumerate(drafts, 1)
        ]

    async def test_events_come_in_pages_after_a_cursor(self, store: Store) -> None:
        for n in range(1, 8):
            await store.insert(record(n, thread=f"t{n % 2}"), request_created(record(n, thread=f"t{n % 2}")))
        all_events = list(await store.tenant_events("main", after=0))
        assert [e.request_id for e in all_events] == [request_id(n) for n in range(1, 8)]
        middle = all_events[2].position
        assert list(await store.tenant_events("main", after=middle, limit=2)) == all_events[3:5]
        assert await store.last_position("main") == all_events[-1].position
        assert [event.seq for event in await store.thread_events("main", "t1", after=1, limit=2)] == [2, 3]
        assert await store.thread_events("main", "t1", after=4) == []
        assert await store.last_position("acme") == 0

    # Requests

    async def test_requests_are_listed_newest_first_in_pages(self, store: Store) -> None:
        rows = [record(n) for n in range(1, 8)]
        await asyncio.gather(*(store.insert(row, request_created(row)) for row in rows))
        newest = rows[::-1]
        assert await store.list_requests("main", limit=3) == newest[:3]
        assert await store.list_requests("main", limit=3, before=newest[2].id) == newest[3:6]
        assert await store.list_requests("main", limit=3, before=newest[5].id) == newest[6:]
        assert await store.list_requests("main", before=newest[6].id) == []

    async def test_requests_are_found_by_any_mix_of_filters(self, store: Store) -> None:
        kinds, owners = ("form", "secret"), ("tok_1", "tok_2", "tok_3")
        rows = [
            record(n, thread=f"t{n % 2}", kind=kinds[n % 4 // 2], requester=owners[n % 3]) for n in range(24)
        ]
        for row in rows:
            await store.insert(row, request_created(row))
        settled = {row.id: await store.settle(answer(row)) for row in rows[:12]}
        now = [change.record if (change := settled.get(row.id)) else row for row in rows]
        for thread in (None, "t1", "none"):
            for statuses in (None, frozenset[Status](), frozenset({Status.PENDING}), frozenset(Status)):
                for kind in (None, "secret"):
                    for requester in (None, "tok_2"):
                        result = await store.list_requests(
                            "main",
                            thread_id=thread,
                            statuses=statuses,
                            kind=kind,
                            requester=requester,
                            before=now[20].id,
                        )
                        assert result == [
                            r
                            for r in reversed(now[:20])
                            if thread in (None, r.thread_id)
                            and (statuses is None or r.status in statuses)
                            and kind in (None, r.kind)
                            and requester in (None, r.requester)
                        ]

    async def test_open_requests_of_all_tenants_come_in_pages(self, store: Store) -> None:
        ended, first, other, last = record(1), record(2), record(3, tenant="acme"), record(4, thread="t2")
        for row in (last, ended, other, first):
            await store.insert(row, request_created(row))
        await store.settle(answer(ended))
        assert await store.open_requests() == [other, first, last]
        assert await store.open_requests(limit=2) == [other, first]
        assert await store.open_requests(after=first) == [last]

    async def test_deadlines_of_open_requests_come_earliest_first(self, store: Store) -> None:
        assert await store.next_deadline() is None
        late_request, soon, never = record(1, expires_at=NOON + 9), record(2, expires_at=NOON + 5), record(3)
        other, ended_request = record(4, tenant="acme", expires_at=NOON + 7), record(5, expires_at=NOON + 1)
        for row in (late_request, soon, never, other, ended_request):
            await store.insert(row, request_created(row))
        await store.settle(answer(ended_request))
        assert await store.next_deadline() == NOON + 5
        assert await store.due(NOON + 4, limit=9) == []
        assert await store.due(NOON + 7, limit=9) == [soon, other]
        assert await store.due(NOON + 99, limit=2) == [soon, other]
        for row in (soon, other, late_request):
            await store.settle(answer(row, status=Status.EXPIRED, revision=None))
        assert await store.next_deadline() is None

    # Threads

    async def test_a_thread_is_read_with_its_messages_requests_and_cursor(self, store: Store) -> None:
        row = record(1)
        await store.add_message("m1", message("a"), message_added(message("a")))
        await store.insert(row, request_created(row))
        await store.add_message("m2", message("b"), message_added(message("b")))
        await store.append_text("m1", "x", delta("m1", "x"))
        await store.append_text("m1", 'y"é', delta("m1", 'y"é'))
        change = await store.settle(answer(row))
        assert change is not None
        view = await store.thread("main", "t1")
        assert view is not None
        assert view.seq == 6
        assert [(m.id, m.seq, json.loads(m.data)) for m in view.messages] == [
            ("m1", 1, json.loads(message('axy"é'))),
            ("m2", 3, json.loads(message("b"))),
        ]
        assert list(view.requests) == [(2, change.record)]

    async def test_a_delta_goes_to_the_end_of_a_message(self, store: Store) -> None:
        tool = {"type": "tool", "tool_call_id": "c1", "name": "bash"}
        mixed = json.dumps({"content": [{"type": "text", "text": "a"}, tool, {"type": "text", "text": "b"}]})
        await store.add_message("m1", mixed, message_added(mixed))
        await store.append_text("m1", "c", delta("m1", "c"))
        bare = json.dumps({"content": [tool]})
        await store.add_message("m2", bare, message_added(bare))
        await store.append_text("m2", "d", delta("m2", "d"))
        view = await store.thread("main", "t1")
        assert view is not None
        assert [json.loads(m.data)["content"] for m in view.messages] == [
            [{"type": "text", "text": "a"}, tool, {"type": "text", "text": "bc"}],
            [tool, {"type": "text", "text": "d"}],
        ]

    async def test_parts_and_tool_calls_change_in_their_message_between_texts(self, store: Store) -> None:
        tool = {"type": "tool", "tool_call_id": "c1", "name": "bash", "status": "calling"}
        await store.add_message("m1", message("a"), message_added(message("a")))
        await store.append_text("m1", "b", delta("m1", "b"))
        for parts, outcome in (([tool], Outcome.APPLIED), ([tool], Outcome.REPLAYED)):
            assert (
                await store.change_message("m1", append_parts(parts), message_updated(), limit=500) is outcome
            )
        await store.append_text("m1", "c\0é", delta("m1", "c\0é"))
        finished_message_change = update_tool_call("c1", {"status": "done", "result": [1, None]})
        for outcome in (Outcome.APPLIED, Outcome.REPLAYED):
            assert (
                await store.change_message("m1", finished_message_change, message_updated(), limit=500)
                is outcome
            )
        await store.append_text("m1", "d", delta("m1", "d"))
        view = await store.thread("main", "t1")
        assert view is not None
        assert [(m.seq, json.loads(m.data)["content"]) for m in view.messages] == [
            (
                1,
                [
                    {"type": "text", "text": "ab"},
                    {**tool, "status": "done", "result": [1, None]},
                    {"type": "text", "text": "c\0éd"},
                ],
            )
        ]
        events = await store.thread_events("main", "t1", after=2)
        assert [(event.seq, event.type, json.loads(event.subject)) for event in events] == [
            (3, MESSAGE_UPDATED, {"id": "m1", "content": [tool]}),
            (4, MESSAGE_DELTA, {"id": "m1", "text": "c\0é"}),
            (
                5,
                MESSAGE_UPDATED,
                {"id": "m1", "tool_call": {"tool_call_id": "c1", "status": "done", "result": [1, None]}},
            ),
            (6, MESSAGE_DELTA, {"id": "m1", "text": "d"}),
        ]

    async def test_a_refused_change_leaves_a_message_unchanged(self, store: Store) -> None:
        await store.add_message("m1", message("a"), message_added(message("a")))
        further_message_change = append_parts([{"type": "text", "text": "b"}])
        for message_id, event, most, error in (
            ("m2", message_updated(), 500, MessageMissing),
            ("m\0", message_updated(), 500, MessageMissing),
            ("m1", message_updated(owner="tok_other"), 500, MessageMissing),
            ("m1", message_updated(thread="t2"), 500, MessageMissing),
            ("m1", message_updated(), 50, MessageFull),
        ):
            with pytest.raises(error):
                await store.change_message(message_id, further_message_change, event, limit=most)
        with pytest.raises(UnknownToolCall):
            await store.change_message(
                "m1", update_tool_call("c1", {"status": "done"}), message_updated(), limit=500
            )
        archive = EventDraft(THREAD_ARCHIVED, "main", "t1", NOON, None, "null")
        await store.set_archived(archive, archived_at=NOON)
        with pytest.raises(ThreadArchived):
            await store.change_message("m1", further_message_change, message_updated(), limit=500)
        view = await store.thread("main", "t1")
        assert view is not None
        assert (view.seq, view.messages[0].data) == (2, message("a"))
        assert await store.thread("main", "t2") is None

    async def test_concurrent_changes_of_a_message_are_all_applied(self, store: Store) -> None:
        await store.add_message("m1", message(""), message_added(message("")))
        calls = [{"type": "tool", "tool_call_id": f"c{n}", "name": "bash"} for n in range(20)]
        await asyncio.gather(
            *(
                store.change_message("m1", append_parts([call]), message_updated(), limit=5_000)
                for call in calls
            ),
            *(store.append_text("m1", "x", delta("m1", "x")) for _ in calls),
        )
        view = await store.thread("main", "t1")
        assert view is not None
        content = json.loads(view.messages[0].data)["content"]
        assert sorted(part["tool_call_id"] for part in content if part["type"] == "tool") == sorted(
            call["tool_call_id"] for call in calls
        )
        assert "".join(part.get("text", "") for part in content) == "x" * len(calls)

    async def test_a_long_thread_shows_the_newest(self, store: Store) -> None:
        for n in range(6):
            await store.add_message(f"m{n}", message(), message_added(message()))
            await store.insert(record(n), request_created(record(n)))
        view = await store.thread("main", "t1", limit=2)
        assert view is not None
        assert ([m.id for m in view.messages], [r.id for _, r in view.requests]) == (
            ["m4", "m5"],
            [request_id(4), request_id(5)],
        )

    async def test_a_message_id_is_taken_within_its_thread_only(self, store: Store) -> None:
        await store.add_message("m1", message(), message_added(message()))
        await store.add_message("m1", message(), message_added(message(), thread="t2"))
        with pytest.raises(IdTaken):
            await store.add_message("m1", message("other"), message_added(message("other")))
        with pytest.raises(MessageMissing):
            await store.append_text("m1", "x", delta("m1", "x", thread="t3"))
        assert await store.thread("main", "t3") is None

    async def test_a_message_is_extended_by_its_owner_only(self, store: Store) -> None:
        await store.add_message("m1", message(), message_added(message(), owner="tok_agent"))
        with pytest.raises(MessageMissing):
            await store.append_text("m1", "forged", delta("m1", "forged", owner="tok_other"))
        view = await store.thread("main", "t1")
        assert view is not None
        assert (view.seq, view.messages[0].data) == (1, message())

    async def test_an_appended_part_of_a_message_has_a_limit_in_bytes(self, store: Store) -> None:
        await store.add_message("m1", message(), message_added(message()))
        await store.append_text("m1", "é\0", delta("m1", "é\0"), limit=5)
        await store.append_text("m1", "é", delta("m1", "é"), limit=5)
        with pytest.raises(MessageFull):
            await store.append_text("m1", "x", delta("m1", "x"), claim(), limit=5)
        with pytest.raises(MessageMissing):
            await store.append_text("m2", "x", delta("m2", "x"), limit=0)
        assert await store.append_text("m1", "x", delta("m1", "x"), claim(), limit=6) is Outcome.APPLIED
        view = await store.thread("main", "t1")
        assert view is not None
        assert (view.seq, json.loads(view.messages[0].data)) == (4, json.loads(message("Helloé\0éx")))

    # 7 and 8

    async def test_c7_a_read_sees_every_write_that_returned(self, store: Store) -> None:
        async def converse(n: int) -> None:
            row = record(n, thread=f"t{n}")
            await store.insert(row, request_created(row))
            assert await store.get("main", row.id) == row
            assert await store.list_requests("main", thread_id=row.thread_id) == [row]
            change = await store.settle(answer(row))
            assert change is not None
            assert await store.get("main", row.id) == change.record
            assert await store.thread("main", row.thread_id) == ThreadView(2, [], [(1, change.record)])
            assert len(await store.thread_events("main", row.thread_id, after=0)) == 2

        await asyncio.gather(*(converse(n) for n in range(40)))

    async def test_c8_nothing_of_another_tenant_can_be_seen_or_changed(self, store: Store) -> None:
        row = record(1, expires_at=NOON)
        await store.insert(row, request_created(row))
        await store.add_message("m1", message(), message_added(message()))
        assert await store.get("acme", row.id) is None
        assert await store.settle(answer(row, tenant="acme")) is None
        assert await store.list_requests("acme") == []
        assert await store.list_requests("acme", thread_id="t1") == []
        assert await store.thread("acme", "t1") is None
        assert await store.thread_events("acme", "t1", after=0) == []
        assert await store.tenant_events("acme", after=0) == []
        assert await store.last_position("acme") == 0
        with pytest.raises(MessageMissing):
            await store.append_text("m1", "x", delta("m1", "x", tenant="acme"))
        assert await store.get("main", row.id) == row

    async def test_c8_tenants_may_use_the_same_names(self, store: Store) -> None:
        mine, theirs = record(1), record(1, tenant="acme")
        await store.insert(mine, request_created(mine))
        await store.insert(theirs, request_created(theirs))
        await store.settle(answer(theirs))
        assert await store.get("main", mine.id) == mine
        assert [event.seq for event in await store.thread_events("acme", "t1", after=0)] == [1, 2]
        assert [e.seq for e in await store.thread_events("main", "t1", after=0)] == [1]
