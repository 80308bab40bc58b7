"""The store in one SQLite file: one writer thread that groups commits, readers that never wait for it."""

from askback.storage.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
