"""The store in memory keeps the store's contracts, so that services can be tested on it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from askback.ports.store import Store
from askback.testing.fake_store import FakeStore
from askback.testing.store_contracts import StoreContracts
from askback.testing.store_suite import OnCommit
from askback.testing.store_threads import ThreadContracts


class TestFakeStore(StoreContracts, ThreadContracts):
    def make_store(self, place: Path, *, on_commit: OnCommit | None = None) -> Store:
        return FakeStore(on_commit=on_commit)

    @contextmanager
    def outage(self, store: Store, place: Path) -> Iterator[None]:
        assert isinstance(store, FakeStore)
        store.offline = True
        yield
        store.offline = False
