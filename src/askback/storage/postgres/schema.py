"""Numbered migrations, applied in order, forward only; the table `schema_version` says how far a database has come.

Servers may start concurrently, while the previous version of askback is serving: each migration is a transaction
under a lock, waits for tables no longer than a few seconds, and only adds to the schema; a later
release removes unused parts. Once it has its locks, a migration may take up to an hour.
"""

from __future__ import annotations

import re
from importlib.resources import files

from askback.errors import StoreUnusable
from askback.storage.postgres.connection import SCHEMA, Connection
from askback.storage.postgres.liveness import TRANSACTION_TIMEOUT
from askback.storage.postgres.transactions import transaction

_LOCK = 0x61736B6261636B
"""The key of the advisory lock: "askback"."""

LONGEST_S = 3_600.0
"""The time limit of one migration."""

_EXISTS = "SELECT to_regnamespace($1) IS NOT NULL"
_TABLE = "CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)"


def migrations() -> dict[int, str]:
    """Return the SQL of each migration by its number: `0001_first.sql` is 1."""
    folder = files("askback.storage.postgres") / "migrations"
    texts = [f for f in folder.iterdir() if re.match(r"\d{4}_.*\.sql$", f.name)]
    scripts = {int(f.name[:4]): f.read_text("utf-8") for f in texts}
    return dict(sorted(scripts.items()))


async def upgrade(db: Connection, steps: dict[int, str] | None = None) -> tuple[int, int]:
    """Apply missing migrations, on a connection for this alone; return the versions before and after.

    Raises `StoreUnusable` when the database is newer than this code, or not in UTF-8.
    """
    steps = migrations() if steps is None else steps
    if (encoding := await db.fetchval("SHOW server_encoding")) != "UTF8":
        raise StoreUnusable(f"The database is encoded in {encoding}; askback needs one in UTF8.")
    await db.execute("SET statement_timeout = 0")
    await db.execute(TRANSACTION_TIMEOUT.format(0))
    old_version = version = await _lock_and_read_version(db)
    newest = max(steps)
    if old_version > newest:
        raise StoreUnusable(
            f"The database has schema {old_version}; this askback supports up to {newest}. Install a newer version."
        )
    while version < newest:
        version = await _apply_next(db, steps)
    return old_version, newest


async def _lock_and_read_version(db: Connection) -> int:
    async with transaction(db):
        await _lock(db)
        # Checked first: a user without the right to make a schema can use one that exists.
        if not await db.fetchval(_EXISTS, SCHEMA):
            await db.execute(f"CREATE SCHEMA {SCHEMA}")
        await db.execute(_TABLE)
        return await _version(db)


async def _apply_next(db: Connection, steps: dict[int, str]) -> int:
    """Apply one migration, or find that another server has; return the version then."""
    async with transaction(db):
        await _lock(db)
        version = await _version(db)
        if version >= max(steps):
            return version
        await db.execute(steps[version + 1], timeout=LONGEST_S)
        await db.execute("DELETE FROM schema_version")
        await db.execute("INSERT INTO schema_version (version) VALUES ($1)", version + 1)
        return version + 1


async def _lock(db: Connection) -> None:
    await db.execute("SELECT pg_advisory_xact_lock($1)", _LOCK)


async def _version(db: Connection) -> int:
    return await db.fetchval("SELECT coalesce(max(version), 0) FROM schema_version")
