"""The inputs of the shell tools of coding agents: their keys for the command, its folder and its shell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from askback.domain.policy import shell_tools
from askback.domain.policy.calls import Call
from askback.domain.policy.engine import Policy, decide
from askback.domain.policy.rules import parse_rule
from tests.requirements import requirement

LOOKING = Policy(tuple(parse_rule(rule) for rule in ("ls:*", "echo:*", "pwd", "rg:*")))

UNDERSTOOD_INPUTS: list[tuple[str, dict[str, Any], str | None]] = [
    ("Bash", {"command": "ls -la", "description": "List", "timeout": 120000}, None),
    ("Bash", {"command": "ls", "run_in_background": False, "dangerouslyDisableSandbox": False}, None),
    ("bash", {"command": "ls", "workdir": "/srv/shop/", "timeout": 1}, "/srv/shop"),
    ("shell", {"command": ["rg", "-n", "a|b", "src"], "workdir": "/w", "timeout_ms": 1}, "/w"),
    ("shell", {"command": ["bash", "-lc", "ls -la && pwd"], "workdir": "/w", "justification": "x"}, "/w"),
    ("shell", {"command": ["/bin/sh", "-c", "ls"], "with_escalated_permissions": False}, None),
    ("container.exec", {"command": ["ls"]}, None),
    (
        "local_shell",
        {"action": {"type": "exec", "command": ["ls"], "working_directory": "/w", "env": {}}},
        "/w",
    ),
    ("exec_command", {"cmd": "ls -la", "workdir": "/w", "yield_time_ms": 1000, "max_output_tokens": 9}, "/w"),
    ("exec_command", {"cmd": "echo 'a & b'", "shell": "/bin/bash", "login": True, "tty": False}, None),
    ("shell_command", {"command": "ls && pwd", "workdir": "/w", "sandbox_permissions": "use_default"}, "/w"),
    ("run_shell_command", {"command": "ls", "description": "x", "directory": "src"}, "src"),
    ("run_shell_command", {"command": "rg 'a|b'", "dir_path": "./src/", "is_background": False}, "src"),
    ("run_terminal_cmd", {"command": "ls", "is_background": False, "explanation": "x"}, None),
    ("execute_bash", {"command": "ls", "is_input": "false", "timeout": 30, "security_risk": "LOW"}, None),
    ("terminal", {"command": "ls", "is_input": False, "reset": False, "summary": "List"}, None),
    ("execute_command", {"command": "ls", "requires_approval": False}, None),
    ("execute_command", {"command": "ls", "cwd": "/w", "timeout": None}, "/w"),
    ("run_in_terminal", {"command": "ls", "explanation": "x", "isBackground": False, "goal": "y"}, None),
    ("run_command", {"CommandLine": "ls -la", "Cwd": "/w", "Blocking": True, "SafeToAutoRun": True}, "/w"),
    ("developer__shell", {"command": "ls"}, None),
]

OTHER_CALLS: list[tuple[str, dict[str, Any]]] = [
    ("Bash", {"command": "ls", "run_in_background": True}),
    ("Bash", {"command": "ls", "dangerouslyDisableSandbox": True}),
    ("Bash", {"command": "ls", "env": {"PATH": "/tmp"}}),
    ("Bash", {"command": "ls", "stdin": "x"}),
    ("Bash", {"command": "ls", "cwd": "/a", "workdir": "/b"}),
    ("Bash", {"command": "ls", "cwd": ["/a"]}),
    ("Bash", {"command": "ls", "description": {"command": "pwd"}}),
    ("Bash", {"command": "ls", "shell": "zsh"}),
    ("Bash", {"command": "ls", "shell": "user"}),
    ("Bash", {"command": "ls", "shell": "/tmp/bash"}),
    ("Bash", {"command": "ls", "cwd": "C:\\shop"}),
    ("shell", {"command": ["ls"], "with_escalated_permissions": True}),
    ("shell", {"command": ["./bash", "-c", "ls"]}),
    ("shell", {"command": ["bash", "-c", "ls", "x"]}),
    ("shell", {"command": ["bash", "-c", "ls > x"]}),
    ("exec_command", {"cmd": "ls", "sandbox_permissions": "require_escalated"}),
    ("exec_command", {"cmd": "ls", "tty": True}),
    ("exec_command", {"cmd": "ls", "command": "ls"}),
    ("execute_bash", {"command": "ls", "is_input": "true"}),
    ("run_command", {"CommandLine": "ls", "Blocking": False}),
    ("local_shell", {"action": {"type": "exec", "command": ["ls"], "user": "root"}}),
]

UNKNOWN_SHELLS: list[tuple[str, dict[str, Any]]] = [
    ("execute_command", {"command": "ls"}),
    ("run_command", {"command": "ls"}),
    ("shell", {"command": "ls"}),
    ("terminal", {"command": "ls"}),
    ("exec", {"command": "ls"}),
    ("run_in_terminal", {"command": "ls"}),
    ("execute_command", {"command": "echo 'a & calc'", "requires_approval": False}),
    ("run_command", {"CommandLine": "echo \"a\\\" & calc \\\"b\""}),
    ("exec_command", {"cmd": "ls; pwd"}),
    ("run_terminal_cmd", {"command": "echo '$(calc)'", "is_background": False}),
]  # fmt: skip


@requirement("N13")
@pytest.mark.parametrize(("tool", "tool_input", "folder"), UNDERSTOOD_INPUTS)
def test_the_input_of_a_known_agent_is_understood(
    tool: str, tool_input: Mapping[str, Any], folder: str | None
) -> None:
    call = Call(tool, tool_input)
    assert decide(call, LOOKING).decision == "allow"
    assert call.folder == folder


@requirement("N13")
@pytest.mark.parametrize(("tool", "tool_input"), OTHER_CALLS)
def test_a_key_that_may_change_what_runs_makes_another_call(tool: str, tool_input: Mapping[str, Any]) -> None:
    assert decide(Call(tool, tool_input), LOOKING).decision == "ask"


@requirement("N13")
@pytest.mark.parametrize(("tool", "tool_input"), UNKNOWN_SHELLS)
def test_a_tool_whose_shell_is_unknown_is_not_read_as_bash(tool: str, tool_input: Mapping[str, Any]) -> None:
    assert decide(Call(tool, tool_input), LOOKING).decision == "ask"
    if "command" in tool_input:
        assert decide(Call(tool, {**tool_input, "shell": "bash"}), LOOKING).decision == "allow"


SAME: list[tuple[dict[str, Any], ...]] = [
    (
        {"command": "make w"},
        {"command": "make w "},
        {"command": "  make \t w", "description": "again", "timeout": 5},
        {"command": "make 'w'", "run_in_background": False},
        {"argv": ["make", "w"]},
        {"command": ["bash", "-lc", "make w"]},
    ),
    ({"command": "a  &&  b 'c  d'"}, {"command": "a && b 'c  d' ", "explanation": "x"}),
    ({"command": "make w", "cwd": "/w"}, {"command": "make w", "workdir": "/w/./"}),
]
DIFFERENT: list[dict[str, Any]] = [
    {"command": "make w"},
    {"command": "make w", "cwd": "/w"},
    {"command": "make w", "run_in_background": True},
    {"command": "make 'w '"},
    {"command": "make w v"},
    {"command": "make 'w v'"},
    {"command": "make w > x"},
    {"command": "make w >> x"},
    {"command": "make 'w=(x)'", "shell": "zsh"},
    {"command": "make 'w=(x)'", "shell": "bash"},
    {"command": "echo a && echo 'b  c'"},
    {"command": "echo a && echo 'b c'"},
    {"command": 'echo "$(echo "a  b")"'},
    {"command": 'echo "$(echo "a b")"'},
    {"command": "cat <<E\na  b\nE"},
    {"command": "cat <<E\na b\nE"},
]


@requirement("N13")
def test_calls_that_do_the_same_have_the_same_identity_and_no_others() -> None:
    for group in SAME:
        assert len({Call("bash", tool_input).identity for tool_input in group}) == 1, group
    assert len({Call("bash", tool_input).identity for tool_input in DIFFERENT}) == len(DIFFERENT)


@requirement("N13")
def test_every_argument_of_a_tool_of_another_kind_is_part_of_its_identity() -> None:
    assert (
        Call("Read", {"file_path": "a", "explanation": "x"}).identity
        == Call("Read", {"file_path": "a"}).identity
    )
    ticket = {"title": "a", "description": "b"}
    assert (
        Call("create_ticket", ticket).identity
        != Call("create_ticket", {**ticket, "description": "c"}).identity
    )


def test_each_tool_in_the_table_names_the_source_of_its_keys() -> None:
    for tool in shell_tools.TOOLS:
        assert tool.source.startswith("https://"), tool


@requirement("N13")
@pytest.mark.parametrize("command", ["l\\s", "ls\\t-la", "ls \\a", "r\\g x"])
def test_a_backslash_before_a_letter_is_asked(command: str) -> None:
    assert decide(Call("bash", {"command": command}), LOOKING).decision == "ask"
    assert decide(Call("bash", {"command": command}), Policy((parse_rule("rg:*", "deny"),))).decision in {
        "ask",
        "deny",
    }
