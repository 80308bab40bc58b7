"""`askback thread`: conversations are archived, exported and erased."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from askback import AsyncClient
from tests.cli.conftest import Server, start
from tests.cli.scripts import complete
from tests.requirements import requirement


def thread(data: Path, *arguments: str, status: int = 0) -> str:
    ended, out, err = complete(start("thread", *arguments, ASKBACK_DATA_DIR=str(data)))
    assert ended == status, err
    return err if status else out


def test_a_thread_is_exported_and_erased_without_a_server(tmp_path: Path) -> None:
    token_output = complete(start("token", "create", "--agent", "shop", ASKBACK_DATA_DIR=str(tmp_path)))
    assert token_output[0] == 0, token_output
    thread(tmp_path, "access", "t1", "--new", "--agent", "shop")
    thread(tmp_path, "archive", "t1")
    thread(tmp_path, "archive", "t1", "--undo")
    result = json.loads(thread(tmp_path, "export", "t1"))
    assert [event["type"] for event in result["events"]] == [
        "thread.access",
        "thread.archived",
        "thread.unarchived",
    ]
    thread(tmp_path, "erase", "t1", "--yes")
    result = json.loads(thread(tmp_path, "export", "t1"))
    assert [event["type"] for event in result["events"]] == ["thread.erased"]
    assert "There is no such thread" in thread(tmp_path, "erase", "never", "--yes", status=1)


async def test_json_has_hidden_characters_as_escapes(server: Server, agent: AsyncClient, thread: str) -> None:
    """They steer a terminal or turn the reading order round, and the agent may have written them."""
    said = "\x9b2J \u202edlrow ü"
    await agent.threads.create_message(said, thread_id=thread)
    status, out, err = complete(server.run("thread", "export", thread))
    assert status == 0, err
    assert "\\u009b2J \\u202edlrow ü" in out
    assert json.loads(out)["messages"][-1]["content"][0]["text"] == said


@pytest.mark.parametrize("undo", [(), ("--undo",)])
def test_a_thread_that_does_not_exist_is_not_archived(tmp_path: Path, undo: tuple[str, ...]) -> None:
    rule_output = complete(start("rules", "add", "bash(make)", ASKBACK_DATA_DIR=str(tmp_path)))
    assert rule_output[0] == 0, rule_output
    for _ in range(2):
        assert "There is no such thread" in thread(tmp_path, "archive", "nope", *undo, status=1)
    assert "There is no such thread" in thread(tmp_path, "export", "nope", status=1)


@pytest.mark.parametrize("words", [("access",), ("access", "--agent", "shop"), ("rename", "Red shoes")])
def test_a_typing_error_starts_no_thread(tmp_path: Path, words: tuple[str, ...]) -> None:
    token_output = complete(start("token", "create", "--agent", "shop", ASKBACK_DATA_DIR=str(tmp_path)))
    assert token_output[0] == 0, token_output
    error = thread(tmp_path, words[0], "typo", *words[1:], status=1)
    assert "There is no conversation typo. `askback thread list` lists" in error
    assert thread(tmp_path, "list") == ""


@requirement("N9")
def test_agents_are_added_to_and_removed_from_a_thread_by_name(tmp_path: Path) -> None:
    for name in ("shop", "deploy-bot"):
        token_output = complete(start("token", "create", "--agent", name, ASKBACK_DATA_DIR=str(tmp_path)))
        assert token_output[0] == 0, token_output
    empty_access = {"owner": None, "others": "all", "people": {}}
    assert json.loads(thread(tmp_path, "access", "t1", "--new")) == empty_access
    agents = json.loads(thread(tmp_path, "access", "t1", "--new", "--agent", "shop"))["agents"]
    two = json.loads(thread(tmp_path, "access", "t1", "--agent", "deploy-bot", "--agent", "shop"))["agents"]
    assert (len(agents), two[:1], len(two)) == (1, agents, 2)
    assert json.loads(thread(tmp_path, "access", "t1", "--remove", "shop"))["agents"] == two[1:]
    assert json.loads(thread(tmp_path, "access", "t1"))["agents"] == two[1:]
    assert "nobody" in thread(tmp_path, "access", "t1", "--agent", "nobody", status=1)


def test_threads_are_renamed_listed_and_searched(tmp_path: Path) -> None:
    token_output = complete(start("token", "create", "--agent", "shop", ASKBACK_DATA_DIR=str(tmp_path)))
    assert token_output[0] == 0, token_output
    thread(tmp_path, "access", "t1", "--new", "--agent", "shop")
    thread(tmp_path, "access", "t2", "--new", "--agent", "shop")
    thread(tmp_path, "access", "t2", "--remove", "shop")
    thread(tmp_path, "rename", "t1", "Red shoes")
    thread(tmp_path, "rename", "t2", "Blue \x1b[31mshoes", status=1)
    thread(tmp_path, "rename", "t2", "Blue shoes")
    rows = [line.split("\t") for line in thread(tmp_path, "list").splitlines()]
    assert [(row[0], row[1], row[3]) for row in rows] == [("t2", "0", "Blue shoes"), ("t1", "0", "Red shoes")]
    assert thread(tmp_path, "list", "red").startswith("t1\t")
    assert thread(tmp_path, "list", "--agent", "shop").startswith("t1\t")
    thread(tmp_path, "archive", "t2")
    assert thread(tmp_path, "list", "shoes").startswith("t1\t")
    assert thread(tmp_path, "list", "--archived").startswith("t2\t")
    thread(tmp_path, "rename", "t1", "")
    assert thread(tmp_path, "list", "red") == ""
