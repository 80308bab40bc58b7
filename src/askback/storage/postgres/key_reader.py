"""Reads of rows by their keys, one after the other on one connection.

To borrow a connection from a pool and to give it back costs more than such a read. `BatchLoader` reads many rows at
once, so there is little to wait for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import asyncpg

from askback.storage.postgres.connection import Database, refused_by_database, unavailable
from askback.storage.postgres.kept_connection import KeptConnection
from askback.storage.rows import Row
from askback.storage.sql.transaction import closed_error


class KeyReader:
    """Reads rows by their keys. A read sees every commit that returned before it began."""

    def __init__(self, database: Database) -> None:
        self._connection = KeptConnection(database)
        self._turn = asyncio.Lock()
        self._open = True

    async def close(self) -> None:
        """Let the running read finish, then close the connection."""
        self._open = False
        async with self._turn:
            await self._connection.close()

    async def rows(self, sql: str, *parameters: Any) -> Sequence[Row]:
        """Read rows, and retry once on a new connection if the connection is lost; raises `Unavailable`.

        A database that took too long is not asked again: the caller has already waited for the whole timeout.
        """
        async with self._turn:
            for last in (False, True):
                if not self._open:
                    raise closed_error()
                try:
                    connection = await self._connection.connection()
                    return await connection.fetch(sql, *parameters)
                except asyncpg.CharacterNotInRepertoireError:
                    return []
                except Exception as error:
                    if not refused_by_database(error):
                        raise
                    self._connection.drop()
                    if last or isinstance(error, TimeoutError | asyncpg.QueryCanceledError):
                        raise unavailable(error) from error
            raise AssertionError("the last try returns or raises")
