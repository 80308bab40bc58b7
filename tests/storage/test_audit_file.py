"""The audit log in a database file: read while the server writes it, and after changes to the file."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from askback.domain.audit import GENESIS, ChainBreak, verify_chain
from askback.errors import StoreUnusable
from askback.ports.policy import SideEffects
from askback.storage.sqlite import SqliteStore
from askback.storage.sqlite.auditfile import read_audit
from askback.storage.sqlite.backup import sealed_texts
from tests.contracts.samples import entry
from tests.fault.full_disk import full_disk


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a folder #1 ?" / "askback.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    """A store with three entries of each of two tenants."""
    store = SqliteStore(path)
    await store.open()
    for n in range(3):
        await store.write(SideEffects(audit=(entry(f"{n}"), entry(f"{n}", tenant="acme"))))
    yield store
    await store.close()


def ends(path: Path) -> dict[str, ChainBreak | tuple[int, str]]:
    with read_audit(path) as logs:
        return {log.tenant: verify_chain(log.entries, head=log.head) for log in logs}


async def test_the_log_is_read_while_the_server_writes(store: SqliteStore, path: Path) -> None:
    with read_audit(path) as logs:
        result = list(logs)
        await store.write(SideEffects(audit=(entry("meanwhile"), entry("meanwhile", tenant="acme"))))
        assert [(log.tenant, len(list(log.entries)), log.head[0]) for log in result] == [
            ("acme", 3, 3),
            ("main", 3, 3),
        ]
    assert ends(path) == {tenant: await store.audit_head(tenant) for tenant in ("acme", "main")}
    await store.write(SideEffects(audit=(entry("later"),)))
    assert (await store.audit_head("main"))[0] == 5


async def test_the_log_of_a_stopped_server_is_read_without_changing_the_file(
    store: SqliteStore, path: Path
) -> None:
    await store.close()
    before = path.read_bytes()
    assert ends(path) == {"acme": (3, head(path, "acme")), "main": (3, head(path, "main"))}
    assert path.read_bytes() == before


async def test_the_log_is_read_on_a_disk_that_takes_no_writes(store: SqliteStore, path: Path) -> None:
    await store.close()
    expected = {tenant: (3, head(path, tenant)) for tenant in ("acme", "main")}
    with full_disk():
        assert ends(path) == expected
        assert list(sealed_texts(path)) == []


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ("UPDATE audit SET entry = replace(entry, '\"1\"', '\"2\"') WHERE tenant = 'main' AND seq = 2", 2),
        ("UPDATE audit SET entry = CAST(X'7BFF7D' AS TEXT) WHERE tenant = 'main' AND seq = 2", 2),
        ("DELETE FROM audit WHERE tenant = 'main' AND seq = 2", 2),
        ("DELETE FROM audit WHERE tenant = 'main' AND seq = 3", 2),
        ("DELETE FROM audit WHERE tenant = 'main'", 0),
        ("DELETE FROM audit_heads WHERE tenant = 'main'", 3),
        ("UPDATE audit SET seq = 6 - seq + 10 * (seq = 2) WHERE tenant = 'main'", 1),
        ("UPDATE audit SET seq = 0 WHERE tenant = 'main' AND seq = 3", 1),
        ("UPDATE audit SET tenant = 'other' WHERE tenant = 'main' AND seq = 3", 2),
    ],
    ids=[
        "changed",
        "no text",
        "removed",
        "cut off",
        "all removed",
        "no head",
        "reordered",
        "moved to front",
        "moved",
    ],
)
async def test_every_change_of_a_log_is_detected(
    store: SqliteStore, path: Path, change: str, line: int
) -> None:
    await store.close()
    original_ends = ends(path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(change)
    result = ends(path)
    assert isinstance(result["main"], ChainBreak)
    assert (result["main"].line, result["acme"]) == (line, original_ends["acme"])


async def test_a_file_that_holds_no_log_is_named(tmp_path: Path) -> None:
    missing, other, damaged_file = tmp_path / "missing.db", tmp_path / "other.db", tmp_path / "damaged.db"
    with closing(sqlite3.connect(other)) as db:
        db.execute("CREATE TABLE a (x)")
    damaged_file.write_bytes(b"no database at all" * 100)
    for file in (missing, other, damaged_file):
        with pytest.raises(StoreUnusable, match=f"{file.name} cannot be read"), read_audit(file) as logs:
            list(logs)
    assert not missing.exists()


def head(path: Path, tenant: str) -> str:
    with closing(sqlite3.connect(path)) as db:
        result = db.execute("SELECT hash FROM audit_heads WHERE tenant = ?", (tenant,)).fetchone()
    return result[0] if result else GENESIS
