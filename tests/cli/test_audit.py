"""`askback audit`: every change of the log is found, while a server runs and in an exported file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from askback.domain.audit import seal_entry
from tests.cli.conftest import Server, start
from tests.cli.scripts import complete
from tests.requirements import requirement


def audit(data: Path, *arguments: str, stdin: str = "") -> tuple[int, str]:
    status, out, err = complete(start("audit", *arguments, ASKBACK_DATA_DIR=str(data)), stdin)
    return status, out or err


def rules(data: Path, *texts: str) -> None:
    for text in texts:
        status, _, err = complete(start("rules", "add", text, ASKBACK_DATA_DIR=str(data)))
        assert status == 0, err


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose log has four entries about rules, after those about its tokens."""
    folder = tmp_path_factory.mktemp("data")
    rules(folder, "bash(make a)", "bash(make b)", "bash(make c)", "bash(make d)")
    return folder


CREATED_TOKENS = 5
"""The entries that a folder begins with: one for each token."""


@pytest.fixture(scope="module")
def log(data: Path) -> list[str]:
    status, out = audit(data, "export")
    assert status == 0
    return out.splitlines()


@requirement("B28")
def test_the_export_shows_every_entry_as_it_was_sealed(data: Path, log: list[str]) -> None:
    entries = [json.loads(line) for line in log]
    created_entries, later_entries = entries[:CREATED_TOKENS], entries[CREATED_TOKENS:]
    assert {(item["action"], item["via"], item["role"]) for item in created_entries} == {
        ("token.add", "local", role) for role in ("requester", "responder", "admin", "operator")
    }
    assert [item["rule"] for item in later_entries] == [f"bash(make {x})" for x in "abcd"]
    assert {(item["action"], item["via"], item["actor"]["name"]) for item in later_entries} == {
        ("rule.add", "cli", "owner")
    }
    head = f"{len(log)}:{entries[-1]['hash']}"
    text = f"OK: {CREATED_TOKENS + 4} entries, head {head}"
    assert audit(data, "verify") == (0, f"{text}, sealed\n")
    assert audit(data, "verify", "-", stdin="\n".join(log) + "\n") == (0, f"{text}\n")
    assert audit(data, "verify", "--head", head) == (0, f"{text}, sealed\n")


def test_a_log_is_verified_and_exported_while_the_server_writes_it(server: Server) -> None:
    rules(server.data, "bash(make beside)")
    status, out = audit(server.data, "export")
    assert status == 0
    assert any("bash(make beside)" in line for line in out.splitlines())
    status, output = audit(server.data, "verify")
    assert (status, output[:4]) == (0, "OK: ")


def changed(log: list[str]) -> list[str]:
    return [log[0], log[1].replace("requester", "nobody"), *log[2:]]


def remove_entry(log: list[str]) -> list[str]:
    return [log[0], *log[2:]]


def reorder_entries(log: list[str]) -> list[str]:
    return [log[0], log[2], log[1], *log[3:]]


def damage_entry(log: list[str]) -> list[str]:
    return [log[0], "nonsense", *log[2:]]


@pytest.mark.parametrize("harm", [changed, remove_entry, reorder_entries, damage_entry])
def test_the_first_invalid_entry_is_named(
    data: Path, log: list[str], tmp_path: Path, harm: Callable[[list[str]], list[str]]
) -> None:
    (tmp_path / "log.jsonl").write_text("\n".join(harm(log)))
    status, output = audit(data, "verify", str(tmp_path / "log.jsonl"))
    assert (status, output[:17]) == (1, "BROKEN at line 2:")


def test_a_truncated_or_rewritten_log_fails_verification_against_a_noted_head(
    data: Path, log: list[str]
) -> None:
    noted = f"3:{json.loads(log[2])['hash']}"
    assert audit(data, "verify", "-", "--head", noted, stdin="\n".join(log))[0] == 0
    cut = "\n".join(log[:2])
    assert audit(data, "verify", "-", stdin=cut)[0] == 0
    status, output = audit(data, "verify", "-", "--head", noted, stdin=cut)
    assert (status, output) == (1, "BROKEN at line 3: Entry 3 is not the one that was noted.\n")
    resealed_log = "\n".join(reseal_log([json.loads(line) for line in log]))
    assert audit(data, "verify", "-", stdin=resealed_log)[0] == 0
    assert audit(data, "verify", "-", "--head", noted, stdin=resealed_log)[0] == 1


def reseal_log(entries: list[dict[str, Any]]) -> list[str]:
    """Write a log with a valid chain and another first entry."""
    entries[0]["rule"] = "bash(make z)"
    prev, lines = "0" * 64, list[str]()
    for seq, entry in enumerate(entries, 1):
        members = {name: value for name, value in entry.items() if name not in {"seq", "prev", "hash"}}
        line, prev = seal_entry(json.dumps(members), seq=seq, previous_hash=prev)
        lines.append(line)
    return lines


def test_an_empty_file_or_an_unknown_tenant_fails_verification(data: Path, tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").touch()
    text = "BROKEN: The file is empty. A log has an entry for each token.\n"
    assert audit(data, "verify", str(tmp_path / "log.jsonl")) == (1, text)
    assert audit(data, "verify", "-") == (1, text)
    assert audit(data, "verify", "--tenant", "nobody") == (
        1,
        "BROKEN: There is no log of the tenant nobody.\n",
    )


def test_the_removal_of_the_last_entries_is_detected(tmp_path: Path) -> None:
    rules(tmp_path, "bash(make a)", "bash(make b)")
    with closing(sqlite3.connect(tmp_path / "askback.db")) as db, db:
        db.execute("DELETE FROM audit WHERE seq = ?", (CREATED_TOKENS + 2,))
    status, output = audit(tmp_path, "verify")
    assert status == 1
    assert f"entry {CREATED_TOKENS + 2}" in output


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (("verify", "/does/not/exist"), 2, "cannot be read"),
        (("verify", "--head", "5"), 2, "SEQ:HASH"),
        (("verify",), 1, "askback.db"),
        (("export",), 1, "askback.db"),
    ],
)
def test_an_unreadable_log_is_reported(
    tmp_path: Path, arguments: tuple[str, ...], status: int, says: str
) -> None:
    found, output = audit(tmp_path, *arguments)
    assert found == status
    assert says in output
    assert list(tmp_path.iterdir()) == []
