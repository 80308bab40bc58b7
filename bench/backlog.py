"""Fills a database with pending requests: copies of one that a real server has written, made by the database itself.

So they are what a server of today writes, column by column, and a million of them take a minute. Ten are in a thread.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

import asyncpg

PER_THREAD = 10
CHUNK = 50_000
FIRST_THREAD = "t0"
"""Where the request is that is copied; the copies are in t1, t2, …"""

# For the copy number i, from 1.
THREAD = f"((i - 1) / {PER_THREAD} + 1)"
SEQ = f"((i - 1) % {PER_THREAD} + 1)"
ID = "(substr({0}, 1, 22) || substr(CAST(100000000 + i AS TEXT), 2))"
REQUESTS = {
    "key": "key + i",
    "id": ID.format("id"),
    "thread": f"thread + {THREAD}",
    "created_seq": SEQ,
    "spec": f"""replace(replace(spec, id, {ID.format("id")}),
        '"thread_id":"{FIRST_THREAD}"', '"thread_id":"t' || {THREAD} || '"')""",
}
EVENTS = {"position": "position + i", "thread": f"thread + {THREAD}", "seq": SEQ}
CLAIMS = {"target": ID.format("target")}
THREADS = {"key": "key + i", "id": "'t' || i", "seq": f"{PER_THREAD}"}
ON_SQLITE = {
    "threads": THREADS,
    "requests": REQUESTS,
    "events": {**EVENTS, "request": "request + i"},
    "claims": {**CLAIMS, "key": "key || i"},
}
ON_POSTGRES = {
    "threads": THREADS,
    "requests": REQUESTS,
    "events": {**EVENTS, "request": ID.format("request")},
    "claims": {
        **CLAIMS,
        "id": "sha256(id || convert_to(CAST(i AS TEXT), 'UTF8'))",
        "thread": f"'t' || {THREAD}",
    },
}


def fill(url: str, count: int) -> None:
    """Copy the only request of a database `count` times."""
    if url.startswith("sqlite:"):
        _fill_sqlite(urlsplit(url).path, count)
    else:
        asyncio.run(_fill_postgres(url, count))


def _fill_sqlite(path: str, count: int) -> None:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA synchronous = OFF")
    for table, changed in ON_SQLITE.items():
        db.execute(f"CREATE TEMP TABLE one_{table} AS SELECT * FROM {table}")
        columns = [name for (name,) in db.execute("SELECT name FROM pragma_table_info(?)", (table,))]
        copy = f"""
            WITH RECURSIVE numbers(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ?2)
            INSERT INTO {table} ({", ".join(columns)})
            SELECT {_values(columns, changed)} FROM one_{table}, numbers"""
        for bounds in _chunks(table, count):
            db.execute(copy, bounds)
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    db.close()


async def _fill_postgres(url: str, count: int) -> None:
    db = await asyncpg.connect(url, server_settings={"search_path": "askback", "synchronous_commit": "off"})
    for table, changed in ON_POSTGRES.items():
        await db.execute(f"CREATE TEMP TABLE one_{table} AS SELECT * FROM {table}")
        named = await db.fetch(
            "SELECT attname FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum > 0", table
        )
        columns = [name for (name,) in named]
        copy = f"""
            INSERT INTO {table} ({", ".join(columns)}) OVERRIDING SYSTEM VALUE
            SELECT {_values(columns, changed)} FROM one_{table}, generate_series($1::bigint, $2::bigint) AS n(i)"""
        for bounds in _chunks(table, count):
            await db.execute(copy, *bounds)
    await db.execute("UPDATE positions SET position = position + $1", count)
    await db.execute("SELECT setval(pg_get_serial_sequence('threads', 'key'), max(key)) FROM threads")
    await db.close()


def _values(columns: Sequence[str], changed: Mapping[str, str]) -> str:
    return ", ".join(changed.get(column, column) for column in columns)


def _chunks(table: str, count: int) -> list[tuple[int, int]]:
    """The first and the last number of each statement: one that writes all would keep it all in a log."""
    rows = count // PER_THREAD if table == "threads" else count
    return [(first, min(first + CHUNK - 1, rows)) for first in range(1, rows + 1, CHUNK)]
