"""One SQLite file: opening, settings, migration, and reading beside a writer."""

import asyncio
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import ModuleType

import anyio
import pytest

from askback.domain.access import UNSHARED, AccessLevel, AccessList
from askback.errors import StoreUnusable, Unavailable
from askback.ports.agents import Agent, Principal, Token
from askback.storage.sql import (
    agents,
    audit,
    executions,
    requests,
    resumes,
    rules,
    secrets,
    sessions,
    threads,
    webhooks,
)  # fmt: skip
from askback.storage.sqlite import SqliteStore, connection, schema
from askback.storage.sqlite.connection import Connection
from askback.storage.sqlite.dialect import rewrite, rewrite_for_row
from tests.contracts.samples import record, request_created, shared


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "askback.db"


async def test_a_second_process_gets_the_name_of_the_file_in_use(path: Path) -> None:
    store = SqliteStore(path)
    await store.open()
    script = (
        "import asyncio, sys\n"
        "from askback.storage.sqlite import SqliteStore\n"
        "try: asyncio.run(SqliteStore(sys.argv[1]).open())\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )
    other = await anyio.run_process([sys.executable, "-c", script, str(path)], stderr=subprocess.STDOUT)
    assert other.stdout.decode().startswith(
        f"StoreUnusable The database {path} is in use by another process."
    )
    await store.close()
    second_sqlite_store = SqliteStore(path)
    await second_sqlite_store.open()
    await second_sqlite_store.close()


async def test_a_store_whose_opening_failed_leaves_the_file_to_others(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 9999")
    for _ in range(2):
        with pytest.raises(StoreUnusable, match="schema 9999"):
            await SqliteStore(path).open()


async def test_only_its_owner_may_read_the_database_files(path: Path) -> None:
    path.parent.chmod(0o755)
    store = SqliteStore(path)
    await store.open()
    rights = {file.name: file.stat().st_mode & 0o777 for file in path.parent.glob(f"{path.name}*")}
    await store.close()
    assert rights == {f"{path.name}{end}": 0o600 for end in ("", ".lock", "-shm", "-wal")}


@pytest.mark.parametrize("link", ["symbolic", "hard", "folder"])
async def test_a_link_to_a_database_in_use_does_not_pass_its_lock(tmp_path: Path, link: str) -> None:
    data = tmp_path / "data"
    store = SqliteStore(data / "askback.db")
    await store.open()
    other = tmp_path / "other"
    if link == "folder":
        other.symlink_to(data)
    else:
        other.mkdir()
        make = os.symlink if link == "symbolic" else os.link
        make(data / "askback.db", other / "askback.db")
    try:
        with pytest.raises(StoreUnusable, match="is in use by another process"):
            await SqliteStore(other / "askback.db").open()
        await store.insert(record(1), request_created(record(1)))
    finally:
        await store.close()
    second_sqlite_store = SqliteStore(data / "askback.db")
    await second_sqlite_store.open()
    await second_sqlite_store.close()


async def test_an_sqlite_that_is_too_old_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "OLDEST_SQLITE", (99, 0, 0))
    with pytest.raises(StoreUnusable, match="askback needs 99.0.0"):
        await SqliteStore(path).open()


def test_a_connection_syncs_every_commit_and_overwrites_deleted_data(path: Path) -> None:
    with closing(connection.connect(path)) as db:
        settings = {
            name: db.execute(f"PRAGMA {name}").fetchone()[0]
            for name in (
                "journal_mode",
                "synchronous",
                "foreign_keys",
                "fullfsync",
                "busy_timeout",
                "secure_delete",
            )
        }
    assert settings == {
        "journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "fullfsync": 1, "busy_timeout": 5000,
        "secure_delete": 1,
    }  # fmt: skip


# Migrations


def test_migrations_are_numbered_without_a_gap() -> None:
    assert list(schema.migrations()) == list(range(1, len(schema.migrations()) + 1))


def test_only_missing_migrations_are_applied(path: Path) -> None:
    steps = {1: "CREATE TABLE a (x);", 2: "CREATE TABLE b (x);\nINSERT INTO b VALUES (';');"}
    with closing(connection.connect(path)) as db:
        assert schema.upgrade(db, {1: steps[1]}) == (0, 1)
        assert schema.upgrade(db, steps) == (1, 2)
        assert schema.upgrade(db, steps) == (2, 2)
        assert db.execute("SELECT x FROM b").fetchall() == [(";",)]


def test_a_migration_that_fails_leaves_the_schema_before_it(path: Path) -> None:
    steps = {1: "CREATE TABLE a (x);", 2: "CREATE TABLE b (x);\nINSERT INTO nowhere VALUES (1);"}
    with closing(connection.connect(path)) as db:
        with pytest.raises(sqlite3.Error):
            schema.upgrade(db, steps)
        assert schema.version(db) == 1
        assert db.execute("SELECT name FROM sqlite_schema").fetchall() == [("a",)]


async def test_each_requester_token_of_an_older_version_becomes_an_agent(path: Path) -> None:
    older = {number: text for number, text in schema.migrations().items() if number < 3}
    token = "INSERT INTO tokens VALUES (?, ?, 'main', ?, ?, '[]', '[]', ?, '[]')"
    with closing(connection.connect(path)) as db:
        schema.upgrade(db, older)
        for row in (
            ("digest 1", "tok_1", "requester", "scaffolder", "ada"),
            ("digest 2", "tok_2", "requester", "agent", "tok_2"),
            ("digest 3", "tok_3", "admin", "admin", "tok_3"),
        ):
            db.execute(token, row)
    store = SqliteStore(path)
    await store.open()
    assert await store.agents("main") == [
        Agent("tok_2", "main", "agent", "tok_2", None),
        Agent("tok_1", "main", "scaffolder", "ada", None),
    ]
    scaffolder = Principal("tok_1", "main", "requester", "scaffolder", user="ada", token="tok_1")
    assert await store.token("digest 1") == Token(scaffolder, "unknown")
    assert [token.id for token in await store.tokens("main")] == ["tok_3", "tok_2", "tok_1"]
    await store.close()


# Beside the writer


async def test_readers_do_not_wait_for_a_transaction_that_is_open(path: Path) -> None:
    store, row = SqliteStore(path), record(1)
    await store.open()
    await store.insert(row, request_created(row))
    with closing(sqlite3.connect(path, isolation_level=None)) as writer, anyio.fail_after(3):
        writer.execute("BEGIN EXCLUSIVE")
        writer.execute("DELETE FROM events")
        assert await store.get("main", row.id) == row
        assert await store.list_requests("main") == [row]
        assert len(await store.thread_events("main", "t1", after=0)) == 1
        writer.execute("ROLLBACK")
    await store.close()


async def test_closing_finishes_running_calls_and_refuses_later_ones(path: Path) -> None:
    store = SqliteStore(path)
    await store.open()
    rows = [record(n) for n in range(200)]
    calls = [asyncio.ensure_future(store.insert(row, request_created(row))) for row in rows]
    await asyncio.sleep(0)
    await store.close()
    assert len(await asyncio.gather(*calls)) == 200
    for late_call in (
        store.insert(record(999), request_created(record(999))),
        store.get("main", "x"),
        store.list_requests("main"),
    ):
        with pytest.raises(Unavailable, match="closed"):
            await late_call
    await store.close()
    assert not list(path.parent.glob("*-wal"))


async def test_changes_by_another_process_while_closed_are_seen_after_reopening(
    path: Path,
) -> None:
    store, other_sqlite_store = SqliteStore(path), SqliteStore(path)
    await store.open()
    assert await store.access("main", "t1") == UNSHARED
    await store.close()
    with pytest.raises(Unavailable, match="closed"):
        await store.access("main", "t1")
    await other_sqlite_store.open()
    access = AccessList(owner="ada", others=AccessLevel.NONE)
    await other_sqlite_store.set_access(access, shared(access), before=UNSHARED)
    await other_sqlite_store.close()
    await store.open()
    assert await store.access("main", "t1") == access
    await store.close()


READS: dict[ModuleType, list[str]] = {
    requests: ["REQUEST", "DUE", "NEXT_DEADLINE"],
    threads: ["THREAD_EVENTS", "TENANT_EVENTS", "PERSONS_EVENTS", "LAST_POSITION", "THREAD_REQUESTS", "THREAD_RUNS"],
    rules: ["RULES_IN_FORCE", "RULE"],
    executions: ["EXECUTION", "REPORT"],
    audit: ["AUDIT", "AUDIT_HEAD"],
    secrets: [
        "REPLACE_SECRET", "SECRET", "DROP_SECRET", "CANDIDATES", "DROP_CANDIDATES", "LAST_OF_PAGE", "SEALED",
        "REWRAP_SECRET", "REWRAP_CANDIDATE",
    ],
    agents: ["AGENT", "SET_ROOTS", "STOP_AGENT", "TOKEN_BY_ID"],
    resumes: ["RESUME_WITH_STATE", "RESUME_OF_REQUEST", "LEASE_ONE", "FINISH", "NEXT", "NEXT_IN_THREAD"],
    webhooks: ["WEBHOOK", "WEBHOOKS", "NEXT", "NOTE", "FORGET"],
}  # fmt: skip
FINDS: dict[ModuleType, list[str]] = {
    requests: ["FIND"],
    threads: ["ACCESS"],
    agents: ["TOKEN"],
    sessions: ["SESSION"],
    resumes: ["DROP_HELD"],
}
"""Statements of columns, each for one row."""
SLOW = re.compile("SCAN (?!p |json_each)|.*TEMP")
"""What is scanned is the people that a thread is shared with, or a list among the parameters."""
SECRET_PAGES = [
    rewrite(secrets.page_of_secrets("main", person=person, before=before, limit=9)[0])
    for person in (None, "ada")
    for before in (None, "sec_9")
]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """An empty database for all plans."""
    with closing(connection.connect(tmp_path_factory.mktemp("plans") / "askback.db")) as database:
        schema.upgrade(database)
        yield database


def plan(database: Connection, sql: str) -> list[str]:
    parameters = [None] * max(map(int, re.findall(r"\?(\d+)", sql)), default=0)
    return [row[3] for row in database.execute(f"EXPLAIN QUERY PLAN {sql}", parameters).fetchall()]


@pytest.mark.parametrize(("module", "name"), [(m, name) for m, names in READS.items() for name in names])
def test_a_read_uses_an_index_and_not_a_scan(database: Connection, module: ModuleType, name: str) -> None:
    steps = plan(database, rewrite(getattr(module, name)))
    assert not [step for step in steps if SLOW.match(step)], steps


@pytest.mark.parametrize(("module", "name"), [(m, name) for m, names in FINDS.items() for name in names])
def test_a_row_is_found_by_its_key(database: Connection, module: ModuleType, name: str) -> None:
    steps = plan(database, rewrite_for_row(getattr(module, name)))
    assert not [step for step in steps if SLOW.match(step)], steps


def test_queued_requests_are_found_by_the_index_of_queued_ones(database: Connection) -> None:
    steps = plan(database, rewrite(threads.NEXT_IN_LINE))
    assert steps[0] == "SCAN r USING INDEX requests_behind", steps


@pytest.mark.parametrize("sql", SECRET_PAGES)
def test_secrets_are_listed_from_an_index_without_those_of_single_answers(
    database: Connection, sql: str
) -> None:
    steps = plan(database, sql)
    assert re.fullmatch(r"SEARCH secrets USING INDEX secrets_listed \(tenant=\?.*\)", steps[0])
    assert not [step for step in steps if "TEMP" in step], steps


@pytest.mark.parametrize(
    ("sql", "index"),
    [
        (
            rewrite(rules.REFUSALS),
            "refusals_identity (tenant=? AND thread=? AND requester=? AND identity=? AND at>?)",
        ),
        (rewrite(rules.RULES_IN_FORCE), "INDEX rules_kept (tenant=? AND scope=? AND subject=?)"),
        (
            rewrite(secrets.secrets_at(3)),
            "secrets_2 (tenant=? AND owner=? AND scope=? AND subject=? AND name=?)",
        ),
        (rewrite(secrets.GRANTED), "grants_1 (tenant=? AND thread=? AND name=?)"),
        (rewrite(secrets.GRANTED_TO), "secrets_1 (id=? AND tenant=?) LEFT-JOIN"),
    ],
    ids=["the same call again", "the rules of a call", "names in places", "grants", "the secrets of grants"],
)
def test_lookups_before_a_call_or_a_lease_use_all_columns_of_an_index(
    database: Connection, sql: str, index: str
) -> None:
    steps = plan(database, sql)
    assert [step for step in steps if step.endswith(index)], steps
    assert not [step for step in steps if SLOW.match(step)], steps


async def test_a_store_without_room_for_another_file_is_not_writable(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    store = SqliteStore(folder / "askback.db")
    await store.open()
    await store.check_writable()
    moved = folder.rename(
        tmp_path / "moved"
    )  # what is open can be written, and nothing new fits: as on a full disk
    with pytest.raises(Unavailable):
        await store.check_writable()
    moved.rename(folder)
    await store.check_writable()
    await store.close()
