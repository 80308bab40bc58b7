"""How much waits in the database."""

from __future__ import annotations

from askback.ports.health import Counts
from askback.storage.sql.transaction import Area, Transaction

OPEN_BY_KIND = "SELECT kind, count(*) FROM requests WHERE status IN ('pending', 'resolving') GROUP BY kind"
RESUMES = """
SELECT count(*), count(*) FILTER (WHERE attempt > 0 AND available_at > $1) FROM resumes WHERE finished_at IS NULL"""
DELIVERIES = "SELECT state, count(*) FROM deliveries WHERE state IN ('waiting', 'dead') GROUP BY state"


class HealthArea(Area):
    """See `askback.ports.health` for what each method promises; the other methods differ between databases."""

    async def counts(self, *, now_ms: int) -> Counts:
        """Count what waits."""

        async def count(tx: Transaction) -> Counts:
            kinds = {row[0]: row[1] for row in await tx.all(OPEN_BY_KIND)}
            deliveries = {row[0]: row[1] for row in await tx.all(DELIVERIES)}
            total, leased = await tx.one(RESUMES, now_ms) or (0, 0)
            return Counts(
                kinds,
                resumes_waiting=total - leased,
                resumes_leased=leased,
                deliveries_waiting=deliveries.get("waiting", 0),
                deliveries_dead=deliveries.get("dead", 0),
            )

        return await self._db.snapshot(count)
