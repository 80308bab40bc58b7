"""Count what a round trip makes Postgres write: rows, index entries and bytes of the write-ahead log.

The counts hardly depend on the load of the machine. They are of a database without autovacuum.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import asyncpg
import uvloop

from bench import roundtrip, servers
from bench.servers import STORES, Databases, serve
from tests.postgres_server import PostgresServer

_RECORD = re.compile(
    r"rmgr: (?P<manager>\S+) +len \(rec/tot\): +\d+/ *(?P<bytes>\d+),.* desc: (?P<what>\w+)"
    r"(?:.* rel \d+/\d+/(?P<file>\d+))?"
)
_LOG_POSITION = "SELECT pg_current_wal_lsn()::text, current_setting('data_directory')"
_TABLES = """
SELECT relname, n_tup_ins, n_tup_upd, n_tup_hot_upd, n_tup_del FROM pg_stat_user_tables
WHERE n_tup_ins + n_tup_upd + n_tup_del > 0 ORDER BY relname"""
MIN_SHARE = 0.05
"""What happens less often than this in a round trip is left out."""


async def rows(url: str, sql: str) -> Sequence[Any]:
    """Run one statement on a separate connection."""
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetch(sql)
    finally:
        await connection.close()


def records(postgres: PostgresServer, data: Path, start: str, end: str) -> Iterator[re.Match[str]]:
    """Give the records of the write-ahead log between two places."""
    command = [postgres.program("pg_waldump"), "--path", data / "pg_wal", "--start", start, "--end", end]
    dump = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    yield from filter(None, map(_RECORD.match, dump.stdout.splitlines()))


def count(databases: Databases, store: str, at_once: int, total: int) -> Iterator[str]:
    """Give the lines of two tables, of rows and of log records, for one round trip."""
    postgres = databases.postgres()
    with databases.new(store) as url:
        with serve(url, servers=STORES[store]) as site:
            [(start, data)] = asyncio.run(rows(url, _LOG_POSITION))
            uvloop.run(roundtrip.case(site, databases, at_once, total))
            [(end, _)] = asyncio.run(rows(url, _LOG_POSITION))
        # The connections of the servers have ended, and with that reported their counts.
        tables = asyncio.run(rows(url, _TABLES))
        names = dict(asyncio.run(rows(url, "SELECT relfilenode::text, relname FROM pg_class")))
    trips = next(inserted for name, inserted, *_ in tables if name == "requests")
    yield "| table | inserted | updated | of them HOT | deleted |"
    yield "|---|---|---|---|---|"
    for name, *counts in tables:
        if max(counts) / trips >= MIN_SHARE:
            yield f"| {name} | {' | '.join(f'{item / trips:.2f}' for item in counts)} |"
    written, sizes = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for record in records(postgres, Path(data), start, end):
        key = (names.get(record["file"], ""), f"{record['manager']} {record['what']}")
        written[key] += 1
        sizes[key] += int(record["bytes"])
    entries = sum(
        number for (_, record_type), number in written.items() if record_type == "Btree INSERT_LEAF"
    )
    yield f"\n{entries / trips:.1f} index entries, {sizes.total() / trips:,.0f} bytes of log\n"
    yield "| record | of | number | bytes |"
    yield "|---|---|---|---|"
    for key, size in sizes.most_common():
        if written[key] / trips >= MIN_SHARE:
            yield f"| {key[1]} | {key[0]} | {written[key] / trips:.2f} | {size / trips:.0f} |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", default="postgres", help="postgres or two-servers")
    parser.add_argument("--at-once", type=int, default=64, help="conversations at once")
    parser.add_argument("--total", type=int, default=2000, help="round trips")
    args = parser.parse_args()
    servers.DURABLE.update(autovacuum="off", wal_keep_size="2GB")
    with Databases() as databases:
        print("\n".join(count(databases, args.store, args.at_once, args.total)))


if __name__ == "__main__":
    main()
