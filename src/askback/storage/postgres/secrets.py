"""The `SecretStore` half of the port on Postgres.

What is erased is in no row any more. Its bytes go when Postgres cleans up: vacuum overwrites dead rows in its own time,
and the write-ahead log, archives and replicas keep what they keep. The texts are sealed: without a master key they are
noise (`docs/how-to/postgres.md`).
"""

from __future__ import annotations

from collections.abc import Sequence

from askback.ports.policy import Along
from askback.ports.secrets import Grant, Place, SecretRecord
from askback.storage import rows
from askback.storage.postgres import secret_queries as queries
from askback.storage.postgres.along import write_along
from askback.storage.postgres.connection import Connection
from askback.storage.postgres.part import Part


class SecretPart(Part):
    """Sealed secrets, candidates and grants. See `askback.ports.secret_store` for what each method promises."""

    async def secret(self, tenant: str, secret_id: str) -> SecretRecord | None:
        """Read one secret by its id."""
        row = await self._borrowed.row(queries.SECRET, secret_id, tenant)
        return None if row is None else SecretRecord(*row)

    async def secrets_at(
        self, tenant: str, owner: str, places: Sequence[Place], names: Sequence[str]
    ) -> Sequence[SecretRecord]:
        """Read those of `names` that are set in any of `places`."""
        at = dict.fromkeys(places)  # a place that is named twice is read once
        scopes, subjects = [place.scope for place in at], [place.subject for place in at]
        return await self._read(queries.SECRETS_AT, tenant, owner, scopes, subjects, list(names))

    async def secrets(
        self, tenant: str, *, person: str | None = None, before: str | None = None, limit: int = 100
    ) -> Sequence[SecretRecord]:
        """Read secrets of every scope but request, newest first."""
        sql, parameters = queries.list_secrets(tenant, person=person, before=before, limit=limit)
        return await self._read(sql, *parameters)

    async def candidates(self, tenant: str, request_id: str) -> Sequence[SecretRecord]:
        """Read the values of a request that are being tried, by name."""
        return await self._read(queries.CANDIDATES, tenant, request_id)

    async def granted(
        self, tenant: str, thread_id: str, names: Sequence[str], *, requester: str | None
    ) -> Sequence[tuple[Grant, SecretRecord | None]]:
        """Read the newest grant for each of the names in a thread."""
        sql, parameters = queries.granted(tenant, thread_id, list(names), requester=requester)
        return [rows.granted(row) for row in await self._borrowed.rows(sql, *parameters)]

    async def agents_of_secrets(self, tenant: str, secret_ids: Sequence[str]) -> Sequence[tuple[str, str]]:
        """Read which agents may use secrets."""
        found = await self._borrowed.rows(queries.AGENTS_OF, tenant, list(secret_ids))
        return [(secret_id, agent) for secret_id, agent in found]

    async def set_secret_agents(
        self, tenant: str, secret_id: str, agents: Sequence[str], along: Along
    ) -> None:
        """Say which agents may use a secret."""

        async def change(db: Connection) -> None:
            await db.execute(queries.LET_NOBODY_USE, tenant, secret_id)
            for agent in agents:
                await db.execute(queries.LET_USE, tenant, secret_id, agent)
            if "*" not in agents:
                await db.execute(queries.TAKE_BACK, tenant, secret_id, list(agents))
            await write_along(db, along)

        await self._borrowed.change(change)

    async def grant_secret(self, tenant: str, secret_id: str, agent: str, along: Along) -> None:
        """Let one agent use a secret too."""
        await self._change_one((queries.LET_USE,), tenant, secret_id, agent, along)

    async def revoke_secret(self, tenant: str, secret_id: str, agent: str, along: Along) -> None:
        """Take a secret back from one agent."""
        texts = (queries.LET_NO_MORE, queries.TAKE_BACK_ONE)
        await self._change_one(texts, tenant, secret_id, agent, along)

    async def _change_one(
        self, texts: Sequence[str], tenant: str, secret_id: str, agent: str, along: Along
    ) -> None:
        async def change(db: Connection) -> None:
            for text in texts:
                await db.execute(text, tenant, secret_id, agent)
            await write_along(db, along)

        await self._borrowed.change(change)

    async def drop_secret(self, tenant: str, secret_id: str, along: Along) -> bool:
        """Erase a secret."""

        async def drop(db: Connection) -> bool:
            if await db.fetchrow(queries.DROP_SECRET, secret_id, tenant) is None:
                return False
            await write_along(db, along)
            return True

        return await self._borrowed.change(drop)

    async def sealed_after(
        self, secret_id: str, *, tenant: str | None = None, limit: int = 200
    ) -> Sequence[SecretRecord]:
        """Read sealed texts of every scope, candidates too, by id."""
        row = await self._borrowed.row(queries.LAST_OF_PAGE, tenant, secret_id, limit)
        last = None if row is None else row[0]
        return [] if last is None else await self._read(queries.SEALED, tenant, secret_id, last)

    async def rewrap(self, secret_id: str, *, sealed: str, instead: str) -> bool:
        """Replace a sealed text where it is: in its place, or still as a candidate."""

        async def replace(db: Connection) -> bool:
            texts = (queries.REWRAP_SECRET, queries.REWRAP_CANDIDATE)
            found = [await db.fetchrow(text, secret_id, instead, sealed) for text in texts]
            return found != [None, None]

        return await self._borrowed.change(replace)

    async def _read(self, sql: str, *parameters: object) -> Sequence[SecretRecord]:
        return [SecretRecord(*row) for row in await self._borrowed.rows(sql, *parameters)]
