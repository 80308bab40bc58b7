"""One transaction: all of it, or nothing, or the admission that nobody knows."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import asyncpg

from askback.storage.postgres.connection import Connection, refused_by_database, unavailable, unknown_outcome

# Explicit, whatever the database is set to. Rows that decide are locked or compared, so that nothing depends on more.
_BEGIN_READ_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
NOT_COMMITTED = frozenset({"25", "53", "55"})
"""Classes of SQLSTATE that end a statement before its commit: read-only, out of resources, locks."""


@asynccontextmanager
async def transaction(db: Connection) -> AsyncGenerator[None]:
    """Commit the writes of the block, unless it raises.

    Raises `Unavailable` when the database cannot be used, even if the outcome of the commit is unknown.
    """
    async with _roll_back_on_error(db):
        await db.execute(_BEGIN_READ_WRITE)
        yield
    try:
        # A transaction that failed before answers a COMMIT with its rollback, and not with an error.
        commit_status = await db.execute("COMMIT")
    except BaseException as error:
        db.terminate()
        if refused_by_database(error):
            raise unknown_outcome(error) from error
        raise
    assert commit_status == "COMMIT", "an error of a statement was passed over"


@asynccontextmanager
async def single_statement() -> AsyncGenerator[None]:
    """Run one statement, which commits itself.

    Raises `Unavailable` when the database cannot be used, also when the outcome of the commit is unknown: only an
    error of the statement itself says that nothing was stored.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, asyncpg.PostgresError) and (error.sqlstate or "")[:2] in NOT_COMMITTED:
            raise unavailable(error) from error
        if refused_by_database(error):
            raise unknown_outcome(error) from error
        raise


@asynccontextmanager
async def snapshot(db: Connection) -> AsyncGenerator[None]:
    """Let all reads of the block see the same state."""
    async with _roll_back_on_error(db):
        try:
            await db.execute(_SNAPSHOT)
        except asyncpg.ActiveSQLTransactionError:
            # The previous caller was cancelled between preparing a statement and running it, which left Postgres in
            # an implicit transaction until this error.
            await db.execute(_SNAPSHOT)
        yield
        await db.execute("COMMIT")


@asynccontextmanager
async def _roll_back_on_error(db: Connection) -> AsyncGenerator[None]:
    try:
        yield
    except BaseException as error:
        if isinstance(error, TimeoutError):
            db.terminate()  # a server that did not answer this will not answer a rollback
        else:
            await _roll_back(db)
        if refused_by_database(error):
            raise unavailable(error) from error
        raise


async def _roll_back(db: Connection) -> None:
    """Undo, or else hang up: Postgres undoes what its client left."""
    try:
        with contextlib.suppress(Exception):
            await db.execute("ROLLBACK")
            return
    except BaseException:
        db.terminate()
        raise
    db.terminate()
