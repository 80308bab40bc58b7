"""Measure the migrations of a database that an earlier revision has filled.

python -m bench migration REV --backend sqlite,postgres --requests 200000

REV, which runs in this environment, writes one request and copies it (`backlog.py`); a half of the copies have ended.
Then the migrations of this tree run on that database. Nothing else uses it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import asyncpg

from askback.storage.postgres import schema as postgres_schema
from askback.storage.sqlite import schema as sqlite_schema
from askback.storage.sqlite.connection import connect
from bench.compare import checkout
from bench.measure import emit
from bench.servers import Databases

_FILL = """
import sys
from bench.backlog import settle
from bench.restart import begin

url, count = sys.argv[1:]
begin(url, int(count))
settle(url)
"""


def fill(tree: Path, url: str, count: int) -> None:
    """Let another source tree fill an empty database."""
    path = os.pathsep.join((str(tree / "src"), str(tree)))
    environment = {**os.environ, "PYTHONPATH": path}
    subprocess.run([sys.executable, "-c", _FILL, url, str(count)], cwd=tree, env=environment, check=True)


def upgrade(url: str, databases: Databases) -> dict[str, Any]:
    """Apply the migrations that are missing; return the versions, the seconds, and the CPU seconds of the database."""
    started_at = time.perf_counter()
    if url.startswith("sqlite:"):
        used = time.process_time()
        with closing(connect(Path(urlsplit(url).path))) as db:
            old_version, new_version = sqlite_schema.upgrade(db)
        used = time.process_time() - used
    else:
        old_version, new_version, used = asyncio.run(_upgrade_postgres(url, databases))
    seconds = time.perf_counter() - started_at
    return {
        "before": old_version,
        "after": new_version,
        "seconds": round(seconds, 2),
        "cpu_s": round(used, 2),
    }


async def _upgrade_postgres(url: str, databases: Databases) -> tuple[int, int, float]:
    db = await asyncpg.connect(url, server_settings={"search_path": "askback"})
    try:
        used = databases.postgres_cpu_seconds()
        old_version, new_version = await postgres_schema.upgrade(db)
        return old_version, new_version, databases.postgres_cpu_seconds() - used
    finally:
        await db.close()


def main(arguments: Sequence[str] | None = None) -> None:
    """Fill a database with each backend, and upgrade it."""
    parser = argparse.ArgumentParser(
        prog="python -m bench migration",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("revision", metavar="REV", help="a commit, branch or tag")
    parser.add_argument("--backend", default="sqlite,postgres", help="sqlite, postgres, separated by commas")
    parser.add_argument("--requests", type=int, default=200_000)
    args = parser.parse_args(arguments)
    with checkout(args.revision) as tree, Databases() as databases:
        for backend in args.backend.split(","):
            with databases.new(backend) as url:
                fill(tree, url, args.requests)
                emit("migration", f"{backend}_{args.requests}", **upgrade(url, databases))


if __name__ == "__main__":
    main()
