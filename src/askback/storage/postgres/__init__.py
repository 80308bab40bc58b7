"""The store in a Postgres database, for several concurrent servers; needs the extra `postgres` (asyncpg)."""

from askback.storage.postgres.connection import Database
from askback.storage.postgres.store import PostgresStore

__all__ = ["Database", "PostgresStore"]
