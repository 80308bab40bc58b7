"""`askback chat` with Claude: it streams, asks, has calls approved, is stopped, and goes on after kill -9."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import psutil
import pytest
from claude_agent_sdk import ClaudeAgentOptions

from askback import AsyncClient
from askback.adapters.claude.sessions import is_trusted
from askback.chat.claude_agent import UNTRUSTED_NOTE
from askback.chat.turn import STOPPED_MARK
from tests.adapters.claude.cli_environment import cli_environment
from tests.adapters.claude.conftest import LIMIT_S, wait_for_request
from tests.adapters.claude.fake_model import FakeModel, call
from tests.adapters.claude.test_approvals import TOUCH, touch
from tests.adapters.claude.test_permission_hooks import PROJECT, hooks_with, write
from tests.adapters.claude.test_questions import COLOUR, question
from tests.adapters.conftest import TOKENS, Server
from tests.chat.secret_commands import assert_no_leak, new_value, print_secret
from tests.requirements import requirement


@pytest.fixture
def start_chat(server: Server, model: FakeModel, project: Path, thread: str) -> Callable[[], Any]:
    """Run the command for as long as a block, and kill it then, with the CLI that it has started."""
    result = {"ASKBACK_URL": server.url, "ASKBACK_TOKEN": TOKENS["requester"]}
    command = (
        "-m",
        "askback",
        "chat",
        "--agent",
        "claude",
        "--folder",
        project,
        "--thread",
        thread,
        "--no-browser",
    )

    @contextmanager
    def running() -> Iterator[None]:
        environment = {**os.environ, **cli_environment(model.url, project.parent), **result}
        with subprocess.Popen([sys.executable, *map(str, command)], env=environment) as process:
            try:
                yield
            finally:
                cli = psutil.Process(process.pid).children()
                process.kill()
                psutil.wait_procs(cli, 10)  # it writes the session to its file

    return running


async def wait_for_text(person: AsyncClient, thread: str, text: str) -> dict[str, Any]:
    """Wait until Claude has said a text, and return the conversation."""
    with anyio.fail_after(LIMIT_S):
        async for _ in person.events(thread, cursor=0):
            found_thread = await person.threads.get(thread)
            for message in found_thread["messages"]:
                if message["role"] == "agent" and {"type": "text", "text": text} in message["content"]:
                    return found_thread
    raise AssertionError


async def wait_for_turns(person: AsyncClient, thread: str, number: int, state: str = "run.started") -> None:
    """Wait until so many turns have begun or ended."""
    with anyio.fail_after(LIMIT_S):
        async for event in person.events(thread, cursor=0):
            number -= event["type"] == state
            if not number:
                return


def calls(thread: dict[str, Any]) -> list[tuple[str, str]]:
    parts = [part for message in thread["messages"] for part in message["content"] if part["type"] == "tool"]
    return [(part["name"], part["status"]) for part in parts]


@requirement("G8")
async def test_claude_works_in_the_thread_and_continues_after_a_kill(
    start_chat: Callable[[], Any], person: AsyncClient, thread: str, model: FakeModel, project: Path
) -> None:
    model.play("paint it", ["Which one?", question(COLOUR)], [touch()], ["Painted."])
    model.play("The program was stopped", [touch(id_="toolu_again")], ["Painted **now**."])
    model.play("what did you do", ["I painted."])
    with start_chat():
        await person.say("Please paint it", thread_id=thread)
        await person.requests.answer(await wait_for_request(person, thread), {"q1": "Blue"})
        card = await wait_for_request(person, thread, 2)
        assert card.tool_call_id == TOUCH
    await person.requests.decide(card, "approve")
    with start_chat():
        thread_text = await wait_for_text(person, thread, "Painted **now**.")
        await person.say("And what did you do?", thread_id=thread)
        await wait_for_text(person, thread, "I painted.")
    assert (project / "made").exists()
    assert calls(thread_text) == [("AskUserQuestion", "done"), ("Bash", "done")]
    assert len(await person.requests.list(thread_id=thread)) == 2
    assert "Please paint it" in model.received[-1]


def trust(folder: Path) -> dict[str, object]:
    """What Claude Code stores when a person trusts a folder."""
    return {"claude/.claude.json": {"projects": {str(folder): {"hasTrustDialogAccepted": True}}}}


RUN = "touch ran; echo key"
HOOK = {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": RUN}]}]}}
SERVER = {"mcpServers": {"x": {"command": "/bin/sh", "args": ["-c", RUN]}}}
STARTS_PROGRAMS: list[dict[str, object]] = [
    {f"{PROJECT}/settings.json": HOOK},
    {f"{PROJECT}/settings.local.json": HOOK},
    {f"{PROJECT}/settings.json": {"apiKeyHelper": RUN}},
    {f"{PROJECT}/settings.json": {"enableAllProjectMcpServers": True}, "project/.mcp.json": SERVER},
]


@requirement("C3")
@pytest.mark.parametrize("files", STARTS_PROGRAMS)
@pytest.mark.parametrize("is_trusted", [False, True])
async def test_the_settings_of_a_folder_start_programs_only_if_a_person_trusts_it(
    start_chat: Callable[[], Any],
    person: AsyncClient,
    thread: str,
    model: FakeModel,
    project: Path,
    files: dict[str, object],
    is_trusted: bool,
) -> None:
    """Such as those of a cloned repository: no call is made, so nobody would be asked."""
    write(project.parent, files | (trust(project) if is_trusted else {}))
    model.play("hello", ["Hi."])
    greeting = f"Hello! I am Claude, and I work in {project}. What shall we do?"
    with start_chat():
        await wait_for_text(person, thread, greeting if is_trusted else f"{greeting}\n\n{UNTRUSTED_NOTE}")
        await person.say("hello", thread_id=thread)
        await wait_for_text(person, thread, "Hi.")
    assert (project / "ran").exists() == is_trusted


@requirement("C3")
async def test_a_repository_is_not_trusted_because_a_folder_above_it_is(project: Path) -> None:
    options = ClaudeAgentOptions(env={"CLAUDE_CONFIG_DIR": str(project.parent / "claude")})
    clone = project / "clone"
    (clone / "src").mkdir(parents=True)
    write(project.parent, trust(project))
    assert is_trusted(options, clone / "src")
    (clone / ".git").mkdir()
    assert not is_trusted(options, clone / "src")
    write(project.parent, trust(clone))
    assert is_trusted(options, clone / "src")


@requirement("C3")
async def test_a_folder_with_a_permission_hook_is_refused_in_the_conversation(
    start_chat: Callable[[], Any], person: AsyncClient, thread: str, model: FakeModel, project: Path
) -> None:
    write(project.parent, {f"{PROJECT}/settings.json": hooks_with(), **trust(project)})
    settings = project / ".claude" / "settings.json"
    with start_chat():
        await person.say("Please paint it", thread_id=thread)
        with anyio.fail_after(LIMIT_S):
            async for _ in person.events(thread, cursor=0):
                if f"I had to stop. {settings} has a PermissionRequest hook" in str(
                    await person.threads.get(thread)
                ):
                    break
    assert not model.received


@pytest.mark.parametrize("is_repeated", [True, False])
async def test_a_question_that_is_answered_while_the_chat_is_dead_has_not_failed(
    start_chat: Callable[[], Any],
    person: AsyncClient,
    thread: str,
    model: FakeModel,
    is_repeated: bool,
) -> None:
    model.play("paint it", [question(COLOUR)])
    model.play("The program was stopped", *([[question(COLOUR)]] if is_repeated else []), ["Painted blue."])
    with start_chat():
        await person.say("Please paint it", thread_id=thread)
        request = await wait_for_request(person, thread)
    await person.requests.answer(request, {"q1": "Blue"})
    with start_chat():
        thread_text = await wait_for_text(person, thread, "Painted blue.")
        await wait_for_turns(person, thread, 1, "run.ended")
        thread_text = await person.threads.get(thread)
    assert calls(thread_text) == [("AskUserQuestion", "done")]
    assert "Blue" in json.dumps(thread_text["messages"])


async def test_a_call_that_claude_has_not_begun_is_not_shown(
    start_chat: Callable[[], Any], person: AsyncClient, thread: str, model: FakeModel, project: Path
) -> None:
    second = call("Bash", "toolu_second", command=f"touch {project}/second")
    model.play("paint it", ["I paint.", touch(), second], ["Painted."])
    model.play("never mind", ["All right."])
    with start_chat():
        await person.say("Please paint it", thread_id=thread)
        await wait_for_request(person, thread)
        assert calls(await person.threads.get(thread)) == [("Bash", "calling")]
        await person.say("never mind", thread_id=thread)
        thread_text = await wait_for_text(person, thread, "All right.")
    assert calls(thread_text) == [("Bash", "failed")]
    first, *_ = [
        item for item in thread_text["messages"] if item["role"] == "agent" and len(item["content"]) > 1
    ]
    assert [part.get("text", part["type"]) for part in first["content"]] == ["I paint.", "tool", STOPPED_MARK]


async def test_calls_of_one_reply_are_parts_of_its_message(
    start_chat: Callable[[], Any], person: AsyncClient, thread: str, model: FakeModel, project: Path
) -> None:
    second = call("Bash", "toolu_second", command=f"touch {project}/second")
    model.play("paint it", ["I paint.", touch(), second], ["Painted."])
    with start_chat():
        await person.say("Please paint it", thread_id=thread)
        await person.requests.decide(await wait_for_request(person, thread), "approve")
        await person.requests.decide(await wait_for_request(person, thread, 2), "approve")
        thread_text = await wait_for_text(person, thread, "Painted.")
    parts = [
        [part.get("text", part.get("status")) for part in message["content"]]
        for message in thread_text["messages"]
        if message["role"] == "agent"
    ]
    assert parts[-2:] == [["I paint.", "done", "done"], ["Painted."]]


@requirement("C20")
async def test_a_message_interrupts_claude_and_withdraws_its_question(
    start_chat: Callable[[], Any], person: AsyncClient, thread: str, model: FakeModel
) -> None:
    model.play("paint it", [question(COLOUR)])
    model.play("never mind", ["All right."])
    with start_chat():
        await person.say("Please paint it", thread_id=thread)
        request = await wait_for_request(person, thread)
        await person.say("Oh, never mind", thread_id=thread)
        thread_text = await wait_for_text(person, thread, "All right.")
    assert (await person.requests.get(request.id)).status == "cancelled"
    assert calls(thread_text) == [("AskUserQuestion", "failed")]


async def test_claude_reads_a_message_that_the_next_one_interrupts_before_it_has_begun(
    start_chat: Callable[[], Any], person: AsyncClient, thread: str, model: FakeModel
) -> None:
    model.play("hello", ["Hello, too."])
    model.play("and the door", ["Both painted."])
    with start_chat():
        await person.say("hello", thread_id=thread)
        await wait_for_text(person, thread, "Hello, too.")
        await person.say("Paint the wall", thread_id=thread)
        await person.say("and the door", thread_id=thread)
        await wait_for_text(person, thread, "Both painted.")
    assert "Paint the wall" in model.received[-1]


async def test_claude_reads_a_message_after_which_the_chat_was_killed_before_it_had_begun(
    start_chat: Callable[[], Any], person: AsyncClient, thread: str, model: FakeModel
) -> None:
    model.play("hello", ["Hello, too."])
    model.play("Paint the wall", ["Painted."])
    with start_chat():
        await person.say("hello", thread_id=thread)
        await wait_for_text(person, thread, "Hello, too.")
        await person.say("Paint the wall", thread_id=thread)
        await wait_for_turns(person, thread, 2)
    with start_chat():
        await wait_for_text(person, thread, "Painted.")


@requirement("E1")
async def test_a_secret_for_a_command_of_claude_never_reaches_the_model(
    start_chat: Callable[[], Any], person: AsyncClient, thread: str, model: FakeModel
) -> None:
    value = new_value()
    model.play("print it", [call("Bash", "toolu_print", command=print_secret())], ["Printed."])
    with start_chat():
        await person.say("Please print it", thread_id=thread)
        await person.requests.decide(await wait_for_request(person, thread), "approve")
        await person.requests.submit(await wait_for_request(person, thread, 2), {"SHOP_KEY": value.value})
        await wait_for_text(person, thread, "Printed.")
    assert_no_leak(value, model.results("print it")["toolu_print"], model.received)
