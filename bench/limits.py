"""Measure the limits of the disk and the databases: rows of 1 kB per second, one and 64 in a commit, each flushed.

Postgres also with a NOTIFY in each commit, which notifies the other servers.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sqlite3
import tempfile
import time
from pathlib import Path

import asyncpg

from bench.measure import emit
from bench.payload import questionnaire
from bench.servers import Databases

ROW = questionnaire(0).model_dump_json(exclude_none=True)
GROUPS = (1, 64)


def sqlite_rows(group: int, seconds: float) -> float:
    """Return rows a second when `group` rows share a commit."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_TMP")) as folder:
        db = sqlite3.connect(Path(folder) / "x.db", isolation_level=None)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=FULL")
        db.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT")
        rows, started_at = 0, time.perf_counter()
        while time.perf_counter() - started_at < seconds:
            db.execute("BEGIN IMMEDIATE")
            for _ in range(group):
                db.execute("INSERT INTO t(body) VALUES (?)", (ROW,))
            db.execute("COMMIT")
            rows += group
        spent = time.perf_counter() - started_at
        db.close()
        return rows / spent


async def postgres_rows(url: str, group: int, seconds: float, *, notify: bool) -> float:
    """Return rows a second on one connection when `group` rows, in one statement, share a commit."""
    db = await asyncpg.connect(url)
    await db.execute("CREATE TABLE t(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text NOT NULL)")
    notice = ", pg_notify('t', '')" if notify else ""
    insert = await db.prepare(
        f"WITH added AS (INSERT INTO t(body) SELECT unnest($1::text[]) RETURNING 1) SELECT count(*){notice} FROM added"
    )
    rows, started_at = 0, time.perf_counter()
    while time.perf_counter() - started_at < seconds:
        await insert.fetchval([ROW] * group)
        rows += group
    spent = time.perf_counter() - started_at
    await db.close()
    return rows / spent


def main() -> None:
    """Measure each group size on each database, interleaved."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    with Databases() as databases:
        for _ in range(args.repeat):
            for group in GROUPS:
                emit("limits", f"sqlite_group_{group}", rows_s=round(sqlite_rows(group, args.seconds)))
                for notify in (False, True):
                    with databases.new("postgres") as url:
                        rate = asyncio.run(postgres_rows(url, group, args.seconds, notify=notify))
                    case = f"postgres_group_{group}{'_notify' if notify else ''}"
                    emit("limits", case, rows_s=round(rate))


if __name__ == "__main__":
    main()
