"""Contracts 35 to 37: history, reminders, missed requests and comments."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from itertools import product

import pytest

from askback.domain.access import AccessLevel, AccessList
from askback.domain.events import THREAD_ERASED, EventDraft
from askback.domain.lifecycle import Status
from askback.domain.record import Record
from askback.domain.spec import Spec
from askback.domain.state import State
from askback.domain.timestamps import rfc3339
from askback.ports.inbox import Comment, HistoryRow
from askback.ports.policy import SideEffects
from askback.ports.store import Store
from tests.contracts.samples import NOON, answer, entry, record, request_created, request_id, shared
from tests.contracts.suite import StoreSuite

ADA = {"id": "usr_1", "name": "Ada", "user": "ada"}


async def settled(
    store: Store, row: Record, status: Status = Status.ANSWERED, *, settled_at: int = NOON, **state: object
) -> str:
    """Settle a new request, and return the time."""
    await store.insert(row, request_created(row))
    text = json.dumps({"status": status, "revision": 1, "settled_at": rfc3339(settled_at), **state})
    step = answer(row, status=status)
    await store.settle(replace(step, state=State(text), event=replace(step.event, data=text)))
    return rfc3339(settled_at)


def comment(n: int = 1, request: int = 1) -> Comment:
    """Make the n-th comment of a request."""
    return Comment(f"cmt_{n}", request_id(request), json.dumps(ADA), f"Größe {n}\n", NOON + n)


async def ids(store: Store, **filters: object) -> list[str]:
    """Return the ids of a page of the history."""
    return [row.request_id for row in await store.history("main", **filters)]  # type: ignore[arg-type]  # filters by name


class InboxContracts(StoreSuite):
    """History, reminders, missed requests and comments."""

    async def test_c35_a_settled_request_is_in_the_history_once_with_its_responder_and_subject(
        self, store: Store
    ) -> None:
        spec = json.dumps(
            {
                "id": request_id(1),
                "form": {"title": {"de": "Größe"}},
                "agent": {"name": "tailor"},
                "requester": {"id": "tok_1", "name": "shop"},
                "metadata": "\0",
            },
            ensure_ascii=False,
        )
        row = replace(record(1), spec=Spec(spec))
        settled_at = await settled(store, row, settled_by=ADA, answer={"values": {"a": "\0 \ud800"}})
        (found,) = await store.history("main")
        assert found == HistoryRow(settled_at, row.id, "form", "tok_1", "answered", "t1", None, AccessList())
        assert await store.history("acme") == []
        assert await store.requests("main", [row.id, "req_none"]) == {row.id: await store.get("main", row.id)}

    async def test_c35_the_outcome_is_a_decision_a_reason_or_the_status(self, store: Store) -> None:
        cases: list[tuple[Status, dict[str, object], str]] = [
            (Status.ANSWERED, {"answer": {"decision": "deny"}}, "deny"),
            (Status.ANSWERED, {"answer": {"outcome": "failed"}}, "failed"),
            (Status.DECLINED, {"reason": "skipped"}, "skipped"),
            (Status.CANCELLED, {"reason": "admin"}, "cancelled"),
            (Status.EXPIRED, {}, "expired"),
        ]
        for n, (status, state, _) in enumerate(cases):
            await settled(store, record(n), status, settled_at=NOON + n, **state)
        settled_request = replace(record(9)).as_settled(Status.ANSWERED, answer={"decision": "approve"})
        await store.insert(settled_request, request_created(settled_request))
        findings = [row.outcome for row in await store.history("main")]
        assert sorted(findings) == sorted(["approve", *(outcome for *_, outcome in cases)])

    async def test_c35_each_filter_pages_through_the_history_newest_end_first(self, store: Store) -> None:
        rows = [record(n, thread=f"t{n % 2}", requester=f"tok_{n % 3}") for n in range(9)]
        for n, row in enumerate(rows):
            await settled(store, row, settled_at=NOON + (n * 7) % 9, settled_by=ADA if n % 4 == 0 else None)
        ends = {row.id: (rfc3339(NOON + (n * 7) % 9), row.id) for n, row in enumerate(rows)}
        newest = sorted(rows, key=lambda row: ends[row.id], reverse=True)
        times = (None, (rfc3339(NOON + 2), rfc3339(NOON + 7)))
        for thread, agent, person, time in product((None, "t1"), (None, "tok_2"), (None, "ada"), times):
            expected = [
                row.id
                for row in newest
                if thread in (None, row.thread_id)
                and agent in (None, row.requester)
                and (person is None or rows.index(row) % 4 == 0)
                and (time is None or time[0] <= ends[row.id][0] < time[1])
            ]
            filters = {"thread_id": thread, "requester": agent, "person": person}
            filters |= {} if time is None else {"since": time[0], "until": time[1]}
            first = await ids(store, limit=2, **filters)
            remaining_items = await ids(store, before=ends[first[-1]], limit=9, **filters) if first else []
            assert [*first, *remaining_items] == expected, filters

    async def test_c36_a_reminder_belongs_to_one_person_and_ends_with_its_request(self, store: Store) -> None:
        for n in range(3):
            await store.insert(record(n), request_created(record(n)))
            await store.set_reminder("main", request_id(n), "ada", NOON + 10 + n)
        await store.set_reminder("main", request_id(1), "bob", NOON + 5)
        await store.set_reminder("main", request_id(2), "ada", NOON + 50)
        await store.set_reminder("main", "req_none", "ada", NOON + 50)
        assert await store.reminders("main", "ada", after=NOON + 10) == {
            request_id(1): NOON + 11,
            request_id(2): NOON + 50,
        }
        assert await store.reminders("acme", "ada", after=0) == {}
        await store.set_reminder("main", request_id(2), "ada", None)
        await store.settle(answer(record(1)))
        assert await store.reminders("main", "ada", after=0) == {request_id(0): NOON + 10}
        assert await store.reminders("main", "bob", after=0) == {}
        await store.set_reminder("main", request_id(1), "ada", NOON + 99)
        assert len(await store.reminders("main", "ada", after=0)) == 1

    async def test_c36_missed_requests_are_listed_until_the_person_has_seen_them(self, store: Store) -> None:
        for n in range(6):
            await settled(store, record(n), Status.EXPIRED if n else Status.ANSWERED, settled_at=NOON + n)

        async def missed(person: str = "ada", since_ms: int = NOON, **filters: object) -> list[str]:
            result = await store.missed("main", person, since=rfc3339(since_ms), **filters)  # type: ignore[arg-type]  # filters by name
            return [row.id for _, row in result]

        all_ids = [request_id(n) for n in (5, 4, 3, 2, 1)]
        assert await missed() == all_ids
        assert await missed(since_ms=NOON + 3) == all_ids[:2]
        assert await missed(limit=2, before=(rfc3339(NOON + 4), request_id(4))) == all_ids[2:4]
        await store.mark_seen("main", "ada", [request_id(4), request_id(4), "req_none"])
        assert await missed() == [item for item in all_ids if item != request_id(4)]
        assert await missed("bob") == all_ids
        await store.set_missed_until("main", "ada", rfc3339(NOON + 3))
        await store.set_missed_until("main", "ada", rfc3339(NOON + 1))
        assert await missed() == [request_id(5)]
        access = AccessList("bob", AccessLevel.NONE, {})
        await store.set_access(access, shared(access), before=AccessList())
        assert await missed("eve", viewer="eve") == []
        assert await missed("bob", viewer="bob") == all_ids

    async def test_c37_comments_are_kept_in_order_up_to_a_number_with_their_audit_entries(
        self, store: Store
    ) -> None:
        await store.insert(record(1), request_created(record(1)))
        effects = SideEffects(audit=(entry("comment"),))
        added = [await store.add_comment("main", comment(n), effects, limit=2) for n in (1, 2, 3)]
        assert added == [True, True, False]
        assert await store.add_comment("main", comment(4, request=9), effects, limit=2) is False
        assert await store.comments("main", request_id(1)) == [comment(1), comment(2)]
        assert await store.comments("acme", request_id(1)) == []
        assert await store.delete_comment("main", request_id(1), "cmt_1", effects) is True
        assert await store.delete_comment("main", request_id(1), "cmt_1", effects) is False
        assert await store.comments("main", request_id(1)) == [comment(2)]
        assert len(await store.audit("main")) == 3

    @pytest.mark.parametrize("erase", [True, False])
    async def test_c37_everything_is_erased_with_its_thread(self, store: Store, *, erase: bool) -> None:
        await store.insert(record(1), request_created(record(1)))
        await settled(store, record(2), Status.EXPIRED)
        await asyncio.gather(*(store.add_comment("main", comment(n), limit=9) for n in range(5)))
        await store.set_reminder("main", request_id(1), "ada", NOON + 9)
        await store.mark_seen("main", "ada", [request_id(2)])
        if erase:
            await store.erase_thread(EventDraft(THREAD_ERASED, "main", "t1", NOON, None, "null"))
        left = (
            len(await store.history("main")),
            len(await store.comments("main", request_id(1))),
            len(await store.reminders("main", "ada", after=0)),
        )
        assert left == ((0, 0, 0) if erase else (1, 5, 1))
