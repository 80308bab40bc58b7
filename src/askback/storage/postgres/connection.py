"""Connections to the database, set up so that an acknowledged commit is durable and no call waits forever."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit

import asyncpg

from askback.domain.values import frozen
from askback.errors import StoreUnusable, Unavailable
from askback.storage.postgres.liveness import SERVER_KEEPALIVE, TRANSACTION_TIMEOUT, KeepaliveConnection
from askback.storage.sql.transaction import Sealing

if TYPE_CHECKING:
    from asyncpg import Record
    from asyncpg.pool import Pool, PoolConnectionProxy

Connection: TypeAlias = "asyncpg.Connection[Record] | PoolConnectionProxy[Record]"
"""A connection that runs statements, possibly lent by a pool."""

PLANNED_ONCE = {"plan_cache_mode": "force_generic_plan"}
"""For statements that name their rows by keys in arrays: there is one way to find them. By default Postgres plans
them again each time, for the lengths of the arrays, which takes as long as all the rest.
"""

SCHEMA = "askback"
"""The schema of the tables; the database may have other schemas."""


@frozen(slots=True)
class Timeouts:
    """How long operations may take, in milliseconds, before they count as failed.

    `idle` is for a server that stops in the middle of a transaction: others wait for its locks, so it is cut
    off before they give up (`lock`). `transaction` is for one that hangs within a statement. The
    database reports its own timeouts within `reply`; without a reply by then the connection counts as lost.
    """

    connect: int = 5_000
    idle: int = 3_000
    lock: int = 6_000
    statement: int = 20_000
    transaction: int = 30_000
    reply: int = 2_000


@frozen(slots=True)
class Database:
    """The address of a database, `postgresql://…`, as asyncpg and libpq read it. It may hold a password."""

    url: str = field(repr=False)
    patience: Timeouts = Timeouts()
    sealing: Sealing = field(default_factory=Sealing, repr=False, compare=False)

    def __str__(self) -> str:
        """Name the database without the secrets of its address."""
        parts = urlsplit(self.url)
        address = parts.netloc.rpartition("@")[2]
        return f"postgresql://{address}{parts.path}"

    async def connect(self, **settings: str) -> asyncpg.Connection[Record]:
        """Open a connection, with more settings of Postgres.

        Raises what asyncpg raises, and `StoreUnusable` for an address that it cannot use.
        """
        try:
            connection = await asyncpg.connect(self.url, **self._options(settings))
        except ValueError:
            # Not its text, which may quote the address.
            raise StoreUnusable(
                f"The address of the database {self} has an option that cannot be used."
            ) from None
        try:
            await self._prepare(connection)
        except BaseException:
            connection.terminate()
            raise
        return connection

    def pool(self, size: int, **settings: str) -> Pool[Record]:
        """Make a pool, which is yet to be opened. What borrows from it leaves no traces, so there is no reset."""
        return asyncpg.create_pool(
            self.url, min_size=0, max_size=size, init=self._prepare, reset=_nothing, **self._options(settings)
        )

    async def _prepare(self, connection: Connection) -> None:
        """Bound transactions, and have commits waited for where the database is set up not to.

        Stricter settings about commits stay as they are. What seals the audit log travels with the connection.
        """
        assert isinstance(connection, KeepaliveConnection)
        connection.sealing = self.sealing
        await connection.execute(TRANSACTION_TIMEOUT.format(self.patience.transaction))
        await connection.execute("""
            SELECT set_config('synchronous_commit', 'on', FALSE) WHERE current_setting('synchronous_commit') = 'off'""")

    def _options(self, settings: Mapping[str, str] = {}) -> dict[str, Any]:
        timeouts = self.patience
        return {
            "connection_class": KeepaliveConnection,
            "timeout": timeouts.connect / 1000,
            "command_timeout": (timeouts.statement + timeouts.reply) / 1000,
            "server_settings": {
                **SERVER_KEEPALIVE,
                "application_name": "askback",
                "search_path": SCHEMA,
                "default_transaction_isolation": "read committed",
                "idle_in_transaction_session_timeout": str(timeouts.idle),
                "lock_timeout": str(timeouts.lock),
                "statement_timeout": str(timeouts.statement),
                # Every query finds its rows by an index. The statistics of a new table suggest a scan instead, and
                # prepared statements would continue to scan it after it has grown.
                "enable_seqscan": "off",
                "enable_hashjoin": "off",
                "enable_mergejoin": "off",
                # And most want the first few of an order that an index has, which a bitmap loses: it sorts them all.
                "enable_bitmapscan": "off",
                "jit": "off",
                **settings,
            },
        }


def sealing_of(db: Connection) -> Sealing:
    """Return what seals the audit log on a connection of this store, also on one that a pool has lent."""
    return db.sealing  # type: ignore[union-attr]  # set by `_prepare`; the proxy of a pool passes it on


async def _nothing(connection: Connection) -> None:
    pass


# Classes of SQLSTATE that concern the database and not a statement: no connection, read-only, no such login, no such
# database, out of resources, locked, shut down, broken.
_ABOUT_THE_DATABASE = frozenset({"08", "25", "28", "3D", "53", "55", "57", "58", "XX"})


def refused_by_database(error: BaseException) -> bool:
    """Return whether an error says that the database cannot be used now, whatever the statement was."""
    if isinstance(error, asyncpg.PostgresError):
        return (error.sqlstate or "")[:2] in _ABOUT_THE_DATABASE
    # A session that was ended is "unexpected" to its client until the end of the line has arrived as well.
    # A value of a wrong type is a ValueError too, and a defect of this code.
    connection_errors = (OSError, asyncpg.InterfaceError, asyncpg.InternalClientError)
    return isinstance(error, connection_errors) and not isinstance(error, ValueError)


def is_retryable(error: BaseException) -> bool:
    """Return whether a transaction was rolled back for a cause outside it.

    That is a deadlock, a schema that has just changed, or somebody who took a unique key at the same moment.
    """
    retryable_errors = (
        asyncpg.InvalidCachedStatementError,
        asyncpg.UniqueViolationError,
        asyncpg.TransactionRollbackError,
    )
    return isinstance(error, retryable_errors)


def unavailable(error: BaseException) -> Unavailable:
    """Return the error for an unusable database. It has only the kind of the cause: its text may quote values."""
    return Unavailable(
        f"The database is currently unavailable ({type(error).__name__}). Nothing was stored; try again.",
        retry_after=1,
    )


def unknown_outcome(error: BaseException) -> Unavailable:
    """Report that the database was lost during a commit, and with it whether that came through."""
    return Unavailable(
        f"The database was lost during a commit ({type(error).__name__}). It is not known whether this was stored; "
        "send it again with the same Idempotency-Key.",
        retry_after=1,
    )
