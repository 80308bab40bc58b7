"""A database that a test has dropped is like new for the next one, or is not used again."""

from __future__ import annotations

import asyncpg
import pytest

from tests.postgres_server import PostgresServer

pytestmark = pytest.mark.anyio

ROWS = "SELECT (SELECT count(*) FROM threads), (SELECT version FROM schema_version), (SELECT count(*) FROM server)"


async def test_nothing_is_left_of_the_rows_and_settings_of_a_test(postgres: PostgresServer) -> None:
    name = await postgres.new()
    left = await postgres.database(name).connect()
    fresh = await left.fetchrow(ROWS)
    await left.execute(
        "INSERT INTO threads (tenant, id, seq) VALUES ('default', 't1', 1); DELETE FROM server"
    )
    await postgres.run(f"ALTER DATABASE {name} SET work_mem = '1MB'")
    await postgres.drop(name)
    assert await postgres.new() == name
    db = await postgres.database(name).connect()
    assert await db.fetchrow(ROWS) == fresh
    assert await db.fetchval("SHOW work_mem") != "1MB"
    with pytest.raises((asyncpg.PostgresError, asyncpg.InterfaceError, OSError)):
        await left.fetchval("SELECT 1")
    await db.close()
    await postgres.drop(name)


@pytest.mark.parametrize(
    "harm",
    [
        "ALTER TABLE threads ADD COLUMN colour text",
        "CREATE INDEX another ON threads (seq)",
        "CREATE TABLE more (x integer)",
    ],
)
async def test_a_database_of_another_shape_is_not_used_again(postgres: PostgresServer, harm: str) -> None:
    name = await postgres.new()
    db = await postgres.database(name).connect()
    await db.execute(harm)
    await db.close()
    await postgres.drop(name)
    assert await postgres.new() != name
