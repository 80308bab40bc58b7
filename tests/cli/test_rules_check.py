"""`askback rules check`: JSON lines in, decisions out, without a server."""

from __future__ import annotations

import json
from typing import Any

from tests.cli.conftest import start


def check(*lines: str, arguments: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    process = start("rules", "check", *arguments)
    out, _ = process.communicate("\n".join(lines).encode() + b"\n", timeout=30)
    assert process.returncode == 0
    return [json.loads(line) for line in out.splitlines()]


def test_each_line_gets_one_decision_with_its_reasons() -> None:
    answers = check(
        '{"command": "git status", "allow": ["git status"]}',
        '{"command": "git status; git push", "allow": ["git status"], "deny": ["git push:*"]}',
        '{"argv": ["git", "push"], "allow": ["git status"]}',
        '{"tool": "write_file", "input": {"path": "src/a"}, "allow": ["write_file(path=src/**)"]}',
        '{"command": "ls", "shell": "zsh", "allow": ["ls"]}',
        '{"command": "npm test", "mode": "plan", "allow": ["npm test"]}',
    )
    assert [answer["decision"] for answer in answers] == ["allow", "deny", "ask", "allow", "ask", "deny"]
    assert all(answer["reasons"] for answer in answers)
    assert answers[1]["rule"] == "bash(git push:*)"


def test_a_line_that_cannot_be_read_is_asked_and_the_next_one_is_decided() -> None:
    answers = check(
        "nonsense",
        '{"command": "ls", "command": "rm x", "allow": ["ls"]}',
        "[]",
        '{"command": 5, "allow": ["ls"]}',
        '{"command": "ls", "allow": "ls"}',
        '{"command": "ls", "mode": "loose", "allow": ["ls"]}',
        '{"command": "ls", "allow": ["ls"], "deny": ["rm *"]}',
        '{"command": "ls", "allow": ["ls", "cat *"]}',
    )
    assert [answer["decision"] for answer in answers] == ["ask"] * 7 + ["allow"]


def test_a_rule_that_would_allow_but_cannot_be_read_is_named() -> None:
    [answer] = check('{"command": "git status", "allow": ["git status ;("]}')
    assert answer["decision"] == "ask"
    assert any("git status ;(" in reason for reason in answer["reasons"])


def test_without_rules_a_list_decides() -> None:
    line = '{"command": "git status"}'
    assert [answer["decision"] for answer in check(line)] == ["ask"]
    assert [answer["decision"] for answer in check(line, arguments=("--list", "nebo"))] == ["allow"]
