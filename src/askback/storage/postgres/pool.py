"""A pool of connections for reads, and for changes that write no event."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import asyncpg

from askback.errors import Unavailable
from askback.storage.postgres.connection import (
    Connection,
    Database,
    is_retryable,
    refused_by_database,
    unavailable,
)
from askback.storage.postgres.liveness import TRANSACTION_TIMEOUT
from askback.storage.postgres.transactions import single_statement, snapshot, transaction
from askback.storage.rows import Row
from askback.storage.sql.transaction import closed_error

if TYPE_CHECKING:
    from asyncpg import Record
    from asyncpg.pool import Pool as AsyncpgPool

T = TypeVar("T")
Operation = Callable[[Connection], Awaitable[T]]
"""Reads and changes rows within one transaction, and may run again after that was undone."""

SIZE = 9
MAX_TRIES = 5
MAINTENANCE_S = 3_600.0


class Pool:
    """Connections for reads and small changes. A read sees every commit that returned before it began."""

    def __init__(self, database: Database, *, size: int = SIZE, **settings: str) -> None:
        self._database = database
        self._size = size
        self._settings = settings
        self._pool: AsyncpgPool[Record] | None = None
        self._changes: set[asyncio.Task[Any]] = set()
        self.sealing = database.sealing

    async def open(self) -> None:
        """Open the first connection; the others open when they are needed."""
        self._pool = self._database.pool(self._size, **self._settings)
        await self._pool

    async def close(self) -> None:
        """Let running calls finish, then close every connection."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await asyncio.gather(*self._changes, return_exceptions=True)
            await pool.close()

    async def rows(self, sql: str, *parameters: Any) -> Sequence[Row]:
        """Read rows; none when a parameter has a character that Postgres cannot keep, and so nothing has."""
        try:
            return await self._read_with_retry(lambda db: db.fetch(sql, *parameters))
        except asyncpg.CharacterNotInRepertoireError:
            return []

    async def row(self, sql: str, *parameters: Any) -> Row | None:
        """Read the first row."""
        results = await self.rows(sql, *parameters)
        return results[0] if results else None

    @asynccontextmanager
    async def snapshot(self) -> AsyncGenerator[Connection]:
        """Let all reads of the block see the same state."""
        async with self._use_connection() as db, snapshot(db):
            yield db

    async def change(self, operation: Operation[T], *, single: bool = False) -> T:
        """Run an operation as a transaction; a caller that leaves meanwhile leaves it to end by itself.

        A `single` statement commits itself, which saves two calls.
        """
        if self._pool is None:
            raise closed_error()
        task = asyncio.get_running_loop().create_task(self._change(operation, single=single))
        self._changes.add(task)
        task.add_done_callback(self._on_change_done)
        return await asyncio.shield(task)

    async def maintain(self, sql: str) -> None:
        """Run a statement that is no transaction and may take long; raises `Unavailable`."""
        async with self._use_connection() as db:
            await db.execute("SET statement_timeout = 0")
            await db.execute(TRANSACTION_TIMEOUT.format(0))
            try:
                await db.execute(sql, timeout=MAINTENANCE_S)
            finally:
                await db.execute("RESET statement_timeout")
                await db.execute(TRANSACTION_TIMEOUT.format(self._database.patience.transaction))

    def _on_change_done(self, task: asyncio.Task[Any]) -> None:
        self._changes.discard(task)
        if not task.cancelled():
            task.exception()  # seen, also when the caller has left

    async def _change(self, operation: Operation[T], *, single: bool) -> T:
        for tries_left in reversed(range(MAX_TRIES)):
            try:
                async with self._use_connection() as db, single_statement() if single else transaction(db):
                    result = await operation(db)
            except asyncpg.PostgresError as error:
                if not is_retryable(error):
                    raise
                if not tries_left:
                    raise unavailable(error) from error
            else:
                return result
        raise AssertionError("the last try returns or raises")

    async def _read_with_retry(self, operation: Operation[T]) -> T:
        """Read, and retry once on another connection if the connection is lost.

        A database that took too long is not asked again: the caller has already waited for the whole timeout.
        """
        try:
            async with self._use_connection() as db:
                return await operation(db)
        except Unavailable as error:
            if isinstance(error.__cause__, TimeoutError | asyncpg.QueryCanceledError):
                raise
        async with self._use_connection() as db:
            return await operation(db)

    @asynccontextmanager
    async def _use_connection(self) -> AsyncGenerator[Connection]:
        if self._pool is None:
            raise closed_error()
        try:
            async with self._pool.acquire(timeout=self._database.patience.connect / 1000) as db:
                try:
                    yield db
                except TimeoutError:
                    db.terminate()  # or the pool would wait for what it has asked to be cancelled
                    raise
        except Exception as error:
            if refused_by_database(error):
                raise unavailable(error) from error
            raise
