"""A secret that Claude asks for is used, and the model never reads it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from askback import AsyncClient
from askback.adapters.claude import with_askback
from tests.adapters.claude.conftest import Options, run, wait_for_request
from tests.adapters.claude.fake_model import FakeModel, call
from tests.adapters.conftest import TOKENS, Server
from tests.requirements import requirement

CANARY = "sk-canary-4f1d7c"


@requirement("E1")
async def test_a_secret_for_a_command_never_reaches_the_model(
    server: Server, person: AsyncClient, model: FakeModel, options: Options, thread: str, project: Path
) -> None:
    command = f"{sys.executable} -m askback run --secret SHOP_KEY --thread {thread} -- sh -c 'echo $SHOP_KEY | tee used'"
    model.play("go", [call("Bash", "toolu_run", command=command)])
    claude_options = options()
    claude_options.env |= {"ASKBACK_URL": server.url, "ASKBACK_TOKEN": TOKENS["requester"]}
    async with server.client() as ask, anyio.create_task_group() as tasks:
        tasks.start_soon(run, with_askback(claude_options, ask, thread_id=thread), "go")
        await person.requests.decide(await wait_for_request(person, thread), "approve")
        await person.requests.submit(await wait_for_request(person, thread, 2), {"SHOP_KEY": CANARY})
    assert (project / "used").read_text().strip() == CANARY
    assert "[secret:SHOP_KEY]" in model.results("go")["toolu_run"]
    assert not [body for body in model.received if CANARY in body]


@requirement("E1")
@pytest.mark.parametrize("durable", [False, True])
async def test_askbacks_own_tools_ask_without_approval_and_the_model_reads_no_value(
    durable: bool, server: Server, person: AsyncClient, model: FakeModel, options: Options, thread: str
) -> None:
    arguments: Any = {"names": ["SHOP_KEY"], "reason": "to deploy", "thread_id": thread, "wait_s": 60}
    request = call("mcp__ask_back__request_env_vars", f"toolu_{thread}", **arguments)
    model.play("go", [call("ToolSearch", query="select:mcp__ask_back__request_env_vars")], [request])
    environment = {"ASKBACK_URL": server.url, "ASKBACK_TOKEN": TOKENS["requester"]}
    started = {"command": sys.executable, "args": ["-m", "askback", "mcp"], "env": environment}
    claude_options = options(
        mcp_servers={"ask back": started},
        allowed_tools=["mcp__ask_back__request_env_vars"] if durable else [],
    )
    async with server.client() as ask, anyio.create_task_group() as tasks:
        tasks.start_soon(run, with_askback(claude_options, ask, thread_id=thread, durable=durable), "go")
        asked_request = await wait_for_request(person, thread)
        assert asked_request.kind == "secret"
        await person.requests.submit(asked_request, {"SHOP_KEY": CANARY})
    assert '"status":"answered"' in model.results("go")[f"toolu_{thread}"]
    assert not [body for body in model.received if CANARY in body]
