"""A person's time: progress, waits that end in time, servers that are killed, and calls that are cancelled."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from askback import AsyncClient, InputRequest
from askback.adapters.mcp.caller_connection import CallerConnection, Context
from askback.adapters.mcp.limits import Limits
from askback.adapters.mcp.server import build_server
from askback.adapters.mcp.tool_call import ToolCall
from askback.client.resources.requests import Requests
from tests.adapters.conftest import TOKENS, Server
from tests.adapters.mcp.conftest import KINDS, LEGACY, MODERN, Connect, Kind, card, connect_client, text_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("meta", "wait_s", "expected"),
    [
        ({"progress_token": 0}, None, 240),
        ({"progress_token": "a"}, 900, 240),
        ({"progress_token": "a"}, 3, 3),
        ({}, None, 50),
        (None, 240, 50),
        (None, 0, 0),
    ],
)
def test_a_call_waits_as_long_as_its_client_can_and_an_argument_only_shortens_it(
    meta: Any, wait_s: float | None, expected: float
) -> None:
    context: Any = SimpleNamespace(meta=meta)
    call = ToolCall(context, SimpleNamespace(), SimpleNamespace(), Limits(wait_s=240, progress_s=20))  # pyright: ignore[reportArgumentType]
    assert call.seconds(wait_s) == expected


@requirement("G9")
@pytest.mark.parametrize("mode", [LEGACY, MODERN])
async def test_progress_is_reported_while_a_person_is_awaited(
    mode: str, connect: Connect, thread: str
) -> None:
    reports: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        reports.append((progress, total, message))

    settings = {"ASKBACK_MCP_PROGRESS_S": "0.05", "ASKBACK_MCP_WAIT_S": "0.5"}
    async with connect(Kind("stdio", mode), **settings) as tools:
        arguments = {"question": "Which?", "thread_id": thread}
        result = await tools.client.call_tool("ask_user", arguments, progress_callback=note)
    assert (result.structured_content or {})["status"] == "pending"
    url = (result.structured_content or {})["url"]
    waiting = f"Waiting for a person to answer: {url}"
    assert reports[:3] == [(0, 0.5, waiting), (0.05, 0.5, waiting), (0.1, 0.5, waiting)]


@requirement("G9")
@pytest.mark.parametrize(
    ("limit", "wait_s", "prompt_s"),
    [("60000", 55, 55), ("6000", 3, 3), ("300000", 240, 295), ("0", 240, None), ("x", 240, None)],
)
def test_a_call_ends_before_the_limit_of_claude_code(
    limit: str, wait_s: float, prompt_s: float | None
) -> None:
    limits = Limits(wait_s=240, progress_s=20).within({"MCP_TOOL_TIMEOUT": limit})
    assert (limits.wait_s, limits.prompt_s) == (wait_s, prompt_s)


@requirement("G9")
@pytest.mark.parametrize(
    ("limit", "expected"), [("1800000", 20), ("30000", 15), ("10000", 5), ("100", 0.5), ("0", 20)]
)
def test_progress_comes_before_the_idle_limit_of_claude_code(limit: str, expected: float) -> None:
    limits = Limits(wait_s=240, progress_s=20).within({"CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT": limit})
    assert limits.progress_s == expected


@requirement("G9")
async def test_the_limit_of_claude_code_is_read_from_its_environment(connect: Connect, thread: str) -> None:
    with anyio.fail_after(30):
        async with connect(Kind("stdio", MODERN), MCP_TOOL_TIMEOUT="1000") as tools:
            result = await tools.content("ask_user", question="Which?", thread_id=thread)
    assert result["status"] == "pending"


@requirement("G8")
@pytest.mark.parametrize("mode", [LEGACY, MODERN])
async def test_a_call_survives_the_death_of_the_server(
    mode: str, connect: Connect, server: Server, thread: str
) -> None:
    findings: list[dict[str, Any]] = []
    with anyio.fail_after(120):
        async with connect(Kind("stdio", mode)) as tools, anyio.create_task_group() as tasks:

            async def asking() -> None:
                findings.append(await tools.content("ask_user", question="Which?", thread_id=thread))

            tasks.start_soon(asking)
            async with server.client("responder") as person:
                id_ = await card(person, thread)
            await anyio.to_thread.run_sync(server.kill_and_restart)
            async with server.client("responder") as person:
                await person.requests.answer(id_, {"answer": "after the restart"})
    assert findings == [{"status": "answered", "request_id": id_, "answers": {"answer": "after the restart"}}]


@requirement("G9")
async def test_a_wait_that_ends_while_the_server_is_down_returns_the_open_request(
    own_server: Server, thread: str
) -> None:
    findings: list[dict[str, Any]] = []
    with anyio.fail_after(120):
        async with (
            connect_client(own_server, Kind("stdio", MODERN)) as tools,
            anyio.create_task_group() as tasks,
        ):

            async def asking() -> None:
                findings.append(
                    await tools.content("ask_user", question="Which?", thread_id=thread, wait_s=4)
                )

            tasks.start_soon(asking)
            async with own_server.client("responder") as person:
                id_ = await card(person, thread)
            own_server.stop()
    assert [(finding["status"], finding["request_id"]) for finding in findings] == [("pending", id_)]


@pytest.mark.parametrize("mode", [LEGACY, MODERN])
async def test_a_repeated_http_call_finds_its_request_after_the_server_died(
    mode: str, connect: Connect, server: Server, thread: str
) -> None:
    meta = {"io.askback/key": thread}
    arguments = {"question": "Which?", "thread_id": thread, "meta": meta}
    with anyio.fail_after(120):
        async with server.client("responder") as person:
            with pytest.raises(BaseExceptionGroup):
                async with connect(Kind("http", mode)) as tools, anyio.create_task_group() as tasks:
                    tasks.start_soon(lambda: tools.content("ask_user", **arguments))
                    id_ = await card(person, thread)
                    await anyio.to_thread.run_sync(server.kill_and_restart)
                    tasks.cancel_scope.cancel()
                    raise RuntimeError("the client has lost the connection")
            await person.requests.answer(id_, {"answer": "meanwhile"})
            async with connect(Kind("http", mode)) as tools:
                content = await tools.content("ask_user", **arguments)
            assert (content["request_id"], content["answers"]) == (id_, {"answer": "meanwhile"})
            assert len([*await person.requests.list(thread_id=thread)]) == 1


@requirement("G8")
@pytest.mark.parametrize("name", ["io.askback/key", "claudecode/toolUseId"])
async def test_a_call_that_another_process_repeats_finds_its_request(
    name: str, kind: Kind, connect: Connect, person: AsyncClient, thread: str
) -> None:
    """Each process and each session has a thread of its own; here no call names one."""
    meta = {name: thread}
    with anyio.fail_after(120):
        async with connect(kind) as tools:
            approval = await tools.content("request_approval", tool="deploy", input={}, wait_s=0, meta=meta)
            question = await tools.content("ask_user", question="Which?", wait_s=0, meta=meta)
        await person.requests.answer(question["request_id"], {"answer": "meanwhile"})
        async with connect(kind) as tools:
            again = await tools.content("request_approval", tool="deploy", input={}, wait_s=0, meta=meta)
            answered = await tools.content("ask_user", question="Which?", meta=meta)
            other = await tools.call("ask_user", question="Other?", meta=meta)
    assert again["request_id"] == approval["request_id"]
    assert (answered["request_id"], answered["answers"]) == (question["request_id"], {"answer": "meanwhile"})
    assert text_of(other).startswith("An earlier call with the same id had other arguments")


@requirement("C20")
@pytest.mark.parametrize("kind", KINDS[:3], ids=str)
async def test_a_call_that_the_client_cancels_withdraws_its_card(
    kind: Kind, connect: Connect, person: AsyncClient, thread: str
) -> None:
    """Over HTTP, a client of 2026-07-28 cancels by closing the stream, which looks like a lost connection."""
    with anyio.fail_after(120):
        async with connect(kind) as tools:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(lambda: tools.content("ask_user", question="Which?", thread_id=thread))
                id_ = await card(person, thread)
                tasks.cancel_scope.cancel()
            assert str((await person.wait(id_)).status) == "cancelled"


@requirement("C20")
async def test_a_call_cancelled_during_the_creation_of_its_card_withdraws_it(
    server: Server, person: AsyncClient, thread: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    create: Any = Requests.create
    going_on = anyio.Event()

    async def slow(self: Requests, *about: Any, **extra: Any) -> InputRequest:
        request = await create(self, *about, **extra)
        await going_on.wait()
        return request

    monkeypatch.setattr(Requests, "create", slow)
    async with server.client("requester") as agent:

        @asynccontextmanager
        async def connect_caller(_context: Context) -> AsyncIterator[CallerConnection]:
            yield CallerConnection(agent, server.url, thread)

        with anyio.fail_after(120):
            async with Client(
                build_server(connect_caller, Limits(wait_s=240, progress_s=20)), mode=LEGACY
            ) as client:
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(client.call_tool, "ask_user", {"question": "Which?"})
                    id_ = await card(person, thread)
                    tasks.cancel_scope.cancel()
                await client.call_tool("list_requests", {})  # it comes after the cancellation
                going_on.set()
                assert str((await person.wait(id_)).status) == "cancelled"


async def test_a_call_whose_client_gives_up_waiting_stays_open(
    connect: Connect, person: AsyncClient, thread: str
) -> None:
    async with connect(Kind("stdio", LEGACY)) as tools:
        with pytest.raises(MCPError):
            arguments = {"question": "Which?", "thread_id": thread}
            await tools.client.call_tool("ask_user", arguments, read_timeout_seconds=1)
        id_ = await card(person, thread)
        assert (await tools.content("get_answer", request_id=id_, wait_s=0))["status"] == "pending"


async def test_a_client_that_dies_in_the_middle_of_a_call_leaves_the_request_open(
    server: Server, person: AsyncClient, thread: str
) -> None:
    own = {"ASKBACK_URL": server.url, "ASKBACK_TOKEN": TOKENS["requester"]}
    arguments = {"question": "Which?", "thread_id": thread}
    named = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    calls = [
        {"id": 1, "method": "initialize", "params": named},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "ask_user", "arguments": arguments}},
    ]
    lines = "".join(f"{json.dumps({'jsonrpc': '2.0', **call})}\n" for call in calls)
    words = (sys.executable, "-m", "askback", "mcp")
    with anyio.fail_after(120):
        async with await anyio.open_process(words, env={**os.environ, **own}) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stderr is not None
            await process.stdin.send(lines.encode())
            id_ = await card(person, thread)
            await process.stdout.aclose()
            await process.stdin.aclose()
            errors = b"".join([item async for item in process.stderr])
            assert (await process.wait(), errors) == (0, b"")
    assert (await person.requests.get(id_)).status == "pending"


async def test_a_missing_server_is_explained_in_a_sentence(connect: Connect) -> None:
    settings = {"ASKBACK_URL": "http://127.0.0.1:9", "ASKBACK_DATA_DIR": "/nonexistent"}
    with anyio.fail_after(120):
        async with connect(KINDS[0], **{**settings, "ASKBACK_URL": ""}) as tools:
            result = await tools.call("ask_user", question="Which?")
    assert result.is_error
    assert "askback serve" in text_of(result)
