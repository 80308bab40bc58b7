"""What the disk and SQLite allow: commits a second of one 1 kB row, alone and grouped, at synchronous=FULL."""

from __future__ import annotations

import argparse
import os
import sqlite3
import tempfile
import time
from pathlib import Path

from bench.harness import emit, questionnaire

ROW = questionnaire(0).model_dump_json(exclude_none=True)


def commits(group: int, seconds: float) -> float:
    """Return rows a second when `group` rows share a commit."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_TMP")) as folder:
        db = sqlite3.connect(Path(folder) / "x.db", isolation_level=None)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=FULL")
        db.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT")
        rows, began = 0, time.perf_counter()
        while time.perf_counter() - began < seconds:
            db.execute("BEGIN IMMEDIATE")
            for _ in range(group):
                db.execute("INSERT INTO t(body) VALUES (?)", (ROW,))
            db.execute("COMMIT")
            rows += group
        spent = time.perf_counter() - began
        db.close()
        return rows / spent


def main() -> None:
    """Measure one row a commit, and 64."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3)
    args = parser.parse_args()
    for group in (1, 64):
        emit("limits", f"sqlite_full_group_{group}", rows_s=round(commits(group, args.seconds)))


if __name__ == "__main__":
    main()
