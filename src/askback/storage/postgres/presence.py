"""The `PresenceRegister` on Postgres: two unlogged tables, since no viewer survives a crash of the database."""

from __future__ import annotations

from collections.abc import Collection

from askback.ports.presence import View
from askback.storage.postgres.connection import Connection
from askback.storage.postgres.pool import Pool

_NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

_RENEW = f"UPDATE servers SET until = {_NOW} + $2 WHERE id = $1 RETURNING id"  # noqa: S608
_INSERT_VIEWS = f"""
INSERT INTO servers (id, until) VALUES ($1, {_NOW} + $2)
ON CONFLICT (id) DO UPDATE SET until = excluded.until"""  # noqa: S608
_ADD = """
INSERT INTO watched (server, tenant, thread) SELECT $1, * FROM unnest($2::text[], $3::text[])
ON CONFLICT DO NOTHING"""
_REMOVE = """
DELETE FROM watched USING unnest($2::text[], $3::text[]) AS gone (tenant, thread)
WHERE server = $1 AND watched.tenant = gone.tenant AND watched.thread = gone.thread"""
_REMOVE_SERVER = "DELETE FROM servers WHERE id = $1"
# Rows that another server is deleting or renewing are skipped, so that no server waits for another.
_CLEAR = f"""
DELETE FROM servers WHERE id IN (SELECT id FROM servers WHERE until < {_NOW} FOR UPDATE SKIP LOCKED)"""  # noqa: S608
_ANYBODY = f"""
SELECT 1 FROM watched JOIN servers ON servers.id = watched.server
WHERE watched.tenant = $1 AND watched.thread IN ($2, '') AND until >= {_NOW} LIMIT 1"""  # noqa: S608


class PresenceRegister:
    """The viewers by server. The empty thread id means all threads; no thread has it."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def update(
        self, server: str, *, added: Collection[View], removed: Collection[View], lease_ms: int
    ) -> bool:
        """Add and remove views, renew the lease, and remove servers whose lease has ended."""

        async def change(db: Connection) -> bool:
            valid = await db.fetchval(_RENEW, server, lease_ms) is not None
            if not valid:
                await db.execute(_INSERT_VIEWS, server, lease_ms)
            for sql, views in ((_REMOVE, removed), (_ADD, added)):
                if columns := _columns(views):
                    await db.execute(sql, server, *columns)
            await db.execute(_CLEAR)
            return valid

        return await self._pool.change(change)

    async def remove(self, server: str) -> None:
        """Remove a server and its entries."""
        await self._pool.change(lambda db: db.execute(_REMOVE_SERVER, server))

    async def has_viewer(self, tenant: str, thread_id: str) -> bool:
        """Return whether any server with a valid lease has a viewer of this thread, or of all."""
        return await self._pool.row(_ANYBODY, tenant, thread_id) is not None


def _columns(views: Collection[View]) -> tuple[list[str], list[str]] | None:
    """Return tenants and threads in the order of their keys, without ids that Postgres cannot store."""
    view_keys = sorted((tenant, thread or "") for tenant, thread in views if "\0" not in (thread or ""))
    return ([tenant for tenant, _ in view_keys], [thread for _, thread in view_keys]) if view_keys else None
