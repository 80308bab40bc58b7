"""Numbered migrations, applied in order, forward only; `user_version` says how far a file has come."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from askback.errors import StoreUnusable
from askback.storage.sqlite.connection import Connection

_COLUMNS = """
SELECT t.name || '.' || c.name FROM sqlite_master AS t JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table'"""


@cache
def migrations() -> Mapping[int, str]:
    """Return the SQL of each migration by its number: `0001_first.sql` is 1."""
    folder = files("askback.storage.sqlite") / "migrations"
    texts = [f for f in folder.iterdir() if re.match(r"\d{4}_.*\.sql$", f.name)]
    scripts = {int(f.name[:4]): f.read_text("utf-8") for f in texts}
    return MappingProxyType(dict(sorted(scripts.items())))


def version(connection: Connection) -> int:
    """Return the number of the last migration that a database has; 0 for a new file."""
    return connection.execute("PRAGMA user_version").fetchone()[0]


def upgrade(connection: Connection, steps: Mapping[int, str] | None = None) -> tuple[int, int]:
    """Apply missing migrations, each in a transaction; return the versions before and after.

    Raises `StoreUnusable` when the database is newer than this code, or no release wrote it.
    """
    steps = migrations() if steps is None else steps
    old_version, newest = version(connection), max(steps)
    if old_version > newest:
        raise StoreUnusable(
            f"The database has schema {old_version}; this askback supports up to {newest}. Install a newer version."
        )
    _require_known(connection, old_version, steps)
    for number in range(old_version + 1, newest + 1):
        _apply(connection, steps[number], number)
    return old_version, newest


def require_newest(connection: Connection, problem: str) -> None:
    """Raise `StoreUnusable` unless the database has the newest schema; `problem` says why it cannot be upgraded now."""
    version_now, steps = version(connection), migrations()
    if version_now < max(steps):
        raise StoreUnusable(
            f"The database has schema {version_now} and has to be upgraded to {max(steps)}, which is not possible now "
            f"({problem}). Make room or make the disk writable, and start again."
        )
    upgrade(connection, steps)


def _require_known(connection: Connection, old_version: int, steps: Mapping[int, str]) -> None:
    """Raise `StoreUnusable` unless the database has every column of its schema.

    Before 2026-11-21 the first migration was edited in place: those databases have other tables under the same number.
    """
    expected_columns = _columns_made_by(tuple(steps[number] for number in range(1, old_version + 1)))
    if missing_columns := sorted(expected_columns - _columns(connection)):
        raise StoreUnusable(
            f"The database has schema {old_version} without {', '.join(missing_columns)}: a development version of "
            "askback wrote it, and it cannot be upgraded. Nothing was changed. Use the version that wrote it, or start "
            "with another folder (ASKBACK_DATA_DIR)."
        )


@cache
def _columns_made_by(scripts: tuple[str, ...]) -> frozenset[str]:
    """Return the columns that migrations make. To apply them all takes longer than to open a database."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        for number, script in enumerate(scripts, 1):
            _apply(database, script, number)
        return _columns(database)


def _columns(connection: Connection) -> frozenset[str]:
    return frozenset(name for (name,) in connection.execute(_COLUMNS).fetchall())


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
