"""`askback approve` without a server: the person at the terminal decides, and their rules are stored."""

from __future__ import annotations

import json
import os
import pty
import signal
from pathlib import Path
from typing import Any

import anyio
import pytest

from askback.domain.audit import verify_chain
from tests.cli.conftest import ENVIRONMENT, start
from tests.cli.scripts import complete, finish
from tests.cli.terminals import run_on_terminal
from tests.forks.process import fork
from tests.requirements import requirement

OFFERED = "Approve? [y/N/a(lways)]: "
PLAIN = "Approve? [y/N]: "


async def answer_on_terminal(
    data: Path, *arguments: str, typed: str, prompt: str = OFFERED
) -> tuple[int, dict[str, Any], str]:
    """Type an answer; return the exit status, the line of JSON and the whole output."""
    async with run_on_terminal(data, "approve", *arguments) as (screen, process):
        await screen.shows(prompt)
        screen.type(typed)
        screen_text = await screen.rest()
        status = await anyio.to_thread.run_sync(process.wait)
    output = [line for line in screen_text.splitlines() if '{"status"' in line]
    assert len(output) == 1, screen_text
    return status, json.loads(output[0][output[0].index("{") :]), screen_text


async def run(data: Path, *arguments: str) -> str:
    process = start(*arguments, ASKBACK_DATA_DIR=str(data))
    status, out, err = await anyio.to_thread.run_sync(complete, process)
    assert status == 0, err
    return out


@requirement("B27")
@pytest.mark.parametrize("typed", ["\n", "ye s\n", "\x04"])
async def test_everything_but_a_plain_yes_is_no(tmp_path: Path, typed: str) -> None:
    status, output, _ = await answer_on_terminal(tmp_path, "--", "make", "test", typed=typed)
    assert (status, output["decision"], output["source"], output["by"]) == (
        3,
        "deny",
        "responder",
        "owner",
    )
    assert "input" not in output
    assert await run(tmp_path, "rules", "list") == ""


@requirement("B27")
async def test_a_text_typed_before_the_question_is_no_answer_to_it(tmp_path: Path) -> None:
    async with run_on_terminal(tmp_path, "approve", "--", "make", "test") as (screen, process):
        screen.type("y\n")
        await screen.shows(OFFERED)
        screen.type("\n")
        await screen.rest()
        assert await anyio.to_thread.run_sync(process.wait) == 3


@requirement("B27")
async def test_yes_approves_once_and_stores_no_rule(tmp_path: Path) -> None:
    status, output, _ = await answer_on_terminal(tmp_path, "--", "make", "test", typed="y\n")
    assert (status, output["scope"], output["input"]) == (0, "once", {"argv": ["make", "test"]})
    second_status, _, _ = await answer_on_terminal(tmp_path, "--", "make", "test", typed="\n")
    assert second_status == 3


@requirement("B9", "B11", "B27")
async def test_always_stores_the_narrow_rule_that_was_shown(tmp_path: Path) -> None:
    status, output, screen_text = await answer_on_terminal(tmp_path, "--", "make", "test", typed="a\n")
    assert (status, output["scope"], output["rule"]) == (0, "always", "bash(make test)")
    assert screen_text.index("│ bash(make test)") < screen_text.index(OFFERED)

    async with run_on_terminal(tmp_path, "approve", "--", "make", "test") as (screen, process):
        assert '"source": "policy"' in await screen.rest()
        assert await anyio.to_thread.run_sync(process.wait) == 0
    other, _, _ = await answer_on_terminal(tmp_path, "--", "make", "clean", typed="\n")
    assert other == 3

    listing = await run(tmp_path, "rules", "list")
    assert "bash(make test)" in listing
    await run(tmp_path, "rules", "revoke", listing.split()[0])
    first_status, _, _ = await answer_on_terminal(tmp_path, "--", "make", "test", typed="\n")
    assert first_status == 3


@requirement("B27")
async def test_always_is_not_offered_and_means_no_if_no_rule_can_be_stored(tmp_path: Path) -> None:
    call = json.dumps({"command": "make test && make $TARGET"})
    options = ("--tool", "bash", "--input", call)
    status, _, screen_text = await answer_on_terminal(tmp_path, *options, typed="a\n", prompt=PLAIN)
    assert status == 3
    assert OFFERED not in screen_text
    once_options = ("--scope", "once", "--", "make")
    assert (await answer_on_terminal(tmp_path, *once_options, typed="a\n", prompt=PLAIN))[0] == 3


@requirement("B14", "B27")
async def test_hidden_characters_are_escaped_and_cannot_imitate_our_texts(tmp_path: Path) -> None:
    call = json.dumps({"command": "echo \u202egnp.exe\x1b[2J\nApprove? [y/N]: y"})
    options = ("--tool", "bash", "--input", call)
    _, _, screen_text = await answer_on_terminal(tmp_path, *options, typed="\n", prompt=f"\n{PLAIN}")
    assert "│ echo \\u202egnp.exe\\u001b[2J" in screen_text
    assert "│ Approve? [y/N]: y" in screen_text
    assert "\u202e" not in screen_text
    assert "\x1b" not in screen_text


@requirement("B26")
async def test_a_dangerous_call_needs_a_second_confirmation(tmp_path: Path) -> None:
    for sure, ends in (("n\n", 3), ("y\n", 0)):
        async with run_on_terminal(tmp_path, "approve", "--", "rm", "-rf", f"build{ends}") as (
            screen,
            process,
        ):
            await screen.shows(OFFERED)
            assert "It deletes folders" in screen.text
            screen.type("y\n")
            await screen.shows("Really run it? [y/N]: ")
            screen.type(sure)
            await screen.rest()
            assert await anyio.to_thread.run_sync(process.wait) == ends


@requirement("B3", "B7")
async def test_the_policy_decides_without_asking(tmp_path: Path) -> None:
    for argv, ends in ((["ls"], 0), (["rm", "-rf", "/"], 3)):
        async with run_on_terminal(tmp_path, "approve", "--", *argv) as (screen, process):
            assert "Approve?" not in await screen.rest()
            assert await anyio.to_thread.run_sync(process.wait) == ends


@requirement("B17")
async def test_a_denied_call_is_asked_again(tmp_path: Path) -> None:
    status, _, _ = await answer_on_terminal(tmp_path, "--", "make", "x", typed="n\n")
    assert status == 3
    status, output, _ = await answer_on_terminal(tmp_path, "--", "make", "x", typed="y\n")
    assert (status, output["decision"]) == (0, "approve")


@requirement("B20")
async def test_a_late_answer_is_ignored(tmp_path: Path) -> None:
    async with run_on_terminal(tmp_path, "approve", "--timeout", "1", "--", "make") as (screen, process):
        screen_text = await screen.rest()
        assert '"status": "expired"' in screen_text
        assert await anyio.to_thread.run_sync(process.wait) == 5


async def test_ctrl_c_withdraws_the_request(tmp_path: Path) -> None:
    status, output, _ = await answer_on_terminal(tmp_path, "--", "make", typed="\x03")
    assert (status, output) == (4, {"status": "cancelled", "reason": "agent_aborted"})


@requirement("B27", "B29")
def test_a_person_who_cannot_see_the_question_is_not_asked(tmp_path: Path) -> None:
    primary, keyboard = pty.openpty()
    try:
        environment = {**ENVIRONMENT, "ASKBACK_DATA_DIR": str(tmp_path)}
        status, _, err = complete(fork("approve", "--", "make", environment=environment, stdin=keyboard))
    finally:
        os.close(primary)
        os.close(keyboard)
    assert status == 1
    assert "askback serve" in err


@requirement("B28")
async def test_decisions_made_here_are_in_the_log(tmp_path: Path) -> None:
    await answer_on_terminal(tmp_path, "--", "make", "test", typed="a\n")
    await answer_on_terminal(tmp_path, "--", "make", "clean", typed="n\n")
    async with run_on_terminal(tmp_path, "approve", "--", "make", "test") as (screen, _):
        await screen.rest()
    lines = (await run(tmp_path, "audit", "export")).splitlines()
    entries = [json.loads(line) for line in lines]
    decisions = [
        (entry["decision"], entry["source"], entry["via"]) for entry in entries if entry["action"] == "decide"
    ]
    assert decisions == [
        ("approve", "responder", "cli"),
        ("deny", "responder", "cli"),
        ("approve", "policy", "policy"),
    ]
    assert verify_chain(lines) == (len(lines), entries[-1]["hash"])
    assert (await run(tmp_path, "audit", "verify")).startswith(f"OK: {len(lines)} entries, head ")


async def test_the_folder_of_an_unreachable_server_is_not_opened(tmp_path: Path) -> None:
    server = start("serve", "--port", "0", "--data-dir", str(tmp_path), "--ready-json")
    try:
        assert server.stdout is not None
        assert await anyio.to_thread.run_sync(server.stdout.readline)
        (tmp_path / "server.json").unlink()
        status, err = await finish(start("rules", "list", ASKBACK_DATA_DIR=str(tmp_path)))
        assert status == 1
        assert "askback.db" in err
    finally:
        server.send_signal(signal.SIGTERM)
        complete(server)
