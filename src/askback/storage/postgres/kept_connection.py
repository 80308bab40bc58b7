"""One connection to Postgres that is kept open, and opened again after a failure."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import asyncpg

from askback.errors import Unavailable
from askback.storage.postgres.connection import PLANNED_ONCE, Database, refused_by_database, unavailable

if TYPE_CHECKING:
    from asyncpg import Record

RECONNECT_S = (0.05, 0.1, 0.2, 0.5, 1.0)
"""Pauses between attempts, in seconds. Meanwhile every use fails immediately with `Unavailable`."""


class KeptConnection:
    """A connection that one user keeps: it is opened with the first use, and again after a failure.

    It is for statements that name their rows by keys in arrays.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection: asyncpg.Connection[Record] | None = None
        self._failures = 0
        self._last_refusal: Unavailable | None = None
        self._not_before = 0.0

    async def connection(self) -> asyncpg.Connection[Record]:
        """Return the connection, a new one if need be; raises `Unavailable`."""
        if self._connection is not None and not self._connection.is_closed():
            return self._connection
        if self._last_refusal is not None and time.monotonic() < self._not_before:
            raise self._last_refusal
        try:
            self._connection = await self._database.connect(**PLANNED_ONCE)
        except Exception as error:
            if not refused_by_database(error):
                raise
            self._not_before = time.monotonic() + RECONNECT_S[min(self._failures, len(RECONNECT_S) - 1)]
            self._failures += 1
            self._last_refusal = unavailable(error)
            raise self._last_refusal from error
        self._failures, self._last_refusal = 0, None
        return self._connection

    def drop(self) -> None:
        """Close the connection, whose state is unknown."""
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None

    async def close(self) -> None:
        """Close in order."""
        connection, self._connection = self._connection, None
        if connection is not None:
            try:
                async with asyncio.timeout(self._database.patience.connect / 1000):
                    await connection.close()
            except (OSError, asyncpg.InterfaceError, asyncpg.PostgresError):
                connection.terminate()
