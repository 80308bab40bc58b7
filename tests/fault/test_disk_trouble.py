"""A full or failing disk: nothing is acknowledged that was not stored, and the store recovers automatically."""

import asyncio
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import anyio
import apsw
import pytest

from askback.errors import StoreUnusable, Unavailable
from askback.ports.outcome import Outcome
from askback.storage.sqlite import SqliteStore
from askback.storage.sqlite.connection import Connection, connect
from tests.contracts.samples import answer, claim, record, request_created, request_id
from tests.fault.power_trial import check_file
from tests.fault.power_vfs import Disk, DiskIsFull

pytestmark = pytest.mark.fault


class DiskFails(apsw.IOError):
    """The error of a failing disk at a write or a sync."""

    extendedresult = apsw.SQLITE_IOERR_FSYNC


@pytest.fixture
def path() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "askback.db"


class Trouble:
    """Fails the n-th change of the disk from now on, and those after it while it lasts."""

    def __init__(self, error: type[apsw.Error], *, failing_step: int, lasting: int) -> None:
        self.error, self.failing_step, self.lasting = error, failing_step, lasting
        self.start = 10**9

    def __call__(self, disk: Disk) -> None:
        if self.start + self.failing_step <= disk.steps < self.start + self.failing_step + self.lasting:
            raise self.error("trouble")


def without_checkpoints(disk: Disk, path: Path) -> Connection:
    """A failing checkpoint does not fail a commit: it is retried. apsw would still raise it."""
    return disk.connect(path, "wal_autocheckpoint = 0")


@pytest.mark.parametrize("error", [DiskIsFull, DiskFails])
@pytest.mark.parametrize("lasting", [1, 5])
async def test_trouble_at_any_write_is_unavailable_and_leaves_no_trace(
    path: Path, error: type[apsw.Error], lasting: int
) -> None:
    trouble = Trouble(error, failing_step=0, lasting=lasting)
    disk = Disk(on_write=trouble)
    store = SqliteStore(path, connect=lambda database_path: without_checkpoints(disk, database_path))
    stored: set[str] = set()
    with anyio.fail_after(120):
        await store.open()
        refusal_count = 0
        for n in range(1, 60):
            row, first_step = record(n), disk.steps
            trouble.start, trouble.failing_step = first_step, n
            try:
                await store.insert(row, request_created(row), claim(row.id))
                stored.add(row.id)
            except Unavailable as failure:
                refusal_count += 1
                assert failure.retry_after  # noqa: PT017 - which inserts fail is not the same each time
                assert await store.get("main", row.id) is None
            trouble.start = 10**9
        assert 20 < refusal_count < 59
        last = record(99)
        assert (await store.insert(last, request_created(last))).outcome is Outcome.APPLIED
        await store.close()
    disk.close()
    check_file(path)
    store = SqliteStore(path)
    await store.open()
    events = await store.thread_events("main", "t1", after=0)
    assert {event.request_id for event in events} == stored | {last.id}
    assert [e.seq for e in events] == list(range(1, len(stored) + 2))
    await store.close()


async def test_a_group_on_a_full_database_fails_as_a_whole_and_the_next_one_succeeds(path: Path) -> None:
    limit: list[Connection] = []

    def connect_to_small_disk(folder: Path) -> Connection:
        connection = connect(folder)
        limit.append(connection)
        return connection

    store = SqliteStore(path, connect=connect_to_small_disk)
    await store.open()
    first = record(0)
    await store.insert(first, request_created(first))
    pages = limit[0].execute("PRAGMA page_count").fetchone()[0]
    limit[0].execute(f"PRAGMA max_page_count = {pages + 1}")
    rows = [record(n) for n in range(1, 60)]
    calls = [store.insert(row, request_created(row)) for row in rows] + [store.settle(answer(first))]
    with anyio.fail_after(120):
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
    assert {type(o) for o in outcomes} == {Unavailable}
    assert await store.get("main", first.id) == first
    limit[0].execute(f"PRAGMA max_page_count = {pages + 1000}")
    await asyncio.gather(*(store.insert(row, request_created(row)) for row in rows))
    events = await store.thread_events("main", "t1", after=0)
    assert [event.request_id for event in events] == [request_id(n) for n in range(60)]
    await store.close()


async def test_a_file_that_is_no_database_is_refused_by_name(path: Path) -> None:
    path.write_bytes(b"This is a letter, and a long one, and no database." * 100)
    with pytest.raises(StoreUnusable, match=str(path)):
        await SqliteStore(path).open()
    assert path.read_bytes().startswith(b"This is a letter")


async def test_a_folder_that_cannot_be_made_is_refused_by_name(path: Path) -> None:
    path.write_bytes(b"")
    with pytest.raises(StoreUnusable, match="askback.db/deep/x.db"):
        await SqliteStore(path / "deep" / "x.db").open()


def test_the_fault_codes_are_those_of_sqlite() -> None:
    assert (DiskIsFull.extendedresult, DiskFails.extendedresult & 0xFF) == (
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
    )
