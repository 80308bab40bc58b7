"""One Postgres database: opening, migration while others serve, its clock, and plans of its reads."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import anyio
import asyncpg
import pytest

from askback.domain.record import Labels
from askback.domain.timestamps import rfc3339
from askback.errors import StoreUnusable, Unavailable
from askback.ports.outcome import Outcome
from askback.ports.policy import PolicyView, SideEffects
from askback.storage.postgres import Database, PostgresStore, queries, schema, thread_queries
from askback.storage.postgres.clock import DatabaseClock
from askback.storage.sql import (
    agents,
    audit,
    executions,
    requests,
    resumes,
    rules,
    secrets,
    sessions,
    thread_lists,
    threads,
    webhooks,
)  # fmt: skip
from tests.contracts.samples import NOON, claim, policy, record, request_created, request_id, rule
from tests.postgres_server import PostgresServer
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@pytest.fixture
async def empty_database(postgres: PostgresServer) -> AsyncIterator[Database]:
    """A database without a schema of ours."""
    name = await postgres.new(template="template0")
    yield postgres.database(name)
    await postgres.drop(name)


@pytest.fixture
async def database(postgres: PostgresServer) -> AsyncIterator[Database]:
    """A database that is up to date."""
    name = await postgres.new()
    yield postgres.database(name)
    await postgres.drop(name)


# Opening


async def test_servers_started_together_on_an_empty_database_create_the_schema_once(
    empty_database: Database,
) -> None:
    stores = [PostgresStore(empty_database) for _ in range(5)]
    await asyncio.gather(*(store.open() for store in stores))
    row = record(1)
    await stores[0].insert(row, request_created(row))
    assert [await store.get("main", row.id) for store in stores] == [row] * 5
    for store in stores:
        await store.close()


async def test_the_tables_are_in_their_own_schema(empty_database: Database) -> None:
    store = PostgresStore(empty_database)
    await store.open()
    await store.close()
    connection = await asyncpg.connect(empty_database.url)
    schemas = await connection.fetch(
        "SELECT DISTINCT schemaname FROM pg_tables WHERE schemaname NOT LIKE 'pg%' AND schemaname <> 'information_schema'"
    )
    await connection.close()
    assert [row[0] for row in schemas] == ["askback"]


async def test_a_database_that_is_newer_than_the_program_is_left_alone(database: Database) -> None:
    connection = await database.connect()
    await connection.execute("UPDATE schema_version SET version = 9999")
    await connection.close()
    with pytest.raises(StoreUnusable, match="schema 9999; this askback supports up to"):
        await PostgresStore(database).open()


async def test_a_database_in_another_encoding_is_refused(postgres: PostgresServer) -> None:
    await postgres.run("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    with pytest.raises(StoreUnusable, match="LATIN1"):
        await PostgresStore(postgres.database("latin")).open()
    await postgres.drop("latin")


@pytest.mark.parametrize(
    "url",
    ["postgresql://ada:SECRET@127.0.0.1:9/x", "postgresql://ada:SECRET@/nothing?host=/nowhere"],
    ids=["no server", "no socket"],
)
async def test_a_database_that_cannot_be_reached_is_named_without_its_password(url: str) -> None:
    store = PostgresStore(Database(url))
    with pytest.raises(StoreUnusable, match="postgresql://") as exc_info:
        await store.open()
    assert "SECRET" not in f"{exc_info.value}{exc_info.value!r}{store!r}"
    await store.close()


async def test_a_database_that_does_not_wait_for_its_disk_is_made_to(
    database: Database, postgres: PostgresServer
) -> None:
    name = database.url.partition("/test")[2].partition("?")[0]
    for configured_value, holds in (("off", "on"), ("remote_apply", "remote_apply")):
        await postgres.run(f"ALTER DATABASE test{name} SET synchronous_commit = {configured_value}")
        connection = await database.connect()
        assert await connection.fetchval("SHOW synchronous_commit") == holds
        await connection.close()


# Migrations


def test_migrations_are_numbered_without_a_gap() -> None:
    assert list(schema.migrations()) == list(range(1, len(schema.migrations()) + 1))


async def test_only_missing_migrations_are_applied(empty_database: Database) -> None:
    steps = {1: "CREATE TABLE a (x integer)", 2: "CREATE TABLE b (x text); INSERT INTO b VALUES (';')"}
    connection = await empty_database.connect()
    assert await schema.upgrade(connection, {1: steps[1]}) == (0, 1)
    assert await schema.upgrade(connection, steps) == (1, 2)
    assert await schema.upgrade(connection, steps) == (2, 2)
    assert await connection.fetchval("SELECT x FROM b") == ";"
    await connection.close()


async def test_a_migration_that_fails_leaves_the_schema_before_it(empty_database: Database) -> None:
    steps = {1: "CREATE TABLE a (x integer)", 2: "CREATE TABLE b (x integer); INSERT INTO nowhere VALUES (1)"}
    connection = await empty_database.connect()
    with pytest.raises(asyncpg.PostgresError):
        await schema.upgrade(connection, steps)
    tables = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'askback' ORDER BY 1")
    assert [name for (name,) in tables] == ["a", "schema_version"]
    await connection.close()


async def test_a_migration_of_much_may_take_longer_than_anybody_else(empty_database: Database) -> None:
    hasty = replace(
        empty_database, patience=replace(empty_database.patience, statement=200, transaction=200, reply=100)
    )
    connection = await hasty.connect()
    assert await schema.upgrade(connection, {1: "SELECT pg_sleep(0.5)"}) == (0, 1)
    await connection.close()


async def test_a_migration_runs_while_the_version_before_serves(database: Database) -> None:
    store = PostgresStore(database)
    await store.open()
    extra = {
        **schema.migrations(),
        len(schema.migrations()) + 1: "ALTER TABLE threads ADD COLUMN colour text",
    }

    async def serve(n: int) -> Outcome:
        row = record(n, thread=f"t{n % 3}")
        return (await store.insert(row, request_created(row), claim(f"k{n}"))).outcome

    async def migrate() -> None:
        connection = await database.connect()
        await schema.upgrade(connection, extra)
        await connection.close()

    for n in range(20):
        await serve(n)
    reply = await asyncio.gather(migrate(), *(serve(n) for n in range(20, 120)))
    assert reply == [None, *[Outcome.APPLIED] * 100]
    assert [await serve(n) for n in range(120, 125)] == [Outcome.APPLIED] * 5
    assert len(await store.list_requests("main", limit=200)) == 125
    await store.close()


async def test_a_server_of_the_version_before_ends_requests_and_reads_and_erases_the_history(
    database: Database,
) -> None:
    store = PostgresStore(database)
    await store.open()
    await store.insert(record(1), request_created(record(1)))
    ended = {
        "reason": "skipped",
        "settled_at": rfc3339(NOON + 5),
        "settled_by": {"id": "usr_1", "user": "ada"},
    }
    db = await database.connect()
    await db.execute("UPDATE requests SET status = 'declined', state = $1", json.dumps(ended))
    read = await db.fetch("WITH erased AS (DELETE FROM history WHERE thread > 0) SELECT * FROM history")
    result = await store.history("main", person="ada")
    await db.close()
    await store.close()
    columns = ("tenant", "settled_at", "request", "kind", "requester", "person", "outcome", "texts")
    expected = ("main", rfc3339(NOON + 5), request_id(1), "form", "tok_1", "ada", "skipped", "")
    assert [tuple(row[column] for column in columns) for row in read] == [expected]
    assert [(row.request_id, row.outcome) for row in result] == [(request_id(1), "skipped")]


# Texts


async def test_a_text_that_postgres_cannot_store_is_not_found(database: Database) -> None:
    store = PostgresStore(database)
    await store.open()
    assert await store.get("main", "req_\0") is None
    assert await store.list_requests("main", thread_id="\0") == []
    assert await store.thread_events("main", "\0", after=0) == []
    assert await store.token("\0") is None
    assert await store.thread("main", "\0") is None
    await store.write(SideEffects(rules=(rule(1),), policies=(policy('{"n":1}'),)))
    view = await store.policy("main", thread_id="\0", project=None, now_ms=0)
    assert view == PolicyView('{"n":1}', None, [rule(1)])
    await store.close()


# The clock


class ScriptedDatabase:
    """A database with a set time."""

    def __init__(self) -> None:
        self.now = 0

    async def row(self, sql: str, *parameters: Any) -> tuple[int]:
        return (self.now,)


async def test_the_clock_is_that_of_the_database_and_never_goes_back() -> None:
    scripted_database = ScriptedDatabase()
    scripted_database.now = 5_000_000_000_000
    own_database_clock = DatabaseClock(scripted_database)
    await own_database_clock.measure()
    first = own_database_clock.now_ms()
    assert 0 <= first - scripted_database.now < 60_000
    scripted_database.now -= 3_600_000
    await own_database_clock.measure()
    assert own_database_clock.now_ms() == first
    scripted_database.now += 7_200_000
    await own_database_clock.measure()
    assert 3_600_000 <= own_database_clock.now_ms() - first < 3_660_000


@requirement("H10")
async def test_a_reply_that_was_held_up_puts_no_server_ahead_of_the_database() -> None:
    class HeldUp(ScriptedDatabase):
        """The time is read at once, and arrives after a while."""

        here = there = back = 0.0

        async def row(self, sql: str, *parameters: Any) -> tuple[int]:
            self.here += self.there
            server_time = round(5_000_000_000_000 + self.here * 1000)
            self.here += self.back
            return (server_time,)

    database = HeldUp()
    own_database_clock = DatabaseClock(database, monotonic=lambda: database.here)
    await own_database_clock.measure()
    for database.there, database.back in ((10.0, 0.0), (0.0, 10.0), (5.0, 5.0)):
        await own_database_clock.measure()
        assert own_database_clock.now_ms() == 5_000_000_000_000 + round(database.here * 1000)


async def test_a_server_follows_the_clock_of_its_database(database: Database) -> None:
    store = PostgresStore(database)
    await store.open()
    connection = await database.connect()
    theirs = await connection.fetchval("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
    assert abs(store.clock.now_ms() - theirs) < 2_000
    await connection.close()
    await store.close()


async def test_a_clock_continues_while_its_database_is_unreachable() -> None:
    class Gone(ScriptedDatabase):
        async def row(self, sql: str, *parameters: Any) -> tuple[int]:
            if self.now < 0:
                event.set()
                raise Unavailable("gone", retry_after=1)
            return await super().row(sql)

    database_reply, event = Gone(), anyio.Event()
    database_reply.now = 5_000_000_000_000
    own_database_clock = DatabaseClock(database_reply, every_s=0.001)
    await own_database_clock.start()
    before, database_reply.now = own_database_clock.now_ms(), -1
    with anyio.fail_after(120):
        await event.wait()
    assert own_database_clock.now_ms() >= before
    await own_database_clock.stop()


# Plans

READS = {
    queries: ["SETTLE", "EXTEND", "CLAIMS"],
    thread_queries: ["LOCK", "PENDING", "HOLDERS", "HELD_MESSAGES", "ERASE"],
    requests: ["REQUEST", "FIND", "DUE", "NEXT_DEADLINE"],
    threads: [
        "ACCESS", "THREAD_EVENTS", "TENANT_EVENTS", "PERSONS_EVENTS", "LAST_POSITION", "THREAD_REQUESTS", "THREAD_MESSAGES", "THREAD_RUNS",
        "TERMS", "USE", "HELD_BY_ANOTHER", "NEXT_IN_LINE", "DELIVERABLE", "IDLE_THREADS",
    ],
    sessions: ["SESSION"],
    rules: ["RULES_IN_FORCE", "RULE", "REFUSALS", "LIFT"],
    executions: ["EXECUTION", "REPORT"],
    audit: ["AUDIT", "AUDIT_HEAD"],
    secrets: ["REPLACE_SECRET", "SECRET", "CANDIDATES", "LAST_OF_PAGE", "REWRAP_SECRET", "GRANTED", "GRANTED_TO"],
    resumes: ["RESUME_WITH_STATE", "RESUME_OF_REQUEST", "LEASE_ONE", "FINISH", "DROP_HELD", "NEXT", "NEXT_IN_THREAD"],
    agents: ["AGENT", "SET_ROOTS", "STOP_AGENT", "TOKEN", "TOKEN_BY_ID", "REVOKE_TOKENS"],
    webhooks: ["WEBHOOK", "WEBHOOKS", "LEASE", "NEXT", "NOTE", "FORGET"],
}  # fmt: skip


async def test_every_query_uses_an_index(database: Database) -> None:
    connection = await database.connect()
    scanned: dict[str, list[str]] = {}
    for module, names in READS.items():
        for name in names:
            if found := await full_scans(connection, getattr(module, name)):
                scanned[name] = found
    await connection.close()
    assert scanned == {}


async def full_scans(connection: Any, sql: str) -> list[str]:
    """The steps of a query's plan, whatever its parameters, that read a table as a whole."""
    count = max(map(int, re.findall(r"\$(\d+)", sql)), default=0)
    given = f"({', '.join(['NULL'] * count)})" if count else ""
    await connection.execute(f"SET plan_cache_mode = force_generic_plan; PREPARE asked AS {sql}")
    plan = await connection.fetch(f"EXPLAIN EXECUTE asked{given}")
    await connection.execute("DEALLOCATE asked")
    return [line for (line,) in plan if "Seq Scan" in line]


async def test_lists_are_read_from_an_index_whatever_is_asked_of_them(database: Database) -> None:
    connection = await database.connect()
    filters: dict[str, Any] = {
        "kind": "form",
        "requester": "tok",
        "person": "ada",
        "before": "req_9",
        "limit": 9,
    }
    lists = [
        requests.page_of_requests("main", thread_id=thread, statuses=[status], **filters)
        for thread in (None, "t1")
        for status in ("pending", "answered")
    ]
    lists += [
        requests.page_of_requests("main", thread_id=thread, statuses=None, labels=labels, **filters)
        for thread in (None, "t1")
        for labels in (Labels(run_id="r"), Labels(tool_call_id="c"), Labels(external_id="x"))
    ]
    lists += [
        thread_lists.page_of_threads(
            "main",
            readers=("agt_1", "user:ada"),
            archived=archived,
            named=named,
            words=("shoes", "red"),
            person="ada",
            before=9,
            limit=9,
        )
        for archived, named in ((False, None), (True, "red shoes"))
    ]
    subjects = [("thread", "t1")]
    lists.append(rules.page_of_rules("main", subjects=subjects, now_ms=1, person="ada", before="r", limit=9))
    lists.append(secrets.page_of_secrets("main", person="ada", before="s", limit=9))
    lists.append([secrets.secrets_at(3)])
    lists.append(webhooks.deliveries_page("main", "whk_1", before="dlv_9", limit=9))
    for sql, *_ in lists:
        assert await full_scans(connection, sql) == []
    await connection.close()


def test_the_address_of_a_database_shows_no_password() -> None:
    shown_database = Database("postgresql://ada:SECRET@db.example:5432/askback?sslmode=require")
    assert "SECRET" not in f"{shown_database}{shown_database!r}{replace(shown_database)!r}"
    assert f"{shown_database}" == "postgresql://db.example:5432/askback"
