"""The seal on the audit log: a truncated log is found, a server without keys says so, and rotation seals again."""

from __future__ import annotations

import base64
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from askback.domain.audit import seal_entry
from tests.cli.conftest import start
from tests.cli.scripts import complete
from tests.cli.test_audit import CREATED_TOKENS, audit, reseal_log, rules
from tests.requirements import requirement

KEYS = {
    name: base64.b64encode(bytes([number] * 32)).decode() for number, name in enumerate(("new", "old"), 1)
}
OLD, NEW = (f"{name}:{KEYS[name]}" for name in ("old", "new"))
BOTH = f"{NEW},{OLD}"
ALL = CREATED_TOKENS + 3
Harm = Callable[[sqlite3.Connection], None]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a log of `ALL` entries."""
    folder = tmp_path_factory.mktemp("template")
    rules(folder, "bash(make a)", "bash(make b)", "bash(make c)")
    return folder


@pytest.fixture
def sealed_database(template: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(template, tmp_path / "made")


def damage_database(data: Path, harm: Harm) -> None:
    with closing(sqlite3.connect(data / "askback.db")) as db, db:
        harm(db)


def entries_of(db: sqlite3.Connection) -> list[str]:
    return [text for (text,) in db.execute("SELECT entry FROM audit ORDER BY seq")]


def cut_entries(db: sqlite3.Connection) -> None:
    last = json.loads(entries_of(db)[4])
    db.execute("DELETE FROM audit WHERE seq > 5")
    db.execute("UPDATE audit_heads SET seq = 5, hash = ?", (last["hash"],))


def cut_entries_and_seal(db: sqlite3.Connection) -> None:
    cut_entries(db)
    db.execute("UPDATE audit_heads SET seal = NULL")


def cut_entries_and_restore_seal(db: sqlite3.Connection) -> None:
    cut_entries(db)
    [(text,)] = db.execute("SELECT seal FROM audit_heads").fetchall()
    form, key, _, unsealed, mac = text.split(".")
    db.execute("UPDATE audit_heads SET seal = ?", (f"{form}.{key}.5.{unsealed}.{mac}",))


def rewrite_log(db: sqlite3.Connection) -> None:
    lines = reseal_log([json.loads(text) for text in entries_of(db)])
    for seq, line in enumerate(lines, 1):
        db.execute("UPDATE audit SET entry = ? WHERE seq = ?", (line, seq))
    db.execute("UPDATE audit_heads SET hash = ?", (json.loads(lines[-1])["hash"],))


def append_entry(db: sqlite3.Connection) -> None:
    last = json.loads(entries_of(db)[-1])
    text, digest = seal_entry('{"action": "forged"}', seq=last["seq"] + 1, previous_hash=last["hash"])
    db.execute("INSERT INTO audit (tenant, seq, entry) VALUES ('default', ?, ?)", (last["seq"] + 1, text))
    db.execute("UPDATE audit_heads SET seq = ?, hash = ?", (last["seq"] + 1, digest))


def delete_log(db: sqlite3.Connection) -> None:
    db.execute("DELETE FROM audit")
    db.execute("DELETE FROM audit_heads")


def delete_log_and_tokens(db: sqlite3.Connection) -> None:
    delete_log(db)
    db.execute("DELETE FROM tokens")
    db.execute("INSERT INTO threads (tenant, id, seq) VALUES ('default', 't1', 1)")


@requirement("B28")
@pytest.mark.parametrize(
    ("harm", "says"),
    [
        (cut_entries, "BROKEN: The chain holds up to 5:"),
        (cut_entries_and_seal, "NOT SEALED: The chain holds up to 5:"),
        (cut_entries_and_restore_seal, "BROKEN: The chain holds up to 5:"),
        (rewrite_log, f"BROKEN: The chain holds up to {ALL}:"),
        (append_entry, f"NOT SEALED: The chain holds up to {ALL + 1}:"),
        (delete_log, "BROKEN: There is no log"),
        (delete_log_and_tokens, "BROKEN: There is no log"),
    ],
)
def test_tampering_with_the_end_of_the_log_is_detected(sealed_database: Path, harm: Harm, says: str) -> None:
    assert audit(sealed_database, "verify")[0] == 0
    damage_database(sealed_database, harm)
    status, output = audit(sealed_database, "verify")
    assert (status, output[: len(says)]) == (1, says)


@requirement("B28")
@pytest.mark.parametrize("harm", [cut_entries, cut_entries_and_restore_seal, rewrite_log])
def test_later_entries_do_not_repair_a_wrong_seal(sealed_database: Path, harm: Harm) -> None:
    damage_database(sealed_database, harm)
    status, _, err = complete(start("rules", "add", "bash(make d)", ASKBACK_DATA_DIR=str(sealed_database)))
    assert (status, "askback audit seal" in err) == (0, True), err
    status, output = audit(sealed_database, "verify")
    assert (status, output[:6]) == (1, "BROKEN")
    assert audit(sealed_database, "seal") == (0, "Sealed the log of default; it was: wrong.\n")
    entries = [json.loads(line) for line in audit(sealed_database, "export")[1].splitlines()]
    last_entry = entries[-1]
    assert (last_entry["action"], last_entry["was"], last_entry["unsealed"]) == (
        "audit.sealed",
        "wrong",
        len(entries) - 1,
    )
    status, output = audit(sealed_database, "verify")
    assert (status, output.endswith(f", sealed from entry {len(entries)} on\n")) == (0, True), output
    assert audit(sealed_database, "seal") == (0, "Nothing to do: every log is sealed.\n")


@requirement("B28")
@pytest.mark.parametrize(
    ("harm", "was", "unsealed"),
    [(cut_entries_and_seal, "unsealed", 5), (append_entry, "behind", ALL + 1), (delete_log, "deleted", None)],
)
def test_a_log_without_its_seal_is_sealed_at_the_start_and_says_so(
    sealed_database: Path, harm: Harm, was: str, unsealed: int | None
) -> None:
    damage_database(sealed_database, harm)
    rules(sealed_database, "bash(make d)")
    entries = [json.loads(line) for line in audit(sealed_database, "export")[1].splitlines()]
    [records] = [entry for entry in entries if entry["action"] == "audit.sealed"]
    assert (records["was"], records.get("unsealed")) == (was, unsealed)
    status, output = audit(sealed_database, "verify")
    seal_note = "" if unsealed is None else f" from entry {unsealed + 1} on"
    assert (status, output.endswith(f", sealed{seal_note}\n")) == (0, True), output


@requirement("B28")
def test_an_older_copy_differs_from_the_printed_head(sealed_database: Path) -> None:
    older = (sealed_database / "askback.db").read_bytes()
    rules(sealed_database, "bash(make d)")
    _, noted = audit(sealed_database, "verify")
    (sealed_database / "noted").write_text(noted)
    assert audit(sealed_database, "verify", "--head", str(sealed_database / "noted"))[0] == 0
    (sealed_database / "askback.db").write_bytes(older)
    assert audit(sealed_database, "verify")[0] == 0
    status, output = audit(sealed_database, "verify", "--head", str(sealed_database / "noted"))
    assert (status, output) == (
        1,
        f"BROKEN at line {ALL + 1}: Entry {ALL + 1} is not the one that was noted.\n",
    )


def with_keys(data: Path, keys: str, *command: str) -> tuple[int, str, str]:
    return complete(start(*command, ASKBACK_DATA_DIR=str(data), ASKBACK_MASTER_KEYS=keys))


@requirement("B28", "E15")
def test_with_other_keys_the_log_is_checked_resealed_or_reported_as_unknown(tmp_path: Path) -> None:
    assert with_keys(tmp_path, OLD, "rules", "add", "bash(make a)")[0] == 0
    assert with_keys(tmp_path, BOTH, "audit", "verify")[0] == 0
    status, output, _ = with_keys(tmp_path, NEW, "audit", "verify")
    assert (status, "it was sealed with the master key old, which is not here" in output) == (1, True), output
    assert with_keys(tmp_path, BOTH, "secrets", "rotate")[0] == 0
    status, output, _ = with_keys(tmp_path, NEW, "audit", "verify")
    assert (status, output.endswith(", sealed\n")) == (0, True), output
    assert with_keys(tmp_path, OLD, "audit", "verify")[0] == 1


@requirement("B28", "E14")
def test_a_server_without_keys_says_that_its_log_is_not_sealed(tmp_path: Path) -> None:
    status, _, err = with_keys(tmp_path, "off", "rules", "add", "bash(make a)")
    assert (status, "the audit log is not sealed: this server has no master key" in err) == (0, True), err
    status, output, _ = with_keys(tmp_path, "off", "audit", "verify")
    assert (status, output.endswith(", not sealed: there is no master key\n")) == (0, True), output
    status, output, _ = with_keys(tmp_path, OLD, "audit", "verify")
    assert (status, output[:10]) == (1, "NOT SEALED")
    assert with_keys(tmp_path, OLD, "rules", "add", "bash(make b)")[0] == 0
    assert with_keys(tmp_path, OLD, "audit", "verify")[0] == 0
    status, output, _ = with_keys(tmp_path, "off", "audit", "verify")
    assert (status, "the master key old, which is not here" in output) == (1, True), output
    status, _, err = with_keys(tmp_path, "off", "audit", "seal")
    assert (status, "nothing to seal with" in err) == (1, True), err
