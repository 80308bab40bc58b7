"""Clients that give up a call without cancelling it, as OpenAI Agents and Google ADK do after five seconds."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from askback import AsyncClient
from tests.adapters.mcp.conftest import LEGACY, Connect, Kind, card
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

KINDS = [Kind("stdio", LEGACY), Kind("http", LEGACY)]
APPROVAL = {"tool": "deploy", "input": {"to": "prod"}}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.transport)
@pytest.mark.parametrize(("tool", "arguments"), [("ask_user", {"question": "Which?"}), ("request_approval", APPROVAL)])
@requirement("E1")
async def test_a_call_that_is_made_again_while_the_first_waits_asks_nobody_twice(
    kind: Kind, connect: Connect, person: AsyncClient, thread: str, tool: str, arguments: dict[str, Any]
) -> None:
    call = {**arguments, "thread_id": thread}
    with anyio.fail_after(30):
        async with connect(kind) as tools, anyio.create_task_group() as tasks:
            tasks.start_soon(tools.client.call_tool, tool, call)
            id_ = await card(person, thread)
            repeated = await tools.content(tool, **call)  # the person has not answered after three seconds
            read = await tools.content("get_answer", request_id=id_)
            tasks.cancel_scope.cancel()
    assert [(item["status"], item["request_id"]) for item in (repeated, read)] == [("pending", id_)] * 2
    assert len([*await person.requests.list(thread_id=thread)]) == 1


@requirement("E1")
async def test_get_answer_while_the_call_that_asked_still_waits_returns_soon(
    connect: Connect, person: AsyncClient, thread: str
) -> None:
    with anyio.fail_after(20):
        async with connect(KINDS[0]) as tools, anyio.create_task_group() as tasks:
            tasks.start_soon(tools.client.call_tool, "ask_user", {"question": "Which?", "thread_id": thread})
            id_ = await card(person, thread)
            assert (await tools.content("get_answer", request_id=id_))["status"] == "pending"
            tasks.cancel_scope.cancel()


@requirement("E1")
async def test_the_answer_goes_to_the_repeated_call_too(
    connect: Connect, person: AsyncClient, thread: str
) -> None:
    contents = list[dict[str, Any]]()
    with anyio.fail_after(30):
        async with connect(KINDS[0]) as tools, anyio.create_task_group() as tasks:

            async def ask() -> None:
                contents.append(await tools.content("ask_user", question="Which?", thread_id=thread))

            tasks.start_soon(ask)
            id_ = await card(person, thread)
            tasks.start_soon(ask)
            await tools.call("list_requests")  # the repeated call has been read
            await person.requests.answer(id_, {"answer": "Birke"})
    expected = {"status": "answered", "request_id": id_, "answers": {"answer": "Birke"}}
    assert contents == [expected, expected]


@requirement("E1")
async def test_a_question_that_was_answered_can_be_asked_again(
    connect: Connect, person: AsyncClient, thread: str
) -> None:
    call = {"question": "Continue?", "wait_s": 0, "thread_id": thread}
    async with connect(KINDS[0]) as tools:
        first = await tools.content("ask_user", **call)
        await person.requests.answer(first["request_id"], {"answer": "yes"})
        second = await tools.content("ask_user", **call)
    assert second["request_id"] != first["request_id"]
