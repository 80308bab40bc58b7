"""The `HealthStore` part of the port on SQLite."""

from __future__ import annotations

from pathlib import Path

from askback.ports.health import Counts, Pressure
from askback.storage.sqlite import schema
from askback.storage.sqlite.connection import Connection
from askback.storage.sqlite.part import Part
from askback.storage.sqlite.place import take_room
from askback.storage.sqlite.writer import unavailable

_OPEN = "SELECT kind, count(*) FROM requests WHERE status IN ('pending', 'resolving') GROUP BY kind"
_RESUMES = """
SELECT count(*), count(*) FILTER (WHERE attempt > 0 AND available_at > ?) FROM resumes WHERE finished_at IS NULL"""
_DELIVERIES = "SELECT state, count(*) FROM deliveries WHERE state IN ('waiting', 'dead') GROUP BY state"


class HealthPart(Part):
    """How the database is. See `askback.ports.health` for what each method promises."""

    async def check_writable(self) -> None:
        """Commit a change that changes nothing, take room on the disk, and look for damage."""
        await self._writer.submit(lambda db, _: _touch(db))
        await self._readers.page(self._writer.damage.look)

    def read_only(self) -> str | None:
        """Return why the disk took no writes when the file was opened."""
        return self._writer.read_only

    async def counts(self, *, now_ms: int) -> Counts:
        """Count what waits."""
        return await self._readers.page(lambda db: _count(db, now_ms))

    def pressure(self) -> Pressure:
        """Return what the writer thread has done and has to do."""
        return self._writer.pressure()


def _touch(db: Connection) -> None:
    _take_room(Path(db.execute("PRAGMA database_list").fetchone()[2]).parent)
    db.execute(f"PRAGMA user_version = {schema.version(db)}")


def _take_room(folder: Path) -> None:
    """Take room beside the database: on a full disk the change below still fits into pages it has."""
    try:
        take_room(folder)
    except OSError as error:
        raise unavailable(error) from None


def _count(db: Connection, now_ms: int) -> Counts:
    resumes, leased = db.execute(_RESUMES, (now_ms,)).fetchone()
    deliveries = dict(db.execute(_DELIVERIES).fetchall())
    return Counts(
        dict(db.execute(_OPEN).fetchall()),
        resumes_waiting=resumes - leased,
        resumes_leased=leased,
        deliveries_waiting=deliveries.get("waiting", 0),
        deliveries_dead=deliveries.get("dead", 0),
    )
