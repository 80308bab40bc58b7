"""The writer groups waiting changes, isolates failures, and never acknowledges before the commit."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from askback.domain.events import Event
from askback.errors import Unavailable
from askback.storage.sqlite.connection import Connection
from askback.storage.sqlite.writer import LARGEST_GROUP, Operation, Writer

Submit = Callable[[Operation[object]], "asyncio.Future[object]"]


class Bench:
    """A writer on one table, and the statements that it ran."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.statements: list[str] = []
        self.heard: list[list[Event]] = []
        self.writer = Writer(self._connect, on_commit=lambda events: self.heard.append(list(events)))

    def _connect(self) -> Connection:
        connection = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("CREATE TABLE IF NOT EXISTS t (x INTEGER PRIMARY KEY) STRICT")
        connection.set_trace_callback(self.statements.append)
        return connection

    def rows(self) -> list[int]:
        with sqlite3.connect(self.path) as db:
            return [x for (x,) in db.execute("SELECT x FROM t ORDER BY x")]

    def commits(self) -> int:
        return self.statements.count("COMMIT")


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    bench = Bench(tmp_path / "w.db")
    await bench.writer.start()
    yield bench
    await bench.writer.close()


def add(*values: int) -> Operation[int]:
    def operation(db: Connection, events: list[Event]) -> int:
        for value in values:
            db.execute("INSERT INTO t VALUES (?)", (value,))
            events.append(Event("message.added", "main", "t1", value, value, None, settles=False, text="{}"))
        return sum(values)

    return operation


async def test_operations_that_wait_share_one_commit(bench: Bench) -> None:
    results = await asyncio.gather(*(bench.writer.submit(add(n)) for n in range(1200)))
    assert results == list(range(1200))
    assert 1200 / LARGEST_GROUP <= bench.commits() < 100
    assert [e.position for group in bench.heard for e in group] == list(range(1200))
    assert len(bench.heard) == bench.commits()


async def test_an_operation_that_fails_half_way_is_undone_alone(bench: Bench) -> None:
    await bench.writer.submit(add(5))
    outcomes = await asyncio.gather(
        *(bench.writer.submit(op) for op in (add(1), add(2, 5), add(3), add(5), add(4))),
        return_exceptions=True,
    )
    assert [type(o) for o in outcomes] == [int, sqlite3.IntegrityError, int, sqlite3.IntegrityError, int]
    assert bench.rows() == [1, 3, 4, 5]
    assert [e.position for group in bench.heard for e in group] == [5, 1, 3, 4]


@pytest.mark.parametrize(
    "statement",
    ["UPDATE t SET x = 70 WHERE x = 7", "DELETE FROM t", "INSERT INTO t VALUES (8) RETURNING x", "REPLACE INTO t VALUES (7)",
     "INSERT INTO t VALUES (7) ON CONFLICT DO UPDATE SET x = 71"],
)  # fmt: skip
async def test_every_kind_of_change_is_undone_when_its_operation_fails(bench: Bench, statement: str) -> None:
    def fail(db: Connection, _: list[Event]) -> None:
        db.execute(statement).fetchall()
        raise LookupError("after a change")

    await bench.writer.submit(add(7))
    outcomes = await asyncio.gather(
        *(bench.writer.submit(op) for op in (add(1), fail, add(2))), return_exceptions=True
    )
    assert [type(o) for o in outcomes] == [int, LookupError, int]
    assert bench.rows() == [1, 2, 7]


async def test_a_failure_before_any_change_costs_the_group_nothing(bench: Bench) -> None:
    def refuse(db: Connection, events: list[Event]) -> None:
        raise LookupError

    outcomes = await asyncio.gather(
        *(bench.writer.submit(op) for op in (add(1), refuse, add(2))), return_exceptions=True
    )
    assert [type(o) for o in outcomes] == [int, LookupError, int]
    assert not [
        statement for statement in bench.statements if statement.startswith(("ROLLBACK", "SAVEPOINT"))
    ]


async def test_a_wrong_statement_fails_alone(bench: Bench) -> None:
    outcomes = await asyncio.gather(
        *(bench.writer.submit(op) for op in (add(1), lambda db, _: db.execute("SELEKT"), add(2))),
        return_exceptions=True,
    )
    assert [type(o) for o in outcomes] == [int, sqlite3.OperationalError, int]


class Gate:
    """An operation that blocks the writer until it is released."""

    def __init__(self, bench: Bench) -> None:
        self._reached, self._go = threading.Event(), threading.Event()
        self.future = bench.writer.submit(self._hold)

    @classmethod
    async def closed(cls, bench: Bench) -> Gate:
        """Return one that the writer has reached."""
        gate = cls(bench)
        assert await asyncio.to_thread(gate._reached.wait, 10)
        return gate

    def _hold(self, db: Connection, events: list[Event]) -> None:
        self._reached.set()
        assert self._go.wait(120)

    def open(self) -> None:
        self._go.set()


async def test_a_caller_that_left_before_its_group_began_takes_its_operation_along(bench: Bench) -> None:
    gate = await Gate.closed(bench)
    calls = [bench.writer.submit(add(n)) for n in range(10)]
    for future in calls[::2]:
        future.cancel()
    gate.open()
    await asyncio.gather(gate.future, *calls[1::2])
    assert bench.rows() == [1, 3, 5, 7, 9]


async def test_a_caller_that_leaves_while_its_group_is_written_is_not_missed(bench: Bench) -> None:
    gate = await Gate.closed(bench)
    gate.future.cancel()
    gate.open()
    assert await bench.writer.submit(add(1)) == 1
    assert bench.rows() == [1]


async def test_closing_finishes_pending_work(bench: Bench) -> None:
    gate = await Gate.closed(bench)
    calls = [bench.writer.submit(add(n)) for n in range(LARGEST_GROUP + 5)]
    closing = asyncio.ensure_future(bench.writer.close())
    await asyncio.sleep(0)
    gate.open()
    await closing
    assert await asyncio.gather(*calls) == list(range(LARGEST_GROUP + 5))
    assert len(bench.rows()) == LARGEST_GROUP + 5


async def test_a_commit_that_fails_is_rolled_back_and_the_next_one_works(bench: Bench) -> None:
    def write_orphan(db: Connection, _: list[Event]) -> None:
        db.execute("CREATE TABLE c (x REFERENCES t (x) DEFERRABLE INITIALLY DEFERRED)")
        db.execute("PRAGMA defer_foreign_keys = ON")
        db.execute("INSERT INTO c VALUES (404)")

    gate = await Gate.closed(bench)
    calls = [bench.writer.submit(op) for op in (add(1), write_orphan, add(2))]
    gate.open()
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(o) for o in outcomes] == [Unavailable] * 3
    assert await bench.writer.submit(add(3)) == 3
    assert bench.rows() == [3]
    assert [e.position for group in bench.heard for e in group] == [3]


async def test_a_disk_that_cannot_be_read_fails_the_whole_group(bench: Bench) -> None:
    def raise_disk_error(db: Connection, _: list[Event]) -> None:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR_READ
        raise error

    gate = await Gate.closed(bench)
    calls = [bench.writer.submit(op) for op in (add(1), raise_disk_error, add(2))]
    gate.open()
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(o) for o in outcomes] == [Unavailable] * 3
    assert bench.rows() == []


async def test_an_error_that_ends_the_transaction_fails_the_whole_group(bench: Bench) -> None:
    def end(db: Connection, _: list[Event]) -> None:
        db.execute("INSERT OR ROLLBACK INTO t VALUES (7)")

    await bench.writer.submit(add(7))
    gate = await Gate.closed(bench)
    calls = [bench.writer.submit(op) for op in (add(1), end, add(2))]
    gate.open()
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(o) for o in outcomes] == [Unavailable] * 3
    assert bench.rows() == [7]


async def test_a_writer_that_cannot_connect_says_why(tmp_path: Path) -> None:
    def connect() -> Connection:
        raise sqlite3.OperationalError("no such disk")

    writer = Writer(connect)
    with pytest.raises(sqlite3.OperationalError, match="no such disk"):
        await writer.start()
    with pytest.raises(Unavailable):
        writer.submit(add(1))
    await writer.close()
