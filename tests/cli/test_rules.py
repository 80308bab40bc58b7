"""`askback rules list|add|revoke`, on a running server and without one; `rules check` by the server's rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from askback import AsyncClient
from askback.domain.approval import Approval
from tests.cli.conftest import Server, start
from tests.cli.scripts import complete
from tests.requirements import requirement


def run(data: Path, *arguments: str, status: int = 0) -> str:
    """Run a command to its end and return its output or its error text."""
    ended, out, err = complete(start(*arguments, ASKBACK_DATA_DIR=str(data)))
    assert ended == status, err
    return err if status else out


def list_rules(data: Path, *arguments: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run(data, "rules", "list", "--json", *arguments).splitlines()]


async def source(agent: AsyncClient, thread: str, command: str) -> str | None:
    """Return the source of an immediate decision about a command, None if a person is asked."""
    approval = Approval(tool="bash", input={"command": command})
    return (await agent.requests.create(approval, thread_id=thread)).source


@requirement("B10", "B11")
async def test_a_rule_applies_until_it_is_revoked(server: Server, agent: AsyncClient, thread: str) -> None:
    added_output = run(
        server.data, "rules", "add", "bash(make  rules:*)", "--thread", thread, "--why", "we test it", "--expires-in", "60"
    )  # fmt: skip
    [rule] = list_rules(server.data, "--thread", thread)
    assert rule["rule"] == "bash(make rules:*)"
    assert (rule["effect"], rule["scope"], rule["thread_id"]) == ("allow", "thread", thread)
    assert (rule["why"], rule["created_by"]["name"], "expires_at" in rule) == ("we test it", "owner", True)
    assert added_output.startswith(rule["id"])
    assert await source(agent, thread, "make rules --silent") == "policy"

    output = run(server.data, "rules", "list", "--thread", thread)
    for cell in (rule["id"], "allow", "bash(make rules:*)", f"thread {thread}", "owner", "we test it"):
        assert cell in output

    assert "revoked" in run(server.data, "rules", "revoke", rule["id"])
    assert list_rules(server.data, "--thread", thread) == []
    [ended] = list_rules(server.data, "--thread", thread, "--ended")
    assert ended["revoked_by"]["name"] == "owner"
    assert await source(agent, thread, "make rules then") is None


@requirement("B11")
def test_a_rule_added_without_a_server_applies_in_later_servers(tmp_path: Path) -> None:
    run(tmp_path, "rules", "add", "bash(make test)")
    for _ in range(2):
        process = start("serve", "--port", "0", "--data-dir", str(tmp_path), "--ready-json")
        try:
            assert process.stdout is not None
            assert process.stdout.readline()
            assert [rule["rule"] for rule in list_rules(tmp_path)] == ["bash(make test)"]
            same = json.loads(run(tmp_path, "approve", "--", "make", "test"))
            assert (same["decision"], same["source"]) == ("approve", "policy")
        finally:
            process.terminate()
            complete(process)
    run(tmp_path, "rules", "revoke", list_rules(tmp_path)[0]["id"])
    assert list_rules(tmp_path) == []


@requirement("B12")
def test_only_an_admin_may_revoke_a_locked_rule(tmp_path: Path) -> None:
    run(tmp_path, "rules", "add", "bash(git push:*)", "--effect", "ask", "--locked")
    [rule] = list_rules(tmp_path)
    assert (rule["locked"], rule["created_by"]["name"]) == (True, "admin")
    assert "admin" in run(tmp_path, "rules", "revoke", rule["id"], status=1)
    assert "revoked" in run(tmp_path, "rules", "revoke", rule["id"], "--locked")


@requirement("B11")
def test_rules_are_exported_and_imported_and_the_built_in_ones_are_listed(tmp_path: Path) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    run(mine, "rules", "add", "bash(make test)", "--why", "it is safe")
    run(mine, "rules", "add", "bash(git push:*)", "--effect", "ask", "--locked")
    file = tmp_path / "rules.json"
    run(mine, "rules", "export", str(file))
    assert json.loads(file.read_text())["rules"][0]["rule"] == "bash(make test)"
    assert "2 would be added, 0 in force" in run(other, "rules", "import", str(file), "--dry-run")
    assert list_rules(other) == []
    assert "2 added" in run(other, "rules", "import", str(file))
    assert "0 added, 2 in force already" in run(other, "rules", "import", str(file))
    assert {rule["rule"] for rule in list_rules(other)} == {"bash(make test)", "bash(git push:*)"}
    output = run(mine, "rules", "built-in")
    assert "lists in force: default, read-only-tools" in output
    assert "  bash(cat:*)\n" in output


def test_an_import_that_is_refused_says_where_and_stores_nothing(tmp_path: Path) -> None:
    file = tmp_path / "rules.json"
    file.write_text('{"rules": [{"rule": "make test"}, {"rule": "bash(*)"}]}')
    assert "rules[1].rule: " in run(tmp_path, "rules", "import", str(file), status=1)
    assert list_rules(tmp_path) == []
    for rubbish in ("", "[]", "[" * 100_000, '{"rules": 7}'):
        file.write_text(rubbish)
        assert "askback rules export" in run(tmp_path, "rules", "import", str(file), status=2)


@requirement("B9")
async def test_a_preview_lists_calls_that_a_rule_would_decide_differently(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    assert await source(agent, thread, "make previewed") is None
    output = run(server.data, "rules", "preview", "make previewed")
    assert "allow  Run: make previewed" in output
    assert "1 of " in output
    assert await source(agent, thread, "git log -7") == "policy"
    assert "deny   Run: git log -7" in run(server.data, "rules", "preview", "git log:*", "--effect", "deny")
    assert "effect" in run(server.data, "rules", "preview", "make", "--effect", "maybe", status=1)


def test_a_shadow_rule_is_marked(tmp_path: Path) -> None:
    run(tmp_path, "rules", "add", "bash(make:*)", "--effect", "deny", "--shadow", "--project", "web")
    [rule] = list_rules(tmp_path, "--project", "web")
    assert (rule["shadow"], rule["scope"], rule["project"]) == (True, "project", "web")
    assert "shadow: it decides nothing" in run(tmp_path, "rules", "list")


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["add", "bash(*)"], 1, "every command"),
        (["add", "bash(a; $b)"], 1, "does not say what would run"),
        (["add", "bash(ls)", "--effect", "maybe"], 2, "allow, ask, deny"),
        (["add", "bash(ls)", "--scope", "ever"], 2, "thread, project, always"),
        (["add", "bash(ls)", "--scope", "thread"], 1, "thread"),
        (["add", "bash(ls)", "--expires-in", "-1"], 1, "expires_in_s"),
        (["revoke", "rul_none"], 1, "There is no such rule."),
    ],
)
def test_an_impossible_action_is_reported(
    server: Server, arguments: list[str], status: int, says: str
) -> None:
    assert says in run(server.data, "rules", *arguments, status=status)


def test_a_named_server_that_does_not_answer_is_not_replaced_by_a_folder(tmp_path: Path) -> None:
    process = start(
        "rules", "list",
        ASKBACK_DATA_DIR=str(tmp_path), ASKBACK_URL="http://127.0.0.1:9", ASKBACK_TOKEN="t",
    )  # fmt: skip
    status, _, err = complete(process)
    assert status == 1
    assert "127.0.0.1:9" in err
    assert list(tmp_path.iterdir()) == []
