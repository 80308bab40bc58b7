"""Contract 38: conversations are sorted by last activity."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

import asyncio
import json

from askback.domain.access import UNSHARED, AccessLevel, AccessList
from askback.domain.events import MESSAGE_HELD, THREAD_ARCHIVED, THREAD_ERASED, EventDraft
from askback.ports.store import Store
from tests.contracts.samples import (
    NOON,
    answer,
    delta,
    message,
    message_added,
    record,
    request_created,
    shared,
)
from tests.contracts.suite import StoreSuite


def thread_event(kind: str, thread: str, data: str = "null") -> EventDraft:
    """Make an event of a thread."""
    return EventDraft(kind, "main", thread, NOON, None, data, "tok_1")


async def add_message(store: Store, thread: str, name: str) -> None:
    """Write a message in a thread."""
    await store.add_message(name, message(name), message_added(message(name), thread=thread))


async def ids(store: Store, **filters: object) -> list[str]:
    """Return the ids of a page of conversations."""
    active_threads = await store.active_threads("main", **filters)  # type: ignore[arg-type]  # filters by name
    return [thread.details.id for thread in active_threads]


class ConversationContracts(StoreSuite):
    """Conversations."""

    async def test_c38_the_thread_with_the_last_message_or_request_comes_first(self, store: Store) -> None:
        for index, thread in enumerate(("t1", "t2", "t3")):
            await add_message(store, thread, f"m{index}")
        assert await ids(store) == ["t3", "t2", "t1"]
        await add_message(store, "t1", "again")
        assert await ids(store) == ["t1", "t3", "t2"]
        new_request = record(1, thread="t2")
        await store.insert(new_request, request_created(new_request))
        assert await ids(store) == ["t2", "t1", "t3"]
        await add_message(store, "t3", "more")
        await store.settle(answer(new_request))
        assert await ids(store) == ["t2", "t3", "t1"]
        await store.add_message(
            "kept", message("kept"), thread_event(MESSAGE_HELD, "t1", message("kept")), held=True
        )
        assert await ids(store) == ["t1", "t2", "t3"]
        assert await store.active_threads("acme") == []

    async def test_c38_a_streamed_part_moves_no_thread(self, store: Store) -> None:
        await add_message(store, "t1", "m1")
        await add_message(store, "t2", "m2")
        await store.append_text("m1", " more", delta("m1", " more"), None, limit=999)
        assert await ids(store) == ["t2", "t1"]

    async def test_c38_pages_continue_from_a_position(self, store: Store) -> None:
        for index in range(5):
            await add_message(store, f"t{index}", f"m{index}")
        first_active_threads = await store.active_threads("main", limit=2)
        assert [thread.details.id for thread in first_active_threads] == ["t4", "t3"]
        assert await ids(store, before=first_active_threads[-1].position, limit=9) == ["t2", "t1", "t0"]

    async def test_c38_pages_are_in_order_over_thousands_of_events(self, store: Store) -> None:
        await add_message(store, "t1", "m1")
        for start in (0, 1030, 2060):
            rows = [record(n, thread="busy") for n in range(start, start + 1030)]
            await asyncio.gather(*(store.insert(row, request_created(row)) for row in rows))
            await add_message(store, f"t{start}", f"m{start}")
        pages, before = list[str](), None
        while page := await store.active_threads("main", before=before, limit=1):
            pages, before = [*pages, page[0].details.id], page[0].position
        assert pages == await ids(store) == ["t2060", "busy", "t1030", "t0", "t1"]

    async def test_c38_a_person_lists_only_viewable_conversations_that_were_not_erased(
        self, store: Store
    ) -> None:
        for thread in ("open", "shared", "hidden", "gone", "old"):
            await add_message(store, thread, f"m-{thread}")
        for thread, people in (("shared", {"bob": AccessLevel.VIEW}), ("hidden", {})):
            access = AccessList("ada", AccessLevel.NONE, people)
            await store.set_access(access, shared(access, thread=thread), before=UNSHARED)
        await store.set_archived(thread_event(THREAD_ARCHIVED, "old"), archived_at=NOON)
        await store.erase_thread(thread_event(THREAD_ERASED, "gone"))
        assert await ids(store, person="bob") == ["old", "shared", "open"]
        assert await ids(store) == ["old", "hidden", "shared", "open"]
        await add_message(store, "gone", "m-again")
        assert await ids(store, limit=1) == ["gone"]

    async def test_c38_the_latest_message_of_each_thread_includes_streamed_text(self, store: Store) -> None:
        for index in range(4):
            await add_message(store, "t1", f"a{index}")
            await add_message(store, "t2", f"b{index}")
        await store.append_text("a3", " and on", delta("a3", " and on", owner="tok_agent"), None, limit=999)
        for n in (1, 2):
            await store.insert(record(n), request_created(record(n)))
        result = await store.latest_messages("main", ["t1", "t2", "none"], limit=2)
        assert {
            thread: [json.loads(item.data)["content"][-1]["text"] for item in messages]
            for thread, messages in result.items()
        } == {"t1": ["a2", "a3 and on"], "t2": ["b2", "b3"]}
        requests = await store.latest_requests("main", ["t1", "t2"])
        assert {thread: item.record.id for thread, item in requests.items()} == {"t1": record(2).id}
        assert requests["t1"].seq == result["t1"][-1].seq + 3
        assert await store.latest_messages("main", []) == await store.latest_requests("main", []) == {}
