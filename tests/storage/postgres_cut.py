"""A connection to Postgres that is cut at some text: before it arrives, or after its execution and before the reply."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from askback.storage.postgres.connection import Database

SOCKET = ".s.PGSQL.5432"


class Cutter:
    """Passes connections on, and cuts the one that sends the text `before` or `after` next."""

    def __init__(self, socket: str) -> None:
        self._socket = socket
        self._tasks: set[asyncio.Task[None]] = set()
        self.before: bytes | None = None
        self.after: bytes | None = None

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        with contextlib.closing(writer), contextlib.suppress(OSError):
            beyond_reader, beyond_writer = await asyncio.open_unix_connection(self._socket)
            with contextlib.closing(beyond_writer):
                back = asyncio.ensure_future(_pass(beyond_reader, writer))
                forth = asyncio.ensure_future(self._forward(reader, beyond_writer, beyond_reader, back))
                await asyncio.wait([back, forth], return_when=asyncio.FIRST_COMPLETED)
                if back.cancelled():
                    await forth  # it waits for the reply that never arrives
                for stream in (back, forth):
                    stream.cancel()
        self._tasks.discard(task)

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _forward(
        self,
        reader: asyncio.StreamReader,
        target_writer: asyncio.StreamWriter,
        answers: asyncio.StreamReader,
        returned_task: asyncio.Task[None],
    ) -> None:
        while data := await reader.read(65_536):
            if self.before is not None and self.before in data:
                self.before = None
                return
            if self.after is not None and self.after in data:
                self.after = None
                returned_task.cancel()
                await asyncio.wait([returned_task])
                target_writer.write(data)
                await answers.read(1)  # it is executed: Postgres has replied
                return
            target_writer.write(data)


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65_536):
        writer.write(data)


@asynccontextmanager
async def cutter(database: Database, folder: Path) -> AsyncIterator[tuple[Database, Cutter]]:
    """An address of the same database over a connection that can be cut."""
    parts = urlsplit(database.url)
    host = parse_qs(parts.query)["host"][0]
    cut = Cutter(f"{host}/{SOCKET}")
    server = await asyncio.start_unix_server(cut.connected, folder / SOCKET)
    yield replace(database, url=f"postgresql://postgres@{parts.path}?host={folder}"), cut
    server.close()
    await cut.close()
