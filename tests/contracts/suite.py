"""The common base of the store's conformance suite: it makes and opens a store."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path

import anyio
import pytest

from askback.domain.events import Event
from askback.ports.store import Store

OnCommit = Callable[[Sequence[Event]], None]


class StoreSuite:
    """Implement `make_store` for the store under test; every part of the suite uses it."""

    pytestmark = pytest.mark.anyio

    def make_store(self, folder: Path, *, on_commit: OnCommit | None = None) -> Store:
        """Return a closed store whose data are at `folder`: the same data for the same place."""
        raise NotImplementedError

    def outage(self, store: Store, folder: Path) -> AbstractContextManager[object]:
        """Make the store unable to write until the context ends."""
        raise NotImplementedError

    @pytest.fixture
    def impatient(self) -> None:
        """Let the store of a test with an outage give up soon; in other tests it waits for concurrent work."""

    @asynccontextmanager
    async def opened(self, folder: Path, *, on_commit: OnCommit | None = None) -> AsyncGenerator[Store]:
        """Open a store, and close it at the end."""
        store = self.make_store(folder, on_commit=on_commit)
        with anyio.fail_after(120):
            await store.open()
            try:
                yield store
            finally:
                await store.close()

    @pytest.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[Store]:
        """An open, empty store."""
        async with self.opened(tmp_path) as store:
            yield store
