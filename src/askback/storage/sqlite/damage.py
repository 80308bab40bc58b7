"""Damage to the database file: noted when a statement meets it, and looked for where the file is small."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from pathlib import Path

from askback.errors import Unavailable
from askback.storage.sqlite.connection import Connection, is_damage

SMALL_BYTES = 8 * 1024 * 1024
"""Up to this size the whole file is checked each time."""

_log = logging.getLogger(__name__)


class Damage:
    """What was found of a database file. It stays until the server starts again: a file does not mend itself."""

    def __init__(self) -> None:
        self._found: str | None = None

    def note(self, error: BaseException) -> None:
        """Note an error if it says that the file is damaged."""
        if is_damage(error):
            self._report(str(error))

    def look(self, db: Connection) -> None:
        """Check a small file as it is on the disk; raises `Unavailable` when it is damaged, or was found to be before.

        The connection is a new one: `db` may have sound copies of the pages in memory.
        """
        if self._found is None and _bytes(db) <= SMALL_BYTES:
            file = Path(db.execute("PRAGMA database_list").fetchone()[2])
            try:
                with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as new:
                    [(found,), *_] = new.execute("PRAGMA quick_check(1)").fetchall()
                if found != "ok":
                    self._report(found.replace("\n", " "))
            except sqlite3.Error as error:
                if not is_damage(error):
                    raise
                self.note(error)
        if self._found is not None:
            raise Unavailable(
                f"The database is damaged ({self._found}). Restore it from a backup.", retry_after=5
            )

    def _report(self, found: str) -> None:
        if self._found is None:
            _log.error("the database is damaged (%s); restore it from a backup", found)
        self._found = found


def _bytes(db: Connection) -> int:
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    (size,) = db.execute("PRAGMA page_size").fetchone()
    return pages * size
