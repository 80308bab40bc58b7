"""A Postgres database with a relay for each askback server."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from urllib.parse import parse_qs, urlsplit

import anyio
import asyncpg

from tests import postgres_server
from tests.fault.relay import Relay, start_relay
from tests.postgres_server import PostgresServer

SOCKET = ".s.PGSQL.5432"
COMES_BACK_S = 120
OURS = "FROM pg_stat_activity WHERE application_name = 'askback' AND datname = current_database()"
HELPER = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'"
"""A process of Postgres itself, which is a new one after a recovery."""


class Site:
    """One database on it; `wires` lead there, one for each server that shall use it."""

    def __init__(self, postgres: PostgresServer, name: str, wires: Sequence[Relay]) -> None:
        self.wires = wires
        self._postgres = postgres
        self._name = name

    def url(self, server: int) -> str:
        """The address of the database for one of the servers."""
        return f"postgresql://postgres@127.0.0.1:{self.wires[server].port}/{self._name}?sslmode=disable"

    async def crash(self) -> None:
        """SIGQUIT: nothing is finished or written; the next start recovers."""
        await anyio.to_thread.run_sync(self._postgres.end, signal.SIGQUIT)
        await anyio.to_thread.run_sync(self._postgres.start)

    async def backends(self, name_pattern: str = "") -> list[int]:
        """The processes that serve our connections, or those that match a condition."""
        return [row[0] for row in await self._run(f"SELECT pid {OURS} {name_pattern}")]  # noqa: S608 - ours

    async def hang_up(self, name_pattern: str) -> None:
        """End connections in order, which only their clients notice."""
        await self._run(f"SELECT pg_terminate_backend(pid) {OURS} {name_pattern}")  # noqa: S608 - ours

    async def kill(self, backend: int) -> None:
        """SIGKILL one process of Postgres, which then ends all the others and recovers; unless it has ended by itself."""
        before = await self._run(HELPER)
        with contextlib.suppress(ProcessLookupError), _process_handle(backend) as process:
            if backend in await self.backends():  # the process id has not been reused
                signal.pidfd_send_signal(process, signal.SIGKILL)
                await self._recovered(before)

    async def _recovered(self, records_before: list[asyncpg.Record]) -> None:
        with anyio.fail_after(COMES_BACK_S):
            while True:
                with contextlib.suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
                    if await self._run(HELPER) != records_before:
                        return
                await anyio.sleep(0.02)

    async def _run(self, sql: str) -> list[asyncpg.Record]:
        connection = await asyncpg.connect(self._postgres.database(self._name).url)
        try:
            return await connection.fetch(sql)
        finally:
            connection.terminate()


@contextmanager
def _process_handle(process: int) -> Iterator[int]:
    """A handle on a process, which stays valid even if its id is reused."""
    handle = os.pidfd_open(process)
    try:
        yield handle
    finally:
        os.close(handle)


@asynccontextmanager
async def on(postgres: PostgresServer, *, servers: int) -> AsyncGenerator[Site]:
    """A separate database on a shared server, which must not be crashed."""
    name = await postgres.new()
    [folder] = parse_qs(urlsplit(postgres.database(name).url).query)["host"]
    async with AsyncExitStack() as wires:
        yield Site(
            postgres,
            name,
            [
                await wires.enter_async_context(
                    start_relay(lambda: asyncio.open_unix_connection(f"{folder}/{SOCKET}"))
                )
                for _ in range(servers)
            ],
        )
    await postgres.drop(name)


@asynccontextmanager
async def site(servers: int = 1) -> AsyncGenerator[Site]:
    """A site on a server of its own, until the context ends."""
    context = postgres_server.start_server()
    postgres = await anyio.to_thread.run_sync(context.__enter__)
    try:
        async with on(postgres, servers=servers) as running_site:
            yield running_site
    finally:
        await anyio.to_thread.run_sync(context.__exit__, None, None, None)
