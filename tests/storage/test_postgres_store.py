"""The Postgres store keeps the store's contracts."""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from askback.ports.store import Store
from askback.storage.postgres import PostgresStore
from askback.storage.postgres.connection import Database, Timeouts
from tests.contracts.files import FileContracts
from tests.contracts.store import DurableContracts, StoreContracts
from tests.contracts.suite import OnCommit
from tests.contracts.threads import ThreadContracts
from tests.postgres_server import PostgresServer
from tests.requirements import requirement

IMPATIENT = Timeouts(lock=1_000)


@dataclass
class SharedStore:
    """An open store on an empty database, and the function that empties the database again."""

    database: Database
    store: PostgresStore
    clear: Callable[[], Awaitable[None]]


class Intruder:
    """Locks every table against writing, in a separate thread."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._locked, self._done = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._hold()))

    def enter(self) -> None:
        self._thread.start()
        assert self._locked.wait(120)

    def leave(self) -> None:
        self._done.set()
        self._thread.join()

    async def _hold(self) -> None:
        connection = await self._database.connect()
        async with connection.transaction():
            tables = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'askback'")
            await connection.execute(f"LOCK TABLE {', '.join(name for (name,) in tables)} IN SHARE MODE")
            self._locked.set()
            await asyncio.to_thread(self._done.wait, 20)
        await connection.close()


@requirement("H3")
class TestPostgresStore(StoreContracts, ThreadContracts, FileContracts, DurableContracts):
    @pytest.fixture(autouse=True)
    async def _database(
        self, request: pytest.FixtureRequest, postgres: PostgresServer, shared: SharedStore
    ) -> AsyncIterator[None]:
        if "impatient" in request.fixturenames:
            name = await postgres.new()
            self.database = postgres.database(name, IMPATIENT)
            self.patient = postgres.database(name, Timeouts(idle=20_000))
            yield
            await postgres.drop(name)
        else:
            self.database = shared.database
            yield
            await shared.clear()

    @pytest.fixture(scope="class")
    async def shared(self, postgres: PostgresServer) -> AsyncIterator[SharedStore]:
        """A store for all tests that share it: a new connection reads the catalogue of the database again."""
        async with postgres.kept_database() as (name, clear):
            database = postgres.database(name)
            store = PostgresStore(database)
            await store.open()
            yield SharedStore(database, store, clear)
            await store.close()

    @pytest.fixture
    async def store(
        self, request: pytest.FixtureRequest, tmp_path: Path, shared: SharedStore
    ) -> AsyncIterator[Store]:
        if "impatient" in request.fixturenames:
            async with self.opened(tmp_path) as store:
                yield store
        else:
            yield shared.store

    def make_store(self, folder: Path, *, on_commit: OnCommit | None = None) -> Store:
        return PostgresStore(self.database, on_commit=on_commit)

    @contextmanager
    def outage(self, store: Store, folder: Path) -> Iterator[None]:
        intruder = Intruder(self.patient)
        intruder.enter()
        yield
        intruder.leave()
