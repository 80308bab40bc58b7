"""Transactions and reads on SQLite for the areas of `storage.sql`.

SQLite answers immediately, so no coroutine of an area ever suspends: `run_to_end` takes one step, on the writer
thread, on a reader's thread or on the event loop.
"""

from __future__ import annotations

import json
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from askback.domain.events import Event, EventDraft
from askback.ports.policy import NOTHING, SideEffects
from askback.storage.rows import Row
from askback.storage.sql.side_effects import erases as erases_texts
from askback.storage.sql.side_effects import write_side_effects
from askback.storage.sql.transaction import NoChange, Operation, Sealing, ThreadOperation
from askback.storage.sqlite.connection import Connection, WriterConnection
from askback.storage.sqlite.dialect import rewrite, rewrite_for_row
from askback.storage.sqlite.log import append, next_seq
from askback.storage.sqlite.readers import Readers
from askback.storage.sqlite.writer import Writer

T = TypeVar("T")


class SqliteTransaction:
    """The open transaction of a connection."""

    __slots__ = ("_db",)

    def __init__(self, db: Connection) -> None:
        self._db = db

    @property
    def sealing(self) -> Sealing:
        """What seals the audit log."""
        assert isinstance(self._db, WriterConnection), "only the writer's connection appends"
        return self._db.sealing

    async def one(self, sql: str, /, *values: Any) -> Row | None:
        """Run a statement and return its first row."""
        return self._db.execute(rewrite(sql), _bound(values)).fetchone()

    async def all(self, sql: str, /, *values: Any) -> Sequence[Row]:
        """Run a statement and return its rows."""
        return self._db.execute(rewrite(sql), _bound(values)).fetchall()

    async def run(self, sql: str, /, *values: Any) -> None:
        """Run a statement that returns nothing."""
        self._db.execute(rewrite(sql), _bound(values))

    async def many(self, sql: str, rows: Sequence[Sequence[Any]], /) -> None:
        """Run a statement for some rows."""
        text = rewrite_for_row(sql)
        for row in rows:
            self._db.execute(text, row)

    async def write(self, effects: SideEffects, /) -> None:
        """Write side effects."""
        await write_side_effects(self, effects)


class SqliteDatabase:
    """Point reads on the event loop, pages on a reader's thread, changes on the writer thread."""

    def __init__(self, writer: Writer, readers: Readers) -> None:
        self._writer = writer
        self._readers = readers

    def can_store(self, text: str) -> bool:  # noqa: ARG002 - the port
        """SQLite holds any text."""
        return True

    async def find(self, sql: str, /, *key: str) -> Row | None:
        """Read one row by its key."""
        text = rewrite_for_row(sql)
        return self._readers.point(lambda db: db.execute(text, key).fetchone())

    async def row(self, sql: str, /, *values: Any) -> Row | None:
        """Read the first row of a query that an index answers immediately."""
        text, bound = rewrite(sql), _bound(values)
        return self._readers.point(lambda db: db.execute(text, bound).fetchone())

    async def rows(self, sql: str, /, *values: Any) -> Sequence[Row]:
        """Read a few rows, by their keys."""
        text, bound = rewrite(sql), _bound(values)
        return self._readers.point(lambda db: db.execute(text, bound).fetchall())

    async def page(self, sql: str, /, *values: Any) -> Sequence[Row]:
        """Read many rows."""
        text, bound = rewrite(sql), _bound(values)
        return await self._readers.page(lambda db: db.execute(text, bound).fetchall())

    async def snapshot(self, operation: Operation[T], /) -> T:
        """Let all reads of an operation see the same state."""
        return await self._readers.page(partial(_read_at_once, operation))

    async def change(
        self, operation: Operation[T], effects: SideEffects = NOTHING, /, *, erases: bool = False
    ) -> T:
        """Run an operation on the writer, and leave nothing in the file of what that erases."""
        return await self._writer.submit(
            lambda db, _: run_to_end(operation(SqliteTransaction(db))),
            erases=erases or erases_texts(effects),
            outdates=True,
        )

    async def change_thread(
        self, event: EventDraft, operation: ThreadOperation[T], /, *, new: bool = True
    ) -> T:
        """Run an operation on the writer in a thread."""

        def change(db: Connection, events: list[Event]) -> T:
            slot = next_seq(db, event, new=new)
            result, data = run_to_end(operation(SqliteTransaction(db), slot.thread))
            append(db, events, replace(event, data=data), slot)
            return result

        try:
            return await self._writer.submit(change, outdates=True)
        except NoChange as error:
            return error.result


def run_side_effects(db: Connection, effects: SideEffects) -> None:
    """Write the side effects of a change within its transaction."""
    if effects is not NOTHING:
        run_to_end(write_side_effects(SqliteTransaction(db), effects))


def run_to_end(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that never suspends, and return its result."""
    try:
        coroutine.send(None)
    except StopIteration as error:
        return error.value
    coroutine.close()
    raise AssertionError("nothing waits within a transaction of SQLite")


def _bound(values: Sequence[Any]) -> Sequence[Any]:
    """Return values as SQLite takes them: an array is a JSON array."""
    for value in values:
        if isinstance(value, list):
            return [json.dumps(item) if isinstance(item, list) else item for item in values]
    return values


def _read_at_once(operation: Operation[T], db: Connection) -> T:
    """Run the reads of an operation within a transaction, which shows them the same state."""
    db.execute("BEGIN")
    try:
        return run_to_end(operation(SqliteTransaction(db)))
    finally:
        db.execute("ROLLBACK")
