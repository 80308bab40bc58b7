"""The same tests over every transport, or over the `TRANSPORTS` that a module names: where its calls are the same over each."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from askback import AsyncClient
from askback.delivery.in_process_bus import InProcessBus
from askback.server.app import create_app
from askback.server.settings import load
from tests.client.servers import TOKENS, ServerProcess
from tests.temporary_store import TemporaryStore

Connect = Callable[..., AsyncClient]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """One server for the tests that do not kill it."""
    process = ServerProcess(tmp_path_factory.mktemp("client-server"))
    process.start()
    yield process
    process.stop()


@pytest.fixture
async def own_server(tmp_path: object) -> AsyncIterator[ServerProcess]:
    """A server that the test may kill."""
    process = ServerProcess(tmp_path)  # type: ignore[arg-type]
    process.start()
    yield process
    process.kill()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test over the transports of its module."""
    if "client_transport" in metafunc.fixturenames:
        transports = getattr(metafunc.module, "TRANSPORTS", ("websocket", "http", "app"))
        metafunc.parametrize("client_transport", transports)


@pytest.fixture
async def connect(request: pytest.FixtureRequest, client_transport: str) -> AsyncIterator[Connect]:
    """Make clients of one transport: `connect("responder")`."""
    if client_transport == "app":
        async with clients_of_app() as make:
            yield make
        return
    server: ServerProcess = request.getfixturevalue("server")
    yield lambda role="requester", **options: server.client(role, transport=client_transport, **options)


@asynccontextmanager
async def clients_of_app(**parts: Any) -> AsyncIterator[Connect]:
    """Make clients of an app in this process, made of `parts`; one of them keeps it alive."""
    import secrets
    import shutil
    import tempfile
    from pathlib import Path

    folder = Path(tempfile.gettempdir()) / f"askback-test-{secrets.token_hex(6)}"
    tokens = ",".join(f"{role}:{token}" for role, token in TOKENS.items())
    bus = InProcessBus()
    given = {"store": TemporaryStore(on_commit=bus.publish), "bus": bus} | parts
    app = create_app(load({"ASKBACK_BOOTSTRAP_TOKENS": tokens}, data_dir=folder), **given)
    try:
        async with AsyncClient(app=app, token=TOKENS["admin"]) as keeper:
            await keeper.requests.list()
            yield lambda role="requester", **options: AsyncClient(
                app=app, token=TOKENS.get(role, "unknown-token"), **options
            )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
async def agent(connect: Connect) -> AsyncIterator[AsyncClient]:
    """Who asks."""
    async with connect("requester") as client:
        yield client


@pytest.fixture
async def person(connect: Connect) -> AsyncIterator[AsyncClient]:
    """Who answers."""
    async with connect("responder") as client:
        yield client


@pytest.fixture
def thread(request: pytest.FixtureRequest) -> str:
    """A separate thread for each test, with characters that a path must quote."""
    return f"client/{next(_numbers)} ä"


_numbers = itertools.count()
