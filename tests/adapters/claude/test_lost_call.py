"""A call of Claude Code over HTTP is lost with the server, and Claude finds its request again."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from threading import Event
from typing import Any

import anyio

from tests.adapters.claude.cli_environment import cli_environment
from tests.adapters.claude.conftest import LIMIT_S, wait_for_request
from tests.adapters.claude.fake_model import Blocks, FakeModel, call, last_result
from tests.adapters.claude.test_claude_code import CLI
from tests.adapters.conftest import TOKENS, Server
from tests.requirements import requirement

DEPLOY = {"tool": "deploy", "input": {"to": "production"}}


@requirement("G8")
async def test_claude_gets_the_decision_about_a_call_that_was_lost_with_the_server(
    own_server: Server, model: FakeModel, thread: str, project: Path
) -> None:
    restarted = Event()

    def look(_body: Mapping[str, Any]) -> Blocks:
        restarted.wait(LIMIT_S)
        return [call("mcp__askback__list_requests")]

    def read(body: Mapping[str, Any]) -> Blocks:
        [request] = json.loads(last_result(body))["requests"]
        assert request["title"] == 'deploy {"to": "production"}'
        return [call("mcp__askback__get_answer", "toolu_read", request_id=request["request_id"])]

    tools = ",".join(f"mcp__askback__{name}" for name in ("request_approval", "list_requests", "get_answer"))
    ask = {**call("mcp__askback__request_approval", "toolu_lost"), "input": {**DEPLOY, "thread_id": thread}}
    model.play("go", [call("ToolSearch", query=f"select:{tools}")], [ask], look, read)
    headers = {"Authorization": f"Bearer {TOKENS['requester']}"}
    servers = {"askback": {"type": "http", "url": f"{own_server.url}/mcp", "headers": headers}}
    words = (str(CLI), "-p", "go", "--mcp-config", json.dumps({"mcpServers": servers}))
    environment = {**os.environ, **cli_environment(model.url, project.parent)}
    with anyio.fail_after(LIMIT_S):
        async with anyio.create_task_group() as tasks:

            async def work() -> None:
                await anyio.run_process(
                    (*words, "--allowedTools", "mcp__askback"), env=environment, cwd=project
                )

            tasks.start_soon(work)
            async with own_server.client("responder") as person:
                request = await wait_for_request(person, thread)
            await anyio.to_thread.run_sync(own_server.kill_and_restart)
            restarted.set()
            async with own_server.client("responder") as person:
                await person.requests.decide(request, "approve")
    results = model.results("go")
    assert "answered" not in results["toolu_lost"]
    assert json.loads(results["toolu_read"])["decision"] == "approve"
    async with own_server.client("responder") as person:
        assert [item.id for item in await person.requests.list()] == [request.id]
