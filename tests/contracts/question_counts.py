"""Contract 23: the numbers of questions, and the limits of tools and agents."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from askback.domain.events import THREAD_ERASED, EventDraft
from askback.domain.policy.question_limits import count_name
from askback.domain.record import Record
from askback.domain.spec import Spec
from askback.ports.store import Store
from askback.ports.threads import CountLimit, QuestionCount, Quota, QuotaExceeded
from tests.contracts.samples import NOON, answer, record, request_created
from tests.contracts.suite import StoreSuite
from tests.contracts.threads import DAY, store_request


def with_tool(row: Record, tool: str) -> Record:
    """Return a request of this tool."""
    return replace(
        row, spec=Spec(json.dumps({**json.loads(row.spec.text), "agent": {"name": "A", "tool": tool}}))
    )


class QuestionCountContracts(StoreSuite):
    """Numbers and counts of questions."""

    async def test_c23_a_question_knows_its_number_and_the_limit(self, store: Store) -> None:
        quota = Quota(6, DAY)
        await asyncio.gather(*(store_request(store, record(n, thread=f"t{n % 2}"), quota) for n in range(10)))
        own_group = replace(record(10, thread="t1"), exclusive="k")
        change = await store.insert(own_group, request_created(own_group), quota=quota)
        await store_request(store, record(11, thread="t1", kind="approval"), quota)
        assert change.record.as_dict()["ordinal"] == 6
        for thread, most in (("t0", 5), ("t1", 6)):
            events = await store.thread_events("main", thread, after=0)
            requests = [json.loads(event.text)["request"] for event in events]
            numbers = [(item["ordinal"], item["of"]) for item in requests if item["kind"] == "form"]
            assert numbers == [(n + 1, 6) for n in range(most)]
            assert [item for item in requests if item["kind"] != "form" and "ordinal" in item] == []
        stored_request = await store.get("main", own_group.id)
        assert stored_request is not None
        assert stored_request.as_dict() == change.record.as_dict()
        refused_record = replace(record(12, thread="t1"), exclusive="other")
        with pytest.raises(QuotaExceeded):
            await store.insert(refused_record, request_created(refused_record), quota=quota)
        endless = replace(record(13, thread="t3"), created_at=NOON)
        change = await store.insert(endless, request_created(endless), quota=Quota(None, DAY))
        assert (change.record.as_dict()["ordinal"], "of" in change.record.as_dict()) == (1, False)

    async def test_c23_a_tool_and_an_agent_have_limits_of_their_own(self, store: Store) -> None:
        tool, agent = CountLimit(count_name("ask_user", None), 2), CountLimit(count_name(None, "tok_1"), 3)
        asks = [with_tool(record(n), "ask_user") for n in range(6)]
        of_both = Quota(100, DAY, limits=(agent, tool))
        reply = await asyncio.gather(
            *(store_request(store, ask, of_both) for ask in asks), return_exceptions=True
        )
        spent = [item for item in reply if isinstance(item, QuotaExceeded)]
        assert {(item.quota, item.maximum, item.limit) for item in spent} == {("questions", 2, tool.name)}
        assert (len(spent), (await store.use("main", "t1")).question_count) == (4, 2)
        names = [tool.name, agent.name, "other"]
        counts = {name: QuestionCount(2, NOON) for name in (tool.name, agent.name)}
        assert await store.question_counts("main", "t1", names) == counts
        assert await store.question_counts("main", "t1", names[:1]) == {tool.name: QuestionCount(2, NOON)}
        for location in (("main", "t2", names), ("other", "t1", names), ("main", "t1", [])):
            assert await store.question_counts(*location) == {}
        of_agent = Quota(100, DAY, limits=(agent,))
        await store_request(store, record(10), of_agent)
        with pytest.raises(QuotaExceeded) as exc_info:
            await store_request(store, record(11), of_agent)
        assert (exc_info.value.limit, exc_info.value.maximum) == (agent.name, 3)
        await store_request(store, record(12, thread="t2"), of_agent)
        first = next(item for item, end in zip(asks, reply, strict=True) if end is None)
        await store.settle(replace(answer(first), refunds=True))
        await store_request(store, with_tool(record(13), "ask_user"), of_both)
        with pytest.raises(QuotaExceeded):
            await store_request(store, with_tool(record(14), "ask_user"), of_both)
        later = replace(record(15), created_at=NOON + DAY + 1000)
        await store.insert(later, replace(request_created(later), at=later.created_at), quota=of_agent)
        await store.reset_use("main", "t1")
        for n in range(20, 22):
            await store_request(store, with_tool(record(n), "ask_user"), of_both)
        await store.erase_thread(EventDraft(THREAD_ERASED, "main", "t1", NOON, None, "{}", "tok_1"))
        for n in range(30, 32):
            await store_request(store, with_tool(record(n), "ask_user"), of_both)

    async def test_c23_a_form_with_a_separate_limit_has_a_separate_window(self, store: Store) -> None:
        own_count_limit = CountLimit(count_name("ask_user", None), 2, window_ms=10 * DAY)
        quota = Quota(
            100,
            DAY,
            limits=(CountLimit(count_name(None, "tok_1"), 9), own_count_limit),
            numbered_by=own_count_limit.name,
        )
        await store_request(store, record(0), Quota(100, DAY))
        first_record = with_tool(record(1), "ask_user")
        await store_request(store, first_record, quota)
        await store_request(store, with_tool(record(2), "ask_user"), quota)
        events = await store.thread_events("main", "t1", after=0)
        requests = [json.loads(event.text)["request"] for event in events]
        assert [(item["ordinal"], item["of"]) for item in requests] == [(1, 100), (1, 2), (2, 2)]
        later = replace(with_tool(record(3), "ask_user"), created_at=NOON + 5 * DAY)
        with pytest.raises(QuotaExceeded) as exc_info:
            await store.insert(later, replace(request_created(later), at=later.created_at), quota=quota)
        assert (exc_info.value.limit, exc_info.value.retry_at) == (
            own_count_limit.name,
            first_record.created_at + 10 * DAY,
        )
        listed = {own_count_limit.name: QuestionCount(2, first_record.created_at, 2)}
        assert await store.question_counts("main", "t1", []) == listed
        by_policy = replace(quota, limits=(CountLimit(own_count_limit.name, 5),), numbered_by=None)
        await store_request(store, with_tool(record(4), "ask_user"), by_policy)
        assert await store.question_counts("main", "t1", [own_count_limit.name]) == {
            own_count_limit.name: QuestionCount(3, first_record.created_at, 2)
        }
        more = replace(quota, limits=(replace(own_count_limit, maximum=4),))
        await store.settle(replace(answer(first_record), refunds=True))
        await store_request(store, with_tool(record(5), "ask_user"), more)
        assert await store.question_counts("main", "t1", []) == {
            own_count_limit.name: QuestionCount(3, first_record.created_at, 4)
        }
