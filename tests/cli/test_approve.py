"""`askback approve`: one line of JSON and an exit status by which a script runs a command, or does not."""

from __future__ import annotations

import io
import json
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from rich.console import Console

from askback import AsyncClient
from askback.cli.connection import ServerConnection
from askback.cli.script import wait_until_settled
from askback.domain.approval import Approval
from askback.domain.policy.digest import call_digest
from askback.errors import Conflict, ConnectionLost
from askback.server.app import create_app
from askback.server.system import SystemClock
from tests.cli.conftest import Server, start
from tests.cli.scripts import finish, read_request_id
from tests.requirements import requirement

PUSH = {"command": "git push origin main"}
BASH = ("--tool", "bash", "--input", json.dumps(PUSH))


async def run_approve(
    server: Server,
    person: AsyncClient,
    thread: str,
    options: Sequence[str],
    decision: Any,
    **answer_members: Any,
) -> tuple[int, Any]:
    """Ask for `options`, decide as a person, and return the exit status and the output."""
    process = server.run("approve", "--thread", thread, *options)
    request = await person.requests.get(await read_request_id(process))
    await person.requests.decide(request, decision, **answer_members)
    status, output = await finish(process)
    assert output.pop("request_id") == request.id
    return status, output


async def test_approved_exits_with_0_and_prints_the_approved_call(
    server: Server, person: AsyncClient, thread: str
) -> None:
    status, output = await run_approve(server, person, thread, BASH, "approve", note="go on")
    assert status == 0
    assert output.pop("text")
    assert output == {
        "status": "answered",
        "decision": "approve",
        "tool": "bash",
        "input": PUSH,
        "scope": "once",
        "note": "go on",
        "source": "responder",
        "by": "owner",
        "digest": call_digest("bash", PUSH),
    }


@requirement("B13")
async def test_an_approval_is_used_when_the_command_may_run(
    server: Server, person: AsyncClient, thread: str
) -> None:
    process = server.run("approve", "--thread", thread, *BASH)
    request = await person.requests.get(await read_request_id(process))
    await person.requests.decide(request, "approve")
    assert (await finish(process))[0] == 0
    with pytest.raises(Conflict) as exc_info:
        await person.requests.revoke(request)
    assert exc_info.value.code == "already_consumed"


@requirement("B18")
async def test_denied_ends_with_3_and_prints_no_input_but_the_reason(
    server: Server, person: AsyncClient, thread: str
) -> None:
    status, output = await run_approve(server, person, thread, BASH, "deny", note="not on a Friday")
    assert status == 3
    assert (output["decision"], output["note"], "input" in output) == ("deny", "not on a Friday", False)
    assert "not on a Friday" in output["text"]


async def test_the_words_after_two_dashes_are_passed_as_arguments_unchanged(
    server: Server, person: AsyncClient, thread: str
) -> None:
    options = ["--reason", "the fix is ready", "--", "git", "commit", "-m", "a; b --title c"]
    process = server.run("approve", "--thread", thread, *options)
    request = await person.requests.get(await read_request_id(process))
    await person.requests.decide(request, "approve")
    assert (await finish(process))[1]["input"] == {"argv": ["git", "commit", "-m", "a; b --title c"]}
    assert request.approval is not None
    assert (request.approval.tool, request.approval.reason) == ("bash", "the fix is ready")
    assert request.agent is not None
    assert request.agent.name == "askback approve"


@requirement("B16")
async def test_an_edited_input_is_printed(server: Server, person: AsyncClient, thread: str) -> None:
    edited_input = {"command": "git push origin topic"}
    options = [*BASH, "--allow-edit"]
    status, output = await run_approve(server, person, thread, options, "approve", edited_input=edited_input)
    assert (status, output["input"], output["digest"]) == (0, edited_input, call_digest("bash", edited_input))


@requirement("B29")
@pytest.mark.parametrize("text", ["[1, null]", '"abc"', "5", "false", "null"])
async def test_an_input_of_any_type_is_printed_unchanged(
    server: Server, person: AsyncClient, thread: str, text: str
) -> None:
    options = ["--tool", "send", "--input", text]
    status, output = await run_approve(server, person, thread, options, "approve")
    assert (status, output["input"]) == (0, json.loads(text))


async def test_only_the_named_scopes_are_offered_and_a_stored_rule_is_printed(
    server: Server, person: AsyncClient, thread: str
) -> None:
    options = ["--scope", "once", "--scope", "thread", "--", "make", "publish"]
    process = server.run("approve", "--thread", thread, *options)
    request = await person.requests.get(await read_request_id(process))
    assert request.approval is not None
    assert request.approval.scopes == ["once", "thread"]
    await person.requests.decide(request, "approve", scope="thread")
    status, output = await finish(process)
    assert (status, output["scope"], output["rule"]) == (0, "thread", "bash(make publish)")


async def test_a_file_is_shown_as_a_diff(
    server: Server, person: AsyncClient, thread: str, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text("one\ntwo\n")
    call = json.dumps({"path": "a.py", "content": "one\nthree\n"})
    options = ["--tool", "write_file", "--input", call, "--before", str(tmp_path / "a.py")]
    process = server.run("approve", "--thread", thread, *options)
    request = await person.requests.get(await read_request_id(process))
    await person.requests.decide(request, "deny")
    assert (await finish(process))[0] == 3
    assert request.approval is not None
    assert request.approval.preview is not None
    assert request.approval.preview.diff is not None
    changed = [(line.op, line.parts) for line in request.approval.preview.diff if line.op in "+-"]
    assert changed == [("-", ["two"]), ("+", ["three"])]


@requirement("B3")
async def test_a_call_decided_by_the_policy_asks_nobody(server: Server, thread: str) -> None:
    status, output = await finish(server.run("approve", "--thread", thread, "--", "ls", "-l"))
    assert (status, output["decision"], output["source"]) == (0, "approve", "policy")
    assert output["input"] == {"argv": ["ls", "-l"]}
    status, output = await finish(server.run("approve", "--thread", thread, "--", "rm", "-rf", "/"))
    assert (status, output["decision"], output["source"]) == (3, "deny", "policy")
    assert output["reasons"]
    assert "input" not in output


async def test_declined_ends_with_3(server: Server, person: AsyncClient, thread: str) -> None:
    process = server.run("approve", "--thread", thread, *BASH)
    await person.requests.decline(await read_request_id(process), reason="dismissed")
    status, output = await finish(process)
    assert (status, output["status"], output["reason"]) == (3, "declined", "dismissed")
    assert "decision" not in output


async def test_cancelled_ends_with_4(server: Server, thread: str) -> None:
    process = server.run("approve", "--thread", thread, *BASH)
    async with server.client("admin") as admin:
        await admin.requests.cancel(await read_request_id(process), reason="admin")
    status, output = await finish(process)
    assert (status, output["status"]) == (4, "cancelled")


@requirement("B20")
async def test_expired_ends_with_5_and_no_input(server: Server, thread: str) -> None:
    status, output = await finish(server.run("approve", "--thread", thread, "--timeout", "1", *BASH))
    assert (status, output["status"], "input" in output) == (5, "expired", False)
    assert "must not be run" in output["text"]


async def test_an_interrupted_call_withdraws_its_request(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    process = server.run("approve", "--thread", thread, *BASH)
    request_id = await read_request_id(process)
    process.send_signal(signal.SIGINT)
    status, output = await finish(process)
    assert (status, output) == (4, {"status": "cancelled", "reason": "agent_aborted"})
    with anyio.fail_after(120):
        assert (await agent.wait(request_id)).status == "cancelled"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "Say what would run"),
        (["--tool", "bash"], "Say what would run"),
        (["--tool", "bash", "--input", "nonsense"], "--input"),
        (["--tool", "bash", "--input", "[1"], "--input:"),
        (["--tool", "bash", "--input", '{"command": "a", "command": "b"}'], "--input"),
        (["--tool", "bash", "--input", "{}", "--", "ls"], "either"),
        (["--scope", "ever", "--", "make"], "--scope"),
        (["--before", "/does/not/exist", "--", "make"], "cannot be read"),
        (["--timeout", "0", "--", "make"], "timeout_s"),
    ],
)
async def test_a_usage_error_exits_with_2_and_a_reason(server: Server, options: list[str], says: str) -> None:
    status, err = await finish(server.run("approve", *options, stdin=b""))
    assert status == 2
    assert says in err


async def test_the_input_may_come_from_standard_input(
    server: Server, person: AsyncClient, thread: str
) -> None:
    options = ["approve", "--thread", thread, "--tool", "bash", "--input", "-"]
    process = server.run(*options, stdin=json.dumps(PUSH).encode())
    await person.requests.decide(await person.requests.get(await read_request_id(process)), "approve")
    assert (await finish(process))[1]["input"] == PUSH


@requirement("B27", "B29")
async def test_without_a_server_and_without_a_terminal_nothing_may_run(tmp_path: Path) -> None:
    status, err = await finish(start("approve", "--", "ls", ASKBACK_DATA_DIR=str(tmp_path)))
    assert status == 1
    assert "askback serve" in err
    assert list(tmp_path.iterdir()) == []


@requirement("B29")
async def test_waiting_for_a_server_that_reports_no_outcome_ends() -> None:
    class Standing(SystemClock):
        def now_ms(self) -> int:
            return 1_800_000_000_000

    async with AsyncClient(app=create_app(clock=Standing())) as client:
        request = await client.requests.create(Approval(tool="x", input={}), thread_id="t", timeout_s=1)
        server, hints = ServerConnection("http://askback.test", ""), Console(file=io.StringIO())
        with anyio.fail_after(120), pytest.raises(ConnectionLost):
            await wait_until_settled(client, request, server=server, hints=hints, late_s=0.1)
