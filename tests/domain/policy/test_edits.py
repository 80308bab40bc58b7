"""The edits that the mode `accept_edits` allows: vectors/edits.json, and the effect of roots and folders."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from askback.domain.policy.calls import Call
from askback.domain.policy.engine import Policy, decide
from askback.domain.policy.rules import parse_rule
from tests.requirements import requirement

HOME = "/home/" + "ada"
EDITS: dict[str, Any] = json.loads(
    (Path(__file__).resolve().parents[3] / "vectors" / "edits.json")
    .read_text("utf-8")
    .replace("@HOME@", HOME)
)
ROOT: str = EDITS["project"]
ACCEPT = Policy(mode="accept_edits", roots=(ROOT,))


def write(path: str) -> Call:
    return Call("write_file", {"path": path, "content": "x\n"})


def calls(group: dict[str, Any]) -> list[Call]:
    return [write(path) for path in group.get("paths", ())] + [
        Call(tool, given) for tool, given in group.get("calls", ())
    ]


@requirement("N11")
@pytest.mark.parametrize("group", EDITS["groups"], ids=lambda group: group["id"])
def test_sources_and_documents_are_written_and_the_rest_is_asked(group: dict[str, Any]) -> None:
    result = {repr(call): decide(call, ACCEPT) for call in calls(group)}
    allowed = {call for call, it in result.items() if it.decision == "allow"}
    assert (allowed ^ set(result) if group["expect"] == "allow" else allowed) == set(), group["shows"]


@requirement("N11")
@pytest.mark.parametrize("group", EDITS["groups"], ids=lambda group: group["id"])
def test_an_absolute_path_below_a_root_is_judged_as_the_relative_one(group: dict[str, Any]) -> None:
    paths = [
        path for path in group.get("paths", ()) if path and path[0] not in "/~\\-.$% " and ":" not in path
    ]
    differing_calls = [
        path
        for path in paths
        if decide(write(path), ACCEPT).decision != decide(write(f"{ROOT}/{path}"), ACCEPT).decision
    ]
    assert differing_calls == []


@requirement("N11")
def test_an_edit_is_bound_to_the_roots_and_to_the_folder_of_the_call() -> None:
    for roots, folder, path, expected in (
        ((), None, "src/a.py", "allow"),
        ((), None, f"{HOME}/app/src/a.py", "ask"),
        ((), f"{HOME}/app", "src/a.py", "ask"),
        ((f"{HOME}/app",), f"{HOME}/app/src", "a.py", "allow"),
        ((f"{HOME}/app",), f"{HOME}/app/node_modules/x", "a.py", "ask"),
        ((f"{HOME}/app",), f"{HOME}", "app/a.py", "allow"),
        ((f"{HOME}/app",), f"{HOME}", "a.py", "ask"),
        ((f"{HOME}/.worktrees/app",), None, f"{HOME}/.worktrees/app/a.py", "allow"),
        ((f"{HOME}", f"{HOME}/.claude"), None, f"{HOME}/.claude/a.md", "ask"),
        ((f"{HOME}/app", "/srv/lib"), None, "/srv/lib/a.py", "allow"),
    ):
        policy = Policy(mode="accept_edits", roots=roots)
        call = replace(write(path), cwd=folder)
        assert decide(call, policy).decision == expected, (roots, folder, path)


@requirement("N11")
@pytest.mark.parametrize(
    ("rule", "path", "expected"),
    [
        ("write_file(path=src/**)", "src/a.py", "allow"),
        ("write_file(path=src/**)", "src/data.yaml", "allow"),
        ("write_file(path=**)", "conftest.py", "ask"),
        ("write_file(path=**)", "tox.ini", "ask"),
        ("write_file(path=**)", "app/build.gradle", "ask"),
        ("write_file(path=**)", "pom.xml", "ask"),
        ("write_file(path=**)", "rules.mk", "ask"),
        ("write_file(path=**)", "default.nix", "ask"),
        ("write_file(path=**)", ".claude/settings.json", "ask"),
        ("write_file(path=**)", "package.json", "ask"),
        ("write_file(path=src/**)", "src/conftest.py", "ask"),
        ("write_file(path=src/**)", "src/.mcp.json", "ask"),
        ("write_file(path=src/**)", "src/node_modules/a.js", "ask"),
        ("write_file(path=Makefile)", "Makefile", "allow"),
        ("write_file(path=.config/app/**)", ".config/app/a.md", "allow"),
    ],
)
def test_a_pattern_of_a_rule_excludes_files_that_decide_what_runs_later(
    rule: str, path: str, expected: str
) -> None:
    decision = decide(write(path), Policy((parse_rule(rule),)))
    assert decision.decision == expected, decision.reasons
