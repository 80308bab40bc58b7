"""A server on either database, which can be killed and restarted with the same data."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import anyio
import pytest

from tests.forks.process import Process
from tests.journeys.conftest import Server, start
from tests.journeys.keyhouse import ring


class Site:
    """One server, or two on one Postgres: agents use `first`, people `last`."""

    def __init__(
        self, settings: dict[str, str], pytest_folder: pytest.TempPathFactory, *, servers: int
    ) -> None:
        self._settings = {**settings, "ASKBACK_MASTER_KEYS": ring("one")}
        self._folders = [pytest_folder.mktemp("site") for _ in range(servers)]
        self._running: list[tuple[Process, Server]] = []
        self._start()

    def _start(self) -> None:
        self._running = [start(folder, settings=self._settings) for folder in self._folders]

    @property
    def first(self) -> Server:
        """The server of the agents."""
        return self._running[0][1]

    @property
    def last(self) -> Server:
        """The server of the people."""
        return self._running[-1][1]

    def kill(self) -> None:
        """SIGKILL."""
        for process, _ in self._running:
            process.kill()
            process.wait(120)

    async def dies_and_returns(self) -> None:
        """SIGKILL, then new processes."""
        self.kill()
        await anyio.to_thread.run_sync(self._start)


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server on each database."""
    if request.param == "sqlite":
        running_site = Site({}, tmp_path_factory, servers=1)
        yield running_site
        running_site.kill()
        return
    postgres = request.getfixturevalue("postgres")
    name = asyncio.run(postgres.new())
    running_site = Site({"ASKBACK_DATABASE_URL": postgres.database(name).url}, tmp_path_factory, servers=2)
    yield running_site
    running_site.kill()
    asyncio.run(postgres.drop(name))
