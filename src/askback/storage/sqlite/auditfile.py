"""The audit log of a database file, read while another process may have it open."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from askback.errors import StoreUnusable
from askback.ports.audit import AuditHead
from askback.storage.auditlog import EVERY_ENTRY, TenantLog
from askback.storage.sql import audit
from askback.storage.sqlite.connection import connect_beside
from askback.storage.sqlite.dialect import rewrite

_NO_LIMIT = -1


@contextmanager
def read_audit(path: Path) -> Generator[Iterator[TenantLog]]:
    """Give the audit log of every tenant, by name; use them before the context ends.

    Everything is read in one snapshot, without the store's lock: a server may continue to write. Nothing in the file is
    trusted, since this is how a change to it is found: a log without a head and a head without a log are returned too.
    Raises `StoreUnusable` when there is no such file, or it cannot be read.
    """
    try:
        with closing(connect_beside(path)) as db:
            db.isolation_level = None
            db.text_factory = _decode_leniently
            db.execute("BEGIN")
            yield (_log(db, tenant) for (tenant,) in db.execute(rewrite(audit.AUDITED)))
    except sqlite3.Error as error:
        raise StoreUnusable(f"The audit log in {path} cannot be read: {error}.") from error


def _log(db: sqlite3.Connection, tenant: str) -> TenantLog:
    row = db.execute(rewrite(audit.ANY_AUDIT_HEAD), (tenant,)).fetchone()
    entries = (entry for entry, _ in db.execute(rewrite(audit.AUDIT), (tenant, EVERY_ENTRY, _NO_LIMIT)))
    return TenantLog(tenant, entries, None if row is None else AuditHead(*row))


def _decode_leniently(text: bytes) -> str:
    """Decode text that may have been tampered with: invalid UTF-8 breaks the chain, not the reader."""
    return text.decode("utf-8", "replace")
