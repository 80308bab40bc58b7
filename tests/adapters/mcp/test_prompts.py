"""Permission prompts that end before anybody decides: the same call finds its request and the answer, once."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable
from pathlib import Path
from typing import Any
from uuid import uuid4

import anyio
import psutil
import pytest

from askback import AsyncClient, InputRequest
from tests.adapters.conftest import TOKENS, Server
from tests.adapters.mcp.conftest import (
    KINDS,
    Connect,
    Kind,
    Tools,
    card,
    connect_client,
    text_of,
)
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

SHORT = {"MCP_TOOL_TIMEOUT": "1000"}
"""Claude Code with a limit of a second."""
QUESTIONS = [
    {
        "question": "Which?",
        "header": "W",
        "options": [{"label": "A", "description": ""}, {"label": "B", "description": ""}],
        "multiSelect": False,
    }
]


async def prompt(tools: Tools, *, tool: str = "Deploy", **given: Any) -> dict[str, Any]:
    """Ask as Claude Code does, with a new id; `given` is the input of the call."""
    use = f"toolu_{uuid4().hex}"
    result = await tools.call("approval_prompt", tool_name=tool, input=given, tool_use_id=use)
    assert not result.is_error
    return json.loads(text_of(result))


@requirement("G9")
async def test_a_prompt_ends_before_the_limit_and_the_repeated_call_runs_once_after_the_approval(
    connect: Connect, person: AsyncClient, thread: str
) -> None:
    with anyio.fail_after(120):
        async with connect(KINDS[0], ASKBACK_THREAD=thread, **SHORT) as tools:
            ended = await prompt(tools, to=thread)
            (request,) = await person.requests.list(thread_id=thread)
            repeated = await prompt(tools, to=thread)
            await person.requests.decide(request, "approve", edited_input={"to": "x"})
            assert (await tools.content("get_answer", request_id=request.id))["decision"] == "approve"
            ran = await prompt(tools, to=thread)
            again = await prompt(tools, to=thread)
    assert ended["behavior"] == repeated["behavior"] == "deny"
    for part in (request.id, "get_answer", "exactly the same call again"):
        assert part in ended["message"]
    assert ran == {"behavior": "allow", "updatedInput": {"to": "x"}}
    assert (again["behavior"], request.id in again["message"]) == ("deny", False)
    assert len(await person.requests.list(thread_id=thread)) == 2


async def test_a_late_denial_reaches_the_repeated_call(
    connect: Connect, person: AsyncClient, thread: str
) -> None:
    with anyio.fail_after(120):
        async with connect(KINDS[0], ASKBACK_THREAD=thread, **SHORT) as tools:
            await prompt(tools, to=thread)
            await person.requests.decide(await card(person, thread), "deny", note="Not today.")
            denied = await prompt(tools, to=thread)
    assert "Their note: Not today." in denied["message"]
    assert len(await person.requests.list(thread_id=thread)) == 1


async def test_late_answers_to_claudes_questions_reach_the_repeated_call(
    connect: Connect, person: AsyncClient, thread: str
) -> None:
    with anyio.fail_after(120):
        async with connect(KINDS[0], ASKBACK_THREAD=thread, **SHORT) as tools:
            ended = await prompt(tools, tool="AskUserQuestion", questions=QUESTIONS)
            request_id = await card(person, thread)
            await person.requests.answer(request_id, {"q1": "B"})
            told = await prompt(tools, tool="AskUserQuestion", questions=QUESTIONS)
            await prompt(tools, tool="AskUserQuestion", questions=QUESTIONS)
            second = await card(person, thread, number=2)
            await person.requests.answer(second, {"q1": "A"})
            assert (await tools.content("get_answer", request_id=second))["status"] == "answered"
            await prompt(tools, tool="AskUserQuestion", questions=QUESTIONS)
    assert request_id in ended["message"]
    assert told["updatedInput"]["answers"] == {"Which?": "B"}
    assert (
        len(await person.requests.list(thread_id=thread)) == 3
    )  # asked anew after the model had read an answer


@requirement("G8")
@pytest.mark.parametrize("kind", [KINDS[0], *KINDS[2:]], ids=str)
async def test_an_approval_counts_for_the_same_call_after_a_kill(kind: Kind, own_server: Server) -> None:
    """On stdio `askback mcp` is killed, over HTTP the server."""

    def kill() -> None:
        if kind.transport == "http":
            own_server.kill_and_restart()
        for process in psutil.Process().children():
            if process.cmdline()[-1:] == ["mcp"]:
                process.kill()

    async with own_server.client("responder") as person:
        with anyio.fail_after(120):
            with pytest.raises(BaseExceptionGroup):
                async with connect_client(own_server, kind) as tools, anyio.create_task_group() as tasks:
                    tasks.start_soon(lambda: prompt(tools, to="a"))
                    request = await first_request(person)
                    await anyio.to_thread.run_sync(kill)
                    tasks.cancel_scope.cancel()
                    raise RuntimeError("the client has lost the connection")
            async with connect_client(own_server, kind) as tools, anyio.create_task_group() as tasks:
                tasks.start_soon(lambda: prompt(tools, to="b"))
                other = await first_request(person, after=request)
                assert other.approval is not None
                assert other.approval.input == {"to": "b"}
                await person.requests.decide(other, "deny")
                await person.requests.decide(request, "approve")
                allowed = await prompt(tools, to="a")
        assert allowed == {"behavior": "allow", "updatedInput": {"to": "a"}}
        assert len(await person.requests.list()) == 2


@requirement("C20")
async def test_the_card_of_a_prompt_is_withdrawn_when_its_client_was_killed(
    server: Server, person: AsyncClient, thread: str
) -> None:
    own = {"ASKBACK_URL": server.url, "ASKBACK_TOKEN": TOKENS["requester"], "ASKBACK_THREAD": thread}
    named = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    arguments = {"tool_name": "Deploy", "input": {"to": thread}, "tool_use_id": thread}
    calls = [
        {"id": 1, "method": "initialize", "params": named},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "approval_prompt", "arguments": arguments}},
    ]
    lines = "".join(f"{json.dumps({'jsonrpc': '2.0', **call})}\n" for call in calls)
    words = (sys.executable, "-m", "askback", "mcp")
    with anyio.fail_after(120):
        async with await anyio.open_process(words, env={**os.environ, **own}) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            await process.stdin.send(lines.encode())
            id_ = await card(person, thread)
            await process.stdout.aclose()
            await process.stdin.aclose()
            await process.wait()
        ended = await person.wait(id_)
    assert (ended.status, ended.reason) == ("cancelled", "agent_aborted")


async def first_request(person: AsyncClient, after: InputRequest | None = None) -> InputRequest:
    """Return the first request of a server, or the first one after another."""
    async for event in person.events(cursor=0):
        if event["type"] == "request.created" and (after is None or event["request"]["id"] > after.id):
            return await person.requests.get(event["request"]["id"])
    raise AssertionError("the events ended")


async def collect(replies: list[dict[str, Any]], asking: Awaitable[dict[str, Any]]) -> None:
    replies.append(await asking)


@pytest.mark.parametrize("decision", ["approve", "deny"])
async def test_a_plan_is_shown_as_a_plan_and_decided_once(
    connect: Connect, person: AsyncClient, thread: str, decision: Any
) -> None:
    given = {"plan": "# Plan\n\n1. Deploy", "planFilePath": "/srv/plan.md"}
    replies: list[dict[str, Any]] = []
    async with connect(KINDS[0], ASKBACK_THREAD=thread) as tools, anyio.create_task_group() as tasks:
        tasks.start_soon(collect, replies, prompt(tools, tool="ExitPlanMode", **given))
        request = await person.requests.get(await card(person, thread))
        assert request.approval is not None
        assert (request.approval.plan, request.approval.rule) == (given["plan"], None)
        await person.requests.decide(request, decision, note="Test it first.")
    if decision == "approve":
        assert replies == [{"behavior": "allow", "updatedInput": given}]
    else:
        assert (replies[0]["behavior"], "Test it first." in replies[0]["message"]) == ("deny", True)
        assert "do not try to reach" not in replies[0]["message"]


async def test_equal_calls_at_the_same_time_each_need_an_approval(
    connect: Connect, person: AsyncClient, thread: str
) -> None:
    replies: list[dict[str, Any]] = []
    with anyio.fail_after(120):
        async with connect(KINDS[0], ASKBACK_THREAD=thread) as tools, anyio.create_task_group() as tasks:
            for _ in range(2):
                tasks.start_soon(collect, replies, prompt(tools, to=thread))
            for number in (1, 2):
                await person.requests.decide(await card(person, thread, number=number), "approve")
    assert [reply["behavior"] for reply in replies] == ["allow", "allow"]


async def test_a_prompt_for_a_call_that_a_rule_allows_asks_nobody(
    connect: Connect, person: AsyncClient, thread: str
) -> None:
    await person.rules.create("Deploy", scope="thread", thread_id=thread)
    with anyio.fail_after(60):
        async with connect(KINDS[0], ASKBACK_THREAD=thread) as tools:
            for to in ("one", "two"):
                assert await prompt(tools, to=to) == {"behavior": "allow", "updatedInput": {"to": to}}


@requirement("B10")
async def test_a_link_that_leads_out_of_the_folder_of_the_client_is_not_followed_by_a_rule(
    connect: Connect, person: AsyncClient, thread: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "notes.md").symlink_to("../key")
    monkeypatch.chdir(tmp_path / "project")
    await person.rules.create("tool:Read", scope="thread", thread_id=thread)
    with anyio.fail_after(60):
        async with connect(KINDS[0], ASKBACK_THREAD=thread) as tools:
            reply = await prompt(tools, tool="Read", file_path="notes.md")
    assert reply["behavior"] == "deny"
    assert f"is a link to {tmp_path / 'key'}" in reply["message"]
