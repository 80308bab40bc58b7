"""The `Register` of presence on Postgres: two tables that are not logged, since nobody is present after a crash."""

from __future__ import annotations

from collections.abc import Collection

from askback.ports.presence import Place
from askback.storage.postgres.connection import Connection
from askback.storage.postgres.pool import Pool

_NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

_RENEW = f"UPDATE servers SET until = {_NOW} + $2 WHERE id = $1 RETURNING id"  # noqa: S608
_BEGIN = f"""
INSERT INTO servers (id, until) VALUES ($1, {_NOW} + $2)
ON CONFLICT (id) DO UPDATE SET until = excluded.until"""  # noqa: S608
_CAME = """
INSERT INTO watched (server, tenant, thread) SELECT $1, * FROM unnest($2::text[], $3::text[])
ON CONFLICT DO NOTHING"""
_LEFT = """
DELETE FROM watched USING unnest($2::text[], $3::text[]) AS gone (tenant, thread)
WHERE server = $1 AND watched.tenant = gone.tenant AND watched.thread = gone.thread"""
_STRIKE = "DELETE FROM servers WHERE id = $1"
# A server that another one clears away, or that renews its lease just now, is passed over: nobody waits for anybody.
_CLEAR = f"""
DELETE FROM servers WHERE id IN (SELECT id FROM servers WHERE until < {_NOW} FOR UPDATE SKIP LOCKED)"""  # noqa: S608
_ANYBODY = f"""
SELECT 1 FROM watched JOIN servers ON servers.id = watched.server
WHERE watched.tenant = $1 AND watched.thread IN ($2, '') AND until >= {_NOW} LIMIT 1"""  # noqa: S608


class PresenceRegister:
    """Who is there, by server. All threads are the thread without a name, which no thread has."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def note(
        self, server: str, *, came: Collection[Place], left: Collection[Place], lease_ms: int
    ) -> bool:
        """Write down who came and left, renew the lease, and clear away the servers that are gone."""

        async def note(db: Connection) -> bool:
            stands = await db.fetchval(_RENEW, server, lease_ms) is not None
            if not stands:
                await db.execute(_BEGIN, server, lease_ms)
            for sql, places in ((_LEFT, left), (_CAME, came)):
                if columns := _columns(places):
                    await db.execute(sql, server, *columns)
            await db.execute(_CLEAR)
            return stands

        return await self._pool.change(note)

    async def strike(self, server: str) -> None:
        """Forget all of a server."""
        await self._pool.change(lambda db: db.execute(_STRIKE, server))

    async def anybody(self, tenant: str, thread_id: str) -> bool:
        """Ask whether anybody is there."""
        return await self._pool.row(_ANYBODY, tenant, thread_id) is not None


def _columns(places: Collection[Place]) -> tuple[list[str], list[str]] | None:
    """Return tenants and threads, in the order of their keys. A name that Postgres cannot keep is of no thread."""
    known = sorted((tenant, thread or "") for tenant, thread in places if "\0" not in (thread or ""))
    return ([tenant for tenant, _ in known], [thread for _, thread in known]) if known else None
