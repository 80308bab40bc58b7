"""Transactions on which the areas of the store run their SQL, and the database that begins them.

The SQL is that of Postgres, with `$1` for a parameter; `storage.sqlite.dialect` rewrites it for SQLite. A statement
that takes a column of rows at once has an array for each column there (`unnest`, or `= ANY` for a single key): Postgres
runs it once for all rows, SQLite once for each row.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Protocol, TypeVar

from askback.domain.audit import seal_entry
from askback.domain.events import EventDraft
from askback.errors import Unavailable
from askback.ports.audit import AuditHead, HeadSeals
from askback.ports.policy import NOTHING, AuditDraft, SideEffects
from askback.storage.rows import Row


class Sealing:
    """Appends to audit chains. There is one for each store, shared by its writing connections."""

    def __init__(self) -> None:
        self.seals: HeadSeals | None = None

    def append(self, head: AuditHead, drafts: list[AuditDraft]) -> tuple[list[str], AuditHead]:
        """Return entries after a head, as texts, and the new head. Raises `ValueError` for an invalid entry."""
        seq, previous_hash, entries = head.seq, head.hash, list[str]()
        for draft in drafts:
            seq += 1
            entry, previous_hash = seal_entry(draft.data, seq=seq, previous_hash=previous_hash)
            entries.append(entry)
        new_head = AuditHead(head.tenant, seq, previous_hash, head.seal)
        if self.seals is not None:
            new_head = AuditHead(head.tenant, seq, previous_hash, self.seals.follow(head, new_head))
        return entries, new_head


T = TypeVar("T")


class Transaction(Protocol):
    """Statements that are committed together, or not at all. On SQLite none of these coroutines ever suspends."""

    @property
    def sealing(self) -> Sealing:
        """What seals the audit log."""
        ...

    async def one(self, sql: str, /, *values: Any) -> Row | None:
        """Run a statement and return its first row."""
        ...

    async def all(self, sql: str, /, *values: Any) -> Sequence[Row]:
        """Run a statement and return its rows."""
        ...

    async def run(self, sql: str, /, *values: Any) -> None:
        """Run a statement that returns nothing."""
        ...

    async def many(self, sql: str, rows: Sequence[Sequence[Any]], /) -> None:
        """Run a statement of columns for some rows, which may be none."""
        ...

    async def write(self, effects: SideEffects, /) -> None:
        """Write side effects; raises `IdTaken`, `VersionTaken`, and `ValueError` for an entry that cannot be sealed."""
        ...


Operation = Callable[[Transaction], Coroutine[Any, Any, T]]
"""Reads and changes rows within one transaction, and may run again after that was undone."""


ThreadOperation = Callable[[Transaction, int], Coroutine[Any, Any, tuple[T, str]]]
"""Changes a thread, by its key, within a transaction; returns a result and the data of the thread's event."""


class NoChange(Exception):
    """A `ThreadOperation` changes nothing; `result` is its result."""

    def __init__(self, result: Any) -> None:
        super().__init__(result)
        self.result = result


class Database(Protocol):
    """Where the store's areas read and write. A read sees every commit that returned before it began."""

    def can_store(self, text: str) -> bool:
        """Return whether the database can hold a text; a text that it cannot hold is in no row."""
        ...

    async def find(self, sql: str, /, *key: str) -> Row | None:
        """Read one row by its key, with a statement of columns whose first columns are the key.

        On Postgres reads of several callers share a query.
        """
        ...

    async def row(self, sql: str, /, *values: Any) -> Row | None:
        """Read the first row of a query that an index answers immediately."""
        ...

    async def rows(self, sql: str, /, *values: Any) -> Sequence[Row]:
        """Read a few rows, by their keys."""
        ...

    async def page(self, sql: str, /, *values: Any) -> Sequence[Row]:
        """Read many rows."""
        ...

    async def snapshot(self, operation: Operation[T], /) -> T:
        """Let all reads of an operation see the same state."""
        ...

    async def change(
        self, operation: Operation[T], effects: SideEffects = NOTHING, /, *, erases: bool = False
    ) -> T:
        """Commit the changes of an operation; with `erases`, erased data must not stay in any file.

        `effects` are side effects that the operation may write; it decides whether it does.
        """
        ...

    async def change_thread(
        self, event: EventDraft, operation: ThreadOperation[T], /, *, new: bool = True
    ) -> T:
        """Commit the changes of an operation in a thread, with the thread's event; returns its result.

        The thread is locked, and made if need be. Raises `ThreadOfAnother`, and `ThreadArchived` for something `new`.
        """
        ...


class Area:
    """A part of the `Store` port that is the same on each database."""

    _db: Database

    async def _apply(self, sql: str, *values: Any, effects: SideEffects, erases: bool = False) -> Row | None:
        """Run a statement that returns a row if it changed something, and write side effects only then."""

        async def apply(tx: Transaction) -> Row | None:
            row = await tx.one(sql, *values)
            if row is not None:
                await tx.write(effects)
            return row

        return await self._db.change(apply, effects, erases=erases)


def closed_error() -> Unavailable:
    """Return the error of a closed store."""
    return Unavailable("The store is closed.", retry_after=1)
