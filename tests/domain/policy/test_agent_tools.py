"""Calls of the file tools of known agents, in each agent's format: which read, which edit, and which do neither."""

from __future__ import annotations

from typing import Any

import pytest

from askback.domain.policy.built_in_lists import built_in_rules
from askback.domain.policy.calls import Call
from askback.domain.policy.engine import Policy, decide
from askback.domain.policy.rules import parse_rule
from tests.requirements import requirement

APP = "/srv/app"
FILE, NOTEBOOK, SECRET = f"{APP}/src/x.py", f"{APP}/docs/n.ipynb", f"{APP}/.env"
SEARCH = "------- SEARCH\na\n=======\nb\n+++++++ REPLACE"
PATCH = f"*** Begin Patch\n*** Update File: {FILE}\n@@\n-a\n+b\n*** End Patch\n"
EDITORS = ("str_replace_editor", "str_replace_based_edit_tool", "file_editor")


def verdict(tool: str, tool_input: dict[str, Any], **extra: Any) -> str:
    read_only = built_in_rules("read-only-tools")
    policy = Policy(built_in_rules("default"), read_only=read_only, roots=(APP,), **extra)
    return decide(Call(tool, tool_input, APP), policy).decision


EDITS: list[tuple[str, dict[str, Any]]] = [
    ("replace", {"file_path": FILE, "old_string": "a", "new_string": "b", "instruction": "Fix it"}),
    ("replace", {"file_path": FILE, "old_string": "a", "new_string": "b", "expected_replacements": 2}),
    ("write_file", {"file_path": FILE, "content": "x", "modified_by_user": False}),
    ("write_to_file", {"path": FILE, "content": "x", "line_count": 1}),
    ("write_to_file", {"absolutePath": FILE, "content": "x"}),
    ("write_to_file", {"TargetFile": FILE, "CodeContent": "x", "EmptyFile": False}),
    ("replace_in_file", {"path": FILE, "diff": SEARCH, "task_progress": "- [x] Fix it"}),
    ("replace_in_file", {"absolutePath": FILE, "diff": SEARCH}),
    ("edit_file", {"target_file": FILE, "instructions": "I fix it.", "code_edit": "x"}),
    ("edit_file", {"path": FILE, "mode": "edit", "display_description": "Fix it"}),
    ("search_replace", {"file_path": FILE, "old_string": "a", "new_string": "b", "replace_all": True}),
    ("StrReplace", {"path": FILE, "old_string": "a", "new_string": "b"}),
    ("create_file", {"filePath": FILE, "content": "x"}),
    ("create_new_file", {"filepath": FILE, "contents": "x"}),
    ("insert_edit_into_file", {"explanation": "Fix it", "filePath": FILE, "code": "x"}),
    (
        "multi_replace_string_in_file",
        {"explanation": "Fix it", "replacements": [{"filePath": FILE, "oldString": "a", "newString": "b"}]},
    ),
    ("edit_existing_file", {"filepath": FILE, "changes": "x"}),
    (
        "replace_file_content",
        {
            "TargetFile": FILE,
            "CodeMarkdownLanguage": "python",
            "Instruction": "Fix it",
            "ReplacementChunks": [{"TargetContent": "a", "ReplacementContent": "b", "AllowMultiple": False}],
        },
    ),
    ("apply_patch", {"input": PATCH}),
    ("apply_patch", {"patch": PATCH, "explanation": "Fix it"}),
    ("NotebookEdit", {"notebook_path": NOTEBOOK, "cell_id": "a", "new_source": "x", "edit_mode": "insert"}),
    ("edit_notebook", {"target_notebook": NOTEBOOK, "cell_idx": 0, "old_string": "a", "new_string": "b"}),
    ("edit_notebook_file", {"filePath": NOTEBOOK, "editType": "edit", "cellId": "a", "newCode": "x"}),
    ("MultiEdit", {"file_path": FILE, "edits": [{"old_string": "a", "new_string": "b"}]}),
    *((name, {"command": "create", "path": FILE, "file_text": "x"}) for name in EDITORS),
    *((name, {"command": "str_replace", "path": FILE, "old_str": "a", "new_str": "b"}) for name in EDITORS),
    *((name, {"command": "insert", "path": FILE, "insert_line": 1, "insert_text": "x"}) for name in EDITORS),
]


def replace_path(value: Any, path: str) -> Any:
    """Write another path in place of the file of a call."""
    if isinstance(value, str):
        return value.replace(FILE, path).replace(NOTEBOOK, path)
    if isinstance(value, dict):
        return {name: replace_path(member, path) for name, member in value.items()}  # pyright: ignore[reportUnknownVariableType] - any JSON
    return [replace_path(item, path) for item in value] if isinstance(value, list) else value  # pyright: ignore[reportUnknownVariableType] - any JSON


@requirement("B22", "N11")
@pytest.mark.parametrize(("tool", "tool_input"), EDITS)
def test_an_edit_of_a_source_file_is_accepted_in_accept_edits_and_nowhere_else(
    tool: str, tool_input: dict[str, Any]
) -> None:
    assert verdict(tool, tool_input, mode="accept_edits") == "allow"
    assert verdict(tool, tool_input) == "ask"
    assert verdict(tool, tool_input, mode="plan") == "deny"
    for path in (
        "/srv/other/x.py",
        f"{APP}/../other/x.py",
        SECRET,
        f"{APP}/package.json",
        f"{APP}/CLAUDE.md",
    ):
        assert verdict(tool, replace_path(tool_input, path), mode="accept_edits") == "ask", path
    for key in ("target", "output_path", "run", "command_line"):
        assert verdict(tool, {**tool_input, key: "x"}, mode="accept_edits") == "ask", key


@requirement("B22")
def test_a_list_of_edits_is_accepted_when_every_file_may_be_edited() -> None:
    tool, edit = "multi_replace_string_in_file", {"oldString": "a", "newString": "b"}
    for paths, expected in (
        (["src/x.py", "docs/y.md"], "allow"),
        (["src/x.py", "package.json"], "ask"),
        (["src/x.py", "/etc/hosts"], "ask"),
        (["src/x.py", None], "ask"),
        (["src/x.py", ["src/y.py"]], "ask"),
    ):
        tool_input = {"explanation": "x", "replacements": [{**edit, "filePath": path} for path in paths]}
        assert verdict(tool, tool_input, mode="accept_edits") == expected, paths
    mixed = {"path": "src/x.py", "replacements": [{**edit, "filePath": "src/y.py"}]}
    assert verdict(tool, mixed, mode="accept_edits") == "ask"
    odd = {"replacements": [{**edit, "filePath": "src/x.py", "run": "make"}]}
    assert verdict(tool, odd, mode="accept_edits") == "ask"


@requirement("N11")
@pytest.mark.parametrize(
    ("tool", "tool_input"),
    [
        ("read_file", {"absolute_path": FILE, "offset": 0, "limit": 10}),
        ("read_file", {"target_file": FILE, "should_read_entire_file": True, "explanation": "Read it"}),
        ("read_file", {"filePath": FILE, "startLine": 1, "endLine": 40}),
        ("read_file", {"path": FILE, "start_line": 1, "task_progress": "- [ ] Read it"}),
        ("read_many_files", {"paths": [FILE], "recursive": True, "useDefaultExcludes": True}),
        ("list_directory", {"path": FILE, "file_filtering_options": {"respect_git_ignore": True}}),
        ("list_files", {"path": FILE, "recursive": "true"}),
        ("list_dir", {"relative_workspace_path": FILE, "explanation": "Look"}),
        ("glob", {"pattern": "**/*.py", "path": FILE}),
        ("glob_file_search", {"glob_pattern": "*.py", "target_directory": FILE}),
        ("search_file_content", {"pattern": "needle", "include": "*.ts", "dir_path": FILE}),
        ("search_files", {"path": FILE, "regex": "needle", "file_pattern": "*.ts"}),
        ("Grep", {"pattern": "needle", "glob": "*.py", "-A": 3, "path": FILE}),
        ("view_image", {"path": FILE}),
        *((name, {"command": "view", "path": FILE, "view_range": [1, 20]}) for name in EDITORS),
        *((name, {"command": "view", "path": FILE, "security_risk": "LOW"}) for name in EDITORS),
    ],
)
def test_reading_below_a_root_runs_unasked_and_outside_or_at_a_secret_it_asks(
    tool: str, tool_input: dict[str, Any]
) -> None:
    for mode in ("normal", "plan", "accept_edits"):
        assert verdict(tool, tool_input, mode=mode) == "allow", mode
    for path in ("/srv/other/x.py", f"{APP}/../other/x.py", SECRET, "/etc/shadow"):
        assert verdict(tool, replace_path(tool_input, path)) == "ask", path


@requirement("N11")
@pytest.mark.parametrize("tool", EDITORS)
@pytest.mark.parametrize(
    "tool_input",
    [
        {"command": "view", "path": "x.py", "file_text": "x"},
        {"command": "view", "path": "x.py", "new_str": "x"},
        {"command": ["view"], "path": "x.py"},
        {"command": "VIEW", "path": "x.py"},
        {"command": "view", "path": ["x.py"]},
        {"command": "view"},
        {"command": "undo_edit", "path": "x.py"},
        {"path": "x.py", "file_text": "x"},
    ],
)
def test_an_editor_call_other_than_a_plain_view_needs_approval(tool: str, tool_input: dict[str, Any]) -> None:
    assert verdict(tool, tool_input) == "ask"
    assert verdict(tool, tool_input, mode="plan") == "deny"


@requirement("N11")
def test_a_rule_that_denies_a_path_reaches_an_editor_that_views_it() -> None:
    rules = (parse_rule("str_replace_editor(path=deploy/**)", "deny"), *built_in_rules("read-only-tools"))
    call = Call("str_replace_editor", {"command": "view", "path": "deploy/x.py"}, APP)
    assert decide(call, Policy(rules, roots=(APP,))).decision == "deny"
