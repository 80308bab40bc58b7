"""What the benchmarks fill a database with is what a server works on, and lists of it are read in the order of an index."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import anyio.to_thread
import httpx2
import pytest

from askback import AsyncClient
from askback.server.app import App, create_app
from askback.server.settings import load
from askback.storage.sql.requests import page_of_requests
from bench.backlog import FIRST_THREAD, PER_THREAD, fill, settle
from bench.payload import ANSWER, questionnaire
from bench.servers import REQUESTER, RESPONDER
from tests.limits import ROOMY_SETTING
from tests.postgres_server import PostgresServer

FEW_REQUESTS, MANY_REQUESTS = 500, 20_000
"""So many that Postgres, which has not counted them yet, would take them for some twenty and sort them."""


@pytest.fixture(params=["sqlite", "postgres"])
async def url(request: pytest.FixtureRequest, postgres: PostgresServer, tmp_path: Path) -> AsyncIterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'askback.db'}"
        return
    name = await postgres.new()
    yield postgres.database(name).url
    await postgres.drop(name)


def server(url: str, data: Path) -> App:
    environ = {
        "ASKBACK_DATABASE_URL": url,
        "ASKBACK_DATA_DIR": str(data),
        "ASKBACK_MASTER_KEYS": "off",
        "ASKBACK_BOOTSTRAP_TOKENS": f"requester:{REQUESTER},responder:{RESPONDER}",
        **ROOMY_SETTING,
    }
    return create_app(load(environ))


def client(url: str, data: Path, token: str) -> AsyncClient:
    return AsyncClient(app=server(url, data), token=token)


async def filled(url: str, data: Path, *, count: int = FEW_REQUESTS) -> None:
    async with client(url, data, REQUESTER) as agent:
        await agent.requests.create(questionnaire(0), thread_id=FIRST_THREAD)
    await anyio.to_thread.run_sync(fill, url, count)


async def test_a_copy_is_listed_and_answered_like_the_original(url: str, tmp_path: Path) -> None:
    await filled(url, tmp_path)
    async with client(url, tmp_path, RESPONDER) as person:
        copies = list(await person.requests.list(thread_id="t7", status="pending"))
        assert len(copies) == PER_THREAD
        answered_request = await person.requests.answer(copies[0].id, ANSWER)
        assert (answered_request.id, answered_request.thread_id, answered_request.status) == (
            copies[0].id,
            "t7",
            "answered",
        )
        assert len(await person.requests.list(thread_id="t7", status="pending")) == PER_THREAD - 1


async def test_copies_that_have_ended_are_in_the_history(url: str, tmp_path: Path) -> None:
    await filled(url, tmp_path)
    await anyio.to_thread.run_sync(settle, url)
    app = server(url, tmp_path)
    async with (
        app.running(),
        httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://127.0.0.1:8787") as http,
    ):
        reply = await http.get(
            "/v1/history", params={"thread_id": "t7"}, headers={"Authorization": f"Bearer {RESPONDER}"}
        )
        statuses = sorted(request["status"] for request in reply.raise_for_status().json()["requests"])
    assert statuses == ["answered"] * 3 + ["expired"] * 2


async def test_another_request_comes_after_the_copies(url: str, tmp_path: Path) -> None:
    await filled(url, tmp_path)
    async with client(url, tmp_path, REQUESTER) as agent:
        request = await agent.requests.create(questionnaire(1), thread_id="t7")
        newest, *_ = await agent.requests.list(thread_id="t7")
        assert newest.id == request.id
        snapshot = await agent.threads.get("t7")
        assert snapshot["seq"] == PER_THREAD + 1


async def test_an_uncounted_inbox_is_read_by_an_index_without_sorting(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    name = await postgres.new()
    database = postgres.database(name)
    await filled(database.url, tmp_path, count=MANY_REQUESTS)
    connection = await database.connect()
    for person, requester in (("ada", None), (None, "tok")):
        sql, *parameters = page_of_requests(
            "default",
            thread_id=None,
            statuses=["pending"],
            kind=None,
            requester=requester,
            person=person,
            before=None,
            limit=51,
        )
        plan = [line for (line,) in await connection.fetch(f"EXPLAIN {sql}", *parameters)]
        # Only a page is sorted: each branch reads an index in its order.
        assert [
            line for line in plan if "->  Sort" in line or "Seq Scan" in line or "Bitmap" in line
        ] == [], plan
    await connection.close()
    await postgres.drop(name)
