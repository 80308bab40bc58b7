"""A real server, an agent's client and a person for the tests of every adapter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from askback import AsyncClient
from tests.journeys.people import Person
from tests.limits import ROOMY_SETTING

pytest.register_assert_rewrite("tests.adapters.promises")
TOKENS = {"requester": "adapter-requester", "responder": "adapter-responder", "admin": "adapter-admin"}


class Server:
    """`askback serve` in a process that can be killed and comes back at the same address, with the same data."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self.url = ""
        self._process = self._start()

    def _start(self) -> subprocess.Popen[str]:
        tokens = ",".join(f"{role}:{token}" for role, token in TOKENS.items())
        port = self.url.rpartition(":")[2] or "0"
        process = subprocess.Popen(
            (
                sys.executable,
                "-m",
                "askback",
                "serve",
                "--port",
                port,
                "--data-dir",
                self._data,
                "--ready-json",
            ),
            env={**os.environ, **ROOMY_SETTING, "ASKBACK_BOOTSTRAP_TOKENS": tokens},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        self.url = json.loads(process.stdout.readline())["url"]
        return process

    def client(self, role: str = "requester", **options: object) -> AsyncClient:
        """Return the Python client with the token of a role."""
        return AsyncClient(self.url, TOKENS[role], **options)  # pyright: ignore[reportArgumentType]

    def person(self, role: str = "responder") -> Person:
        """Return a plain HTTP caller with the token of a role."""
        return Person(self.url, TOKENS[role])

    def kill_and_restart(self) -> None:
        """Send SIGKILL and start again."""
        self._process.kill()
        self._process.wait(120)
        self._process = self._start()

    def stop(self) -> None:
        """Send SIGTERM and wait for the end."""
        self._process.terminate()
        self._process.wait(120)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The server that the tests of one adapter share."""
    running_server = Server(tmp_path_factory.mktemp("server"))
    yield running_server
    running_server.stop()


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A server that the test may kill, with no other requests."""
    running_server = Server(tmp_path / "server")
    yield running_server
    running_server.stop()


@pytest.fixture
async def agent(server: Server) -> AsyncIterator[AsyncClient]:
    """An agent with a connection of its own."""
    async with server.client() as client:
        yield client


@pytest.fixture
async def ada(server: Server) -> AsyncIterator[Person]:
    """A person who may answer."""
    async with server.person() as person:
        yield person
