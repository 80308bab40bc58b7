"""A chat with a fake of the endpoint, as a process of its own with a server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from askback import AsyncClient
from askback.demo.processes import RunningServer
from tests.chat.fake_endpoint import FakeEndpoint
from tests.demo.harness import ENVIRONMENT, served
from tests.forks.process import Process, fork


@pytest.fixture
def endpoint() -> Iterator[FakeEndpoint]:
    with FakeEndpoint() as endpoint:
        yield endpoint


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[RunningServer]:
    async with served(tmp_path / "data") as server:
        yield server


@pytest.fixture
async def eva(server: RunningServer) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(server.url, server.responder_token) as client:
        yield client


class Chat:
    """Starts `askback chat` in a folder, with the data of the server or with its address."""

    def __init__(self, folder: Path, data: Path | RunningServer, endpoint: FakeEndpoint) -> None:
        self.folder = folder
        self._arguments = ("chat", "--thread", "chat", "--folder", str(folder), "--no-browser")
        self._settings = dict[str, str]()
        if isinstance(data, Path):
            self._arguments += ("--data-dir", str(data))
        else:
            self._settings = {
                "HOME": str(folder),
                "ASKBACK_URL": data.url,
                "ASKBACK_TOKEN": data.requester_token,
            }
        self._settings |= {
            "OPENAI_BASE_URL": endpoint.url,
            "OPENAI_API_KEY": "the-key",
            "ASKBACK_CHAT_MODEL": "fake",
        }

    @contextmanager
    def running(self, *more: str) -> Iterator[Process]:
        """Run it for as long as the block, and kill it then."""
        with fork(
            *self._arguments, *more, environment={**ENVIRONMENT, **self._settings}, stdin=0, stderr=2
        ) as it:
            try:
                yield it
            finally:
                it.kill()


@pytest.fixture
def chat(tmp_path: Path, endpoint: FakeEndpoint, server: RunningServer) -> Chat:
    folder = tmp_path / "project"
    folder.mkdir()
    return Chat(folder, Path(tmp_path / "data"), endpoint)
