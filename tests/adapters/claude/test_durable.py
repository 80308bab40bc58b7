"""A session that ends while it waits for a person, and goes on in another process."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any, Literal

import anyio
import pytest
from claude_agent_sdk import (
    AgentDefinition,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    HookMatcher,
    ResultMessage,
    create_sdk_mcp_server,
    tool,
)

from askback import AsyncClient, InputRequest
from askback.adapters.claude import continue_session, durable, with_askback
from tests.adapters.claude.conftest import LIMIT_S, Options, Process, result_of, run, wait_for_request
from tests.adapters.claude.fake_model import FakeModel, call
from tests.adapters.claude.test_approvals import TOUCH, touch
from tests.adapters.claude.test_questions import COLOUR, question
from tests.adapters.conftest import Server
from tests.requirements import requirement


@requirement("G8")
async def test_a_deferred_call_runs_in_another_process_with_its_id(
    process: Process, person: AsyncClient, thread: str, project: Path, server: Server, model: FakeModel
) -> None:
    model.play("go", [touch()], ["finished"])
    async with process("go", durable=True) as line:
        ended_request = await line()
    assert ended_request["deferred"] == TOUCH
    request = await wait_for_request(person, thread)
    server.kill_and_restart()
    async with server.client("responder") as ada:
        await ada.requests.decide(request, "approve")
        async with process(durable=True) as line:
            assert await line() == {
                "result": "finished",
                "session": ended_request["session"],
                "deferred": None,
            }
        assert [item.tool_call_id for item in await ada.requests.list(thread_id=thread)] == [TOUCH]
    assert (project / "made").exists()


@requirement("G8", "C2")
async def test_a_deferred_question_is_answered_in_another_process(
    process: Process, person: AsyncClient, thread: str, model: FakeModel
) -> None:
    model.play("go", [question(COLOUR)])
    async with process("go", durable=True) as line:
        assert (await line())["deferred"] == "toolu_question"
    await person.requests.answer(await wait_for_request(person, thread), {"q1": "Red"})
    async with process(durable=True) as line:
        assert (await line())["result"] == "done"
    assert '"Which colour?"="Red"' in model.results("go")["toolu_question"]


async def test_a_denied_call_does_not_run_in_the_other_process(
    process: Process, person: AsyncClient, thread: str, model: FakeModel, project: Path
) -> None:
    model.play("go", [touch()])
    async with process("go", durable=True) as line:
        await line()
    await person.requests.decide(await wait_for_request(person, thread), "deny")
    async with process(durable=True) as line:
        assert (await line())["result"] == "done"
    assert "The person denied" in model.results("go")[TOUCH]
    assert not list(project.iterdir())


@requirement("G8")
@pytest.mark.parametrize("decision", ["approve", "deny"])
async def test_a_quick_start_runs_a_deferred_call_only_as_it_was_decided(
    agent: AsyncClient,
    person: AsyncClient,
    model: FakeModel,
    options: Options,
    thread: str,
    project: Path,
    decision: Literal["approve", "deny"],
) -> None:
    """Without files of settings Claude Code often repeats the call before it knows the hooks."""
    file = project / "note"
    model.play("go", [call("Write", file_path=str(file), content="draft")])

    def make_options() -> ClaudeAgentOptions:
        own_options = options(setting_sources=[], permission_mode="acceptEdits")
        return with_askback(own_options, agent, thread_id=thread, durable=True)

    await run(make_options(), "go")
    edited = {"file_path": str(file), "content": "final"} if decision == "approve" else None
    await person.requests.decide(await wait_for_request(person, thread), decision, edited_input=edited)
    (resume,) = await agent.resumes.pull(thread, wait=20)
    with anyio.fail_after(LIMIT_S):
        messages = [item async for item in continue_session(resume, make_options())]
    assert result_of(messages).result == "done"
    assert [item.read_text() for item in project.iterdir()] == (["final"] if edited else [])
    assert len(await person.requests.list(thread_id=thread)) == 1


async def test_sub_agents_and_tools_of_the_program_are_there_after_a_deferred_call(
    agent: AsyncClient, person: AsyncClient, model: FakeModel, options: Options, thread: str, project: Path
) -> None:
    """The SDK sends them when the session has started, and the turn of a deferred call begins before that."""

    @tool("deploy", "Deploy.", {"to": str})
    async def deploy(arguments: dict[str, Any]) -> dict[str, Any]:
        return {"content": [{"type": "text", "text": f"deployed {arguments['to']}"}]}

    def make_options() -> ClaudeAgentOptions:
        own: Any = {
            "agents": {"mason": AgentDefinition(description="builds", prompt="Build.")},
            "mcp_servers": {"shop": create_sdk_mcp_server("shop", tools=[deploy])},
        }
        return with_askback(options(**own), agent, thread_id=thread, durable=True)

    help_ = call("Agent", description="wall", prompt="wall", subagent_type="mason", run_in_background=False)
    model.play("go", [call("mcp__shop__deploy", "toolu_deploy", to="prod")], [help_])
    model.play("wall", [touch("wall", "toolu_wall")])
    await run(make_options(), "go")
    await person.requests.decide(await wait_for_request(person, thread), "approve")
    (resume,) = await agent.resumes.pull(thread, wait=20)

    async def approve_wall() -> None:
        await person.requests.decide(await wait_for_request(person, thread, 2), "approve")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(approve_wall)
        messages = [item async for item in continue_session(resume, make_options())]
    assert result_of(messages).result == "done"
    assert "deployed prod" in model.results("go")["toolu_deploy"]
    assert [path.name for path in project.iterdir()] == ["wall"]


async def test_only_the_first_of_two_calls_is_deferred_and_the_other_is_repeated(
    process: Process, person: AsyncClient, thread: str, model: FakeModel, project: Path
) -> None:
    model.play("go", [touch("one", "toolu_one"), touch("two", "toolu_two")], [touch("two", "toolu_again")])
    async with process("go", durable=True) as line:
        assert (await line())["deferred"] == "toolu_one"
    await person.requests.decide(await wait_for_request(person, thread), "approve")
    async with process(durable=True) as line:
        assert (await line())["deferred"] == "toolu_again"
    assert "Another call waits for a person first." in model.results("go")["toolu_two"]
    second_request, withdrawn, first_request = await person.requests.list(thread_id=thread)
    assert (second_request.status, withdrawn.status, first_request.status) == (
        "pending",
        "cancelled",
        "answered",
    )
    await person.requests.decide(second_request, "approve")
    async with process(durable=True) as line:
        assert (await line())["result"] == "done"
    assert sorted(path.name for path in project.iterdir()) == ["one", "two"]


async def test_a_second_call_that_is_approved_before_it_is_withdrawn_runs_without_being_asked_again(
    agent: AsyncClient,
    person: AsyncClient,
    model: FakeModel,
    options: Options,
    thread: str,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def make_options() -> ClaudeAgentOptions:
        return with_askback(options(), agent, thread_id=thread, durable=True)

    withdraw = agent.requests.withdraw

    async def approve_and_withdraw(request: InputRequest) -> bool:
        await person.requests.decide(request, "approve")
        return await withdraw(request)

    model.play("go", [touch("one", "toolu_one"), touch("two", "toolu_two")])
    monkeypatch.setattr(agent.requests, "withdraw", approve_and_withdraw)
    deferred = result_of(await run(make_options(), "go")).deferred_tool_use
    assert deferred is not None
    assert deferred.id == "toolu_one"
    assert [path.name for path in project.iterdir()] == ["two"]
    second_request, first_request = await person.requests.list(thread_id=thread)
    assert (second_request.status, first_request.status) == ("answered", "pending")
    await person.requests.decide(first_request, "approve")
    (resume, *_) = await agent.resumes.pull(thread, wait=20)
    assert result_of([item async for item in continue_session(resume, make_options())]).result == "done"
    assert sorted(path.name for path in project.iterdir()) == ["one", "two"]
    assert len(await person.requests.list(thread_id=thread)) == 2


@pytest.mark.parametrize("approved", [False, True])
async def test_a_second_call_that_could_not_be_withdrawn_is_used_at_the_next_resume(
    approved: bool,
    agent: AsyncClient,
    person: AsyncClient,
    model: FakeModel,
    options: Options,
    thread: str,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def make_options() -> ClaudeAgentOptions:
        return with_askback(options(), agent, thread_id=thread, durable=True)

    async def find_no_server(_request: InputRequest) -> bool:
        return True

    model.play("go", [touch("one", "toolu_one"), touch("two", "toolu_two")], [touch("two", "toolu_again")])
    with monkeypatch.context() as outage:
        outage.setattr(agent.requests, "withdraw", find_no_server)
        await run(make_options(), "go")
    second_request, first_request = await person.requests.list(thread_id=thread)
    assert (second_request.status, first_request.status) == ("pending", "pending")
    for request in (first_request, second_request) if approved else (first_request,):
        await person.requests.decide(request, "approve")
    (resume, *_) = await agent.resumes.pull(thread, wait=20)
    deferred = result_of([item async for item in continue_session(resume, make_options())]).deferred_tool_use
    findings = [
        (request.tool_call_id, request.status) for request in await person.requests.list(thread_id=thread)
    ]
    if approved:
        assert (deferred, findings) == (None, [("toolu_two", "answered"), ("toolu_one", "answered")])
    else:
        deferred_calls = [("toolu_two", "pending"), ("toolu_one", "answered")]
        assert (deferred and deferred.id, findings) == ("toolu_again", deferred_calls)
    assert {path.name for path in project.iterdir()} == ({"one", "two"} if approved else {"one"})


async def test_claude_reads_that_a_deferred_call_ran_although_claude_code_loses_its_result(
    process: Process, person: AsyncClient, thread: str, model: FakeModel, project: Path
) -> None:
    """It does in a session that was resumed before, if a later call of the same message has a result."""
    two = [touch("one", "toolu_one"), touch("two", "toolu_two")]
    model.play("go", [touch("zero", "toolu_zero")], two)
    async with process("go", durable=True) as line:
        assert (await line())["deferred"] == "toolu_zero"
    await person.requests.decide(await wait_for_request(person, thread), "approve")
    async with process(durable=True) as line:
        assert (await line())["deferred"] == "toolu_one"
    await person.requests.decide(await wait_for_request(person, thread, 2), "approve")
    async with process(durable=True) as line:
        assert (await line())["result"] == "done"
    text = 'The call of the tool Bash with {"command": "touch one"} waited for a person, and has run now.'
    assert any(text in body.replace('\\\\\\"', '"').replace('\\"', '"') for body in model.received)
    assert sorted(path.name for path in project.iterdir()) == ["one", "zero"]


async def test_a_resume_that_comes_again_does_not_interrupt_the_call_that_was_deferred_since(
    agent: AsyncClient, person: AsyncClient, model: FakeModel, options: Options, thread: str, project: Path
) -> None:
    def make_options() -> ClaudeAgentOptions:
        return with_askback(options(), agent, thread_id=thread, durable=True)

    model.play("go", [touch("one", "toolu_one")], [touch("two", "toolu_two")])
    await run(make_options(), "go")
    await person.requests.decide(await wait_for_request(person, thread), "approve")
    (resume,) = await agent.resumes.pull(thread, wait=20)
    for _ in range(2):
        deferred = result_of(
            [item async for item in continue_session(resume, make_options())]
        ).deferred_tool_use
        assert deferred is not None
        assert deferred.id == "toolu_two"
    await person.requests.decide(await wait_for_request(person, thread, 2), "approve")
    assert result_of([item async for item in continue_session(resume, make_options())]).result == "done"
    assert sorted(path.name for path in project.iterdir()) == ["one", "two"]


async def test_a_call_that_claude_code_forgets_for_a_sub_agent_in_the_background_is_repeated_immediately(
    agent: AsyncClient,
    person: AsyncClient,
    model: FakeModel,
    options: Options,
    thread: str,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The session goes on when the sub-agent ends, and the model reads then that the result of the call is missing."""
    monkeypatch.setattr(durable, "REPLAY_S", 10 * LIMIT_S)

    def make_options() -> ClaudeAgentOptions:
        return with_askback(options(), agent, thread_id=thread, durable=True)

    def build(_: object) -> list[str]:
        assert deferred.wait(LIMIT_S)
        return ["built"]

    deferred = threading.Event()
    help_ = call(
        "Agent", description="help", prompt="wall", subagent_type="general-purpose", run_in_background=True
    )
    model.play("go", [help_], [touch()], ["It is built."])
    model.play("wall", build)
    model.play("About your tool call", [touch(id_="toolu_again")], ["made it"])
    results = list[ResultMessage]()
    with anyio.fail_after(LIMIT_S):
        async with ClaudeSDKClient(make_options()) as claude:
            await claude.query("go")
            async for message in claude.receive_messages():
                if isinstance(message, ResultMessage):
                    results.append(message)
                    deferred.set()
                if len(results) == 2:
                    break
        assert [result.deferred_tool_use is not None for result in results] == [True, False]
        await person.requests.decide(await wait_for_request(person, thread), "approve")
        (resume,) = await agent.resumes.pull(thread, wait=20)
        messages = [item async for item in continue_session(resume, make_options())]
    assert result_of(messages).result == "made it"
    assert (project / "made").exists()
    assert len(await person.requests.list(thread_id=thread)) == 1


@requirement("G8")
async def test_an_unused_approval_of_a_dead_process_is_used_for_the_same_call(
    agent: AsyncClient,
    person: AsyncClient,
    model: FakeModel,
    options: Options,
    thread: str,
    project: Path,
) -> None:
    """Claude Code denies a deferred call when it is resumed and nobody answers its prompts."""
    model.play("go", [touch()])
    model.play("About your tool call", [touch(id_="toolu_again")])
    first_result = result_of(await run(with_askback(options(), agent, thread_id=thread, durable=True), "go"))
    await person.requests.decide(await wait_for_request(person, thread), "approve")
    (resume,) = await agent.resumes.pull(thread, wait=20)
    async with ClaudeSDKClient(options(resume=first_result.session_id)) as claude:
        assert result_of([item async for item in claude.receive_response()]).result == "done"
    chosen_agent_options = with_askback(options(), agent, thread_id=thread, durable=True)
    assert result_of([item async for item in continue_session(resume, chosen_agent_options)]).result == "done"
    assert (project / "made").exists()
    assert len(await person.requests.list(thread_id=thread)) == 1


async def test_a_session_that_is_resumed_too_early_defers_again(
    process: Process, person: AsyncClient, thread: str, model: FakeModel, project: Path
) -> None:
    model.play("go", [touch()])
    async with process("go", durable=True) as line:
        session = (await line())["session"]
    async with process("", session=session, durable=True) as line:
        assert (await line())["deferred"] == TOUCH
    await person.requests.decide(await wait_for_request(person, thread), "approve")
    async with process(durable=True) as line:
        assert (await line())["result"] == "done"
    assert len(await person.requests.list(thread_id=thread)) == 1
    assert (project / "made").exists()


async def test_an_approval_that_was_used_before_the_process_died_is_not_used_again(
    process: Process,
    agent: AsyncClient,
    person: AsyncClient,
    thread: str,
    model: FakeModel,
    project: Path,
) -> None:
    model.play("go", [touch()])
    async with process("go", durable=True) as line:
        await line()
    request = await person.requests.decide(await wait_for_request(person, thread), "approve")
    await agent.consume(request, "of-the-process-that-died")
    async with process(durable=True) as line:
        assert (await line())["result"] == "done"
    assert "was not run" in model.results("go")[TOUCH]
    assert not list(project.iterdir())


async def test_the_request_is_withdrawn_if_another_hook_denies_the_deferred_call(
    agent: AsyncClient, person: AsyncClient, model: FakeModel, options: Options, thread: str, project: Path
) -> None:
    async def refuse(*_: object) -> dict[str, Any]:
        return {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}

    model.play("go", [touch()], [touch(id_="toolu_again")])
    hooks = {"PreToolUse": [HookMatcher(hooks=[refuse])]}  # pyright: ignore[reportArgumentType]
    chosen_agent_options = with_askback(options(hooks=hooks), agent, thread_id=thread, durable=True)
    assert result_of(await run(chosen_agent_options, "go")).result == "done"
    assert {request.status for request in await person.requests.list(thread_id=thread)} == {"cancelled"}


async def test_a_rule_decides_in_a_durable_session_without_ending_it(
    agent: AsyncClient, person: AsyncClient, model: FakeModel, options: Options, thread: str, project: Path
) -> None:
    await person.rules.create("bash(touch made)", scope="thread", thread_id=thread)
    model.play("go", [touch()])
    chosen_agent_options = with_askback(options(), agent, thread_id=thread, durable=True)
    assert result_of(await run(chosen_agent_options, "go")).result == "done"
    assert (project / "made").exists()
