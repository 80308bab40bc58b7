"""A database that an older release wrote is opened, upgraded and read."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import asyncpg
import httpx2
import pytest

from askback.delivery.in_process_bus import InProcessBus
from askback.domain.access import ThreadAgents
from askback.errors import StoreUnusable
from askback.server.app import App, create_app
from askback.service.access.roles import digest
from askback.storage.postgres import PostgresStore
from askback.storage.sqlite import SqliteStore
from askback.vault.envelope import Envelope
from askback.vault.keys import KEY_BYTES, KeyRing
from tests.journeys.people import Person, leased_values
from tests.postgres_server import PostgresServer
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

OLDER = Path(__file__).parent / "older"


def load_sqlite(dump: Path, file: Path) -> None:
    with closing(sqlite3.connect(file)) as database:
        database.executescript(dump.read_text("utf-8"))


def content(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as database:
        return list(database.iterdump())


DUMPS = sorted(OLDER.glob("*.sql"))
WITHOUT_AGENTS = [dump for dump in DUMPS if dump.stem in ("postgres_4", "sqlite_2")]
"""Of releases in which a thread had no agents."""
BEFORE_ONE_SQL = [dump for dump in DUMPS if dump.stem in ("postgres_13", "sqlite_11")]
"""Of the last commit that wrote its SQL once for each database."""


@pytest.fixture(params=DUMPS, ids=lambda dump: dump.stem)
async def older_server(
    request: pytest.FixtureRequest, tmp_path: Path, postgres: PostgresServer
) -> AsyncIterator[App]:
    """A server on an older database."""
    async with open_database(request.param, tmp_path, postgres) as app:
        yield app


@asynccontextmanager
async def open_database(
    dump: Path, tmp_path: Path, postgres: PostgresServer, more: str = ""
) -> AsyncGenerator[App]:
    """Start a server on a dump, with `more` statements for it."""
    bus = InProcessBus()
    vault = Envelope(KeyRing({"old": bytes(KEY_BYTES)}))
    if dump.stem.startswith("sqlite"):
        file = tmp_path / "askback.db"
        load_sqlite(dump, file)
        with closing(sqlite3.connect(file)) as database:
            database.executescript(more)
        app = create_app(store=SqliteStore(file, on_commit=bus.publish), bus=bus, vault=vault)
        async with app.running():
            yield app
        return
    name = await postgres.new(template="template0")
    database = postgres.database(name)
    connection = await asyncpg.connect(database.url)
    await connection.execute(dump.read_text("utf-8") + more)
    await connection.close()
    app = create_app(store=PostgresStore(database, on_commit=bus.publish), bus=bus, vault=vault)
    async with app.running():
        yield app
    await postgres.drop(name)


@requirement("H2", "N1")
async def test_a_database_of_an_older_release_is_upgraded_and_read(older_server: App) -> None:
    transport = httpx2.ASGITransport(app=older_server)
    async with (
        Person("http://127.0.0.1:8787", "old-requester", transport=transport) as agent,
        Person("http://127.0.0.1:8787", "old-responder", transport=transport) as person,
    ):
        requests = (await person.http.get("/v1/requests", params={"status": "pending"})).json()["requests"]
        kinds = [request["kind"] for request in requests]
        assert set(kinds) == {"approval"}
        for item in requests:
            decided = await person.decide(item["id"], "approve")
            assert decided.json()["status"] == "answered"
        [lunch, _archived] = (await person.http.get("/v1/threads/t1")).json()["requests"]
        assert lunch["answer"]["values"] == {"dish": "soup"}
        resumes = (await agent.http.get("/v1/resumes")).json()["resumes"]
        assert lunch["id"] in [resume["request"]["id"] for resume in resumes]
        assert leased_values(await agent.lease("t3", "PAY_KEY")) == {"PAY_KEY": "sk-old-value"}
    events = await older_server.services.store.tenant_events("default", after=0, limit=100)
    hidden = [event.redacted.text for event in events if event.redacted is not None]
    assert len(hidden) == 2
    assert not any("PAY_KEY" in text for text in hidden)
    assert all(json.loads(event.text)["type"] for event in events)


MANY = """
UPDATE {tokens} SET person = 'ada' WHERE role = 'requester';
INSERT INTO {threads} (tenant, id, seq) VALUES ('default', 'many', 4), ('default', 'persons', 1);
INSERT INTO {messages} (thread, id, owner, seq, data, {rest})
SELECT t.key, m.id, m.owner, m.seq, m.data, {none} FROM {threads} AS t JOIN (
    SELECT 'persons' AS thread, 'm0' AS id, 'tok_person' AS owner, 1 AS seq, '{{"role":"user"}}' AS data
    UNION ALL SELECT 'many', 'm0', 'tok_person', 1, '{{"role":"user"}}'
    UNION ALL SELECT 'many', 'm1', t.principal, 2, '{{"role":"agent"}}' FROM {tokens} AS t WHERE role = 'requester'
    UNION ALL SELECT 'many', 'm2', 'tok_another', 3, '{{"role":"agent"}}'
    UNION ALL SELECT 'many', 'm3', t.principal, 4, '{{"role":"agent"}}' FROM {tokens} AS t WHERE role = 'requester'
) AS m ON m.thread = t.id;"""


@requirement("H2")
@pytest.mark.parametrize("dump", BEFORE_ONE_SQL, ids=lambda dump: dump.stem)
async def test_decisions_from_before_the_shared_sql_are_kept(
    dump: Path, tmp_path: Path, postgres: PostgresServer
) -> None:
    async with open_database(dump, tmp_path, postgres) as app:
        transport = httpx2.ASGITransport(app=app)
        async with Person("http://127.0.0.1:8787", "old-admin", transport=transport) as admin:
            threads = [(await admin.http.get(f"/v1/threads/{name}")).json() for name in ("t9", "t10")]
            [declined, checked], [revoked, denied] = (thread["requests"] for thread in threads)
            [message] = threads[1]["messages"]
            roots = (await admin.http.get(f"/v1/agents/{denied['requester']['id']}")).json()["roots"]
            entries = [
                json.loads(item) for item in await app.services.store.audit("default", after=0, limit=500)
            ]
    assert (declined["reason"], "refusal" in declined) == ("refused", True)
    assert (checked["status"], checked["answer"]["values"]) == ("answered", {"where": "here"})
    assert (revoked["answer"]["decision"], "by" in revoked["revoked"]) == ("approve", True)
    assert denied["answer"]["decision"] == "deny"
    assert message["content"] == [{"type": "text", "text": "Hello"}]
    assert [root["path"] for root in roots] == ["/srv/shop"]
    assert [entry["action"] for entry in entries if entry.get("request_id") == revoked["id"]] == [
        "decide",
        "revoke",
    ]


@requirement("N9")
@pytest.mark.parametrize("dump", WITHOUT_AGENTS, ids=lambda dump: dump.stem)
async def test_threads_belong_to_the_agents_that_wrote_in_them_the_oldest_first(
    dump: Path, tmp_path: Path, postgres: PostgresServer
) -> None:
    on_sqlite = dump.stem.startswith("sqlite")
    names = {name: name if on_sqlite else f"askback.{name}" for name in ("tokens", "threads", "messages")}
    more = MANY.format(**names, rest="streamed" if on_sqlite else "held", none="''" if on_sqlite else "FALSE")
    async with open_database(dump, tmp_path, postgres, more) as app:
        store = app.services.store
        token = await store.token(digest("old-requester"))
        assert token is not None
        mine = token.principal.id
        for thread, agents in (
            ("t1", ThreadAgents((mine,), "ada")),
            ("many", ThreadAgents((mine, "tok_another"), "ada")),
            ("persons", None),
        ):
            assert (await store.access("default", thread)).agents == agents


async def test_a_database_that_no_release_wrote_is_refused_with_what_to_do(tmp_path: Path) -> None:
    file = tmp_path / "askback.db"
    load_sqlite(OLDER / "sqlite_2.sql", file)
    with closing(sqlite3.connect(file)) as database:
        database.executescript("DROP INDEX threads_archiving; ALTER TABLE threads DROP COLUMN archived_at;")
    content_before = content(file)
    with pytest.raises(StoreUnusable) as exc_info:
        await SqliteStore(file).open()
    assert str(exc_info.value) == (
        "The database has schema 2 without threads.archived_at: a development version of askback wrote it, and it "
        "cannot be upgraded. Nothing was changed. Use the version that wrote it, or start with another folder "
        "(ASKBACK_DATA_DIR)."
    )
    assert content(file) == content_before
