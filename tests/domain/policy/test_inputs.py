"""Hard limits and deny rules see everything in an input of any shape, and no level allows unseen parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from askback.domain.policy.calls import Call
from askback.domain.policy.engine import Policy, decide
from askback.domain.policy.rules import parse_rule
from askback.domain.policy.suggestions import exact_rule, matching_calls
from tests.requirements import requirement

LOOSEST = (
    Policy(level="full"),
    Policy(mode="full"),
    Policy(level="full", table="nebo"),
    Policy(ask="off", table="nebo"),
)
NO_RM = (parse_rule("rm:*", "deny"),)
PADDING = ": " + "a" * 8_200


def verdicts(call: Call, *rules: str) -> set[str]:
    """Return the decisions of the loosest policies about a call, with some deny rules."""
    denying = tuple(parse_rule(rule, "deny") for rule in rules)
    found: set[str] = set()
    for policy in LOOSEST:
        decision = decide(call, Policy(denying, policy.level, policy.ask, policy.mode, policy.table))
        found.add(decision.decision)
    return found


INPUTS: list[dict[str, Any]] = [
    {"cmd": "@"},
    {"script": "@"},
    {"command": "@", "argv": ["ls"]},
    {"command": "ls", "argv": ["@"]},
    {"command": "ls", "cmd": "@"},
    {"command": "ls", "env": {"BASH_ENV": "@"}},
    {"commands": ["ls", "@"]},
    {"action": {"command": ["bash", "-lc", "@"]}},
    {"action": {"steps": [{"run": "@"}]}},
    {"command": {"line": "@"}},
    {"command": f"{PADDING}; @"},
    {"command": f"@; {PADDING}"},
    {"command": "true;" * 210 + " bash -c '@'"},
    {"command": "env env env env env env env env env @"},
    {"command": "sudo sudo sudo sudo sudo @"},
    {"command": "@\0"},
    {"command": "echo 'é\"; @"},
    {"argv": ["env", "-a", "bash", "-c", "@"]},
]
BOMB = ":(){ :|:& };:"


def with_command(value: Any, command: str) -> Any:
    if isinstance(value, str):
        return value.replace("@", command)
    if isinstance(value, dict):
        return {key: with_command(member, command) for key, member in value.items()}
    return [with_command(item, command) for item in value] if isinstance(value, list) else value


@requirement("B7")
@pytest.mark.parametrize("tool_input", INPUTS, ids=lambda tool_input: str(tool_input)[:40])
def test_hard_limits_and_deny_rules_apply_to_an_input_of_any_shape(tool_input: Mapping[str, Any]) -> None:
    assert verdicts(Call("bash", with_command(tool_input, "rm -rf /"))) == {"deny"}
    assert verdicts(Call("bash", with_command(tool_input, "rm x")), "rm:*") == {"deny"}


@requirement("B7")
@pytest.mark.parametrize(
    "tool_input",
    [{"command": BOMB}, {"cmd": BOMB}, {"command": f"{PADDING}\n{BOMB}"}, {"argv": ["bash", "-c", BOMB]}],
    ids=lambda tool_input: str(tool_input)[:40],
)
def test_a_fork_bomb_is_detected_in_an_input_of_any_shape(tool_input: Mapping[str, Any]) -> None:
    assert verdicts(Call("bash", tool_input)) == {"deny"}


@requirement("B29")
@pytest.mark.parametrize(
    "tool_input",
    [
        {},
        {"cmd": "ls"},
        {"command": "ls", "argv": ["ls"]},
        {"command": 5},
        {"command": ["ls", 5]},
        {"command": []},
        {"command": "ls", "options": {"script": "x"}},
        {"command": f"ls {PADDING}"},
        {"command": "ls '"},
        {"command": "ls " + "|cat" * 70},
        {"command": "$(" * 500},
        {"argv": ["ls", "a" * 9_000]},
        {"argv": ["env", "-a"] * 2_000},
    ],
    ids=lambda tool_input: str(tool_input)[:40],
)
def test_an_input_of_unknown_shape_or_size_is_asked_at_every_level(tool_input: Mapping[str, Any]) -> None:
    assert verdicts(Call("bash", tool_input)) == {"ask"}
    assert decide(Call("bash", tool_input), Policy(level="full", ask="off")).decision == "deny"
    assert decide(Call("bash", tool_input), Policy(level="deny")).decision == "deny"


@requirement("B7")
@pytest.mark.parametrize(
    "tool",
    ["bash ", " Bash\n", "BASH", "b\u0430sh", "PowerShell", "exec_command", "zsh", "launch", "mcp__shell__execute_command", "mcp:x:run", "functions.exec"],
)  # fmt: skip
def test_rules_and_limits_apply_to_a_command_under_any_tool_name(tool: str) -> None:
    assert verdicts(Call(tool, {"command": "rm -rf /"})) == {"deny"}
    assert verdicts(Call(tool, {"command": "sudo rm x"}), "rm:*") == {"deny"}
    assert verdicts(Call(tool, {"command": "ls"}), "bash(*)") == {"deny"}
    assert verdicts(Call(tool, {"command": "ls"}), "rm:*") == {"allow"}


@requirement("B7")
def test_rules_and_limits_apply_to_a_shell_tool_of_an_mcp_server_with_any_input() -> None:
    assert verdicts(Call("mcp__box__bash", {"input": "rm -rf /"})) == {"deny"}
    assert verdicts(Call("box.exec", {"args": ["sudo", "rm", "x"]}), "rm:*") == {"deny"}


@requirement("B7")
def test_rules_apply_to_each_of_several_commands_even_single_words() -> None:
    assert verdicts(Call("launch", {"commands": ["ls", "reboot"]}), "reboot") == {"deny"}
    assert verdicts(Call("launch", {"command": "ls", "cmd": "reboot"}), "reboot") == {"deny"}
    assert verdicts(Call("launch", {"argv": ["man", "mkfs"]}), "reboot") == {"allow"}


def test_a_rule_for_commands_allows_no_tool_that_only_looks_like_a_shell() -> None:
    policy = Policy((parse_rule("ls"), parse_rule("ls:*")))
    for tool in ("b\u0430sh", "launch", "mcp__shell__bash", "PowerShell", "zsh"):
        assert decide(Call(tool, {"command": "ls"}), policy).decision == "ask", tool
    for tool in ("bash", "Bash ", "run_shell_command", "execute_bash"):
        assert decide(Call(tool, {"command": "ls"}), policy).decision == "allow", tool


def test_a_description_in_a_call_is_not_read_as_a_command() -> None:
    tool_input = {"command": "ls", "description": "rm -rf / would be worse", "timeout_ms": 5}
    assert verdicts(Call("bash", tool_input), "rm:*") == {"allow"}


def test_a_tool_for_files_that_has_a_command_is_no_shell() -> None:
    tool_input = {"command": "create", "path": "a.sh", "file_text": "rm -rf /"}
    assert verdicts(Call("str_replace_based_edit_tool", tool_input), "bash(*)", "rm:*") == {"allow"}


def test_no_rule_covers_an_input_with_a_second_command() -> None:
    call = Call("bash", {"command": "ls", "cmd": "ls"})
    policy = Policy((parse_rule("ls"), parse_rule("ls:*")))
    assert decide(call, policy).decision == "ask"
    assert decide(call, Policy(policy.rules, mode="plan")).decision == "deny"
    assert exact_rule(call) is None
    assert matching_calls(parse_rule("ls"), [call]) == []


def test_the_content_of_a_file_is_no_path() -> None:
    for contents in (
        {"content": "/opt/ada/.ssh/config"},
        {"new_source": ["cat", "/opt/ada/.ssh/config"]},
        {"edits": [{"old": "/opt/ada/.ssh/x", "new": ["~/.ssh/y"]}]},
    ):
        assert verdicts(Call("write_file", {"path": "a", **contents})) == {"allow"}


@requirement("B7")
@pytest.mark.parametrize(
    ("tool", "tool_input"),
    [
        ("write_file", {"path": "x", "file": "/opt/ada/.ssh/authorized_keys", "content": "k"}),
        ("write_file", {"filePath": "/opt/ada/.ssh/authorized_keys", "content": "k"}),
        ("write_file", {"path": "x", "to": "/opt/ada/.ssh/authorized_keys", "content": "k"}),
        ("multiedit", {"path": "x", "edits": [{"path": "~/.ssh/config", "old": "a", "new": "b"}]}),
        ("apply_patch", {"input": "*** Begin Patch\n*** Update File: ../.ssh/config\n+x\n*** End Patch"}),
        ("apply_patch", {"path": "x", "patch": "--- a\n+++ /opt/ada/.ssh/config\n@@\n+x"}),
        ("mcp__fs__write_file", {"path": "/opt/ada/.ssh/authorized_keys", "content": "k"}),
        ("write_file", {"path": "file:///etc/passwd", "content": "k"}),
        ("write_file", {"path": "/./etc//sudoers.d/x", "content": "k"}),
        ("write_file", {"path": "../../../etc/shadow", "content": "k"}),
        ("write_file", {"path": "//dev/sda", "content": "k"}),
        ("bash", {"command": "cp x ../../../etc/passwd"}),
        ("bash", {"command": "echo x > /./dev/sda"}),
    ],
)
def test_a_hard_limit_applies_to_every_file_in_an_input(tool: str, tool_input: Mapping[str, Any]) -> None:
    assert verdicts(Call(tool, tool_input)) == {"deny"}


@requirement("B29")
@pytest.mark.parametrize(
    "tool_input",
    [
        {"content": "x"},
        {"path": "a", "file": "b", "content": "x"},
        {"path": "a", "edits": [{"file_path": "b", "old": "x", "new": "y"}]},
        {"path": "a/" * 3_000, "content": "x"},
        {"paths": ["a"] * 1_001, "content": "x"},
    ],
    ids=lambda tool_input: str(tool_input)[:40],
)
def test_a_file_tool_that_names_no_file_or_several_is_asked_at_every_level(
    tool_input: Mapping[str, Any],
) -> None:
    assert verdicts(Call("write_file", tool_input)) == {"ask"}


def test_a_call_allowed_by_the_level_full_has_that_reason() -> None:
    assert decide(Call("bash", {"command": "make $x"}), Policy(level="full")).reasons == (
        "Allowed by the level `full`.",
    )
    assert decide(Call("launch", {}), Policy(mode="full")).reasons == ("Allowed by the level `full`.",)
