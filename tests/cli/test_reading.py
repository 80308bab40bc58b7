"""A command that only reads creates nothing: a wrong folder is an error that names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import start
from tests.cli.scripts import complete
from tests.requirements import requirement


@pytest.fixture(scope="module")
def stopped_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database, where no server runs."""
    folder = tmp_path_factory.mktemp("kept")
    status, _, err = complete(start("rules", "add", "bash(make a)", ASKBACK_DATA_DIR=str(folder)))
    assert status == 0, err
    return folder


READING = [
    ("rules", "list"),
    ("rules", "revoke", "rul_1"),
    ("policy", "show"),
    ("secrets", "list"),
    ("secrets", "erase", "sec_1"),
    ("secrets", "rotate"),
    ("webhook", "list"),
    ("webhook", "remove", "whk_1"),
    ("webhook", "deliveries", "whk_1"),
    ("thread", "archive", "t1"),
    ("thread", "export", "t1"),
    ("thread", "erase", "t1", "--yes"),
    ("audit", "verify"),
    ("audit", "export"),
    ("db", "upgrade"),
    ("token", "list"),
    ("token", "revoke", "tok_1"),
    ("agent", "list"),
    ("agent", "stop", "shop"),
    ("session", "list"),
    ("backup", "copy", "--keys", "none"),
]


@requirement("N21")
@pytest.mark.parametrize("command", READING, ids=" ".join)
@pytest.mark.parametrize("folder", ["empty", "missing/below"])
def test_a_wrong_folder_is_named_and_left_as_it_was(
    tmp_path: Path, command: tuple[str, ...], folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    wrong = tmp_path / folder
    command = tuple(str(tmp_path / part) if part == "copy" else part for part in command)
    status, out, err = complete(start(*command, ASKBACK_DATA_DIR=str(wrong)))
    assert (status, out) == (1, "")
    assert str(wrong / "askback.db") in err
    assert "Traceback" not in err
    left = [path for path in tmp_path.rglob("*") if path.name not in {"empty", "copy"}]
    assert left == []


@requirement("N21")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("serve", "--data-dir", "/proc/x"), "askback: The folder /proc/x cannot be used: "),
        (("serve", "--port", "80805"), "askback: --port must be a number from 0 to 65535."),
        (("serve", "--host", "nope.invalid"), "askback: --host nope.invalid is not an address: "),
        (("serve", "--host", "192.0.2.1"), "askback: --host 192.0.2.1 is not an address of this machine. "),
    ],
)
def test_a_bad_flag_is_reported_under_its_own_name(
    tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    status, _, err = complete(start(*arguments, ASKBACK_DATA_DIR=str(tmp_path), ASKBACK_PORT="0"))
    assert status == 1
    assert message in err
    assert "Traceback" not in err


@requirement("N21")
@pytest.mark.parametrize(
    "command",
    [
        ("rules", "add", ""),
        ("rules", "revoke", "rul_none"),
        ("secrets", "erase", "sec_none"),
        ("thread", "erase", "none", "--yes"),
        ("webhook", "remove", "whk_none"),
        ("token", "revoke", "tok_none"),
        ("agent", "stop", "none"),
        ("policy", "set", "--level", "none"),
    ],
    ids=" ".join,
)
def test_without_a_server_a_refusal_is_one_line(stopped_data: Path, command: tuple[str, ...]) -> None:
    status, _, err = complete(start(*command, ASKBACK_DATA_DIR=str(stopped_data)))
    assert status in {1, 2}
    assert "Traceback" not in err
    assert err.startswith(("askback: ", "Usage: "))


@requirement("N21")
def test_a_link_that_leads_to_itself_is_named(tmp_path: Path) -> None:
    (tmp_path / "askback.db").symlink_to("askback.db")
    status, _, err = complete(start("serve", "--port", "0", ASKBACK_DATA_DIR=str(tmp_path)))
    assert status == 1
    assert err.startswith(f"askback: {tmp_path / 'askback.db'} cannot be used: ")


@requirement("N21")
@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("serve", "--port", "0", "--data-dir", "x" * 3000), "File name too long"),
        (("token", "list", "--tenant", "\udcff"), "An argument is not valid UTF-8."),
    ],
    ids=["too long", "no text"],
)
def test_an_error_of_the_operating_system_is_one_line(
    stopped_data: Path, command: tuple[str, ...], said: str
) -> None:
    status, _, err = complete(start(*command, ASKBACK_DATA_DIR=str(stopped_data)))
    assert (status, err.count("\n")) == (1, 1)
    assert err.startswith("askback: ")
    assert said in err


@pytest.mark.parametrize(
    ("command", "noun"),
    [
        (("rules", "list", "--thread", "t0"), "rules"),
        (("rules", "list", "--thread", "t0", "--json"), "rules"),
        (("secrets", "list"), "secrets"),
        (("webhook", "list"), "webhooks"),
        (("session", "list"), "sessions"),
        (("thread", "list"), "conversations"),
        (("token", "list", "--agent", "agt_0"), "tokens"),
    ],
)
def test_an_empty_list_says_so_on_standard_error(
    stopped_data: Path, command: tuple[str, ...], noun: str
) -> None:
    ended = complete(start(*command, ASKBACK_DATA_DIR=str(stopped_data)))
    assert ended == (0, "", f"There are no {noun}.\n")
