"""Transactions on connections that were used before."""

from __future__ import annotations

import pytest

from askback.storage.postgres.transactions import snapshot
from tests.postgres_server import PostgresServer

pytestmark = pytest.mark.anyio


async def test_a_snapshot_begins_where_a_statement_was_prepared_and_never_run(
    postgres: PostgresServer,
) -> None:
    connection = await postgres.database("postgres").connect()
    try:
        await connection.prepare("SELECT count(*) FROM pg_class")  # as by a reader that was cancelled then
        async with snapshot(connection):
            assert await connection.fetchval("SHOW transaction_isolation") == "repeatable read"
    finally:
        await connection.close()
