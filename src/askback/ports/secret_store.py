"""The half of the store that keeps sealed secrets, and who may use which of them. It never sees a value.

Contracts 1, 8, 9, 10 and 11 of `askback.ports.store` hold here as well, and

13. A secret is written only over the version that was read: the text of version n needs n - 1 of the same id to be
    there, or nothing for version 1. Otherwise the whole transaction is undone with `VersionTaken`.
14. A *candidate* is a value that is still being tried. It is not found by any read but that of its request, and for a
    rotation, and either takes its place or is dropped, with the step of the lifecycle that decides it. Another for the
    same name of the same request replaces it.
15. What is erased is erased: a deleted, replaced or dropped text is in no table any more, and in no file of the store
    either, once nobody reads the state before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from askback.ports.policy import SideEffects
from askback.ports.secrets import Grant, Place, SecretRecord


class SecretStore(Protocol):
    """Sealed secrets and grants. They are written along with what decides them: see `SideEffects`."""

    async def secret(self, tenant: str, secret_id: str) -> SecretRecord | None:
        """Read one secret by its id."""
        ...

    async def secrets_at(
        self, tenant: str, owner: str, places: Sequence[Place], names: Sequence[str]
    ) -> Sequence[SecretRecord]:
        """Those of `names` that are set in any of `places`, in any order."""
        ...

    async def secrets(
        self, tenant: str, *, person: str | None = None, before: str | None = None, limit: int = 100
    ) -> Sequence[SecretRecord]:
        """Secrets of every scope but request, newest first (ids sort by time).

        With a `person` only those that they may look after: their own, the shared ones without an owner, and of one
        thread those of a thread in which they may do all.
        """
        ...

    async def candidates(self, tenant: str, request_id: str) -> Sequence[SecretRecord]:
        """Read the values of a request that are being tried, by name."""
        ...

    async def granted(
        self, tenant: str, thread_id: str, names: Sequence[str], *, requester: str | None
    ) -> Sequence[tuple[Grant, SecretRecord | None]]:
        """The newest grant for each of the names in a thread, with its secret if that still exists.

        `requester` None is whichever agent was given it.
        """
        ...

    async def agents_of_secrets(self, tenant: str, secret_ids: Sequence[str]) -> Sequence[tuple[str, str]]:
        """Pairs of a secret and an agent that may use it without a question; the agent `*` is every agent.

        A grant, however it is written, lets its requester use its secret from then on.
        """
        ...

    async def set_secret_agents(
        self, tenant: str, secret_id: str, agents: Sequence[str], effects: SideEffects
    ) -> None:
        """Say which agents may use a secret, and take back the grants of all others."""
        ...

    async def grant_secret(self, tenant: str, secret_id: str, agent: str, effects: SideEffects) -> None:
        """Let one agent use a secret too; of calls at the same time none undoes another."""
        ...

    async def revoke_secret(self, tenant: str, secret_id: str, agent: str, effects: SideEffects) -> None:
        """Take a secret back from one agent, with its grants; the others keep theirs."""
        ...

    async def drop_secret(self, tenant: str, secret_id: str, effects: SideEffects) -> bool:
        """Erase a secret; False when there is none."""
        ...

    async def sealed_after(
        self, secret_id: str, *, tenant: str | None = None, limit: int = 200
    ) -> Sequence[SecretRecord]:
        """Sealed texts of a tenant, or of all of them, and of every scope, candidates too, by id, for a rotation.

        `limit` counts ids: a candidate has the id of the secret that it is to replace, and a page ends between two ids.
        """
        ...

    async def rewrap(self, secret_id: str, *, sealed: str, instead: str) -> bool:
        """Replace the sealed text `instead` by `sealed`; False when it has changed meanwhile, which is fine."""
        ...
