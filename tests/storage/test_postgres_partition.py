"""A silently cut network: neither end waits for the other for long, or holds locks for it."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import anyio
import asyncpg
import pytest

from askback.errors import Unavailable
from askback.ports.outcome import Outcome
from askback.storage.postgres import Database, PostgresStore
from askback.storage.postgres.connection import Timeouts, refused_by_database
from askback.storage.postgres.liveness import enable_keepalive
from tests.contracts.samples import claim, record, request_created
from tests.fault.relay import Relay, start_relay
from tests.postgres_server import PostgresServer
from tests.storage.postgres_cut import SOCKET

pytestmark = pytest.mark.anyio

IMPATIENT = Timeouts(connect=300, idle=300, statement=300, transaction=500, reply=100)


@pytest.fixture
async def database(postgres: PostgresServer) -> AsyncIterator[Database]:
    """A database that is up to date and empty."""
    name = await postgres.new()
    yield postgres.database(name, IMPATIENT)
    await postgres.drop(name)


@pytest.fixture
async def wire(database: Database) -> AsyncIterator[Relay]:
    """A connection to the database that can become a black hole."""
    [folder] = parse_qs(urlsplit(database.url).query)["host"]
    async with start_relay(lambda: asyncio.open_unix_connection(f"{folder}/{SOCKET}")) as wire:
        yield wire


def route_through(wire: Relay, database: Database) -> Database:
    """The address of the database by way of the wire."""
    name = urlsplit(database.url).path
    return replace(database, url=f"postgresql://postgres@127.0.0.1:{wire.port}{name}?sslmode=disable")


async def put(store: PostgresStore, n: int) -> Outcome:
    """Store the n-th request, with a key."""
    row = record(n)
    return (await store.insert(row, request_created(row), claim(f"k{n}"))).outcome


async def test_calls_to_an_unreachable_database_fail_and_work_again_after_recovery(
    database: Database, wire: Relay
) -> None:
    store = PostgresStore(route_through(wire, database))
    await store.open()
    assert await put(store, 1) is Outcome.APPLIED
    wire.stand_still()
    calls = [put(store, 2), store.get("main", record(1).id), store.thread("main", "t1"), put(store, 3)]
    with anyio.fail_after(120):
        answers = await asyncio.gather(*calls, return_exceptions=True)
        assert {type(answer) for answer in answers} == {Unavailable}
        wire.restart()
        while True:
            try:
                stored = [await put(store, n) for n in (2, 3)]
                break
            except Unavailable:
                await asyncio.sleep(0.02)
        assert set(stored) <= {Outcome.APPLIED, Outcome.REPLAYED}
        assert await store.get("main", record(1).id) is not None
    assert [event.position for event in await store.tenant_events("main", after=0)] == [1, 2, 3]
    await store.close()


async def test_a_client_disconnected_during_a_statement_keeps_no_locks(database: Database) -> None:
    """Postgres calls such a session active: the limit on idle ones does not apply."""
    store = PostgresStore(replace(database, patience=Timeouts()))
    await store.open()
    await put(store, 1)
    frozen = await database.connect()
    if frozen.get_server_version() < (17,):
        await frozen.close()
        await store.close()
        pytest.skip("before Postgres 17 only the kernels look for each other")
    await frozen.execute("BEGIN")
    await frozen.execute("UPDATE positions SET position = position + 1")
    await frozen.prepare("SELECT 1")  # the first half of a statement; the end of it is not sent
    with anyio.fail_after(120):
        assert await put(store, 2) is Outcome.APPLIED
    frozen.terminate()
    await store.close()


async def test_both_kernels_are_asked_to_look_for_the_other_end(database: Database) -> None:
    connection = await database.connect()
    given = {row[0] for row in await connection.fetch("SELECT name FROM pg_settings WHERE source = 'client'")}
    assert {
        "tcp_keepalives_idle",
        "tcp_keepalives_interval",
        "tcp_keepalives_count",
        "tcp_user_timeout",
    } <= given
    await connection.close()
    with socket.socket() as line:
        enable_keepalive(line)
        assert line.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        if os.uname().sysname == "Linux":
            assert line.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) < Timeouts().lock


async def test_every_driver_error_for_a_closed_connection_counts_as_unavailable() -> None:
    assert refused_by_database(asyncpg.InternalClientError("the protocol is in the failed state"))
    assert refused_by_database(asyncpg.InterfaceError("connection is closed"))
    assert not refused_by_database(asyncpg.UniqueViolationError("taken"))
