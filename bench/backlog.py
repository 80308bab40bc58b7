"""Fill a database with copies of a request from a real server, made by the database itself.

So they equal current requests in every column, and a million of them take a minute. Ten are in a thread.
All are pending, until `settle` ends half of them. Each also has a copy of an entry of the audit log.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

import asyncpg

from askback.domain.timestamps import rfc3339

PER_THREAD = 10
CHUNK = 50_000
FIRST_THREAD = "t0"
"""The thread of the original; the copies are in t1, t2, …"""

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
AUDIT = {"key": "key + i", "seq": "seq + i"}
THREADS = {"key": "key + i", "id": "'t' || i", "seq": f"{PER_THREAD}"}
ON_SQLITE = {
    "threads": THREADS,
    "requests": REQUESTS,
    "events": {**EVENTS, "request": "request + i"},
    "claims": {**CLAIMS, "key": "key || i"},
    "audit": AUDIT,
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
    "audit": AUDIT,
}
LAST_ENTRY = " WHERE seq = (SELECT max(seq) FROM audit)"
"""The last entry of the audit log is copied; every other table has only one row."""
MOVE_HEAD = "UPDATE audit_heads SET seq = (SELECT max(seq) FROM audit)"
SETTLE = """
UPDATE requests SET status = {status}, settled_at = {now}, person = {person}, outcome = {status}, state = {state}
WHERE created_seq = {seq}"""
"""Ends the request with this place in each thread."""


def fill(url: str, count: int) -> None:
    """Copy the only request of a database `count` times."""
    if url.startswith("sqlite:"):
        _fill_sqlite(urlsplit(url).path, count)
    else:
        asyncio.run(_fill_postgres(url, count))


def settle(url: str) -> None:
    """End half of the copies: every second one of each thread."""
    now = rfc3339(time.time_ns() // 1_000_000)
    statements = [_settlement(now, seq) for seq in range(2, PER_THREAD + 1, 2)]
    if url.startswith("sqlite:"):
        with closing(sqlite3.connect(urlsplit(url).path, isolation_level=None)) as db:
            db.execute("PRAGMA synchronous = OFF")
            for statement in statements:
                db.execute(statement)
    else:
        asyncio.run(_run_on_postgres(url, statements))


def _settlement(now: str, seq: int) -> str:
    """Return the statement that ends a request of each thread: every second one expires, the others are answered."""
    status, person = ("expired", None) if seq % 4 == 0 else ("answered", "tok_of_a_person")
    state: dict[str, Any] = {"settled_at": now, "status": status, "revision": 1}
    if person is not None:
        settled_by = {"id": person, "name": "responder"}
        state = {"source": "responder", "answer": {"values": {}}, "settled_by": settled_by, **state}
    values = {"status": status, "now": now, "person": person, "state": json.dumps(state)}
    texts = {name: "NULL" if value is None else f"'{value}'" for name, value in values.items()}
    return SETTLE.format(seq=seq, **texts)


async def _run_on_postgres(url: str, statements: Sequence[str]) -> None:
    db = await asyncpg.connect(url, server_settings={"search_path": "askback", "synchronous_commit": "off"})
    for statement in statements:
        await db.execute(statement)
    await db.close()


def _single_row(table: str) -> str:
    return f"CREATE TEMP TABLE one_{table} AS SELECT * FROM {table}{LAST_ENTRY if table == 'audit' else ''}"


def _fill_sqlite(path: str, count: int) -> None:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA synchronous = OFF")
    for table, changed in ON_SQLITE.items():
        db.execute(_single_row(table))
        columns = [name for (name,) in db.execute("SELECT name FROM pragma_table_info(?)", (table,))]
        copy = f"""
            WITH RECURSIVE numbers(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ?2)
            INSERT INTO {table} ({", ".join(columns)})
            SELECT {_values(columns, changed)} FROM one_{table}, numbers"""
        for bounds in _chunks(table, count):
            db.execute(copy, bounds)
    db.execute(MOVE_HEAD)
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    db.close()


async def _fill_postgres(url: str, count: int) -> None:
    db = await asyncpg.connect(url, server_settings={"search_path": "askback", "synchronous_commit": "off"})
    for table, changed in ON_POSTGRES.items():
        await db.execute(_single_row(table))
        threads_by_name = await db.fetch(
            "SELECT attname FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum > 0", table
        )
        columns = [name for (name,) in threads_by_name]
        copy = f"""
            INSERT INTO {table} ({", ".join(columns)}) OVERRIDING SYSTEM VALUE
            SELECT {_values(columns, changed)} FROM one_{table}, generate_series($1::bigint, $2::bigint) AS n(i)"""
        for bounds in _chunks(table, count):
            await db.execute(copy, *bounds)
    await db.execute(MOVE_HEAD)
    await db.execute("UPDATE positions SET position = position + $1", count)
    await db.execute("SELECT setval(pg_get_serial_sequence('threads', 'key'), max(key)) FROM threads")
    await db.close()


def _values(columns: Sequence[str], changed: Mapping[str, str]) -> str:
    return ", ".join(changed.get(column, column) for column in columns)


def _chunks(table: str, count: int) -> list[tuple[int, int]]:
    """The first and the last number of each statement: a single one would keep everything in the log."""
    rows = count // PER_THREAD if table == "threads" else count
    return [(first, min(first + CHUNK - 1, rows)) for first in range(1, rows + 1, CHUNK)]
