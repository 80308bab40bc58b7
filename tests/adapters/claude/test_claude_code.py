"""`askback install claude-code`: the real Claude Code asks through askback."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import anyio
import claude_agent_sdk
import pytest
from claude_agent_sdk import ClaudeAgentOptions, PermissionResultAllow

from askback import AsyncClient, InputRequest
from tests.adapters.claude.conftest import LIMIT_S, Askback, run
from tests.adapters.claude.fake_model import FakeModel, call
from tests.adapters.claude.test_approvals import TOUCH, touch
from tests.adapters.claude.test_questions import COLOUR, question
from tests.requirements import requirement

CLI = Path(claude_agent_sdk.__file__).parent / "_bundled" / "claude"


@pytest.fixture
def installed_claude(askback: Askback) -> Any:
    """Claude Code is installed during the test."""
    finished_askback = askback("install", "claude-code", "--yes")
    assert finished_askback.returncode == 0, finished_askback.stderr
    yield
    askback("uninstall", "claude-code", "--yes")


async def claude_code(environment: dict[str, str], project: Path) -> dict[str, Any]:
    """Run Claude Code without the SDK, and return its result."""
    words = (str(CLI), "-p", "go", "--output-format", "json")
    with anyio.fail_after(LIMIT_S):
        reply = await anyio.run_process(words, env=environment, cwd=project)
    return json.loads(reply.stdout)


async def card(person: AsyncClient, kind: str) -> InputRequest:
    """Wait for the next open request of the installed client."""
    with anyio.fail_after(LIMIT_S):
        async for event in person.events(cursor=0):
            if event["type"] == "request.created" and event["request"]["kind"] == kind:
                request = await person.requests.get(event["request"]["id"])
                if (
                    request.status == "pending"
                    and request.requester
                    and request.requester.name == "claude-code"
                ):
                    return request
    raise AssertionError


@pytest.mark.usefixtures("installed_claude")
async def test_claude_code_sends_permission_prompts_and_tools_to_askback(
    environment: dict[str, str], person: AsyncClient, model: FakeModel, project: Path
) -> None:
    ask = call("mcp__askback__ask_user", "toolu_ask", question="Which colour?", options=["Red", "Blue"])
    model.play("go", [call("ToolSearch", query="select:mcp__askback__ask_user")], [touch()], [ask])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(claude_code, environment, project)
        await person.requests.decide(await card(person, "approval"), "approve")
        request = await card(person, "form")
        assert request.form is not None
        await person.requests.answer(request, {request.form.all_fields[0].id: "Blue"})
    assert (project / "made").exists()
    assert "Blue" in model.results("go")["toolu_ask"]


@pytest.mark.usefixtures("installed_claude")
async def test_a_denied_prompt_does_not_run(
    environment: dict[str, str], person: AsyncClient, model: FakeModel, project: Path
) -> None:
    model.play("go", [touch()])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(claude_code, environment, project)
        await person.requests.decide(await card(person, "approval"), "deny", note="No.")
    assert not list(project.iterdir())
    assert "Their note: No." in model.results("go")[TOUCH]


@pytest.mark.usefixtures("installed_claude")
async def test_questions_of_a_session_with_prompts_are_answered_in_askback(
    environment: dict[str, str], person: AsyncClient, model: FakeModel, project: Path
) -> None:
    """As in the terminal: Claude Code shows its own prompt beside, which nobody answers."""

    async def never(*_: object) -> Any:
        await anyio.sleep_forever()

    model.play("go", [question(COLOUR)])
    options = ClaudeAgentOptions(cwd=project, env=environment, setting_sources=["user"], can_use_tool=never)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run, options, "go")
        await person.requests.answer(await card(person, "form"), {"q1": "Red"})
    assert '"Which colour?"="Red"' in model.results("go")["toolu_question"]


@requirement("C20")
@pytest.mark.usefixtures("installed_claude")
async def test_the_card_is_withdrawn_when_the_prompt_is_answered_in_claude_code(
    environment: dict[str, str], person: AsyncClient, model: FakeModel, project: Path
) -> None:
    answered_event = anyio.Event()

    async def decide(tool: str, tool_input: dict[str, Any], _: object) -> Any:
        await answered_event.wait()
        return PermissionResultAllow(updated_input=tool_input)

    model.play("go", [touch()])
    options = ClaudeAgentOptions(cwd=project, env=environment, setting_sources=["user"], can_use_tool=decide)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run, options, "go")
        request = await card(person, "approval")
        answered_event.set()
        with anyio.fail_after(LIMIT_S):
            ended_request = await person.wait(request)
    assert (ended_request.status, ended_request.reason) == ("cancelled", "agent_aborted")
    assert (project / "made").exists()


@pytest.mark.usefixtures("installed_claude")
async def test_the_card_is_withdrawn_when_claude_code_was_killed(
    environment: dict[str, str], person: AsyncClient, model: FakeModel, project: Path
) -> None:
    model.play("go", [touch()])
    with subprocess.Popen((CLI, "-p", "go"), env=environment, cwd=project) as process:
        request = await card(person, "approval")
        process.kill()
    with anyio.fail_after(LIMIT_S):
        ended_request = await person.wait(request)
    assert (ended_request.status, ended_request.reason) == ("cancelled", "agent_aborted")
