"""Clients that give up a call before the person answers, as OpenAI Agents and Google ADK do after five seconds."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from mcp.shared.exceptions import MCPError

from askback import AsyncClient
from askback.adapters.mcp.repeats import TOGETHER_S
from tests.adapters.mcp.conftest import LEGACY, Connect, Kind, Tools, card
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

KINDS = [Kind("stdio", LEGACY), Kind("http", LEGACY)]
APPROVAL = {"tool": "deploy", "input": {"to": "prod"}}


async def next_turn(tools: Tools) -> None:
    """Ask something else for longer than equal calls count as different ones."""
    await tools.content("ask_user", question="Meanwhile?", wait_s=TOGETHER_S + 0.1)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.transport)
@pytest.mark.parametrize(
    ("tool", "arguments"), [("ask_user", {"question": "Which?"}), ("request_approval", APPROVAL)]
)
@requirement("E1")
async def test_a_call_that_is_made_again_while_the_first_waits_asks_nobody_twice(
    kind: Kind, connect: Connect, person: AsyncClient, thread: str, tool: str, arguments: dict[str, Any]
) -> None:
    call = {**arguments, "thread_id": thread}
    with anyio.fail_after(30):
        async with connect(kind) as tools, anyio.create_task_group() as tasks:
            tasks.start_soon(tools.client.call_tool, tool, call)
            id_ = await card(person, thread)
            await next_turn(tools)
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
            await next_turn(tools)
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
            await next_turn(tools)
            tasks.start_soon(ask)
            await tools.call("list_requests")  # the repeated call has been read
            await person.requests.answer(id_, {"answer": "Birke"})
    expected = {"status": "answered", "request_id": id_, "answers": {"answer": "Birke"}}
    assert contents == [expected, expected]


@requirement("E1")
async def test_a_call_that_timed_out_in_the_client_and_is_made_again_gets_the_same_request(
    connect: Connect, person: AsyncClient, thread: str
) -> None:
    call = {"question": "Which?", "thread_id": thread}
    with anyio.fail_after(30):
        async with connect(KINDS[0]) as tools:
            with pytest.raises(MCPError):
                await tools.client.call_tool("ask_user", call, read_timeout_seconds=0.5)
            pending = await tools.content("ask_user", **call)
            await person.requests.answer(pending["request_id"], {"answer": "Birke"})
            answered = await tools.content("ask_user", **call)
            with pytest.raises(MCPError):
                await tools.client.call_tool("ask_user", call, read_timeout_seconds=0.5)
            [second, first] = await person.requests.list(thread_id=thread)  # the answer was read
            await person.requests.answer(second.id, {"answer": "Ahorn"})
            late = await tools.content("ask_user", **call)
    assert (pending["status"], pending["request_id"]) == ("pending", first.id)
    assert answered == {"status": "answered", "request_id": first.id, "answers": {"answer": "Birke"}}
    assert late == {"status": "answered", "request_id": second.id, "answers": {"answer": "Ahorn"}}


@requirement("C4")
async def test_equal_approvals_of_one_turn_are_asked_each(
    connect: Connect, person: AsyncClient, thread: str
) -> None:
    call = {**APPROVAL, "wait_s": 0.2, "thread_id": thread}
    with anyio.fail_after(30):
        async with connect(KINDS[0]) as tools, anyio.create_task_group() as tasks:
            for _ in range(2):
                tasks.start_soon(tools.client.call_tool, "request_approval", call)
    assert len([*await person.requests.list(thread_id=thread)]) == 2
