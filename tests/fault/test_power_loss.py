"""Power loss: everything acknowledged is there afterwards, complete, and the file is never damaged.

`FAULT_POWER_TRIALS` says how many trials to run.
Each trial prints its seed when it fails, and the seed replays it.
"""

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from askback.errors import StoreUnusable
from askback.storage.sqlite import SqliteStore, queries
from tests.fault.power_trial import Connect, Trial, connect_with_checkpoints
from tests.fault.power_vfs import ApswConnection, Disk
from tests.requirements import requirement

TRIALS = int(os.environ.get("FAULT_POWER_TRIALS", "100"))
CHUNKS = 4
DETECTION_ERRORS = (AssertionError, sqlite3.Error, StoreUnusable)
pytestmark = pytest.mark.fault


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder in memory where there is one: the trials decide what is synced, not this machine's disk."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as made_folder:
        yield Path(made_folder)


async def template(folder: Path) -> bytes:
    """The file of an empty store; most trials begin there, because a store is made only once."""
    store = SqliteStore(folder / "template.db")
    await store.open()
    await store.close()
    return (folder / "template.db").read_bytes()


@requirement("H1", "H4")
@pytest.mark.parametrize("chunk", range(CHUNKS))
async def test_no_acknowledged_write_is_lost_with_the_power(folder: Path, chunk: int) -> None:
    empty = await template(folder)
    acknowledged = 0
    seeds = range(chunk, TRIALS, CHUNKS)
    for seed in seeds:
        trial = Trial(seed, folder, template=None if seed % 10 == 0 else empty)
        try:
            with anyio.fail_after(120):
                await trial.run()
        except DETECTION_ERRORS as error:
            raise AssertionError(f"trial {seed}: {error!r}") from error
        acknowledged += len(trial.ledger.events)
    print(f"{len(seeds)} trials of {TRIALS}, {acknowledged} acknowledged events")
    assert acknowledged > len(seeds)


# The harness must detect each of these faults within a few trials.


class Hasty(ApswConnection):
    """Acknowledges before the commit: the commit is made when the next group begins."""

    pending = False

    def execute(self, sql, parameters=(), /):
        if sql == "COMMIT":
            self.pending = True
            return super().execute("SELECT 1")
        if sql == "BEGIN IMMEDIATE" and self.pending:
            self.pending = False
            super().execute("COMMIT")
        return super().execute(sql, parameters)


class LastWriterWins(ApswConnection):
    """Settles regardless of the status."""

    def execute(self, sql, parameters=(), /):
        return super().execute(sql.replace("AND instr(?, ' ' || status || ' ')", "AND ? <> ''"), parameters)


def variant(kind: type[ApswConnection]) -> Connect:
    def connect(disk: Disk, path: Path) -> ApswConnection:
        connection = disk.connect(path)
        connection.__class__ = kind
        return connection

    return connect


def claims_in_memory(disk: Disk, path: Path) -> ApswConnection:
    connection = disk.connect(path)
    connection.execute(
        "CREATE TEMP TABLE claims (tenant, principal, scope, key, digest, target,"
        " PRIMARY KEY (tenant, principal, scope, key))"
    )
    return connection


FAULTS: dict[str, Connect] = {
    "acknowledge before commit": variant(Hasty),
    "synchronous=NORMAL": lambda disk, path: disk.connect(path, "synchronous = NORMAL"),
    "synchronous=OFF": lambda disk, path: disk.connect(path, "synchronous = OFF"),
    "last writer wins": variant(LastWriterWins),
    "claims only in memory": claims_in_memory,
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_planted_fault_is_caught_within_60_trials(folder: Path, fault: str) -> None:
    empty = await template(folder)
    for seed in range(60):
        try:
            with anyio.fail_after(120):
                await Trial(seed, folder, template=empty, connect=FAULTS[fault]).run()
        except DETECTION_ERRORS as error:
            print(f"caught in trial {seed}: {error}"[:200])
            return
    pytest.fail(f"60 trials did not notice: {fault}")


def test_the_planted_faults_change_the_text_that_the_product_runs() -> None:
    assert "AND instr(?, ' ' || status || ' ')" in queries.SETTLE


async def test_without_a_fault_the_same_trials_pass(folder: Path) -> None:
    empty = await template(folder)
    for seed in range(20):
        await Trial(seed, folder, template=empty, connect=connect_with_checkpoints).run()
