"""Contract 28: titles and metadata of threads, and lists of threads."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from askback.domain.access import AccessLevel, AccessList, ThreadAgents
from askback.domain.events import (
    THREAD_ARCHIVED,
    THREAD_ERASED,
    THREAD_UNARCHIVED,
    THREAD_UPDATED,
    EventDraft,
)
from askback.domain.titles import query_words
from askback.ports.outcome import Outcome
from askback.ports.store import Store
from askback.ports.threads import ThreadArchived, ThreadDetails, ThreadOfAnother
from tests.contracts.samples import NOON, answer, message, message_added, record, request_created, shared
from tests.contracts.suite import StoreSuite

A, B = ThreadAgents(("agt_a",), "ada"), ThreadAgents(("agt_b",))


def thread_event(
    kind: str, thread: str = "t1", *, agent: ThreadAgents | None = None, tenant: str = "main"
) -> EventDraft:
    """Make an event of a thread as a whole."""
    return EventDraft(kind, tenant, thread, NOON, None, "null", "tok_1", agent)


async def begin(store: Store, *threads: str, agent: ThreadAgents | None = None) -> None:
    """Write in threads, one after the other."""
    for thread in threads:
        draft = replace(message_added(message(), thread=thread), agent=agent)
        await store.add_message(f"m{await store.last_position('main')}", message(), draft)


async def ids(store: Store, *readers: str, query: str | None = None, **filters: object) -> list[str]:
    """Return the ids of a page of threads."""
    words = () if query is None else query_words(query)
    result = await store.list_threads("main", readers=readers or ("",), named=query, words=words, **filters)  # type: ignore[arg-type]  # filters by name
    return [item.id for item in result]


class ThreadListContracts(StoreSuite):
    """Lists of threads."""

    async def test_c28_threads_are_listed_in_pages_the_last_that_began_first(self, store: Store) -> None:
        await begin(store, *(f"t{n}" for n in range(7)))
        await begin(store, "t0")
        first = await store.list_threads("main", limit=3)
        assert [item.id for item in first] == ["t6", "t5", "t4"]
        assert await ids(store, before=first[-1].key, limit=3) == ["t3", "t2", "t1"]
        assert await store.list_threads("acme") == []

    async def test_c28_a_thread_shows_its_details(self, store: Store) -> None:
        row = record(1)
        await store.insert(row, replace(request_created(row), agent=A))
        await store.insert(record(2), request_created(record(2)))
        await store.settle(answer(record(2)))
        await store.update_thread(thread_event(THREAD_UPDATED), {"title": "Größe", "metadata": '{"a":null}'})
        shown_thread_details = await store.thread_details("main", "t1")
        (listed,) = await store.list_threads("main")
        assert (
            shown_thread_details
            == listed
            == ThreadDetails(
                listed.key, "t1", "Größe", '{"a":null}', False, None, NOON, 1, AccessList(agents=A)
            )
        )
        view = await store.thread("main", "t1")
        assert view is not None
        assert (view.title, view.metadata) == ("Größe", '{"a":null}')
        assert await store.thread_details("main", "none") is None

    async def test_c28_a_change_has_an_event_and_the_same_again_has_none(self, store: Store) -> None:
        changes = [
            {"title": "One"},
            {"title": "One"},
            {"metadata": "[1]"},
            {"title": "One", "metadata": "[1]"},
            {"title": None},
        ]
        outcomes = [await store.update_thread(thread_event(THREAD_UPDATED), change) for change in changes]
        same, new = Outcome.REPLAYED, Outcome.APPLIED
        assert outcomes == [new, same, new, same, new]
        events = await store.thread_events("main", "t1", after=0)
        assert [(event.seq, json.loads(event.text)["thread"]) for event in events] == [
            (1, {"title": "One", "metadata": None}),
            (2, {"title": "One", "metadata": [1]}),
            (3, {"title": None, "metadata": [1]}),
        ]

    async def test_c28_concurrent_changes_of_different_details_are_both_stored(self, store: Store) -> None:
        await asyncio.gather(
            *(store.update_thread(thread_event(THREAD_UPDATED), {"title": f"{n}"}) for n in range(20)),
            *(store.update_thread(thread_event(THREAD_UPDATED), {"metadata": f"{n}"}) for n in range(20)),
        )
        shown_thread_details = await store.thread_details("main", "t1")
        assert shown_thread_details is not None
        assert None not in (shown_thread_details.title, shown_thread_details.metadata)
        events = await store.thread_events("main", "t1", after=0)
        assert [event.seq for event in events] == list(range(1, 41))

    async def test_c28_an_archived_thread_keeps_its_title(self, store: Store) -> None:
        await begin(store, "t1", agent=A)
        await store.set_archived(thread_event(THREAD_ARCHIVED), archived_at=NOON)
        with pytest.raises(ThreadArchived):
            await store.update_thread(thread_event(THREAD_UPDATED), {"title": "New"})

    async def test_c28_another_agent_changes_nothing(self, store: Store) -> None:
        await begin(store, "t1", agent=A)
        with pytest.raises(ThreadOfAnother):
            await store.update_thread(thread_event(THREAD_UPDATED, agent=B), {"title": "Mine"})
        await store.update_thread(thread_event(THREAD_UPDATED, "t2", agent=B), {"title": "Mine"})
        assert await ids(store, "agt_b") == ["t2"]

    async def test_c28_an_agent_gets_the_threads_that_it_may_use(self, store: Store) -> None:
        await begin(store, "t1", "t2", agent=A)
        await begin(store, "t3", agent=B)
        await begin(store, "t4")
        all_access_list = AccessList(agents=ThreadAgents(("agt_b", "agt_a")))
        await store.set_access(
            all_access_list, shared(all_access_list, thread="t3"), before=AccessList(agents=B)
        )
        assert await ids(store, "agt_a") == ["t3", "t2", "t1"]
        assert await ids(store, "agt_b") == ["t3"]
        assert await ids(store, "agt_c", "user:ada") == ["t2", "t1"]
        assert await ids(store, "agt_a", "user:ada", limit=2) == ["t3", "t2"]
        single_access_list = AccessList(agents=ThreadAgents(("agt_b",)))
        await store.set_access(
            single_access_list, shared(single_access_list, thread="t3"), before=all_access_list
        )
        assert await ids(store, "agt_a", "user:ada") == ["t2", "t1"]
        assert await ids(store) == ["t4", "t3", "t2", "t1"]

    async def test_c28_a_person_gets_the_threads_that_they_may_view(self, store: Store) -> None:
        await begin(store, "t1", "t2", "t3")
        for thread, others in (("t1", AccessLevel.NONE), ("t2", AccessLevel.VIEW)):
            access = AccessList("ada", others)
            await store.set_access(access, shared(access, thread=thread), before=AccessList())
        assert await ids(store, person="bob") == ["t3", "t2"]
        assert await ids(store, person="ada") == ["t3", "t2", "t1"]

    async def test_c28_archived_threads_have_a_list_of_their_own(self, store: Store) -> None:
        await begin(store, "t1", "t2", agent=A)
        await store.set_archived(thread_event(THREAD_ARCHIVED), archived_at=NOON)
        for reader in ("", "agt_a", "user:ada"):
            assert await ids(store, reader) == ["t2"]
            assert await ids(store, reader, archived=True) == ["t1"]
        await store.set_archived(thread_event(THREAD_UNARCHIVED), archived_at=None)
        assert await ids(store, "agt_a") == ["t2", "t1"]

    async def test_c28_threads_are_found_by_words_of_their_titles(self, store: Store) -> None:
        titles = {
            "t1": "Größe der Schuhe",
            "t2": "GROSSE SCHUHE, Café",
            "t3": "Release 2.0 of askback-client",
            "t 4": None,
        }
        for thread, title in titles.items():
            await store.update_thread(
                thread_event(THREAD_UPDATED, thread, agent=A), {"title": title, "metadata": "1"}
            )
        result = {
            "schuh gro": ["t2", "t1"],
            "cafe": ["t2"],
            "Ca": ["t2"],
            "afe": [],
            "askback client": ["t3"],
            "2.0": ["t3"],
            "t3": ["t3"],
            "t 4": ["t 4"],
            "!": [],
            "": [],
            "\0": [],
            "releases": [],
        }
        for query, expected in result.items():
            assert await ids(store, query=query) == expected, query
            assert await ids(store, "agt_a", "user:ada", query=query, person="ada") == expected, query
            assert await ids(store, "agt_b", query=query) == []
            assert await ids(store, query=query, archived=True) == []
        await store.update_thread(thread_event(THREAD_UPDATED, "t3"), {"title": "New"})
        assert await ids(store, query="release") == []
        assert await ids(store, query="ne") == ["t3"]

    async def test_c28_an_erased_thread_is_listed_again_with_its_next_message(self, store: Store) -> None:
        row = record(1)
        for kind in ("message", "request", "form"):
            await begin(store, "t1", agent=A)
            await store.update_thread(
                thread_event(THREAD_UPDATED), {"title": "Secret plan", "metadata": '"x"'}
            )
            assert await store.erase_thread(thread_event(THREAD_ERASED))
            assert await ids(store) == await ids(store, "agt_a") == await ids(store, query="plan") == []
            shown_thread_details = await store.thread_details("main", "t1")
            assert shown_thread_details is not None
            assert (shown_thread_details.title, shown_thread_details.metadata) == (None, None)
            if kind == "message":
                await begin(store, "t1")
            else:
                row = replace(
                    record(1 if kind == "request" else 2), kind="form" if kind == "form" else "approval"
                )
                await store.insert(row, request_created(row))
            assert await ids(store) == await ids(store, "agt_a") == ["t1"]
            assert await store.erase_thread(thread_event(THREAD_ERASED))

    async def test_c28_a_refused_write_creates_no_thread(self, store: Store) -> None:
        await begin(store, "t1", agent=A)
        await store.set_archived(thread_event(THREAD_ARCHIVED), archived_at=NOON)
        for row in (record(1), replace(record(2), exclusive="k")):
            with pytest.raises(ThreadArchived):
                await store.insert(row, request_created(row))
        assert await ids(store) == []
        assert await ids(store, archived=True) == ["t1"]
