"""One real server for all journeys; each test has its own thread."""

from __future__ import annotations

import itertools
import json
import os
import signal
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from askback import AsyncClient
from tests.forks.process import Process, fork
from tests.journeys.browser import chromium, screen, windows
from tests.journeys.people import Person, Team, create_team
from tests.limits import ROOMY_SETTING

__all__ = ["chromium", "screen", "windows"]

TOKENS = {
    "requester": "journey-requester",
    "responder": "journey-responder",
    "admin": "journey-admin",
    "requester@acme": "journey-acme-requester",
    "responder@acme": "journey-acme-responder",
    "requester/other": "journey-other-requester",
    "responder/bob": "journey-bob",
}
HOUSES = {f"admin@house{n}": f"journey-house-{n}" for n in range(1000)}
"""Unused tenants of the shared server, each with its own policy. Starting with so many takes half a second."""
FEW_HOUSES = dict(list(HOUSES.items())[:200])
"""Unused tenants of a server that few tests use, or that starts again and again."""


@dataclass(frozen=True)
class Server:
    """A running `askback serve` with known tokens."""

    url: str
    login_url: str
    data: Path

    def person(self, token: str = "responder") -> Person:
        """Return a raw HTTP caller with the named token."""
        return Person(self.url, TOKENS[token])

    def client(self, token: str = "requester", **options: object) -> AsyncClient:
        """Return the Python client with the named token."""
        return AsyncClient(self.url, TOKENS[token], **options)  # type: ignore[arg-type]  # options pass through


def start(
    data: Path,
    *,
    port: int = 0,
    more: Mapping[str, str] | None = None,
    settings: Mapping[str, str] | None = None,
) -> tuple[Process, Server]:
    """Start a server process, with `more` tokens and settings, and wait until it accepts requests."""
    tokens = ",".join(f"{role}:{token}" for role, token in {**TOKENS, **(more or {})}.items())
    process = fork(
        *("serve", "--port", str(port), "--data-dir", str(data), "--ready-json"),
        environment={**os.environ, "ASKBACK_BOOTSTRAP_TOKENS": tokens, **ROOMY_SETTING, **(settings or {})},
        stdin=0,
        stderr=2,
    )
    assert process.stdout is not None
    ready = json.loads(process.stdout.readline())
    return process, Server(ready["url"], ready["login_url"], data)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The server that all journeys of this worker share."""
    process, running = start(tmp_path_factory.mktemp("server"), more=HOUSES)
    yield running
    process.terminate()
    assert process.wait(120) is not None


@pytest.fixture
async def agent(server: Server) -> AsyncIterator[AsyncClient]:
    """An agent with its own connection."""
    async with server.client() as client:
        yield client


@pytest.fixture
async def ada(server: Server) -> AsyncIterator[Person]:
    """A person who may answer."""
    async with server.person() as person:
        yield person


@pytest.fixture
async def team(server: Server, unused_admin_tokens: Iterator[str]) -> AsyncIterator[Team]:
    """An agent, three people and an admin in a tenant that no other test uses, with the policy of a fresh server."""
    async with create_team(server.url, next(unused_admin_tokens)) as new_team:
        yield new_team


@pytest.fixture(scope="session")
def unused_admin_tokens() -> Iterator[str]:
    """The tokens of admins of tenants that nobody has used."""
    return iter(HOUSES.values())


class KillableServer:
    """A server that can be killed and restarted at the same address, with the same data."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._houses = iter(FEW_HOUSES.values())
        self._process, self.server = start(data, more=FEW_HOUSES)

    def team(self) -> AbstractAsyncContextManager[Team]:
        """Everybody, in a separate tenant."""
        return create_team(self.server.url, next(self._houses))

    def dies(self, signals: signal.Signals = signal.SIGKILL) -> None:
        """End the process, by default without a warning."""
        self._process.send_signal(signals)
        self._process.wait(120)

    async def returns(self) -> None:
        """Start a new process, if there is none."""
        if self._process.poll() is not None:
            port = int(self.server.url.rpartition(":")[2])
            self._process, self.server = await anyio.to_thread.run_sync(
                lambda: start(self._data, port=port, more=FEW_HOUSES)
            )

    async def dies_and_returns(self) -> None:
        """SIGKILL, then a new process."""
        self.dies()
        await self.returns()


@pytest.fixture(scope="session")
def shared_killable_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KillableServer]:
    """The server that the killing journeys of this worker share."""
    running_killable_server = KillableServer(tmp_path_factory.mktemp("mortal"))
    yield running_killable_server
    running_killable_server.dies(signal.SIGTERM)


@pytest.fixture
async def killable_server(shared_killable_server: KillableServer) -> KillableServer:
    """A running server that may be killed."""
    await shared_killable_server.returns()
    return shared_killable_server


@pytest.fixture
def thread(request: pytest.FixtureRequest, counter: Iterator[int]) -> str:
    """A thread that no other test uses."""
    return f"{request.node.name[:80]}-{next(counter)}"


@pytest.fixture(scope="session")
def counter() -> Iterator[int]:
    """Numbers that are used once."""
    return itertools.count()
