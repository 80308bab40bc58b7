"""A server that stops: held calls and the streams of sessions end as complete replies. A client that is interrupted."""

from __future__ import annotations

import re
import signal
from typing import Any

import anyio
import httpx2
import pytest
from mcp_types import ElicitResult

from askback import AsyncClient
from tests.adapters.conftest import TOKENS, Server
from tests.adapters.mcp.conftest import LEGACY, MODERN, Kind, accept, card, connect_client, text_of
from tests.adapters.mcp.test_http import HEADERS, INITIALIZE, bearer
from tests.adapters.mcp.test_secrets import RawClient
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("mode", [LEGACY, MODERN])
async def test_a_held_call_of_a_server_that_stops_returns_the_open_request(
    mode: str, capfd: pytest.CaptureFixture[str], own_server: Server, thread: str
) -> None:
    findings: list[Any] = []
    with anyio.fail_after(120):
        async with connect_client(own_server, Kind("http", mode)) as tools:
            await tools.client.list_tools()  # or the client asks for them after the result
            async with anyio.create_task_group() as tasks:

                async def asking() -> None:
                    findings.append(await tools.call("ask_user", question="Which?", thread_id=thread))

                tasks.start_soon(asking)
                async with own_server.client("responder") as person:
                    id_ = await card(person, thread)
                await anyio.to_thread.run_sync(own_server.stop)
    (result,) = findings
    assert not result.is_error
    assert (result.structured_content["status"], result.structured_content["request_id"]) == ("pending", id_)
    assert f"It stays open as {id_}" in text_of(result)
    log = capfd.readouterr().err
    assert "WARNING" not in log
    assert "ERROR" not in log


async def test_the_stream_of_a_session_ends_as_a_complete_reply(own_server: Server) -> None:
    headers = {**HEADERS, **bearer(TOKENS["requester"])}
    with anyio.fail_after(120):
        async with httpx2.AsyncClient(
            base_url=own_server.url, headers=headers, timeout=120, verify=False
        ) as http:
            opening = await http.post("/mcp", json=INITIALIZE)
            session = {"Mcp-Session-Id": opening.headers["mcp-session-id"]}
            async with http.stream("GET", "/mcp", headers=session) as stream:
                await anyio.to_thread.run_sync(own_server.stop)
                assert (stream.status_code, await stream.aread()) == (200, b"")


async def test_the_stream_of_a_session_ends_when_its_token_is_revoked(server: Server) -> None:
    with anyio.fail_after(120):
        async with AsyncClient(server.url, TOKENS["admin"]) as admin:
            token = await admin.tokens.create("requester", name="revoked")
            headers = {**HEADERS, **bearer(token.token.reveal())}
            async with httpx2.AsyncClient(
                base_url=server.url, headers=headers, timeout=120, verify=False
            ) as http:
                opening = await http.post("/mcp", json=INITIALIZE)
                session = {"Mcp-Session-Id": opening.headers["mcp-session-id"]}
                async with http.stream("GET", "/mcp", headers=session) as stream:
                    await admin.tokens.revoke(token.id)
                    assert (stream.status_code, await stream.aread()) == (200, b"")
                assert (await http.get("/mcp", headers=session)).status_code == 401


@requirement("C20")
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
async def test_what_an_interrupted_client_cancels_is_withdrawn(
    server: Server, person: AsyncClient, thread: str, version: str
) -> None:
    raw = await anyio.to_thread.run_sync(RawClient, server, version)
    raw.call(2, "ask_user", question="Which?", thread_id=thread)
    id_ = await card(person, thread)
    assert await anyio.to_thread.run_sync(raw.interrupt, 2) in {-signal.SIGINT, -signal.SIGTERM}
    raw.close()
    assert b"Traceback" not in raw.output
    with anyio.fail_after(120):
        assert (await person.wait(id_)).status == "cancelled"


async def test_a_server_of_the_earlier_version_answers_no_request_of_a_later_one(server: Server) -> None:
    words = ("-m", "askback", "mcp", "--protocol", "2025-11-25")
    raw = await anyio.to_thread.run_sync(RawClient, server, "2026-07-28", *words)
    try:
        for number, method in enumerate(("server/discover", "tools/list"), 1):
            raw.send(id=number, method=method)
            reply = await anyio.to_thread.run_sync(raw.receive, number)
            assert reply["error"]["code"] == -32601
    finally:
        raw.close()


PATIENT = """
import runpy, sys
from askback.adapters.mcp import server
server.REASON_S = 600
sys.argv = ["askback", "mcp"]
runpy.run_module("askback", run_name="__main__")
"""


@requirement("C20")
async def test_a_signal_withdraws_a_permission_prompt_without_waiting_for_a_reason(
    server: Server, person: AsyncClient, thread: str
) -> None:
    """Claude Code kills the command half a second after its own SIGTERM."""
    raw = await anyio.to_thread.run_sync(RawClient, server, "2025-11-25", "-c", PATIENT)
    raw.call(2, "approval_prompt", tool_name="Deploy", input={"to": thread})
    with anyio.fail_after(120):
        async for event in person.events(cursor=0):
            if event["type"] == "request.created" and event["request"].get("approval", {}).get("input") == {
                "to": thread
            }:
                break
        id_ = event["request"]["id"]
        assert await anyio.to_thread.run_sync(raw.kill, signal.SIGTERM) == -signal.SIGTERM
        raw.close()
        assert (await person.wait(id_)).status == "cancelled"


async def test_a_signal_alone_leaves_a_question_open(
    server: Server, person: AsyncClient, thread: str
) -> None:
    raw = await anyio.to_thread.run_sync(RawClient, server, "2026-07-28")
    raw.call(2, "ask_user", question="Which?", thread_id=thread)
    id_ = await card(person, thread)
    assert await anyio.to_thread.run_sync(raw.kill, signal.SIGTERM) == -signal.SIGTERM
    raw.close()
    assert (await person.requests.get(id_)).status == "pending"


async def test_an_answer_that_finds_no_server_leaves_the_id_of_the_open_request(
    own_server: Server, thread: str
) -> None:
    def stop_and_answer(_: Any) -> ElicitResult:
        own_server.stop()
        return accept(answer="Birke")

    async def note(progress: float, total: float | None, message: str | None) -> None:  # noqa: ARG001
        pass  # a call without progress reports ends before its client gives up the server

    async with connect_client(own_server, Kind("stdio", LEGACY), stop_and_answer) as tools:
        call = {"question": "Which?", "thread_id": thread}
        result = await tools.client.call_tool("ask_user", call, progress_callback=note)
    assert result.is_error
    assert re.match(r"The askback server has stopped\. The request req_\w+ stays open;", text_of(result))
