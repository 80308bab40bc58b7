"""The files that the built-in lists let an agent read: vectors/daily.json, vectors/agents.json, roots and folders."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from askback.cli.main import COMMANDS
from askback.domain.policy.built_in_lists import built_in_rules
from askback.domain.policy.calls import Call
from askback.domain.policy.engine import Policy, decide
from askback.domain.policy.own_data import COMMANDS_OF_AGENTS, COMMANDS_OF_PEOPLE, why_own_data
from askback.domain.policy.read_scope import ReadScope
from askback.domain.policy.rules import parse_rule
from tests.requirements import requirement

HOME = "/home/" + "ada"
VECTORS = Path(__file__).resolve().parents[3] / "vectors"
DAILY, AGENTS = (
    cast("dict[str, Any]", json.loads((VECTORS / name).read_text("utf-8").replace("@HOME@", HOME)))
    for name in ("daily.json", "agents.json")
)
GROUPS: list[dict[str, Any]] = [*DAILY["groups"], *AGENTS["groups"]]
ROOT: str = DAILY["project"]
FRESH = Policy(
    built_in_rules("default"),
    read_only=built_in_rules("read-only-tools"),
    roots=(ROOT,),
    own_paths=tuple(DAILY["own"]),
)


def bash(command: str) -> Call:
    return Call("bash", {"command": command}, ROOT)


def calls(group: dict[str, Any]) -> list[Call]:
    return [bash(command) for command in group.get("bash", ())] + [
        Call(tool, given, ROOT) for tool, given in group.get("calls", ())
    ]


@requirement("N7", "B3")
@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group["id"])
def test_reading_inside_a_root_runs_and_the_rest_is_asked(group: dict[str, Any]) -> None:
    result = {repr(call): decide(call, FRESH) for call in calls(group)}
    wrong = {call: (it.decision, it.reasons) for call, it in result.items() if it.decision != group["expect"]}
    # A hard limit may deny a call that would otherwise be asked.
    wrong = {call: it for call, it in wrong.items() if group["expect"] == "allow" or it[0] == "allow"}
    assert wrong == {}, group["shows"]


@requirement("N7", "N13")
def test_at_most_one_harmless_call_in_ten_is_asked() -> None:
    harmless = [call for group in AGENTS["groups"] if group.get("harmless") for call in calls(group)]
    asked_calls = [call for call in harmless if decide(call, FRESH).decision != "allow"]
    assert len(harmless) > 300
    assert len(asked_calls) <= len(harmless) / 10


@requirement("N7")
def test_without_roots_and_folder_a_relative_path_is_inside_and_any_other_is_asked() -> None:
    policy = Policy(built_in_rules("default"), read_only=built_in_rules("read-only-tools"))
    for command in ("ls", "cat README.md", "cat src/server/app.py", "git status", "rg foo src"):
        assert decide(Call("bash", {"command": command}), policy).decision == "allow", command
    for command in (f"cat {HOME}/app/a.py", "cat src/../a.py", "cat ../a.py", "ls ..", "ls /"):
        assert decide(Call("bash", {"command": command}), policy).decision == "ask", command
    assert decide(Call("bash", {"command": "ls", "cwd": ROOT}), policy).decision == "ask"


@requirement("N7")
@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("grep -rn foo src", "allow"),
        ("grep -rn foo src/app ./lib", "allow"),
        ("grep -rn foo ../other", "allow"),
        ("grep -rn foo /var/log/nginx", "allow"),
        ("grep foo /etc/hosts", "allow"),
        ("grep -rn foo --include='*.py' .", "allow"),
        ("grep -rn foo .", "ask"),
        ("grep -rn foo", "ask"),
        ("grep -rn foo ..", "ask"),
        ("grep -rn foo /", "ask"),
        ("grep -rn foo /home", "ask"),
        (f"grep -rn foo {HOME}", "ask"),
        ("grep -rn foo /root", "ask"),
        (f"grep -rn foo {HOME}/app", "ask"),
        ("grep -rn foo .config", "ask"),
        ("grep -rn foo src .config/gh", "ask"),
        (f"grep -rn foo {HOME}/.local", "ask"),
        ("grep foo .env", "ask"),
        (f"grep foo {HOME}/.local/share/askback/server.json", "ask"),
    ],
)
def test_a_rule_of_a_person_covers_a_search_below_a_named_folder(command: str, expected: str) -> None:
    policy = Policy((parse_rule("grep:*"),), roots=(ROOT,), own_paths=FRESH.own_paths)
    decision = decide(bash(command), policy)
    assert decision.decision == expected, decision.reasons


@requirement("N7")
@pytest.mark.parametrize(
    ("command", "clean", "expected"),
    [
        ("grep -rn foo .", ROOT, "allow"),
        ("rg foo", ROOT, "allow"),
        ("diff -r src lib", ROOT, "allow"),
        ("grep -rn foo src", f"{ROOT}/src", "allow"),
        ("grep -rn foo .", f"{ROOT}/src", "ask"),
        ("grep -rn foo src lib", f"{ROOT}/src", "ask"),
        ("grep -rn foo /etc", "/etc", "ask"),
        ("grep foo .env", ROOT, "ask"),
    ],
)
def test_a_folder_reported_free_of_secrets_may_be_searched(command: str, clean: str, expected: str) -> None:
    policy = Policy(FRESH.rules, roots=(ROOT,), secret_free=(clean,))
    decision = decide(bash(command), policy)
    assert decision.decision == expected, decision.reasons


@requirement("N7")
@pytest.mark.parametrize(
    "policy", [Policy(level="full"), Policy(mode="full"), Policy((parse_rule("tool:Read"),))]
)
def test_no_rule_mode_or_level_reaches_askbacks_own_data_unasked(policy: Policy) -> None:
    bound = Policy(policy.rules, level=policy.level, mode=policy.mode, own_paths=FRESH.own_paths)
    own = FRESH.own_paths[0]
    for call in (
        bash(f"cat {own}/server.json"),
        bash(f"cat {own.upper()}/x"),
        bash("cat $HOME/.local/share/askback/server.json"),
        bash("cd ~/.local/share && cat askback/server.json"),
        bash(f"python3 -c \"open('{own}/server.json')\""),
        Call("bash", {"command": "cat server.json", "cwd": own}),
        Call("Read", {"file_path": f"{own}/askback.db"}),
        Call("write_file", {"path": f"{own}/x.md", "content": "x"}),
        Call("launch", {"args": [f"--file={own}/server.json"]}),
    ):
        assert decide(call, bound).decision == "ask", call
    exact_policy = Policy((parse_rule(f"cat {own}/server.json"),), own_paths=FRESH.own_paths)
    assert decide(bash(f"cat {own}/server.json"), exact_policy).decision == "ask"
    assert decide(Call("write_file", {"path": "notes.md", "content": own}), bound).decision != "deny"


@requirement("N7")
@pytest.mark.parametrize("policy", [Policy(level="full"), Policy((parse_rule("askback:*"),))])
def test_commands_of_askback_that_have_the_rights_of_people_are_asked_at_every_level(policy: Policy) -> None:
    for command in (
        "askback login",
        "/opt/askback/bin/askback --no-color token create --role admin",
        "cd src && askback rules add 'bash:*'",
        "bash -c 'askback policy --level full'",
    ):
        assert decide(bash(command), policy).decision == "ask", command
    for command in (
        "python3 -P -m askback login",
        "uvx --from 'askback[mcp]==0.1' askback inbox",
        "uvx askback@0.1 inbox",
        "pipx run askback inbox",
        "python3 -m askback.__main__ login",
        "python3 -m askback.cli.main login",
        "python3 /opt/lib/python3.12/site-packages/askback/__main__.py login",
        "askback --data-dir x login",
    ):
        assert decide(bash(command), Policy(level="full")).decision == "ask", command
    for command in (
        "askback ask 'Which region?'",
        "askback run --secret A -- make login",
        "askback --version",
    ):
        assert decide(bash(command), Policy(level="full")).decision == "allow", command
    reason = why_own_data(bash("askback login"), ReadScope())
    assert reason == "it runs a command of askback that has the rights of a person or an administrator"


def test_each_command_of_askback_is_one_of_agents_or_of_people() -> None:
    assert COMMANDS.keys() == COMMANDS_OF_AGENTS | COMMANDS_OF_PEOPLE
    assert not COMMANDS_OF_AGENTS & COMMANDS_OF_PEOPLE


@requirement("N7", "B7")
def test_deny_rules_and_data_protection_see_the_commands_that_a_loop_expands_to() -> None:
    denied = replace(FRESH, rules=(*FRESH.rules, parse_rule("cat notes.md", "deny")))
    for command in ('for f in notes.md; do cat "$f"; done', "for f in a notes; do cat $f.md; done"):
        assert decide(bash(command), FRESH).decision == "allow", command
        assert decide(bash(command), denied).decision == "deny", command
    home = replace(FRESH, roots=(HOME,))
    assert decide(bash("for d in share; do ls .local/$d/fonts; done"), home).decision == "allow"
    for command in (
        "for d in share; do ls .local/$d/askback; done",
        f"cd {HOME}; cat .local/share/askback/x",
    ):
        assert decide(bash(command), home).decision == "ask", command


@requirement("N7")
def test_a_root_is_no_prefix_of_a_name_and_may_be_the_whole_system() -> None:
    for root, path, expected in (
        (f"{HOME}/app", f"{HOME}/app", "allow"),
        (f"{HOME}/app", f"{HOME}/app-2/x.py", "ask"),
        (f"{HOME}/app/", f"{HOME}/app/x.py", "allow"),
        ("/", "/srv/x.py", "allow"),
        (f"{HOME}/App", f"{HOME}/app/x.py", "ask"),
    ):
        policy = Policy(read_only=built_in_rules("read-only-tools"), roots=(root,))
        assert decide(Call("Read", {"file_path": path}), policy).decision == expected, (root, path)
