"""`askback hook`: a permission prompt of Claude Code, which somebody may also answer there."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import pytest

from askback import AsyncClient, Conflict, InputRequest
from askback.client.program import HOOK
from tests.cli.conftest import Server
from tests.forks.process import Process
from tests.requirements import requirement

CALL = {"command": "make deploy"}


def line(part: dict[str, Any]) -> str:
    """Return a line of a transcript."""
    kind = "assistant" if part["type"] == "tool_use" else "user"
    return json.dumps({"type": kind, "message": {"role": kind, "content": [part]}}) + "\n"


def use(id_: str, **tool_input: Any) -> str:
    return line({"type": "tool_use", "id": id_, "name": "Bash", "input": tool_input or CALL})


def ended(id_: str) -> str:
    return line({"type": "tool_result", "tool_use_id": id_, "content": "done"})


async def prompt(server: Server, thread: str, transcript: Path, **event: Any) -> Process:
    """Start the hook as Claude Code does."""
    call = {"session_id": thread, "tool_name": "Bash", "tool_input": CALL, "transcript_path": str(transcript)}
    environment = {"ASKBACK_URL": server.url, "ASKBACK_TOKEN": server.tokens["requester"]}
    return server.run("hook", stdin=json.dumps({**call, **event}).encode(), **environment)


async def card(person: AsyncClient, thread: str) -> InputRequest:
    """Wait for the request of the prompt."""
    with anyio.fail_after(60):
        async for event in person.events(thread, cursor=0):
            if event["type"] == "request.created":
                return await person.requests.get(event["request"]["id"])
    raise AssertionError


async def output_of(hook: Process, errors: bytes = b"") -> bytes:
    output, error_output = await anyio.to_thread.run_sync(lambda: hook.communicate(timeout=60))
    assert (hook.returncode, error_output) == (0, errors)
    return output


@requirement("C20")
@pytest.mark.parametrize("agent_id", [None, "a1"])
async def test_the_card_is_withdrawn_when_the_call_has_run_without_an_answer_in_askback(
    server: Server, person: AsyncClient, thread: str, tmp_path: Path, agent_id: str | None
) -> None:
    transcript = tmp_path / "session.jsonl"
    file = transcript if agent_id is None else tmp_path / "session" / "subagents" / f"agent-{agent_id}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f'not JSON "tool_use"\n"tool_result"\n{use("new")}')
    hook = await prompt(server, thread, transcript, **({} if agent_id is None else {"agent_id": agent_id}))
    request = await card(person, thread)
    with file.open("a") as writing:
        writing.write(ended("new"))
    assert await output_of(hook) == b""
    assert (await person.wait(request)).reason == "agent_aborted"


@requirement("C20")
async def test_results_of_other_calls_leave_the_card_open(
    server: Server, person: AsyncClient, thread: str, tmp_path: Path
) -> None:
    """Of an equal call before, of one of two equal calls at once, and of another call."""
    transcript = tmp_path / "session.jsonl"
    transcript.write_text(
        use("before") + ended("before") + use("one") + use("two") + use("other", command="ls")
    )
    hook = await prompt(server, thread, transcript)
    request = await card(person, thread)
    with transcript.open("a") as writing:
        writing.write(ended("one") + ended("other") + ended("two")[:-1])  # the last line is not complete
    await person.requests.decide(request, "approve")
    assert json.loads(await output_of(hook))["hookSpecificOutput"]["decision"] == {
        "behavior": "allow",
        "updatedInput": CALL,
    }
    with pytest.raises(Conflict) as exc_info:  # the call runs now
        await person.requests.revoke(request)
    assert exc_info.value.code == "already_consumed"


async def test_a_transcript_that_cannot_be_read_costs_no_answer(
    server: Server, person: AsyncClient, thread: str
) -> None:
    hook = await prompt(server, thread, Path("\0"))
    await person.requests.decide(await card(person, thread), "deny", note="No.")
    said = b"askback cannot read the transcript: ValueError('embedded null byte')\n"
    decision = json.loads(await output_of(hook, said))["hookSpecificOutput"]["decision"]
    assert decision["behavior"] == "deny"


async def test_without_its_credentials_the_hook_asks_nobody_and_says_why(
    server: Server, tmp_path: Path
) -> None:
    """It must not ask as somebody else, whose token the folder of the server has."""
    event = {"session_id": "s", "tool_name": "Bash", "tool_input": CALL}
    words = ("--credentials", str(tmp_path / "gone.json"))
    hook = server.run("hook", *words, stdin=json.dumps(event).encode())
    output, errors = await anyio.to_thread.run_sync(lambda: hook.communicate(timeout=60))
    assert (hook.returncode, output) == (0, b"")
    assert f"askback was not asked: The credentials file {tmp_path}/gone.json, which".encode() in errors


async def test_a_hook_that_is_turned_off_asks_nobody_and_decides_nothing(
    server: Server, person: AsyncClient, thread: str
) -> None:
    event = {"session_id": thread, "tool_name": "Bash", "tool_input": CALL}
    environment = {"ASKBACK_URL": server.url, "ASKBACK_TOKEN": server.tokens["requester"], HOOK: "off"}
    hook = server.run("hook", stdin=json.dumps(event).encode(), **environment)
    assert await output_of(hook) == b""
    assert not await person.requests.list(thread_id=thread)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that is not below `/dev`, where the policy lets nothing be read."""
    with TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)


THROUGH_LINK: list[tuple[str, str, dict[str, Any]]] = [
    ("tool:Read", "Read", {"file_path": "docs/notes.md"}),
    ("tool:Read", "Read", {"file_path": "PROJECT/docs/notes.md"}),
    ("tool:Read", "Read", {"file_path": "out/any.md"}),
    ("Write(file_path=docs/*)", "Write", {"file_path": "docs/notes.md", "content": "x"}),
    ("bash(cat:*)", "Bash", {"command": "cat docs/notes.md"}),
    ("bash(cat:*)", "Bash", {"command": "cat ./docs//notes.md"}),
    ("bash(cat docs/no*)", "Bash", {"command": "cat docs/no*"}),
]


@requirement("B10")
@pytest.mark.parametrize(("rule", "tool", "call"), THROUGH_LINK)
async def test_no_rule_lets_a_call_run_through_a_link_that_leads_out_of_the_folder(
    server: Server,
    person: AsyncClient,
    thread: str,
    folder: Path,
    rule: str,
    tool: str,
    call: dict[str, str],
) -> None:
    """The folder is a cloned repository, and the server resolves paths as texts."""
    project, home = folder / "project", folder / "home"
    (project / "docs").mkdir(parents=True)
    home.mkdir()
    (home / ".zshrc").touch()
    (project / "docs" / "notes.md").symlink_to("../../home/.zshrc")
    (project / "out").symlink_to(home)
    tool_input = {key: value.replace("PROJECT", str(project)) for key, value in call.items()}
    await person.rules.create(rule, scope="thread", thread_id=thread)
    hook = await prompt(
        server, thread, folder / "none.jsonl", tool_name=tool, tool_input=tool_input, cwd=str(project)
    )
    decision = json.loads(await output_of(hook))["hookSpecificOutput"]["decision"]
    assert decision["behavior"] == "deny"
    assert f"is a link to {home}/" in decision["message"]


LINKED_BUT_ALLOWED = [
    ("tool:Read", "Read", {"file_path": "PROJECT/notes.md"}),
    ("bash(.venv/bin/python -m pytest)", "Bash", {"command": ".venv/bin/python -m pytest"}),
]


@requirement("B10")
@pytest.mark.parametrize(("rule", "tool", "call"), LINKED_BUT_ALLOWED)
async def test_a_rule_lets_a_call_run_with_a_link_within_the_folder_or_a_linked_program(
    server: Server,
    person: AsyncClient,
    thread: str,
    folder: Path,
    rule: str,
    tool: str,
    call: dict[str, str],
) -> None:
    """The folder itself may be a link too."""
    (folder / "real" / "docs").mkdir(parents=True)
    (folder / "project").symlink_to("real")
    (folder / "real" / "docs" / "notes.md").touch()
    (folder / "real" / "notes.md").symlink_to("docs/notes.md")
    (folder / "real" / ".venv" / "bin").mkdir(parents=True)
    (folder / "real" / ".venv" / "bin" / "python").symlink_to(sys.executable)
    tool_input = {key: value.replace("PROJECT", str(folder / "project")) for key, value in call.items()}
    await person.rules.create(rule, scope="thread", thread_id=thread)
    hook = await prompt(
        server,
        thread,
        folder / "none.jsonl",
        tool_name=tool,
        tool_input=tool_input,
        cwd=str(folder / "project"),
    )
    decision = json.loads(await output_of(hook))["hookSpecificOutput"]["decision"]
    assert decision == {"behavior": "allow", "updatedInput": tool_input}
