"""The reads and changes of secrets, candidates and grants of the store in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from askback.domain.access import Level
from askback.ports.policy import Along
from askback.ports.secrets import Grant, Place, SecretRecord
from askback.testing.fake_along import FakeAlong


class FakeSecrets(FakeAlong):
    """The `SecretStore` half of the port in dictionaries."""

    async def secret(self, tenant: str, secret_id: str) -> SecretRecord | None:
        """Read one secret by its id."""
        return self._secrets.get((tenant, secret_id))

    async def secrets_at(
        self, tenant: str, owner: str, places: Sequence[Place], names: Sequence[str]
    ) -> Sequence[SecretRecord]:
        """Read those of `names` that are set in any of `places`."""
        return [
            s
            for s in self._secrets.values()
            if (s.tenant, s.owner) == (tenant, owner)
            and Place(s.scope, s.subject) in places
            and s.name in names
        ]

    async def secrets(
        self, tenant: str, *, person: str | None = None, before: str | None = None, limit: int = 100
    ) -> Sequence[SecretRecord]:
        """Read secrets of every scope but request, newest first."""
        found = [
            s
            for s in self._secrets.values()
            if s.tenant == tenant
            and s.scope != "request"
            and (person is None or self._theirs(s, person))
            and (before is None or s.id < before)
        ]
        return sorted(found, key=lambda s: s.id, reverse=True)[:limit]

    def _theirs(self, secret: SecretRecord, person: str) -> bool:
        if secret.scope == "session":
            level = self._access_to(secret.tenant, secret.subject).level(person)
            return secret.owner == person or level >= Level.ALL
        return secret.owner in ("", person)

    async def candidates(self, tenant: str, request_id: str) -> Sequence[SecretRecord]:
        """Read the values of a request that are being tried, by name."""
        return [s for key, s in sorted(self._candidates.items()) if key[:2] == (tenant, request_id)]

    async def granted(
        self, tenant: str, thread_id: str, names: Sequence[str], *, requester: str | None
    ) -> Sequence[tuple[Grant, SecretRecord | None]]:
        """Read the newest grant for each of the names in a thread."""
        newest = {
            grant.name: grant
            for grant in self._grants.values()
            if (grant.tenant, grant.thread_id) == (tenant, thread_id)
            and grant.name in names
            and requester in (None, grant.requester)
        }
        return [(grant, self._secrets.get((tenant, grant.secret_id))) for grant in newest.values()]

    async def agents_of_secrets(self, tenant: str, secret_ids: Sequence[str]) -> Sequence[tuple[str, str]]:
        """Read which agents may use secrets."""
        return [(s, agent) for of, s, agent in self._secret_agents if of == tenant and s in secret_ids]

    async def set_secret_agents(
        self, tenant: str, secret_id: str, agents: Sequence[str], along: Along
    ) -> None:
        """Say which agents may use a secret."""
        self._begin()
        self._keep(along)
        others = {each for each in self._secret_agents if each[:2] != (tenant, secret_id)}
        self._secret_agents = others | {(tenant, secret_id, agent) for agent in agents}
        if "*" not in agents:
            self._grants = {
                key: grant
                for key, grant in self._grants.items()
                if (grant.tenant, grant.secret_id) != (tenant, secret_id) or grant.requester in agents
            }

    async def grant_secret(self, tenant: str, secret_id: str, agent: str, along: Along) -> None:
        """Let one agent use a secret too."""
        self._begin()
        self._keep(along)
        self._secret_agents = self._secret_agents | {(tenant, secret_id, agent)}

    async def revoke_secret(self, tenant: str, secret_id: str, agent: str, along: Along) -> None:
        """Take a secret back from one agent."""
        self._begin()
        self._keep(along)
        self._secret_agents = self._secret_agents - {(tenant, secret_id, agent)}
        self._grants = {
            key: grant
            for key, grant in self._grants.items()
            if (grant.tenant, grant.secret_id, grant.requester) != (tenant, secret_id, agent)
        }

    async def drop_secret(self, tenant: str, secret_id: str, along: Along) -> bool:
        """Erase a secret."""
        self._begin()
        if (tenant, secret_id) not in self._secrets:
            return False
        self._keep(along)
        del self._secrets[tenant, secret_id]
        return True

    async def sealed_after(
        self, secret_id: str, *, tenant: str | None = None, limit: int = 200
    ) -> Sequence[SecretRecord]:
        """Read sealed texts of every scope, candidates too, by id."""
        texts = (*self._secrets.values(), *self._candidates.values())
        found = [s for s in texts if s.id > secret_id and tenant in (None, s.tenant)]
        page = sorted({s.id for s in found})[:limit]
        return sorted((s for s in found if s.id in page), key=lambda s: s.id)

    async def rewrap(self, secret_id: str, *, sealed: str, instead: str) -> bool:
        """Replace a sealed text."""
        self._begin()
        done = [_rewrap(kept, secret_id, sealed, instead) for kept in (self._secrets, self._candidates)]
        return any(done)


def _rewrap(kept: dict[Any, SecretRecord], secret_id: str, sealed: str, instead: str) -> bool:
    found = [key for key, secret in kept.items() if (secret.id, secret.sealed) == (secret_id, instead)]
    for key in found:
        kept[key] = replace(kept[key], sealed=sealed)
    return bool(found)
