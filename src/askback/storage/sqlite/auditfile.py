"""The audit log as it lies in a database file, read beside whatever process has that file open."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from askback.domain.audit import GENESIS
from askback.errors import StoreUnusable
from askback.storage.sqlite import policy_queries as queries

_EVERY_ENTRY = (-(2**63), -1)
"""Above which `seq`, and how many: a negative limit is none. An entry that somebody moved to 0 is an entry."""


@dataclass(frozen=True, slots=True)
class TenantLog:
    """The audit log of one tenant, to be given to `domain.audit.verify`.

    `entries` are JSON texts, oldest first, read from the file as they are asked for, once. `head` is the `seq` and the
    hash that the store noted for the newest one.
    """

    tenant: str
    entries: Iterator[str]
    head: tuple[int, str]


@contextmanager
def read_audit(path: Path) -> Generator[Iterator[TenantLog]]:
    """Give the audit log of every tenant, by name; use them before the context ends.

    All is read in one snapshot, without the store's lock: a server may go on writing. Nothing in the file is
    trusted, since this is how a change to it is found: a log without a head and a head without a log are given as well.
    Raises `StoreUnusable` when there is no such file, or it cannot be read.
    """
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
            db.isolation_level = None
            db.text_factory = _forgiving
            db.execute("BEGIN")
            yield (_log(db, tenant) for (tenant,) in db.execute(queries.AUDITED))
    except sqlite3.Error as error:
        raise StoreUnusable(f"The audit log in {path} cannot be read: {error}.") from error


def _log(db: sqlite3.Connection, tenant: str) -> TenantLog:
    head = db.execute(queries.AUDIT_HEAD, (tenant,)).fetchone() or (0, GENESIS)
    entries = (entry for (entry,) in db.execute(queries.AUDIT, (tenant, *_EVERY_ENTRY)))
    return TenantLog(tenant, entries, head)


def _forgiving(text: bytes) -> str:
    """Decode what may have been tampered with: a byte that is no UTF-8 breaks the chain, not the reader."""
    return text.decode("utf-8", "replace")
