"""The data of a Postgres server about one database, on its disk and in its log at the most verbose level."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import asyncpg

from tests.postgres_server import PostgresServer

SEGMENT = 16 * 1024 * 1024
TALKATIVE = ("log_statement = 'all'", "log_min_duration_statement = 0", "log_min_error_statement = 'info'")
"""Every statement is logged with its parameters; so is what an error tells."""


class DatabaseFiles:
    """Reads the files of a database since its creation."""

    def __init__(self, server: PostgresServer, name: str) -> None:
        self._server = server
        self._name = name
        self.url = server.database(name).url

    async def begin(self) -> None:
        """Log everything, and remember the current length of the logs."""
        for setting in TALKATIVE:
            await self._server.run(f"ALTER DATABASE {self._name} SET {setting}")
        self._data = Path(await self._ask("SHOW data_directory"))
        self._log = self._data.parent / "log"
        self._logged = self._log.stat().st_size
        self._written = await self._position()

    async def traces(self) -> list[tuple[str, bytes]]:
        """The tables and indexes as they are on the disk, the write-ahead log, the server's log, and a dump."""
        await self._server.run("CHECKPOINT")
        paths = await self._ask(
            "SELECT string_agg(pg_relation_filepath(oid), ' ') FROM pg_class WHERE oid >= 16384 AND relkind IN ('r', 'i', 't')"
        )
        return [
            *(("file of a table", (self._data / path).read_bytes().strip(b"\0")) for path in paths.split()),
            ("write-ahead log", b"".join(self._wal(self._written, await self._position()))),
            ("log of Postgres", self._log.read_bytes()[self._logged :]),
            ("dump", self._dumped()),
        ]

    def _wal(self, begin: int, end: int) -> Iterator[bytes]:
        for number in range(begin // SEGMENT, end // SEGMENT + 1):
            name = f"{1:08X}{number >> 8:08X}{number & 0xFF:08X}"
            first = number * SEGMENT
            data = (self._data / "pg_wal" / name).read_bytes()
            yield data[max(begin - first, 0) : end - first]

    def _dumped(self) -> bytes:
        program = self._server.program("pg_dump")
        return subprocess.run([program, self.url], capture_output=True, check=True, timeout=120).stdout

    async def _position(self) -> int:
        return int(await self._ask("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text"))

    async def _ask(self, sql: str) -> str:
        connection = await asyncpg.connect(self.url)
        try:
            return await connection.fetchval(sql)
        finally:
            await connection.close()
