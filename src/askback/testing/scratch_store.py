"""A store for tests: SQLite in a temporary folder, whose commits do not wait for the disk."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path

from askback.domain.events import Event
from askback.storage.sqlite import SqliteStore, schema
from askback.storage.sqlite.connection import Connect, Connection, connect


def connect_unsynced(path: Path) -> Connection:
    """Open a connection whose commits do not wait for the disk: a test that ends deletes its files."""
    connection = connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    return connection


class ScratchStore(SqliteStore):
    """Its data stays when the store is closed and opened again, and is deleted with the object."""

    def __init__(
        self,
        *,
        on_commit: Callable[[Sequence[Event]], None] | None = None,
        connect: Connect = connect_unsynced,
    ) -> None:
        folder = tempfile.mkdtemp(prefix="askback-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        path = Path(folder) / "askback.db"
        path.write_bytes(empty_database())
        super().__init__(path, on_commit=on_commit, connect=connect)


@cache
def empty_database() -> bytes:
    """Return the file of a new database. Copying it is faster than applying every migration."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "askback.db"
        with closing(connect(path)) as connection:
            schema.upgrade(connection)
        return path.read_bytes()
