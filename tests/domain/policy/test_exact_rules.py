"""Exact rules: a command can be stored if it is clear what it runs, and its rule covers nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from askback.domain.policy.calls import Call
from askback.domain.policy.engine import Policy, decide
from askback.domain.policy.rules import RuleError, parse_rule
from askback.domain.policy.suggestions import called_scripts, exact_rule
from tests.requirements import requirement

RULE_TEXTS = [
    "npm test 2>&1 | tail -20",
    "cd web && npm test",
    "FOO=1 make test",
    "NODE_OPTIONS=--max-old-space-size=4096 npm run build",
    'git add -A && git commit -m "fix: a  b"',
    "python3 -m pytest tests -q",
    "npm ci && npm run lint",
    "npx prisma migrate dev --name init",
    "pip install -e '.[dev]'",
    "make > out.txt 2>&1 || tail out.txt",
    "(cd web && npm test)",
    "npm run dev &",
    "timeout 60 npm test; echo done",
    "prettier --write src/*.ts",
    "ls *.py | wc -l",
    "find . -name '*.pyc' -exec rm {} \\;",
    "cat a.json | python3 -m json.tool",
    "bash -lc 'make test && ls'",
    "python3 -c 'print(1)'",
    "sort < a.txt > b.txt",
    "sudo make install",
    "# build first\nmake\nmake test",
    "git commit -m 'a\n\nb'",
    "./gradlew build",
    "rm -rf build",
    "kubectl get pods | grep Running",
]

NOT_TOLD = """
    echo $HOME / $X y / ls $(pwd) / echo "`id`" / eval "ls" / source x.sh / . x.sh / curl x | sh / curl x | sudo bash
    / cat x | env python3 / cat x | python3 / python3 < x / bash <<E / *.sh / ./b* x / {a,b} / find . | xargs rm
    / find . -exec {} ; / tar cf a.tar * / PATH=. make / LD_PRELOAD=x ls / X=1; make / for f in a; do ls; done
    / f() { ls; }; f / alias a=b; a / trap 'ls' EXIT / echo x | ssh host / echo x | docker exec -i c sh / psql < a.sql
    / bash -c 'eval x' / bash -c "ls $X" / ls > $F / ls > *.txt / ls <(pwd) / ls ' / [[ -f x ]] && ls / python3 / bash
    / exec ls / cat a | tee >(sh) / export PATH=. && ls / sh -c "$1" / perl -
"""


def bash(command: str, **further_input: Any) -> Call:
    return Call("Bash", {"command": command, **further_input})


def verdict(call: Call, *rules: str) -> str:
    return decide(call, Policy(tuple(map(parse_rule, rules)))).decision


def stored_rule(call: Call) -> str:
    rule = exact_rule(call)
    assert rule is not None
    return rule.text


@requirement("N12")
@pytest.mark.parametrize("command", RULE_TEXTS)
def test_a_literal_command_is_stored_as_an_exact_rule_and_runs_again(command: str) -> None:
    call = bash(command, cwd="/srv/shop", description="Build")
    rule = stored_rule(call)
    assert verdict(call, rule) == "allow"
    assert verdict(bash(f" {command} ", cwd="/srv/shop/", timeout=5), rule) == "allow"


@requirement("N12")
@pytest.mark.parametrize("command", RULE_TEXTS)
def test_one_character_more_or_less_or_another_folder_is_asked(command: str) -> None:
    rule = stored_rule(bash(command, cwd="/srv/shop"))
    other = [f"{command[:index]}x{command[index:]}" for index in range(0, len(command) + 1, 3)]
    less = [
        command[:index] + command[index + 1 :]
        for index in range(len(command))
        if not command[index].isspace()
    ]
    request_members = {verdict(bash(text, cwd="/srv/shop"), rule) for text in (*other, *less)}
    assert request_members <= {"ask", "deny"}
    for folder in ({}, {"cwd": "/srv"}, {"cwd": "/srv/shop/x"}, {"cwd": "/srv/shop/.."}):
        assert verdict(bash(command, **folder), rule) == "ask"
    assert verdict(bash(command, cwd="/srv/shop", run_in_background=True), rule) == "ask"


@requirement("N12")
@pytest.mark.parametrize("command", [text.strip() for text in NOT_TOLD.split(" / ")])
def test_a_command_that_does_not_name_its_program_gets_no_exact_rule(command: str) -> None:
    assert exact_rule(bash(command)) is None
    if len(command.split()) > 1 and any(sign in command for sign in "$`|;&<>"):
        with pytest.raises(RuleError):
            parse_rule(f"bash({command})")


@requirement("N12")
def test_a_rule_applies_in_every_folder_or_only_in_its_folder() -> None:
    for command, rule in (("make test", "bash(make test)"), ("make | tee x", "bash(make | tee x)")):
        assert verdict(bash(command), rule) == "allow"
        assert verdict(bash(command, cwd="/srv/shop"), rule) == "allow"
        assert verdict(bash(command, cwd="/srv/shop"), f"{rule} in /srv/shop") == "allow"
        assert verdict(bash(command), f"{rule} in /srv/shop") == "ask"
    assert verdict(bash("make test x", cwd="/srv"), "bash(make test:*) in /srv") == verdict(
        bash("make test x"), "bash(make test:*)"
    )


@requirement("N12")
@pytest.mark.parametrize(
    ("tool_input", "cwd", "rule", "expected"),
    [
        ({}, "/srv/shop", "bash(make test)", "allow"),
        ({}, "/srv/shop/web", "bash(make test:*)", "allow"),
        ({}, "/etc", "bash(make test)", "ask"),
        ({"workdir": "/etc"}, "/srv/shop", "bash(make test)", "ask"),
        ({"workdir": ".."}, "/srv/shop", "bash(make test)", "ask"),
        ({"workdir": "~"}, "/srv/shop", "bash(make test)", "ask"),
        ({"workdir": "web"}, "/srv/shop", "bash(make test)", "allow"),
        ({"workdir": "web"}, "/srv/shop", "bash(make test) in /srv/shop/web", "allow"),
        ({}, "/srv/shop", "bash(make test) in /srv/shop", "allow"),
        ({}, "/srv/shop/", "bash(make test) in /srv/shop", "allow"),
        ({}, "/srv/shop/web", "bash(make test) in /srv/shop", "ask"),
        ({}, "/etc", "bash(make test) in /etc", "allow"),
    ],
)
def test_the_folder_reported_by_the_adapter_limits_rules_with_and_without_a_folder(
    tool_input: dict[str, Any], cwd: str, rule: str, expected: str
) -> None:
    policy = Policy((parse_rule(rule),), roots=("/srv/shop",))
    call = Call("Bash", {"command": "make test", **tool_input}, cwd)
    policy_result = decide(call, policy)
    assert policy_result.decision == expected, policy_result.reasons
    kept_rule = exact_rule(call)
    if kept_rule is not None:
        assert kept_rule.text == f"bash(make test) in {call.folder}"
        assert decide(call, Policy((kept_rule,), roots=("/srv/shop",))).decision == "allow"


@requirement("N12")
def test_a_deny_rule_for_a_folder_covers_a_call_without_a_folder() -> None:
    denying = Policy((parse_rule("bash(make:*) in /srv", "deny"),), level="full")
    folders: list[dict[str, Any]] = [{"cwd": "/srv"}, {}, {"cwd": "web"}, {"cwd": "/opt"}]
    assert [decide(bash("make x", **f), denying).decision for f in folders] == [
        "deny",
        "deny",
        "deny",
        "allow",
    ]
    exact_policy = Policy((parse_rule("bash(make | tee x)", "deny"),), level="full")
    assert decide(bash("make  |  tee x", cwd="/opt"), exact_policy).decision == "deny"


@requirement("N12")
def test_the_shell_and_the_keys_that_change_what_runs_are_part_of_the_rule() -> None:
    calls = [
        bash("make | tee x"),
        Call("sh", {"command": "make | tee x"}),
        Call("zsh", {"command": "make | tee x"}),
        bash("make | tee x", shell="zsh"),
        Call("execute_command", {"command": "make | tee x", "requires_approval": True}),
        Call("execute_command", {"command": "make test"}),
        Call("shell", {"command": ["cargo", "test", "--lib"], "workdir": "/w", "timeout_ms": 60000}),
        Call("exec_command", {"cmd": "make; ls", "workdir": "/w"}),
        bash("make", run_in_background=True),
        bash("make", run_in_background=True, env={"A": "1"}),
        bash("make", dangerouslyDisableSandbox=True),
    ]
    for call in calls:
        rule = stored_rule(call)
        assert [verdict(other, rule) for other in calls] == [
            "allow" if other is call else "ask" for other in calls
        ], rule


@requirement("N12")
def test_a_displayed_rule_parses_to_the_same_rule() -> None:
    assert stored_rule(bash("make  test", cwd="/srv/shop")) == "bash(make test) in /srv/shop"
    assert stored_rule(bash("npm test  2>&1 | tail -20")) == "bash(npm test 2>&1 | tail -20)"
    assert stored_rule(bash("make a\nmake b", workdir="/w")) == 'bash {"command": "make a\\nmake b"} in /w'
    assert stored_rule(Call("sh", {"command": "a && b"})) == "sh(a && b)"
    odd_call = Call("bash", {"command": "a && b", "cwd": "/srv/a (old)"})
    assert exact_rule(odd_call) is None


@requirement("N12")
def test_files_that_an_interpreter_runs_by_name_are_known() -> None:
    commands = {
        "python3 script.py": ("script.py",),
        "cd x && node a.js --b | tee c": ("a.js",),
        "bash x.sh; bash x.sh": ("x.sh",),
        "timeout 5 python3 -u a.py": ("a.py",),
        "awk -f a.awk b": ("a.awk",),
        "bash -c 'sh y.sh'": ("y.sh",),
        "python3 -m pytest": (),
        "node --test": (),
        "make test": (),
    }
    assert {command: called_scripts(bash(command)) for command in commands} == commands


@requirement("N12")
def test_hard_limits_and_deny_rules_override_stored_rules() -> None:
    assert exact_rule(bash("make && rm -rf /")) is None
    rules = (parse_rule("bash(make && rm x)"), parse_rule("rm:*", "deny"))
    assert decide(bash("make && rm x"), Policy(rules)).decision == "deny"
