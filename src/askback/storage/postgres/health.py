"""The `HealthStore` part of the port on Postgres."""

from __future__ import annotations

from askback.ports.health import Counts, Pressure
from askback.storage.postgres.part import Part

# No row is changed, but a server that only reads, or a lock that is held, refuses it as it would any change.
_TOUCH = "UPDATE webhooks SET active = active WHERE false"
_OPEN = "SELECT kind, count(*) FROM requests WHERE status IN ('pending', 'resolving') GROUP BY kind"
_RESUMES = """
SELECT count(*), count(*) FILTER (WHERE attempt > 0 AND available_at > $1) FROM resumes WHERE finished_at IS NULL"""
_DELIVERIES = "SELECT state, count(*) FROM deliveries WHERE state IN ('waiting', 'dead') GROUP BY state"


class HealthPart(Part):
    """How the database is. See `askback.ports.health` for what each method promises."""

    async def check_writable(self) -> None:
        """Try a change that changes nothing."""
        await self._borrowed.change(lambda db: db.execute(_TOUCH))

    def read_only(self) -> str | None:
        """A server without its database does not start."""
        return None

    async def recover(self) -> None:
        """There is nothing to recover from."""

    async def counts(self, *, now_ms: int) -> Counts:
        """Count what waits."""
        async with self._borrowed.snapshot() as db:
            kinds = await db.fetch(_OPEN)
            resumes = await db.fetchrow(_RESUMES, now_ms)
            deliveries = {row[0]: row[1] for row in await db.fetch(_DELIVERIES)}
        total, leased = resumes or (0, 0)
        return Counts(
            {row[0]: row[1] for row in kinds},
            resumes_waiting=total - leased,
            resumes_leased=leased,
            deliveries_waiting=deliveries.get("waiting", 0),
            deliveries_dead=deliveries.get("dead", 0),
        )

    def pressure(self) -> Pressure:
        """Return what the writer has done and has to do."""
        return self._writer.pressure()
