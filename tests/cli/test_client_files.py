"""Entries in files of other programs: nothing else in the file changes, and they can be taken out again."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askback.cli.clients.additions import Addition, CannotEdit
from askback.cli.clients.definitions import Command
from askback.cli.clients.jsonc import parse
from askback.client.program import program

SERVER = {
    "command": "/opt/python",
    "args": ["-m", "askback", "mcp"],
    "env": {"ASKBACK_CREDENTIALS": "/c.json"},
}
HOOK = {"type": "command", "command": "askback hook", "timeout": 9}
MEMBERS: dict[str, Any] = {
    "mcpServers": {"askback": SERVER},
    "hooks": {"PermissionRequest": [{"matcher": "*", "hooks": [HOOK]}]},
    "permissions": {"allow": ["mcp__askback"]},
}
IN_JSON = Addition(Path("settings.json"), MEMBERS)
IN_TOML = Addition(Path("config.toml"), {"mcp_servers": {"askback": SERVER}})

ODD = [
    "",
    "{}",
    "{ }\n",
    "{\n}\n",
    "{\n  // nothing yet\n}\n",
    "\ufeff{}",
    '{"theme":  "dark"}',
    '{"a": 1.0, "a": 1e2, "big": 12345678901234567890, "é": "\\ud800"}',
    '{\r\n\t"theme": "dark",\r\n\t"mcpServers": {\r\n\t\t"own": {"command": "x"}\r\n\t}\r\n}\r\n',
    '{\n    // mine\n    "theme": "dark", // why\n    "mcpServers": {\n        "own": {}, // trailing\n    },\n}\n',
    '{\n  "theme": "dark" // the last\n}',
    '{\n  "theme": "dark" /* the last */\n  // and a note\n}',
    '/* head */ {"mcpServers": {}, "hooks": {"PermissionRequest": []}} // foot',
    '{"permissions": {"allow": ["Read", "mcp__askback"], "deny": []}}',
    '{\n  "permissions": {\n    "allow": [\n      "Read"\n    ]\n  },\n  "hooks": {}\n}',
]


COMMENT = re.compile(r"// [a-z ]+|/\*.*?\*/")
SPACE = re.compile(r"\{\s+\}")
"""The only thing that is not restored: spaces in an empty object."""


@pytest.mark.parametrize("text", ODD)
def test_an_added_part_is_removed_byte_for_byte(text: str) -> None:
    added = IN_JSON.add_to(text)
    document = parse(added).value
    assert document["mcpServers"]["askback"] == SERVER
    assert document["hooks"]["PermissionRequest"][-1]["hooks"] == [HOOK]
    assert document["permissions"]["allow"].count("mcp__askback") == 1
    assert COMMENT.findall(added) == COMMENT.findall(text)
    if text:
        assert IN_JSON.remove_from(added, text) == SPACE.sub("{}", text)


def test_tables_that_the_client_has_added_to_ours_are_removed_too() -> None:
    own = 'model = "m"\n'
    added = IN_TOML.add_to(own)
    choice = '\n[mcp_servers.askback.tools.ask_user]\napproval_mode = "approve"\n'
    assert tomllib.loads(IN_TOML.remove_from(added + choice, own)) == {"model": "m"}
    assert IN_TOML.remove_from(added, own) == own


@pytest.mark.parametrize("text", ["// nothing yet\r\n", "/* nothing yet */\n"])
def test_a_file_of_comments_keeps_them_and_gets_an_object(text: str) -> None:
    added = IN_JSON.add_to(text)
    assert added.startswith(text)
    assert added.count("\r\n") == (added.count("\n") if "\r\n" in text else 0)
    assert parse(added).value == json.loads(IN_JSON.add_to(""))
    assert IN_JSON.remove_from(added, text).split() == [*text.split(), "{}"]


def test_other_bytes_of_a_file_stay_and_its_style_is_used() -> None:
    text = '{\n\t"own" : [1,2], // mine\n\t"mcpServers": {\n\t\t"x": {},\n\t},\n}\n'
    added = Addition(Path("mcp.json"), {"mcpServers": {"askback": {"command": "c"}}}).add_to(text)
    entry = '\t\t"x": {},\n\t\t"askback": {\n\t\t\t"command": "c"\n\t\t},\n'
    assert added == text.replace('\t\t"x": {},\n', entry)


@pytest.mark.parametrize(
    ("edit", "left"),
    [
        (("9", "60"), ""),
        (('"matcher": "*"', '"matcher": "Bash"'), ""),
        (('"/opt/python"', '"/other/python", // mine\n"x": 1'), ""),
        (('"mcp__askback"', '"mcp__askback", "Read"'), '"allow": ['),
    ],
)
def test_a_changed_entry_is_removed_too(edit: tuple[str, str], left: str) -> None:
    changed = IN_JSON.add_to("").replace(*edit)
    restored_text = IN_JSON.remove_from(changed, "")
    assert "askback" not in restored_text
    assert left in restored_text
    assert parse(restored_text).value == ({"permissions": {"allow": ["Read"]}} if left else {})


def test_a_hook_beside_which_somebody_put_another_is_removed_and_the_other_stays() -> None:
    own = {"type": "command", "command": "mine"}
    changed = json.loads(IN_JSON.add_to("{}"))
    changed["hooks"]["PermissionRequest"][0]["hooks"].append(own)
    left = parse(IN_JSON.remove_from(json.dumps(changed, indent=2), "{}")).value
    assert left == {"hooks": {"PermissionRequest": [{"matcher": "*", "hooks": [own]}]}}


def test_a_renamed_entry_is_removed_and_others_stay() -> None:
    other = {**SERVER, "env": {"ASKBACK_CREDENTIALS": "/other.json"}}
    before = json.dumps({"mcpServers": {"other": other, "plain": {"command": "x"}}}, indent=2)
    renamed = IN_JSON.add_to(before).replace('"askback": {', '"people": {').replace('"plain"', '"simple"')
    assert IN_JSON.remove_from(renamed, before) == before.replace('"plain"', '"simple"')
    toml_before = '[mcp_servers.other]\ncommand = "x"\nenv = {ASKBACK_CREDENTIALS = "/other.json"}\n'
    renamed = IN_TOML.add_to(toml_before).replace("mcp_servers.askback", "mcp_servers.people")
    assert IN_TOML.remove_from(f"# mine\n{renamed}", toml_before) == f"# mine\n{toml_before}"


def test_the_other_values_of_a_long_file_cost_no_calls() -> None:
    """The history of Claude Code can have several megabytes."""

    def calls(projects: int) -> int:
        counted: list[str] = []
        items = [{"history": [{"display": "x"}] * 10}] * projects
        text = json.dumps({"projects": items, "mcpServers": {"own": {}}}, indent=2)
        sys.setprofile(lambda _frame, event, _argument: counted.append(event) if event == "call" else None)
        try:
            IN_JSON.add_to(text)
        finally:
            sys.setprofile(None)
        return len(counted)

    assert calls(500) - calls(5) < 495, "not one for each project; the garbage collector makes some"


def test_an_emptied_file_stays_empty() -> None:
    assert IN_JSON.remove_from("", "{}") == ""


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
KNOWN = st.fixed_dictionaries(
    {},
    optional={
        "mcpServers": st.dictionaries(st.sampled_from(["own", "other"]), VALUES, max_size=2),
        "permissions": st.fixed_dictionaries(
            {}, optional={"allow": st.lists(st.text(max_size=4), max_size=2)}
        ),
        "x": VALUES,
    },
)


@given(KNOWN, st.sampled_from([None, 0, 1, 2, "\t"]), st.booleans())
def test_any_document_keeps_its_values_and_its_bytes(document: Any, indent: Any, crlf: bool) -> None:
    text = json.dumps(document, indent=indent)
    text = text.replace("\n", "\r\n") if crlf else text
    added = IN_JSON.add_to(text)
    assert json.loads(added)["mcpServers"].pop("askback") == SERVER
    assert parse(IN_JSON.remove_from(added, text)).value == document
    assert IN_JSON.remove_from(added, text) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        'model = "o3"',
        '# mine\nmodel = "o3" # why\n\n[mcp_servers.own]\ncommand = "x"\n',
        '[mcp_servers]\r\nown = { command = "x" }\r\n',
    ],
)
def test_a_toml_table_is_added_and_removed_byte_for_byte(text: str) -> None:
    added = IN_TOML.add_to(text)
    assert tomllib.loads(added)["mcp_servers"]["askback"] == SERVER
    assert added.startswith(text)
    assert ("\r\n" in text) == ("\r\n" in added)
    assert IN_TOML.remove_from(added, text).rstrip() == text.rstrip()


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_changed_toml_table_is_removed_with_its_subtables(mark: str) -> None:
    before = f"{mark}[a]\nb = 1\n"
    changed = IN_TOML.add_to(before).replace('"/opt/python"', "'python3' # mine") + "\n# c\n[c]\nd = 1\n"
    restored = IN_TOML.remove_from(changed, before)
    assert tomllib.loads(restored.removeprefix(mark)) == {"a": {"b": 1}, "c": {"d": 1}}
    assert restored.startswith(before)
    assert "# c\n[c]" in restored


@pytest.mark.parametrize(
    ("addition", "text", "message"),
    [
        (IN_JSON, '{"a" 1}', 'line 1: expected a name in quotes and ":"'),
        (IN_JSON, '{\n"a": 1\n"b": 2}', "line 3: expected a comma or }"),
        (IN_JSON, '{"a": tru}', "line 1: expected a value"),
        (IN_JSON, '{"a": 1', "line 1: expected a comma or }"),
        (IN_JSON, "{} {}", "line 1: expected the end of the file"),
        (IN_JSON, "[" * 100_000, "expected at most 200 levels"),
        (IN_JSON, "[]", "the document is not an object"),
        (IN_JSON, '{"mcpServers": []}', "`mcpServers` is not an object"),
        (IN_JSON, '{"permissions": {"allow": {}}}', "`allow` is not what its program documents"),
        (IN_JSON, '{"mcpServers": {"askback": {}}}', "an entry `askback` already"),
        (IN_TOML, "[", "cannot be edited"),
        (IN_TOML, "mcp_servers = 3", "`askback` cannot be added to a value"),
        (IN_TOML, "mcp_servers = {}", "cannot be edited"),
        (IN_TOML, "[mcp_servers.askback]\ncommand = 'x'", "[mcp_servers.askback] already"),
    ],
)
def test_a_document_that_cannot_be_edited_is_refused_with_the_place(
    addition: Addition, text: str, message: str
) -> None:
    with pytest.raises(CannotEdit) as exc_info:
        addition.add_to(text)
    assert message in str(exc_info.value)
    assert "already" in message or "askback" in str(exc_info.value).partition("by hand:\n")[2]


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_what_is_no_file_is_not_read(tmp_path: Path, make: Callable[[Path], None]) -> None:
    """To read a named pipe would wait until somebody writes into it."""
    make(tmp_path / "mcp.json")
    with pytest.raises(CannotEdit, match=r"mcp\.json is not a file\."):
        Addition(tmp_path / "mcp.json", MEMBERS).read()


def test_no_module_of_the_folder_where_a_client_starts_is_run(tmp_path: Path) -> None:
    for name in ("askback/__init__", "askback/__main__", "typer", "asyncio", "mcp"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.py").write_text("print('of the folder')\n")
    command = Command(tmp_path / "credentials.json")
    server, hook = command.server, shlex.split(command.hook)
    for words in ([server["command"], *server["args"]], hook, program("run")):
        environment = {**os.environ, "PYTHONPATH": f":{tmp_path}"}
        output = subprocess.run(
            [*words, "--help"], cwd=tmp_path, env=environment, capture_output=True, check=True
        )
        assert b"of the folder" not in output.stdout
        assert b"Usage" in output.stdout
