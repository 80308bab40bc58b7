"""Calls without an id that are made again: they find the request of the first call."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import anyio
import pytest

from askback import AsyncClient
from askback.adapters.mcp.repeats import UNREAD_S, counts_for_repeat
from askback.domain.lifecycle import Status
from tests.adapters.mcp.conftest import KINDS, LEGACY, MODERN, Connect, Kind, card
from tests.requirements import requirement

pytestmark = pytest.mark.anyio
ONE_CLIENT = [kind for kind in KINDS if kind != Kind("http", MODERN)]
"""Where the server knows which calls are of one client."""
QUESTION = {"question": "Which?"}


@requirement("G9")
@pytest.mark.parametrize("kind", ONE_CLIENT, ids=str)
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("ask_user", QUESTION),
        ("request_approval", {"tool": "deploy", "input": {"to": "prod"}}),
        ("request_env_vars", {"names": ["REPEATED_KEY"], "reason": "To deploy."}),
    ],
)
async def test_a_repeated_call_without_an_id_shows_no_second_card(
    tool: str, arguments: dict[str, Any], kind: Kind, connect: Connect, person: AsyncClient, thread: str
) -> None:
    with anyio.fail_after(120):
        async with connect(kind) as tools:
            first = await tools.content(tool, **arguments, thread_id=thread, wait_s=0.1)
            again = await tools.content(tool, **arguments, thread_id=thread, wait_s=0)
        assert again == first
        assert len([*await person.requests.list(thread_id=thread)]) == 1


@pytest.mark.parametrize("mode", [LEGACY, MODERN])
async def test_a_repeated_call_returns_an_answer_that_was_not_read_and_the_next_one_asks_again(
    mode: str, connect: Connect, person: AsyncClient, thread: str
) -> None:
    arguments = {**QUESTION, "thread_id": thread, "wait_s": 0}
    with anyio.fail_after(120):
        async with connect(Kind("stdio", mode)) as tools:
            first = await tools.content("ask_user", **arguments)
            await person.requests.answer(first["request_id"], {"answer": "late"})
            answered = await tools.content("ask_user", **arguments)
            second = await tools.content("ask_user", **arguments)
            await person.requests.answer(second["request_id"], {"answer": "read"})
            await tools.content("get_answer", request_id=second["request_id"])
            third = await tools.content("ask_user", **arguments)
    assert (answered["request_id"], answered["answers"]) == (first["request_id"], {"answer": "late"})
    assert len({first["request_id"], second["request_id"], third["request_id"]}) == 3


@requirement("B15")
async def test_an_approval_that_was_given_after_the_call_counts_for_no_other_call(
    connect: Connect, person: AsyncClient, thread: str
) -> None:
    """Its outcome may have been delivered as a resume, and the call may have run."""
    arguments = {"tool": "deploy", "input": {"to": "prod"}, "thread_id": thread, "wait_s": 0}
    async with connect(Kind("stdio", LEGACY)) as tools:
        first = await tools.content("request_approval", **arguments)
        await person.requests.decide(first["request_id"], "approve")
        second = await tools.content("request_approval", **arguments)
    assert (second["request_id"] != first["request_id"], second["status"]) == (True, "pending")


@pytest.mark.parametrize("mode", [LEGACY, MODERN])
async def test_equal_calls_at_the_same_time_have_a_card_each(
    mode: str, connect: Connect, person: AsyncClient, thread: str
) -> None:
    answers: list[str] = []
    with anyio.fail_after(120):
        async with connect(Kind("stdio", mode)) as tools:

            async def ask() -> None:
                content = await tools.content("ask_user", **QUESTION, thread_id=thread)
                answers.append(content["answers"]["answer"])

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(ask)
                tasks.start_soon(ask)
                await card(person, thread, number=2)
                for request in await person.requests.list(thread_id=thread):
                    await person.requests.answer(request.id, {"answer": request.id})
    assert len(set(answers)) == 2


async def test_a_withdrawn_question_is_asked_anew(connect: Connect, thread: str) -> None:
    async with connect(Kind("stdio", LEGACY)) as tools:
        first = await tools.content("ask_user", **QUESTION, thread_id=thread, wait_s=0)
        await tools.content("cancel_request", request_id=first["request_id"])
        second = await tools.content("ask_user", **QUESTION, thread_id=thread, wait_s=0)
    assert (second["request_id"] != first["request_id"], second["status"]) == (True, "pending")


def test_an_answer_counts_for_an_hour_but_not_that_of_an_approval() -> None:
    request: Any = SimpleNamespace(status=Status.ANSWERED, approval=None)
    approval: Any = SimpleNamespace(status=Status.ANSWERED, approval=object())
    recent: Any = SimpleNamespace(ended_at=time.monotonic())
    old: Any = SimpleNamespace(ended_at=time.monotonic() - UNREAD_S)
    assert [counts_for_repeat(request, recent), counts_for_repeat(request, old)] == [True, False]
    assert not counts_for_repeat(approval, recent)
