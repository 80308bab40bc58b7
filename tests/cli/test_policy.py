"""`askback policy`: the policy is shown and changed, and allowing everything needs a typed confirmation."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from askback import AsyncClient
from askback.domain.approval import Approval
from tests.cli.conftest import Server, start
from tests.cli.scripts import complete
from tests.cli.terminals import run_on_terminal
from tests.requirements import requirement

DEFAULT = {
    "level": "allowlist",
    "ask_mode": "on-miss",
    "mode": "normal",
    "lists": ["default", "read-only-tools"],
    "table": "askback",
    "free_text": "ignore",
    "max_questions": 10_000,
    "questions_window_s": 86_400,
    "refund_questions": False,
}


def policy(data: Path, *arguments: str, status: int = 0) -> str:
    ended, out, err = complete(start("policy", *arguments, ASKBACK_DATA_DIR=str(data)))
    assert ended == status, err
    return err if status else out


def show_policy(data: Path, *arguments: str) -> Any:
    return json.loads(policy(data, "show", "--json", *arguments))


@requirement("B3")
def test_a_changed_setting_applies_and_the_others_stay(tmp_path: Path) -> None:
    output = policy(tmp_path, "set", "--level", "deny", "--list", "git", "--list", "default")
    assert "level     deny" in output
    assert "lists     git, default" in output
    assert show_policy(tmp_path) == {**DEFAULT, "level": "deny", "lists": ["git", "default"]}
    policy(tmp_path, "set", "--reset", "level", "--reset", "list", "--ask-mode", "always")
    assert show_policy(tmp_path) == {**DEFAULT, "ask_mode": "always"}
    policy(tmp_path, "set", "--reset", "ask-mode")
    assert show_policy(tmp_path) == DEFAULT


async def test_the_mode_of_a_conversation_is_set_by_its_owner(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    run = anyio.to_thread.run_sync
    await run(policy, server.data, "set", "--thread", thread, "--mode", "plan")
    assert (await run(show_policy, server.data, "--thread", thread))["mode"] == "plan"
    assert (await run(show_policy, server.data))["mode"] == "normal"
    refused_request = await agent.requests.create(
        Approval(tool="bash", input={"command": "make"}), thread_id=thread
    )
    assert refused_request.source == "policy"
    await run(policy, server.data, "set", "--thread", thread, "--mode", "default")
    assert (await run(show_policy, server.data, "--thread", thread))["mode"] == "normal"


def test_shadow_settings_have_no_effect_until_the_trial_ends(tmp_path: Path) -> None:
    output = policy(tmp_path, "set", "--shadow", "--level", "full", "--list", "none")
    assert "tried     level full, lists none" in output
    assert show_policy(tmp_path) == {**DEFAULT, "shadow": {"level": "full", "lists": ["none"]}}
    policy(tmp_path, "set", "--no-shadow")
    assert show_policy(tmp_path) == DEFAULT


@requirement("B22")
async def test_allowing_everything_needs_a_typed_confirmation(tmp_path: Path) -> None:
    run = anyio.to_thread.run_sync
    for settings in (("--mode", "full"), ("--level", "full"), ("--table", "nebo", "--ask-mode", "off")):
        set_policy = partial(policy, tmp_path, "set", *settings)
        assert "ENABLE FULL" in await run(partial(set_policy, status=1))
        await run(partial(set_policy, "--confirm", "yes", status=1))
    async with run_on_terminal(tmp_path, "policy", "set", "--mode", "full") as (screen, process):
        await screen.shows("Type ENABLE FULL to do it: ")
        screen.type("enable full\n")
        await screen.rest()
        assert await run(process.wait) == 1
    assert await run(show_policy, tmp_path) == DEFAULT
    async with run_on_terminal(tmp_path, "policy", "set", "--mode", "full") as (screen, process):
        await screen.shows("Type ENABLE FULL to do it: ")
        screen.type("ENABLE FULL\n")
        assert "mode      full" in await screen.rest()
        assert await run(process.wait) == 0
    await run(policy, tmp_path, "set", "--level", "full", "--confirm", "ENABLE FULL")
    assert (await run(show_policy, tmp_path))["level"] == "full"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["set"], "give a setting to change"),
        (["set", "--shadow"], "give a setting to change"),
        (["set", "--no-shadow", "--level", "deny"], "ends a trial"),
        (["set", "--mode", "loose"], "plan, normal"),
        (["set", "--mode", "default"], "plan, normal"),
        (["set", "--list", "mine"], "default, git"),
        (["set", "--reset", "everything"], "mode, level"),
        (["set", "--reset", "level", "--level", "deny"], "level is set and reset"),
        (["set", "--reset", "level", "--shadow"], "cannot be combined with --shadow"),
    ],
)
def test_an_invalid_setting_is_reported(tmp_path: Path, arguments: list[str], says: str) -> None:
    assert says in policy(tmp_path, *arguments, status=2)
    assert list(tmp_path.iterdir()) == []
