"""The `SecretStore` half of the port on SQLite."""

from __future__ import annotations

import json
from collections.abc import Sequence

from askback.ports.policy import Along
from askback.ports.secrets import Grant, Place, SecretRecord
from askback.storage.sqlite import secret_changes as changes
from askback.storage.sqlite import secret_queries as queries
from askback.storage.sqlite import secret_rows as rows
from askback.storage.sqlite.part import Part


class SecretPart(Part):
    """Sealed secrets, candidates and grants. See `askback.ports.secret_store` for what each method promises."""

    async def secret(self, tenant: str, secret_id: str) -> SecretRecord | None:
        """Read one secret by its id."""
        return self._readers.point(lambda db: rows.read_secret(db, tenant, secret_id))

    async def secrets_at(
        self, tenant: str, owner: str, places: Sequence[Place], names: Sequence[str]
    ) -> Sequence[SecretRecord]:
        """Read those of `names` that are set in any of `places`."""
        return self._readers.point(lambda db: rows.read_secrets_at(db, tenant, owner, places, names))

    async def secrets(
        self, tenant: str, *, person: str | None = None, before: str | None = None, limit: int = 100
    ) -> Sequence[SecretRecord]:
        """Read secrets of every scope but request, newest first."""
        return await self._readers.page(
            lambda db: rows.read_secrets(db, tenant, person=person, before=before, limit=limit)
        )

    async def candidates(self, tenant: str, request_id: str) -> Sequence[SecretRecord]:
        """Read the values of a request that are being tried, by name."""
        return self._readers.point(lambda db: rows.read_candidates(db, tenant, request_id))

    async def granted(
        self, tenant: str, thread_id: str, names: Sequence[str], *, requester: str | None
    ) -> Sequence[tuple[Grant, SecretRecord | None]]:
        """Read the newest grant for each of the names in a thread."""
        return self._readers.point(
            lambda db: rows.read_granted(db, tenant, thread_id, names, requester=requester)
        )

    async def agents_of_secrets(self, tenant: str, secret_ids: Sequence[str]) -> Sequence[tuple[str, str]]:
        """Read which agents may use secrets."""
        row = (tenant, json.dumps(secret_ids))
        return self._readers.point(lambda db: db.execute(queries.AGENTS_OF, row).fetchall())

    async def set_secret_agents(
        self, tenant: str, secret_id: str, agents: Sequence[str], along: Along
    ) -> None:
        """Say which agents may use a secret."""
        await self._change(lambda db, _: changes.set_agents(db, tenant, secret_id, agents, along), along)

    async def grant_secret(self, tenant: str, secret_id: str, agent: str, along: Along) -> None:
        """Let one agent use a secret too."""
        await self._change(lambda db, _: changes.grant(db, tenant, secret_id, agent, along), along)

    async def revoke_secret(self, tenant: str, secret_id: str, agent: str, along: Along) -> None:
        """Take a secret back from one agent."""
        await self._change(lambda db, _: changes.revoke(db, tenant, secret_id, agent, along), along)

    async def drop_secret(self, tenant: str, secret_id: str, along: Along) -> bool:
        """Erase a secret."""
        return await self._writer.submit(
            lambda db, _: changes.drop_secret(db, tenant, secret_id, along), erases=True
        )

    async def sealed_after(
        self, secret_id: str, *, tenant: str | None = None, limit: int = 200
    ) -> Sequence[SecretRecord]:
        """Read sealed texts of every scope, candidates too, by id."""
        return await self._readers.page(
            lambda db: rows.read_sealed_after(db, secret_id, tenant=tenant, limit=limit)
        )

    async def rewrap(self, secret_id: str, *, sealed: str, instead: str) -> bool:
        """Replace a sealed text."""
        return await self._writer.submit(
            lambda db, _: changes.rewrap(db, secret_id, sealed=sealed, instead=instead), erases=True
        )
