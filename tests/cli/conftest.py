"""One server for all command-line tests, and functions to run `askback` like a person or a script."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from askback import AsyncClient
from tests.forks.process import Process, fork
from tests.limits import ROOMY_SETTING

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("ASKBACK_")}


@dataclass(frozen=True)
class Server:
    """A running server and its tokens."""

    url: str
    data: Path
    tokens: dict[str, str]

    def client(self, role: str) -> AsyncClient:
        return AsyncClient(self.url, self.tokens[role])

    def run(self, *arguments: str, stdin: bytes | None = None, **environment: str) -> Process:
        """Start `askback …` beside this server."""
        process = start(*arguments, ASKBACK_DATA_DIR=str(self.data), **environment)
        if stdin is not None:
            process.type_and_close(stdin)
        return process


def start(*arguments: str, **environment: str) -> Process:
    """Start `askback …`, forked from a process that has done the imports."""
    return fork(*arguments, environment={**ENVIRONMENT, "PYTHONUNBUFFERED": "1", **environment})


def start_new_process(*arguments: str, **environment: str) -> subprocess.Popen[bytes]:
    """Start `python -m askback …`, for tests of its start or its appearance to the system."""
    return subprocess.Popen(
        [sys.executable, "-m", "askback", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**ENVIRONMENT, "PYTHONUNBUFFERED": "1", **environment},
    )


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("server")
    process = start("serve", "--port", "0", "--data-dir", str(data), "--ready-json", **ROOMY_SETTING)
    assert process.stdout is not None
    ready: dict[str, Any] = json.loads(process.stdout.readline())
    yield Server(
        ready["url"], data, {role: ready[f"{role}_token"] for role in ("requester", "responder", "admin")}
    )
    process.terminate()
    process.communicate(timeout=120)


@pytest.fixture
async def agent(server: Server) -> AsyncIterator[AsyncClient]:
    async with server.client("requester") as client:
        yield client


@pytest.fixture
async def person(server: Server) -> AsyncIterator[AsyncClient]:
    async with server.client("responder") as client:
        yield client


_numbers = itertools.count()


@pytest.fixture
def thread(request: pytest.FixtureRequest) -> str:
    """A thread that no other test uses."""
    return f"{request.node.name[:80]}-{next(_numbers)}"
