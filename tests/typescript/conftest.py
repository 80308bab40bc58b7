"""A server, a person, and a project that has the npm package of agents installed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from askback import AsyncClient, InputRequest
from tests.client.servers import TOKENS, ServerProcess
from tests.typescript.package import EXAMPLES, PROGRAMS, Project

Start = Callable[..., "Program"]


class Program:
    """A running program of the project, with the token of the requester."""

    def __init__(self, project: Project, server: ServerProcess, name: str, *arguments: str) -> None:
        self.process = project.start(
            name, *arguments, ASKBACK_URL=server.url, ASKBACK_TOKEN=TOKENS["requester"]
        )

    async def line(self) -> str:
        """Return the next line that it prints."""
        assert self.process.stdout is not None
        return (await anyio.to_thread.run_sync(self.process.stdout.readline)).rstrip("\n")

    async def ended(self) -> str:
        """Wait until it has ended well, and return what it printed."""
        out, err = await anyio.to_thread.run_sync(partial(self.process.communicate, timeout=50))
        assert self.process.returncode == 0, err
        return out

    async def kill(self) -> None:
        """SIGKILL."""
        self.process.kill()
        await anyio.to_thread.run_sync(self.process.communicate)


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project, with the programs of these tests and the examples compiled in it."""
    made_project = Project(tmp_path_factory.mktemp("project"))
    made_project.check_types(*sorted(PROGRAMS.glob("*.ts")), *sorted(EXAMPLES.glob("*.ts")))
    return made_project


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """One server for the tests that do not kill it."""
    process = ServerProcess(tmp_path_factory.mktemp("typescript-server"))
    process.start()
    yield process
    process.stop()


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[ServerProcess]:
    """A server that the test may kill."""
    process = ServerProcess(tmp_path / "server")
    process.start()
    yield process
    process.kill()


@pytest.fixture
async def person(server: ServerProcess) -> AsyncIterator[AsyncClient]:
    """A person who may answer."""
    async with server.client("responder") as client:
        yield client


@pytest.fixture
def start(project: Project, server: ServerProcess) -> Iterator[Start]:
    """Start a program of the project beside the server; it is killed after the test."""
    started_programs: list[Program] = []

    def begin(name: str, *arguments: str, server_process: ServerProcess = server) -> Program:
        started_programs.append(Program(project, server_process, name, *arguments))
        return started_programs[-1]

    yield begin
    for program in started_programs:
        program.process.kill()
        program.process.communicate()


async def wait_for_requests(person: AsyncClient, thread: str, count: int = 1) -> list[InputRequest]:
    """Wait for this many requests in a thread, and return them."""
    requests: list[InputRequest] = []
    with anyio.fail_after(120):
        async for event in person.events(thread, cursor=0):
            if event["type"] == "request.created":
                requests.append(InputRequest.model_validate(event["request"]))
            if len(requests) == count:
                break
    return requests


async def settled(person: AsyncClient, thread: str) -> dict[str, Any]:
    """Wait until a request of a thread has ended, and return it."""
    ended = {"answered", "declined", "cancelled", "expired"}
    with anyio.fail_after(120):
        async for event in person.events(thread, cursor=0):
            if "request" in event and event["request"]["status"] in ended:
                return event["request"]
    raise AssertionError
