"""A session that goes on with a resume whose request its adapter has not made, and resumes of no session."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from claude_agent_sdk import ClaudeAgentOptions

from askback import AsyncClient
from askback.adapters.claude import NotOfClaude, continue_session, with_askback
from tests.adapters.claude.conftest import LIMIT_S, Options, result_of, run, wait_for_request
from tests.adapters.claude.fake_model import FakeModel, call
from tests.adapters.claude.test_approvals import touch
from tests.adapters.claude.test_questions import COLOUR, question
from tests.adapters.conftest import TOKENS, Server


@pytest.mark.parametrize("deferred", [False, True])
async def test_the_resume_of_an_mcp_tool_continues_the_session_that_called_it(
    deferred: bool,
    server: Server,
    agent: AsyncClient,
    person: AsyncClient,
    model: FakeModel,
    options: Options,
    thread: str,
    project: Path,
) -> None:
    """If a call is deferred, that one is decided first: a prompt would interrupt it."""
    environment = {"ASKBACK_URL": server.url, "ASKBACK_TOKEN": TOKENS["requester"], "ASKBACK_THREAD": thread}
    started = {"command": sys.executable, "args": ["-m", "askback", "mcp"], "env": environment}

    def make_options() -> ClaudeAgentOptions:
        with_mcp = options(mcp_servers={"askback": started})
        return with_askback(with_mcp, agent, thread_id=thread, durable=True)

    tool = "mcp__askback__request_env_vars"
    asking = call(tool, f"toolu_{thread}", names=["SHOP_KEY"], reason="to deploy")
    model.play(
        "go", [call("ToolSearch", query=f"select:{tool}")], [asking], *([[touch()]] if deferred else [])
    )
    result = result_of(await run(make_options(), "go"))
    assert (result.deferred_tool_use is not None) == deferred
    if deferred:
        await person.requests.decide(await wait_for_request(person, thread, 2), "approve")
    secret = await wait_for_request(person, thread)
    await person.requests.submit(secret, {"SHOP_KEY": "sk-1"})
    with anyio.fail_after(LIMIT_S):
        resume = await anext(
            item async for item in agent.resumes.listen(thread) if item.request_id == secret.id
        )
    messages = [item async for item in continue_session(resume, make_options())]
    assert (result_of(messages).session_id, result_of(messages).result) == (result.session_id, "done")
    assert any(json.dumps(resume.text)[1:-1] in body for body in model.received)
    assert (project / "made").exists() == deferred


async def test_the_resume_of_another_request_in_the_thread_continues_its_last_session(
    agent: AsyncClient, person: AsyncClient, model: FakeModel, options: Options, thread: str
) -> None:
    def make_options() -> ClaudeAgentOptions:
        return with_askback(options(), agent, thread_id=thread, durable=True)

    model.play("go", [question(COLOUR)])
    result = result_of(await run(make_options(), "go"))
    await person.requests.answer(await wait_for_request(person, thread), {"q1": "Red"})
    (resume,) = await agent.resumes.pull(thread, wait=20)
    assert [item async for item in continue_session(resume, make_options())]
    await agent.resumes.ack(resume)
    decision = await agent.approve("Bash", {"command": "make deploy"}, thread_id=thread, wait=False)
    assert decision.request is not None
    await person.requests.decide(decision.request, "deny")
    (resume,) = await agent.resumes.pull(thread, wait=20)
    messages = [item async for item in continue_session(resume, make_options())]
    assert result_of(messages).session_id == result.session_id
    assert any(resume.request_id in body for body in model.received)


@pytest.mark.parametrize("metadata", [None, {"claude": {"session_id": "s1"}}])
async def test_a_resume_of_another_program_is_refused(
    agent: AsyncClient, person: AsyncClient, options: Options, thread: str, metadata: Any
) -> None:
    decision = await agent.approve(
        "Bash", {"command": "touch x"}, thread_id=thread, wait=False, metadata=metadata
    )
    assert decision.request is not None
    await person.requests.decide(decision.request, "deny")
    (resume,) = await agent.resumes.pull(thread, wait=5)
    with pytest.raises(NotOfClaude):
        await anext(continue_session(resume, options()))
    await agent.resumes.ack(resume)
