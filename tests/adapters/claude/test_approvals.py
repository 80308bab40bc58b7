"""Every tool call is decided by askback: its policy first, then a person."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import anyio
import pytest
from claude_agent_sdk import AgentDefinition, ClaudeSDKClient, HookMatcher, PermissionMode

from askback import AsyncClient
from askback.adapters.claude import with_askback
from tests.adapters.claude.conftest import LIMIT_S, Options, run, wait_for_request
from tests.adapters.claude.fake_model import FakeModel, call
from tests.adapters.conftest import Server
from tests.requirements import requirement

TOUCH = "toolu_touch"


def touch(name: str = "made", id_: str = TOUCH) -> dict[str, Any]:
    return call("Bash", id_, command=f"touch {name}")


@requirement("C2")
async def test_an_approved_call_runs_and_a_denied_one_does_not(
    agent: AsyncClient, person: AsyncClient, model: FakeModel, options: Options, thread: str, project: Path
) -> None:
    model.play("go", [touch("yes", "toolu_yes"), touch("no", "toolu_no")])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run, with_askback(options(), agent, thread_id=thread), "go")
        first_request = await wait_for_request(person, thread)
        assert first_request.approval is not None
        assert (first_request.approval.tool, first_request.approval.input) == (
            "Bash",
            {"command": "touch yes"},
        )
        await person.requests.decide(first_request, "approve")
        await person.requests.decide(await wait_for_request(person, thread, 2), "deny", note="Not that one.")
    assert [path.name for path in project.iterdir()] == ["yes"]
    denied = model.results("go")["toolu_no"]
    assert denied.startswith('The person denied execution of the tool "Bash"')
    assert denied.endswith("Their note: Not that one.")


@requirement("C4")
async def test_a_call_that_a_rule_allows_runs_without_a_card(
    agent: AsyncClient, person: AsyncClient, model: FakeModel, options: Options, thread: str, project: Path
) -> None:
    rule = await person.rules.create("bash(touch allowed)", scope="thread", thread_id=thread)
    model.play("go", [touch("allowed")])
    await run(with_askback(options(), agent, thread_id=thread), "go")
    await person.rules.revoke(rule)
    assert (project / "allowed").exists()
    (request,) = await person.requests.list(thread_id=thread)
    assert request.source == "policy"


@requirement("C4")
async def test_a_file_below_a_granted_root_is_read_without_a_card(
    server: Server, person: AsyncClient, model: FakeModel, options: Options, thread: str, project: Path
) -> None:
    (project / "notes.md").write_text("the notes")
    (project / ".env").write_text("KEY=canary")
    async with server.client("admin") as admin:
        token = await admin.tokens.create(agent="reader", roots=[str(project)])
    model.play(
        "go", [call("Read", "toolu_notes", file_path=str(project / "notes.md"))],
        [call("Read", "toolu_env", file_path=str(project / ".env"))],
    )  # fmt: skip
    async with AsyncClient(server.url, token.token.reveal()) as reader, anyio.create_task_group() as tasks:
        tasks.start_soon(run, with_askback(options(), reader, thread_id=thread), "go")
        secret = await wait_for_request(person, thread)
        assert secret.approval is not None
        assert secret.approval.input == {"file_path": str(project / ".env")}
        await person.requests.decide(secret, "deny")
    assert "the notes" in model.results("go")["toolu_notes"]
    assert not [body for body in model.received if "canary" in body]


@requirement("B10")
async def test_a_link_that_leads_out_of_the_folder_is_not_followed_by_a_rule(
    agent: AsyncClient, person: AsyncClient, model: FakeModel, options: Options, thread: str, project: Path
) -> None:
    (project.parent / "key").write_text("canary")
    (project / "notes.md").symlink_to("../key")
    await person.rules.create("tool:Read", scope="thread", thread_id=thread)
    model.play("go", [call("Read", "toolu_link", file_path=str(project / "notes.md"))])
    await run(with_askback(options(), agent, thread_id=thread), "go")
    assert f"is a link to {project.parent / 'key'}" in model.results("go")["toolu_link"]
    assert not [body for body in model.received if "canary" in body]


@requirement("C3")
@pytest.mark.parametrize("mode", get_args(PermissionMode))
async def test_no_permission_mode_keeps_a_call_from_askback(
    mode: PermissionMode,
    agent: AsyncClient,
    person: AsyncClient,
    model: FakeModel,
    options: Options,
    thread: str,
    project: Path,
) -> None:
    """The mode is changed after the start, so that nothing could refuse it."""
    model.play("go", [touch()])

    async def session() -> None:
        async with ClaudeSDKClient(with_askback(options(), agent, thread_id=thread)) as claude:
            if mode != "bypassPermissions":  # Claude Code refuses it in a session that did not begin with it
                await claude.set_permission_mode(mode)
            await claude.query("go")
            assert [message async for message in claude.receive_response()]

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(session)
        await person.requests.decide(await wait_for_request(person, thread), "deny")
    assert not (project / "made").exists()


@requirement("C5")
async def test_the_denial_of_a_hook_wins_and_nobody_is_asked(
    agent: AsyncClient, person: AsyncClient, model: FakeModel, options: Options, thread: str, project: Path
) -> None:
    async def refuse(*_: object) -> dict[str, Any]:
        hook_output = {"hookEventName": "PreToolUse", "permissionDecision": "deny"}
        return {"hookSpecificOutput": {**hook_output, "permissionDecisionReason": "not here"}}

    model.play("go", [touch()])
    hooks = {"PreToolUse": [HookMatcher(hooks=[refuse])]}  # pyright: ignore[reportArgumentType]
    await run(with_askback(options(hooks=hooks), agent, thread_id=thread), "go")
    assert "not here" in model.results("go")[TOUCH]
    assert not list(project.iterdir())
    assert not await person.requests.list(thread_id=thread)


async def test_an_edited_input_runs_and_claude_reads_the_change(
    agent: AsyncClient, person: AsyncClient, model: FakeModel, options: Options, thread: str, project: Path
) -> None:
    model.play("go", [touch("first")])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run, with_askback(options(), agent, thread_id=thread), "go")
        edited_input = {"command": "touch second"}
        await person.requests.decide(
            await wait_for_request(person, thread), "approve", edited_input=edited_input, note="better"
        )
    assert [path.name for path in project.iterdir()] == ["second"]
    assert 'It ran with: {\\"command\\": \\"touch second\\"}' in model.received[-1].replace("\\\\", "\\")
    assert "A note of the person who approved this call" in model.received[-1]


async def test_always_creates_a_rule_in_askback_and_none_in_claude_code(
    agent: AsyncClient, person: AsyncClient, model: FakeModel, options: Options, thread: str, project: Path
) -> None:
    model.play("go", [touch()], [touch(id_="toolu_again")], [touch("other", "toolu_other")])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run, with_askback(options(), agent, thread_id=thread), "go")
        await person.requests.decide(await wait_for_request(person, thread), "approve", scope="thread")
        await person.requests.decide(await wait_for_request(person, thread, 2), "deny")
    sources = [request.source for request in await person.requests.list(thread_id=thread)]
    assert sources == ["responder", "policy", "responder"]
    assert [path.name for path in project.iterdir()] == ["made"]


@requirement("C20")
async def test_an_interrupt_withdraws_the_card(
    agent: AsyncClient, person: AsyncClient, model: FakeModel, options: Options, thread: str
) -> None:
    model.play("go", [touch()])
    with anyio.fail_after(LIMIT_S):
        async with ClaudeSDKClient(with_askback(options(), agent, thread_id=thread)) as claude:
            await claude.query("go")
            request = await wait_for_request(person, thread)
            await claude.interrupt()
            ended_request = await person.wait(request)
            assert [message async for message in claude.receive_response()]
    assert (ended_request.status, ended_request.reason) == ("cancelled", "agent_aborted")


@requirement("C20")
async def test_the_end_of_a_session_withdraws_the_card(
    agent: AsyncClient, person: AsyncClient, model: FakeModel, options: Options, thread: str
) -> None:
    model.play("go", [touch()])
    with anyio.fail_after(LIMIT_S):
        async with ClaudeSDKClient(with_askback(options(), agent, thread_id=thread)) as claude:
            await claude.query("go")
            request = await wait_for_request(person, thread)
        assert (await person.wait(request)).status == "cancelled"


@requirement("C13")
async def test_sub_agents_are_asked_about_side_by_side(
    agent: AsyncClient, person: AsyncClient, model: FakeModel, options: Options, thread: str, project: Path
) -> None:
    def helper(word: str) -> dict[str, Any]:
        return call("Agent", description=word, prompt=word, subagent_type="mason")

    model.play("go", [helper("wall"), helper("roof")])
    for word in ("wall", "roof"):
        model.play(word, [touch(word, f"toolu_{word}")])
    masons = {"mason": AgentDefinition(description="builds", prompt="Build.")}

    async def session() -> None:
        async with ClaudeSDKClient(with_askback(options(agents=masons), agent, thread_id=thread)) as claude:
            await claude.query("go")
            async for _ in claude.receive_messages():
                if {"wall", "roof"} <= {path.name for path in project.iterdir()}:
                    return

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(session)
        cards = [await wait_for_request(person, thread, number) for number in (1, 2)]
        assert {card.status for card in cards} == {"pending"}
        assert {card.tool_call_id for card in cards} == {"toolu_wall", "toolu_roof"}
        assert [card.agent.name if card.agent else "" for card in cards] == ["mason", "mason"]
        for item in reversed(cards):
            await person.requests.decide(item, "approve")


@requirement("G8")
async def test_the_wait_survives_a_killed_server(
    server: Server, agent: AsyncClient, model: FakeModel, options: Options, thread: str, project: Path
) -> None:
    model.play("go", [touch()])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run, with_askback(options(), agent, thread_id=thread), "go")
        async with server.client("responder") as ada:
            request = await wait_for_request(ada, thread)
        await anyio.to_thread.run_sync(server.kill_and_restart)
        async with server.client("responder") as ada:
            await ada.requests.decide(request, "approve")
    assert (project / "made").exists()


@requirement("C2")
async def test_a_plan_is_approved_by_a_person(
    agent: AsyncClient, person: AsyncClient, model: FakeModel, options: Options, thread: str
) -> None:
    def write(body: Mapping[str, Any]) -> list[Any]:
        (path,) = set(re.findall(r"/[^ ]+/plans/[\w-]+\.md", json.dumps(body["messages"])))
        return [call("Write", file_path=path, content="# The plan\n\n1. Build")]

    model.play("go", write, [call("ExitPlanMode", "toolu_plan")])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run, with_askback(options(permission_mode="plan"), agent, thread_id=thread), "go")
        await person.requests.decide(await wait_for_request(person, thread), "approve")
        request = await wait_for_request(person, thread, 2)
        assert request.approval is not None
        assert request.approval.plan == "# The plan\n\n1. Build"
        await person.requests.decide(request, "deny", note="Smaller steps.")
    assert "Smaller steps." in model.results("go")["toolu_plan"]
