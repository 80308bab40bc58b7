"""Numbered migrations, applied in order, forward only; `user_version` says how far a file has come."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from importlib.resources import files

from askback.errors import StoreUnusable
from askback.storage.sqlite.connection import Connection


def migrations() -> dict[int, str]:
    """Return the SQL of each migration by its number: `0001_first.sql` is 1."""
    folder = files("askback.storage.sqlite") / "migrations"
    texts = [f for f in folder.iterdir() if re.match(r"\d{4}_.*\.sql$", f.name)]
    found = {int(f.name[:4]): f.read_text("utf-8") for f in texts}
    return dict(sorted(found.items()))


def version(connection: Connection) -> int:
    """Return the number of the last migration that a database has; 0 for a new file."""
    return connection.execute("PRAGMA user_version").fetchone()[0]


def upgrade(connection: Connection, steps: dict[int, str] | None = None) -> tuple[int, int]:
    """Apply what is missing, each migration in a transaction; return the versions before and after.

    Raises `StoreUnusable` when the database is newer than this code.
    """
    steps = migrations() if steps is None else steps
    before, newest = version(connection), max(steps)
    if before > newest:
        raise StoreUnusable(
            f"The database has schema {before}; this askback knows up to {newest}. Install a newer askback."
        )
    for number in range(before + 1, newest + 1):
        _apply(connection, steps[number], number)
    return before, newest


def _apply(connection: Connection, script: str, number: int) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in _statements(script):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _statements(script: str) -> Iterator[str]:
    """Split a script, because `executescript` would commit the transaction around it."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
