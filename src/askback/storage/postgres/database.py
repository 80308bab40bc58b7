"""Transactions and reads on Postgres for the areas of `storage.sql`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from askback.domain.events import EventDraft
from askback.ports.policy import NOTHING, SideEffects
from askback.storage.postgres.batch_loader import BatchLoader, Key
from askback.storage.postgres.connection import Connection, sealing_of
from askback.storage.postgres.key_reader import KeyReader
from askback.storage.postgres.pool import Pool
from askback.storage.rows import Row
from askback.storage.sql.side_effects import write_side_effects
from askback.storage.sql.transaction import NoChange, Operation, Sealing, ThreadOperation

T = TypeVar("T")
WriteThread = Callable[[EventDraft, ThreadOperation[Any], bool], Awaitable[Any]]
"""How the writer does an operation in a thread, which is something new there or not."""


class PostgresTransaction:
    """The open transaction of a connection."""

    __slots__ = ("_db",)

    def __init__(self, db: Connection) -> None:
        self._db = db

    @property
    def sealing(self) -> Sealing:
        """What seals the audit log."""
        return sealing_of(self._db)

    async def one(self, sql: str, /, *values: Any) -> Row | None:
        """Run a statement and return its first row."""
        return await self._db.fetchrow(sql, *values)

    async def all(self, sql: str, /, *values: Any) -> Sequence[Row]:
        """Run a statement and return its rows."""
        return await self._db.fetch(sql, *values)

    async def run(self, sql: str, /, *values: Any) -> None:
        """Run a statement that returns nothing."""
        await self._db.execute(sql, *values)

    async def many(self, sql: str, rows: Sequence[Sequence[Any]], /) -> None:
        """Run a statement once for all rows, with an array for each column."""
        if rows:
            await self._db.execute(sql, *map(list, zip(*rows, strict=True)))

    async def write(self, effects: SideEffects, /) -> None:
        """Write side effects."""
        await write_side_effects(self, effects)


class PostgresDatabase:
    """Reads and changes on connections from the pool; rows are found by their keys with `by_key`."""

    def __init__(self, pool: Pool, by_key: KeyReader, write: WriteThread) -> None:
        self._pool = pool
        self._write = write
        self._by_key = by_key
        self._loaders: dict[str, BatchLoader[Row]] = {}
        self.row = pool.row
        self.rows = pool.rows

    def can_store(self, text: str) -> bool:
        """Postgres holds any text without NUL."""
        return "\0" not in text

    async def find(self, sql: str, /, *key: str) -> Row | None:
        """Read one row by its key, in one query with the reads of other callers."""
        if sql not in self._loaders:
            self._loaders[sql] = BatchLoader(lambda keys: self._find_all(sql, keys))
        return await self._loaders[sql](*key)

    async def _find_all(self, sql: str, keys: Sequence[Key]) -> Mapping[Key, Row]:
        results = await self._by_key.rows(sql, *map(list, zip(*keys, strict=True)))
        return {tuple(row[: len(keys[0])]): row for row in results}

    async def page(self, sql: str, /, *values: Any) -> Sequence[Row]:
        """Read many rows; none where a filter is a text that no row can have."""
        if not all(self.can_store(value) for value in values if isinstance(value, str)):
            return []
        return await self._pool.rows(sql, *values)

    async def snapshot(self, operation: Operation[T], /) -> T:
        """Let all reads of an operation see the same state."""
        async with self._pool.snapshot() as db:
            return await operation(PostgresTransaction(db))

    async def change(
        self,
        operation: Operation[T],
        effects: SideEffects = NOTHING,  # noqa: ARG002 - the port
        /,
        *,
        erases: bool = False,  # noqa: ARG002 - the port
    ) -> T:
        """Run an operation as a transaction."""
        return await self._pool.change(lambda db: operation(PostgresTransaction(db)))

    async def change_thread(
        self, event: EventDraft, operation: ThreadOperation[T], /, *, new: bool = True
    ) -> T:
        """Run an operation on the writer in a thread."""
        try:
            return await self._write(event, operation, new)
        except NoChange as error:
            return error.result
