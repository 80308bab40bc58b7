"""Real servers to measure: `askback serve` on SQLite, on Postgres, or two of them on one Postgres."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import psutil

from tests.postgres_server import PostgresServer, start_server

STORES = {"sqlite": 1, "postgres": 1, "two-servers": 2}
"""The number of servers on the database of each."""
REQUESTER, RESPONDER = "requester-of-the-benchmark", "responder-of-the-benchmark"
ADMIN, METRICS = "admin-of-the-benchmark", "metrics-token-of-the-benchmark"
DURABLE = {
    "listen_addresses": "",
    "shared_buffers": "256MB",
    "max_connections": "200",
    "max_wal_size": "4GB",
    "log_min_messages": "warning",
}
"""Postgres with default settings, flushing each commit, and the larger buffers that its manual recommends."""
OPEN_FILES = 16_384
_ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""A server finds its modules compiled, as any does from its second start on."""


@dataclass(frozen=True)
class Server:
    """A running `askback serve`."""

    process: subprocess.Popen[bytes]
    url: str

    def cpu_seconds(self) -> float:
        """CPU time that the server has used so far, user and system."""
        times = psutil.Process(self.process.pid).cpu_times()
        return times.user + times.system

    def rss_bytes(self) -> int:
        """Resident memory of the server."""
        return psutil.Process(self.process.pid).memory_info().rss


@dataclass(frozen=True)
class Site:
    """The servers of one database: agents are at the first, persons at the last."""

    servers: Sequence[Server]

    @property
    def agents(self) -> str:
        """The address for agents."""
        return self.servers[0].url

    @property
    def persons(self) -> str:
        """The address for persons."""
        return self.servers[-1].url

    def cpu_seconds(self) -> float:
        """CPU time of all servers so far."""
        return sum(server.cpu_seconds() for server in self.servers)


class Databases:
    """Makes databases on the disk that is measured, `BENCH_TMP`, and starts Postgres when one is first asked for.

    Postgres is reached by a socket in that folder, so its name has to be short (some 80 bytes).
    """

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._postgres: PostgresServer | None = None

    def __enter__(self) -> Self:
        """Begin; nothing runs yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """End Postgres, if it runs."""
        self._stack.close()

    @contextmanager
    def new(self, store: str) -> Generator[str]:
        """Give the URL of an empty database, until the block ends."""
        if store == "sqlite":
            with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_TMP")) as folder:
                yield f"sqlite:///{Path(folder).resolve() / 'askback.db'}"
            return
        postgres = self.postgres()
        name = asyncio.run(postgres.new(template="template0"))
        try:
            yield postgres.database(name).url
        finally:
            asyncio.run(postgres.drop(name))

    def postgres(self) -> PostgresServer:
        """Give the Postgres server, running."""
        if self._postgres is None:
            server = start_server(DURABLE, below=os.environ.get("BENCH_TMP"))
            self._postgres = self._stack.enter_context(server)
        return self._postgres

    def postgres_cpu_seconds(self) -> float:
        """CPU time that the processes of Postgres which run now have used so far."""
        if self._postgres is None:
            return 0.0
        server_process = psutil.Process(self._postgres.pid)
        times = [process.cpu_times() for process in (server_process, *server_process.children())]
        return sum(time.user + time.system for time in times)


@contextmanager
def serve(url: str, *, servers: int = 1) -> Generator[Site]:
    """Run servers on one database until the block ends; the second starts when the first is ready."""
    with ExitStack() as stack:
        yield Site([stack.enter_context(_server(url)) for _ in range(servers)])


UNLIMITED = ",".join(
    f"{name}=1000000000"
    for name in (
        "max_pending",
        "max_pending_per_agent",
        "max_submissions_per_minute",
        "max_messages_per_hour",
    )
)
"""A benchmark has more open requests than a real agent."""


@contextmanager
def _server(url: str) -> Generator[Server]:
    _allow_many_files()
    with tempfile.TemporaryDirectory() as data:
        command = [sys.executable, "-m", "askback", "serve", "--port", "0", "--ready-json"]
        tokens = f"requester:{REQUESTER},responder:{RESPONDER},admin:{ADMIN}"
        process = subprocess.Popen(
            [*command, "--data-dir", data, "--database-url", url],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={
                **_ENVIRONMENT,
                "ASKBACK_BOOTSTRAP_TOKENS": tokens,
                "ASKBACK_METRICS_TOKEN": METRICS,
                "ASKBACK_LIMITS": UNLIMITED,
            },
        )
        try:
            assert process.stdout is not None
            yield Server(process, json.loads(process.stdout.readline())["url"])
        finally:
            process.terminate()
            process.wait(20)


def _allow_many_files() -> None:
    """Let this process and its children open a file for each of thousands of connections."""
    now, maximum = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = OPEN_FILES if maximum == resource.RLIM_INFINITY else min(OPEN_FILES, maximum)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(now, limit), maximum))
