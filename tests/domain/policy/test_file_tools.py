"""Tools that write files: what the mode `accept_edits` allows, and that no spelling of a path avoids a rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from askback.domain.policy.calls import Call
from askback.domain.policy.engine import Policy, decide
from askback.domain.policy.reasons import Reason
from askback.domain.policy.rules import parse_rule
from tests.requirements import requirement

RULES = (
    parse_rule("write_file(path=deploy/**)", "deny"),
    parse_rule("write_file(path=infra/**)", "ask", locked=True),
    parse_rule("write_file(path=/srv/**)", "deny"),
    parse_rule("write_file(path=~/notes/*)", "deny"),
    parse_rule("write_file(path=Docs/**)", "deny"),
    parse_rule("fetch_file(path=deploy/**)", "deny"),
    parse_rule("tool:Edit", "deny"),
    parse_rule("tool:Bash", "deny"),
    parse_rule("restart(host=prod*)", "deny"),
    parse_rule('launch {"stage": "final"}', "deny"),
)
EDITS = Policy(RULES, mode="accept_edits")


EDITS_ONLY = Policy(mode="accept_edits", roots=("/srv/shop",))


def write_call(path: str, **extra: Any) -> Call:
    return Call("write_file", {"path": path, "content": "x", **extra})


@requirement("B7", "B12", "B22")
@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (write_call("src/x.py"), "allow"),
        (write_call("./src//x.py"), "allow"),
        (write_call("deploy.txt"), "allow"),
        (write_call("deploy/x"), "deny"),
        (write_call("src/../deploy/x"), "deny"),
        (write_call("./deploy//x"), "deny"),
        (write_call("Deploy/X"), "deny"),
        (write_call("docs/x"), "deny"),
        (Call("fetch_file", {"path": "a/" * 3_000}), "deny"),
        (write_call("deploy\\x"), "deny"),
        (write_call("/opt/project/deploy/x"), "deny"),
        (write_call("file:deploy/x"), "deny"),
        (Call("write_file", {"file_path": "deploy/x", "content": "x"}), "deny"),
        (Call("write_file", {"filePath": "deploy/x", "content": "x"}), "deny"),
        (Call("write_file", {"target": "deploy/x", "content": "x"}), "deny"),
        (write_call("src/x", file="deploy/x"), "deny"),
        (write_call("src/x", edits=[{"path": "deploy/x"}]), "deny"),
        (write_call("src/x", patch="*** Update File: deploy/x\n+x"), "deny"),
        (Call("Write_File", {"path": "deploy/x", "content": "x"}), "deny"),
        (Call("write_file ", {"path": "deploy/x", "content": "x"}), "deny"),
        (write_call("src/../infra/x"), "ask"),
        (write_call("/srv/x"), "deny"),
        (write_call("file:///srv/x"), "deny"),
        (write_call("../../srv/x"), "deny"),
        (write_call("src/srv/x.py"), "allow"),
        (write_call("~/notes/x"), "deny"),
        (write_call("/opt/me/notes/x"), "deny"),
        (Call("edit", {"path": "a", "old": "1", "new": "2"}), "deny"),
        (Call("bash", {"command": "ls"}), "deny"),
        (Call("restart", {"host": "PROD-1"}), "deny"),
        (Call("restart", {"options": [{"Host": "prod"}]}), "deny"),
        (Call("restart", {"host": ["test", "prod"]}), "deny"),
        (Call("restart", {"host": "test"}), "ask"),
        (Call("Launch", {"stage": "final"}), "deny"),
        (Call("launch", {"stage": "first"}), "ask"),
    ],
)
def test_no_spelling_gets_past_a_rule_that_denies_or_asks(call: Call, expected: str) -> None:
    decision = decide(call, EDITS)
    assert decision.decision == expected, decision.reasons


@requirement("B22")
@pytest.mark.parametrize(
    ("tool", "tool_input"),
    [
        ("write_file", {"path": "src/../x", "content": "x"}),
        ("write_file", {"path": "file:///etc/cron.d/x", "content": "x"}),
        ("write_file", {"path": "http://example.org/x", "content": "x"}),
        ("write_file", {"path": "C:\\x", "content": "x"}),
        ("write_file", {"path": "C:x", "content": "x"}),
        ("write_file", {"path": " /etc/x", "content": "x"}),
        ("write_file", {"path": "$HOME/x", "content": "x"}),
        ("write_file", {"path": "%APPDATA%/x", "content": "x"}),
        ("write_file", {"path": "src/x\n/etc/x", "content": "x"}),
        ("write_file", {"path": "src/x", "content": "x", "mode": "0777"}),
        ("write_file", {"path": ["src/x"], "content": "x"}),
        ("apply_patch", {"path": "src/x", "patch": "*** Update File: ../../x"}),
        ("apply_patch", {"path": "src/x", "diff": "+++ /etc/x"}),
        ("multiedit", {"path": "src/x", "edits": [{"file": "/etc/x", "old": "a", "new": "b"}]}),
        ("mcp__fs__write_file", {"path": "src/x", "content": "x"}),
    ],
)
def test_an_edit_that_may_reach_another_file_is_asked(tool: str, tool_input: Mapping[str, Any]) -> None:
    assert decide(Call(tool, tool_input), Policy(mode="accept_edits")).decision == "ask"


@requirement("B22")
@pytest.mark.parametrize(
    ("tool", "tool_input"),
    [
        ("Write", {"file_path": "src/x.py", "content": "x"}),
        ("Edit", {"file_path": "src/x.py", "old_string": "a", "new_string": "b", "replace_all": True}),
        ("MultiEdit", {"file_path": "src/x.py", "edits": [{"old_string": "a", "new_string": "b"}]}),
        ("NotebookEdit", {"notebook_path": "a.ipynb", "cell_id": "1", "new_source": "x", "edit_mode": "insert"}),
        ("edit_file", {"target_file": "src/x.py", "instructions": "add y", "code_edit": "y"}),
    ],
)  # fmt: skip
def test_edits_of_one_file_of_the_project_run_when_they_are_accepted(
    tool: str, tool_input: Mapping[str, Any]
) -> None:
    decision = decide(Call(tool, tool_input), Policy(mode="accept_edits"))
    assert (decision.decision, decision.reasons) == (
        "allow",
        ("This mode allows edits to source files and documents of the project.",),
    )


@requirement("B22")
@pytest.mark.parametrize(
    ("call", "code", "reason"),
    [
        (
            write_call("conftest.py"),
            "edit_steers",
            "`conftest.py` can control what runs later, so edits to it always",
        ),
        (write_call("dist/x.js"), "edit_steers", "`dist/x.js` can control what runs later"),
        (write_call(".editorconfig"), "edit_steers", "`.editorconfig` can control what runs later"),
        (write_call("/srv/shop/a.bin"), "edit_ending", "is not a known kind of source file or document"),
        (write_call("/srv/other/a.py"), "edit_outside", "`/srv/other/a.py` is outside the agent's folders"),
        (write_call("src/../x.py"), "edit_odd_path", "`src/../x.py` may stand for another file"),
        (write_call("x.py", mode="0777"), "edit_and_more", "The input may do more than edit files"),
    ],
)
def test_the_reason_names_why_an_edit_needs_approval(call: Call, code: str, reason: str) -> None:
    decision = decide(call, EDITS_ONLY)
    assert decision.decision == "ask"
    [said_reason] = decision.reasons
    assert isinstance(said_reason, Reason)
    assert said_reason.code == code
    assert reason in said_reason


def test_a_rule_beats_the_reason_of_the_mode() -> None:
    rule = parse_rule("write_file(path=conftest.py)")
    allowed = decide(write_call("conftest.py"), Policy((rule,), mode="accept_edits"))
    assert (allowed.decision, allowed.rule) == ("allow", rule.text)


@requirement("B10", "B14")
@pytest.mark.parametrize(
    "path", ["src/con\u200dftest.py", "src/a\u202e.py", "src/\u041cakefile", "src/.en\u200bv"]
)
def test_a_pattern_covers_no_path_with_characters_that_deceive(path: str) -> None:
    rules = Policy((parse_rule("write_file(path=src/**)"), parse_rule("Read(file_path=src/**)")))
    assert decide(write_call("src/größe.py"), rules).decision == "allow"
    assert decide(write_call(path), rules).decision == "ask"
    assert decide(Call("Read", {"file_path": path}), rules).decision == "ask"
