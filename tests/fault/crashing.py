"""A Postgres server that crashes on demand, and comes back by itself with all that was committed."""

from __future__ import annotations

import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio

from tests import postgres_server
from tests.postgres_server import PostgresServer


class CrashingPostgres:
    """The server of the tests; a crash ends all its processes at once and recovers from the log."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        self.new, self.database = server.new, server.database

    def crash(self) -> None:
        """SIGQUIT: nothing is finished and nothing is written down; the next start recovers."""
        self._server.end(signal.SIGQUIT)
        self._server.start()


@asynccontextmanager
async def running() -> AsyncGenerator[CrashingPostgres]:
    """A server of one's own, until the context ends."""
    context = postgres_server.running()
    server = await anyio.to_thread.run_sync(context.__enter__)
    try:
        yield CrashingPostgres(server)
    finally:
        await anyio.to_thread.run_sync(context.__exit__, None, None, None)
