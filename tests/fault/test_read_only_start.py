"""A start on a read-only disk: stored data can be read, and the server recovers automatically."""

from __future__ import annotations

import logging
import shutil
import sqlite3
from contextlib import AsyncExitStack, closing
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from askback.errors import StoreUnusable, Unavailable
from askback.server import server_file
from askback.server.app import App, create_app
from askback.server.bootstrap_tokens import open_keyring
from askback.server.settings import load
from askback.storage.sqlite import SqliteStore, schema
from askback.storage.sqlite.connection import connect
from askback.transports.rest import monitoring
from tests.contracts.samples import record, request_created
from tests.fault.full_disk import full_disk
from tests.requirements import requirement

pytestmark = pytest.mark.fault
FORM = {"kind": "form", "thread_id": "t1", "form": {"fields": [{"id": "a", "type": "text", "label": "A"}]}}
REASON = "File too large"
OTHER_ADDRESS_TEXT = (
    "It names another address; programs need ASKBACK_URL=http://127.0.0.1:2 to find this server"
)


def server(data: Path, **environment: str) -> App:
    return create_app(load(environment, data_dir=data))


def caller(app: App, token: str | None = None) -> httpx2.AsyncClient:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app=app), base_url="http://127.0.0.1:8787", headers=headers
    )


async def first_run(data: Path) -> tuple[str, dict[str, Any]]:
    """Ask one question, and stop; returns the agent's token and the request."""
    app = server(data)
    async with app.running():
        token = (await open_keyring(app, url="http://127.0.0.1:1"))["requester"]
        reply = await caller(app, token).post("/v1/requests", json=FORM)
        assert reply.status_code == 201
    return token, reply.json()


async def leave_log(path: Path) -> None:
    """Store a request, and leave the files of a killed process: the row is only in the log."""
    folder = path.parent / "open"
    store = SqliteStore(folder / path.name)
    await store.open()
    await store.check_writable()
    await store.insert(record(1), request_created(record(1)))
    for file in folder.glob(f"{path.name}*"):
        shutil.copy(file, path.with_name(file.name))
    await store.close()
    shutil.rmtree(folder)


@requirement("I1")
async def test_a_server_on_a_full_disk_reads_refuses_writes_and_heals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(monitoring, "FRESH_S", -1)
    data = tmp_path / "data"
    token, request = await first_run(data)
    app = server(data)
    async with AsyncExitStack() as running_exit_stack:
        with full_disk(), caplog.at_level(logging.WARNING):
            await running_exit_stack.enter_async_context(app.running(retry_s=0.01))
            assert (await open_keyring(app, url="http://127.0.0.1:2"))["requester"] == token
            assert server_file.read(data / "server.json")["url"] == "http://127.0.0.1:1"
            agent = caller(app, token)
            ready = await agent.get("/readyz")
            assert (ready.status_code, ready.json()["error"]["code"]) == (503, "read_only")
            assert REASON in ready.json()["error"]["message"]
            assert ready.headers["retry-after"] == "5"
            assert (await agent.get("/healthz")).status_code == 200
            assert (await agent.get(f"/v1/requests/{request['id']}")).json() == request
            assert (await agent.get("/v1/requests")).json()["requests"] == [request]
            assert (await agent.get("/v1/threads/t1")).status_code == 200
            refusal = await agent.post("/v1/requests", json=FORM)
            assert (refusal.status_code, refusal.json()["error"]["code"]) == (503, "unavailable")
            assert REASON in refusal.json()["error"]["message"]
            assert refusal.headers["retry-after"] == "5"
            assert [r.message for r in caplog.records if r.levelno == logging.ERROR] == [
                f"started read-only: {REASON}. Reads work, every write is refused, and writing is tried again every 5 s",
                f"{data / 'server.json'} cannot be written: {REASON}. {OTHER_ADDRESS_TEXT}",
            ]
        with anyio.fail_after(120):
            while (await agent.get("/readyz")).status_code != 200:
                await anyio.sleep(0.01)
        assert server_file.read(data / "server.json")["url"] == "http://127.0.0.1:2"
        soon = await agent.post("/v1/requests", json={**FORM, "timeout_s": 1})
        assert soon.status_code == 201
        with anyio.fail_after(120):
            ended_reply = await agent.get(f"/v1/requests/{soon.json()['id']}?wait=5")
        assert ended_reply.json()["status"] == "expired"
        assert (await agent.get(f"/v1/requests/{request['id']}")).json() == request


async def test_programs_find_a_server_that_starts_on_a_full_disk_at_another_port(tmp_path: Path) -> None:
    await first_run(tmp_path)
    file = tmp_path / "server.json"
    before = server_file.read(file)
    app = server(tmp_path)
    with full_disk(small=file.stat().st_size):
        async with app.running():
            assert app.services.read_only.reason is not None
            await open_keyring(app, url="http://127.0.0.1:2")
    assert server_file.read(file) == {**before, "url": "http://127.0.0.1:2"}


async def test_tokens_of_the_settings_count_once_the_disk_takes_writes(tmp_path: Path) -> None:
    await first_run(tmp_path)
    (tmp_path / "server.json").unlink()
    app = server(tmp_path, ASKBACK_BOOTSTRAP_TOKENS="requester:a-token-of-the-settings")
    async with AsyncExitStack() as running_exit_stack:
        with full_disk():
            await running_exit_stack.enter_async_context(app.running(retry_s=0.01))
            assert await open_keyring(app) == {}
            agent = caller(app, "a-token-of-the-settings")
            assert (await agent.get("/v1/requests")).status_code == 401
        with anyio.fail_after(120):
            while app.services.read_only.reason is not None:
                await anyio.sleep(0.01)
        assert (await agent.get("/v1/requests")).status_code == 200


@requirement("I1")
@pytest.mark.parametrize("shared", ["-shm", None])
async def test_data_only_in_the_wal_is_readable_and_survives_recovery(
    tmp_path: Path, shared: str | None
) -> None:
    path = tmp_path / "askback.db"
    await leave_log(path)
    if shared is None:
        Path(f"{path}-shm").unlink()
    store = SqliteStore(path)
    with full_disk():
        await store.open()
        assert store.read_only() == REASON
        assert await store.get("main", record(1).id) == record(1)
        assert [row.id for row in await store.list_requests("main")] == [record(1).id]
        with pytest.raises(Unavailable):
            await store.recover()
        with pytest.raises(Unavailable):
            await store.insert(record(2), request_created(record(2)))
        assert await store.get("main", record(1).id) == record(1)
    await store.recover()
    assert store.read_only() is None
    await store.insert(record(2), request_created(record(2)))
    assert {row.id for row in await store.list_requests("main")} == {record(1).id, record(2).id}
    await store.close()


async def test_a_read_only_store_keeps_its_lock(tmp_path: Path) -> None:
    path = tmp_path / "askback.db"
    await leave_log(path)
    store, other_sqlite_store = SqliteStore(path), SqliteStore(path)
    with full_disk():
        await store.open()
        with pytest.raises(StoreUnusable, match="is in use by another process"):
            await other_sqlite_store.open()
    await store.recover()
    with pytest.raises(StoreUnusable, match="is in use by another process"):
        await other_sqlite_store.open()
    await store.close()


async def test_a_database_that_needs_a_migration_is_not_started_read_only(tmp_path: Path) -> None:
    path = tmp_path / "askback.db"
    older = {number: text for number, text in schema.migrations().items() if number < 3}
    with closing(connect(path)) as db:
        schema.upgrade(db, older)
    with full_disk(), pytest.raises(StoreUnusable, match="has to be upgraded to .* Make room"):
        await SqliteStore(path).open()


async def test_a_new_database_cannot_be_made_on_a_full_disk(tmp_path: Path) -> None:
    with full_disk(), pytest.raises(StoreUnusable, match=str(tmp_path)):
        await SqliteStore(tmp_path / "askback.db").open()


# Damage


@requirement("I1")
async def test_damaged_pages_make_a_server_not_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitoring, "FRESH_S", -1)
    app = server(tmp_path)
    async with app.running():
        agent = caller(app)
        assert (await agent.get("/readyz")).status_code == 200
        damage_database(tmp_path / "askback.db")
        reply = await agent.get("/readyz")
        assert (reply.status_code, reply.json()["error"]["code"]) == (503, "unavailable")
        assert "The database is damaged" in reply.json()["error"]["message"]


def damage_database(file: Path) -> None:
    """Write the log into the database, and rubbish over the pages of one table."""
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        page_size: int = db.execute("PRAGMA page_size").fetchone()[0]
        (page,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'threads'").fetchone()
    with file.open("r+b") as raw:
        raw.seek((page - 1) * page_size)
        raw.write(b"\xa5" * page_size)
