"""The audit log in a Postgres database, read while servers use it."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import asyncpg

from askback.errors import StoreUnusable
from askback.ports.audit import AuditHead
from askback.storage.auditlog import EVERY_ENTRY, TenantLog
from askback.storage.postgres.connection import Database
from askback.storage.sql import audit as queries

if TYPE_CHECKING:
    from asyncpg import Record

PAGE = 1_000


@contextmanager
def read_audit(database: Database) -> Generator[Iterator[TenantLog]]:
    """Give the audit log of every tenant, by name; use them before the context ends, outside of any event loop.

    All is read in one snapshot. A log without a head and a head without a log are returned too.
    Raises `StoreUnusable` when the database cannot be read.
    """
    try:
        with asyncio.Runner() as runner:
            yield _Reader(runner, runner.run(database.connect())).logs()
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise StoreUnusable(
            f"The audit log in {database} cannot be read ({type(error).__name__})."
        ) from error


class _Reader:
    """Reads a little at a time, for iterators that know nothing of event loops."""

    def __init__(self, runner: asyncio.Runner, connection: asyncpg.Connection[Record]) -> None:
        self._run = runner.run
        self._connection = connection

    def logs(self) -> Iterator[TenantLog]:
        """Begin the snapshot, which lasts as long as the connection, and go through the tenants."""
        self._run(self._connection.execute("SET idle_in_transaction_session_timeout = 0"))
        self._run(self._connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"))
        for (tenant,) in self._run(self._connection.fetch(queries.AUDITED)):
            row = self._run(self._connection.fetchrow(queries.ANY_AUDIT_HEAD, tenant))
            yield TenantLog(tenant, self._entries(tenant), None if row is None else AuditHead(*row))
        self._run(self._connection.close())

    def _entries(self, tenant: str) -> Iterator[str]:
        after_condition = EVERY_ENTRY
        while page := self._run(self._connection.fetch(queries.AUDIT, tenant, after_condition, PAGE)):
            yield from (entry for entry, _ in page)
            after_condition = page[-1][1]
