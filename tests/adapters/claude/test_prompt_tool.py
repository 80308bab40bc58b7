"""`--permission-prompt-tool`: the real Claude Code without hooks, whose limit for calls ends before a person decides."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Event
from typing import Any

import anyio
import claude_agent_sdk

from askback import AsyncClient
from tests.adapters.claude.cli_environment import cli_environment
from tests.adapters.claude.conftest import LIMIT_S, wait_for_request
from tests.adapters.claude.fake_model import Blocks, FakeModel, call
from tests.adapters.conftest import TOKENS, Server
from tests.requirements import requirement

CLI = Path(claude_agent_sdk.__file__).parent / "_bundled" / "claude"


@requirement("G9")
async def test_a_call_that_was_approved_after_the_limit_runs_when_claude_repeats_it(
    server: Server, model: FakeModel, person: AsyncClient, project: Path, thread: str
) -> None:
    has_ended, is_approved = Event(), Event()

    def repeat(_body: Mapping[str, Any]) -> Blocks:
        has_ended.set()
        is_approved.wait(LIMIT_S)
        return [call("Bash", "toolu_second", command="touch made")]

    model.play("go", [call("Bash", "toolu_first", command="touch made")], repeat)
    own = {"ASKBACK_URL": server.url, "ASKBACK_TOKEN": TOKENS["requester"], "ASKBACK_THREAD": thread}
    entry = {"command": sys.executable, "args": ["-m", "askback", "mcp"], "env": own}
    config = project.parent / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"askback": entry}}))
    words = (
        CLI,
        "-p",
        "go",
        "--mcp-config",
        config,
        "--permission-prompt-tool",
        "mcp__askback__approval_prompt",
    )
    environment = {**os.environ, **cli_environment(model.url, project.parent), "MCP_TOOL_TIMEOUT": "2000"}
    with anyio.fail_after(LIMIT_S):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: anyio.run_process([*map(str, words)], env=environment, cwd=project))
            request = await wait_for_request(person, thread)
            await anyio.to_thread.run_sync(has_ended.wait)
            await person.requests.decide(request, "approve")
            is_approved.set()
    results = model.results("go")
    assert request.id in results["toolu_first"]
    assert (project / "made").exists()
    assert len(await person.requests.list(thread_id=thread)) == 1
