"""Contract 33: an answer that is also a message."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

from askback.domain.events import MESSAGE_ADDED, THREAD_ERASED, THREAD_UPDATED, EventDraft
from askback.ports.outcome import Outcome
from askback.ports.store import AnswerMessage, Claim, Settlement, Store
from tests.contracts.samples import NOON, answer, record, request_created
from tests.contracts.suite import StoreSuite


def with_message(step: Settlement, message_id: str) -> Settlement:
    """Return a step that also writes a message."""
    data = json.dumps({"id": message_id, "content": [{"type": "text", "text": message_id}]})
    event = EventDraft(MESSAGE_ADDED, step.tenant, step.event.thread_id, NOON + 1, None, data)
    return replace(step, message=AnswerMessage(message_id, event))


class AnswerMessageContracts(StoreSuite):
    """Answers as messages."""

    async def test_c33_the_message_comes_right_after_its_answer_and_only_with_it(self, store: Store) -> None:
        for n in range(4):
            row = record(n, thread=f"t{n % 2}")
            await store.insert(row, request_created(row))
        tries = [
            with_message(answer(record(n, thread=f"t{n % 2}"), f"{k}"), f"m{n}{k}")
            for n in range(4)
            for k in range(5)
        ]
        changes = await asyncio.gather(*(store.settle(item) for item in tries))
        won = {
            item.message.id
            for item, change in zip(tries, changes, strict=True)
            if item.message and change and change.outcome is Outcome.APPLIED
        }
        assert len(won) == 4
        result = set[str]()
        for thread in ("t0", "t1"):
            events = await store.thread_events("main", thread, after=0)
            assert [item.seq for item in events] == list(range(1, 7))
            for before, event in zip(events, events[1:], strict=False):
                if event.type == MESSAGE_ADDED:
                    assert before.type == "request.answered"
                    assert before.position < event.position
                    result.add(json.loads(event.text)["message"]["id"])
            view = await store.thread("main", thread)
            assert view is not None
            assert {message.id for message in view.messages} <= won
            assert len(view.messages) == 2
        assert result == won

    async def test_c33_a_replayed_answer_writes_no_second_message(self, store: Store) -> None:
        row = record(1)
        await store.insert(row, request_created(row))
        claim = Claim("main", "tok_2", f"answer:{row.id}", "k", "d")
        for n, outcome in enumerate((Outcome.APPLIED, Outcome.REPLAYED)):
            change = await store.settle(with_message(answer(row), f"m{n}"), claim)
            assert change is not None
            assert change.outcome is outcome
        view = await store.thread("main", "t1")
        assert view is not None
        assert ([message.id for message in view.messages], view.seq) == (["m0"], 3)

    async def test_c33_the_setting_is_read_with_the_terms_and_goes_with_the_thread(
        self, store: Store
    ) -> None:
        update_event = EventDraft(THREAD_UPDATED, "main", "t1", NOON, None, "null", "tok_1")
        assert not (await store.thread_config("main", "t1")).answers_as_messages
        for value, outcome in ((False, Outcome.REPLAYED), (True, Outcome.APPLIED), (True, Outcome.REPLAYED)):
            assert await store.update_thread(update_event, {"answers_as_messages": value}) is outcome
        await store.update_thread(update_event, {"title": "T"})
        assert (await store.thread_config("main", "t1")).answers_as_messages
        shown_thread_details = await store.thread_details("main", "t1")
        assert shown_thread_details is not None
        assert (shown_thread_details.title, shown_thread_details.answers_as_messages) == ("T", True)
        events = await store.thread_events("main", "t1", after=0)
        assert [json.loads(event.text)["thread"] for event in events] == [
            {"title": None, "answers_as_messages": True, "metadata": None},
            {"title": "T", "answers_as_messages": True, "metadata": None},
        ]
        await store.erase_thread(EventDraft(THREAD_ERASED, "main", "t1", NOON, None, "null", "tok_1"))
        assert not (await store.thread_config("main", "t1")).answers_as_messages
