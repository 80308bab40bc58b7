"""The SQLite store keeps the store's contracts."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from askback.ports.store import Store
from askback.storage.sqlite import SqliteStore
from askback.storage.sqlite.connection import Connection, configure
from tests.contracts.files import FileContracts
from tests.contracts.store import DurableContracts, StoreContracts
from tests.contracts.suite import OnCommit
from tests.contracts.threads import ThreadContracts
from tests.temporary_store import empty_database


def connect_without_waiting(path: Path) -> Connection:
    """Connect like the product, but fail on a locked file at once."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    configure(connection, busy_ms=1)
    return connection


class TestSqliteStore(StoreContracts, ThreadContracts, FileContracts, DurableContracts):
    def make_store(self, folder: Path, *, on_commit: OnCommit | None = None) -> Store:
        path = folder / "askback.db"
        if not path.exists():
            path.write_bytes(empty_database())
        return SqliteStore(path, on_commit=on_commit, connect=connect_without_waiting)

    @contextmanager
    def outage(self, store: Store, folder: Path) -> Iterator[None]:
        with closing(sqlite3.connect(folder / "askback.db", isolation_level=None)) as intruder:
            intruder.execute("BEGIN IMMEDIATE")
            yield
            intruder.execute("ROLLBACK")
