"""A thread belongs to the agent that first wrote in it, by the same statement that numbers the event."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from askback.domain.access import UNSHARED, AccessLevel, AccessList, ThreadAgents
from askback.domain.events import THREAD_ARCHIVED, EventDraft
from askback.domain.lifecycle import Status
from askback.domain.record import Record
from askback.domain.state import State
from askback.ports.outcome import Outcome
from askback.ports.store import IdTaken, MessageFull, MessageMissing, Store
from askback.ports.threads import Quota, QuotaExceeded, ThreadArchived, ThreadOfAnother
from tests.contracts.samples import (
    NOON,
    claim,
    delta,
    message,
    message_added,
    record,
    request_created,
    shared,
)
from tests.contracts.suite import StoreSuite

A, B = ThreadAgents(("agt_a",), "ada"), ThreadAgents(("agt_b",))
MINE, OURS = AccessList(agents=A), AccessList(agents=ThreadAgents(("agt_a", "agt_b"), "ada"))


def with_agent(agent: ThreadAgents | None, draft: EventDraft) -> EventDraft:
    """Make the event an agent's."""
    return replace(draft, agent=agent)


class ThreadAgentContracts(StoreSuite):
    """Agents of threads."""

    @pytest.mark.parametrize("change", ["request", "counted", "settled", "message", "archive"])
    async def test_a_thread_belongs_to_the_first_agent_that_writes(self, store: Store, change: str) -> None:
        await self._write(store, change, A, 1)
        assert await store.access("main", "t1") == MINE
        assert (await store.thread_config("main", "t1")).access == MINE
        view = await store.thread("main", "t1")
        assert view is not None
        assert view.access == MINE
        assert [event.access for event in await store.thread_events("main", "t1", after=0)] == [MINE]
        assert await store.access("acme", "t1") == UNSHARED

    @pytest.mark.parametrize("change", ["request", "counted", "settled", "message", "archive"])
    async def test_a_thread_started_by_a_person_belongs_to_the_first_agent_that_writes(
        self, store: Store, change: str
    ) -> None:
        await store.add_message("m0", message(), message_added(message()))
        assert await store.access("main", "t1") == UNSHARED
        await self._write(store, change, A, 1)
        assert await store.access("main", "t1") == MINE

    @pytest.mark.parametrize("change", ["request", "counted", "settled", "message", "archive", "access"])
    async def test_messages_of_another_agent_are_not_stored(self, store: Store, change: str) -> None:
        await self._write(store, "message", A, 1)
        with pytest.raises(ThreadOfAnother):
            await self._write(store, change, B, 2)
        assert await store.access("main", "t1") == MINE
        assert [event.seq for event in await store.thread_events("main", "t1", after=0)] == [1]
        assert await store.list_requests("main") == []
        await self._write(store, change, ThreadAgents(("agt_c",), "ada"), 2)  # it works for the same person

    async def test_a_removed_agent_cannot_write(self, store: Store) -> None:
        await self._write(store, "message", A, 1)
        await store.set_access(OURS, shared(OURS), before=MINE)
        await self._write(store, "message", B, 2)
        await store.set_access(AccessList(agents=B), shared(OURS), before=OURS)
        with pytest.raises(ThreadOfAnother):
            await self._write(store, "message", A, 3)
        with pytest.raises(ThreadOfAnother):
            await store.append_text("m1", "more", with_agent(A, delta("m1", "more", owner="agt_a")))
        await store.append_text("m2", "more", with_agent(B, delta("m2", "more", owner="agt_b")))
        none = AccessList(agents=ThreadAgents(()))
        await store.set_access(none, shared(none), before=AccessList(agents=B))
        with pytest.raises(ThreadOfAnother):
            await self._write(store, "request", B, 4)

    async def test_a_text_that_was_refused_takes_no_room_in_its_message(self, store: Store) -> None:
        await self._write(store, "message", A, 1)
        await store.set_access(AccessList(agents=B), shared(MINE), before=MINE)
        further_event_draft = with_agent(A, delta("m1", "1234", owner="agt_a"))
        with pytest.raises(ThreadOfAnother):
            await store.append_text("m1", "1234", further_event_draft, limit=4)
        await store.set_access(MINE, shared(MINE), before=AccessList(agents=B))
        await store.append_text("m1", "1234", further_event_draft, limit=4)
        with pytest.raises(MessageFull):
            await store.append_text("m1", "5", with_agent(A, delta("m1", "5", owner="agt_a")), limit=4)

    async def test_a_refused_write_does_not_make_an_agent_the_owner_of_a_thread(self, store: Store) -> None:
        await store.add_message("m0", message(), message_added(message()))
        with pytest.raises(IdTaken):
            await store.add_message("m0", message(), with_agent(A, message_added(message(), owner="agt_a")))
        with pytest.raises(MessageMissing):
            await store.append_text("m0", "more", with_agent(A, delta("m0", "more", owner="agt_a")))
        row = record(1, requester="agt_a")
        with pytest.raises(QuotaExceeded):
            await store.insert(row, with_agent(A, request_created(row)), quota=Quota(0, 1000))
        await store.set_archived(
            EventDraft(THREAD_ARCHIVED, "main", "t1", NOON, None, "null"), archived_at=NOON
        )
        with pytest.raises(ThreadArchived):
            await self._write(store, "message", A, 1)
        assert await store.access("main", "t1") == UNSHARED

    async def test_one_of_many_concurrent_first_writers_owns_the_thread(self, store: Store) -> None:
        agents = [ThreadAgents((f"agt_{n}",)) for n in range(20)]
        reply = await asyncio.gather(
            *(self._write(store, "message", agent, n) for n, agent in enumerate(agents)),
            return_exceptions=True,
        )
        assert Counter(type(item) for item in reply) == {ThreadOfAnother: 19, type(None): 1}
        winner = agents[reply.index(None)]
        assert await store.access("main", "t1") == AccessList(agents=winner)
        assert len(await store.thread_events("main", "t1", after=0)) == 1

    async def test_a_replay_is_recognized_before_ownership_is_checked(self, store: Store) -> None:
        row = record(1, requester="agt_a")
        key = claim(principal="agt_a")
        await store.insert(row, with_agent(A, request_created(row)), key)
        await store.set_access(AccessList(agents=B), shared(MINE), before=MINE)
        repeated_insert = await store.insert(row, with_agent(A, request_created(row)), key)
        assert (repeated_insert.outcome, repeated_insert.record.access) == (
            Outcome.REPLAYED,
            AccessList(agents=B),
        )

    async def test_people_and_agents_of_a_thread_are_stored_separately(self, store: Store) -> None:
        await self._write(store, "request", A, 1)
        adas = replace(OURS, owner="ada", others=AccessLevel.NONE, people={"bob": AccessLevel.VIEW})
        await store.set_access(adas, shared(adas), before=MINE)
        assert await store.access("main", "t1") == adas
        result = await store.get("main", record(1).id)
        assert result is not None
        assert result.access == adas
        assert [request.id for request in await store.list_requests("main", person="bob")] == [result.id]
        assert await store.list_requests("main", person="cy") == []
        await store.set_access(replace(UNSHARED, agents=A), shared(MINE), before=adas)
        assert len(await store.list_requests("main", person="cy")) == 1

    async def test_live_events_carry_the_agents(self, tmp_path: Path) -> None:
        access_lists: list[AccessList] = []
        async with self.opened(
            tmp_path, on_commit=lambda e: access_lists.extend(x.access for x in e)
        ) as store:
            await store.add_message("m0", message(), message_added(message()))
            await self._write(store, "request", A, 1)
            await store.set_access(OURS, shared(OURS), before=MINE)
        assert access_lists == [UNSHARED, MINE, OURS]

    async def _write(self, store: Store, change: str, agent: ThreadAgents, n: int) -> None:
        [owner] = agent.ids
        row = record(n, requester=owner)
        if change == "message":
            await store.add_message(
                f"m{n}", message(), with_agent(agent, message_added(message(), owner=owner))
            )
        elif change == "archive":
            draft = EventDraft(THREAD_ARCHIVED, "main", "t1", NOON, None, "null", owner, agent)
            await store.set_archived(draft, archived_at=NOON)
        elif change == "access":
            access_list_before = await store.access("main", "t1")
            expected = replace(access_list_before, owner="bob")
            assert (
                await store.set_access(
                    expected, with_agent(agent, shared(expected)), before=access_list_before
                )
                is Outcome.APPLIED
            )
        else:
            quota = Quota(None, 1000, 50, 50) if change == "counted" else None
            row = answered_record(row) if change == "settled" else row
            await store.insert(row, with_agent(agent, request_created(row)), quota=quota)


def answered_record(row: Record) -> Record:
    """Make a request that is settled on creation."""
    return replace(row, status=Status.ANSWERED, state=State('{"status":"answered","revision":1}'))
