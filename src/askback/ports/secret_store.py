"""The part of the store for sealed secrets and grants. It never sees a value.

Contracts 1, 8, 9, 10 and 11 of `askback.ports.store` apply here as well, and

13. A secret is written only over the version that was read: version n replaces version n - 1 of the same id, and
    version 1 needs an unused id. Otherwise the whole transaction is undone with `VersionTaken`.
14. A *candidate* is a value that is still being tested. Only its request and a rotation can read it. The step
    that decides about its request stores or drops it. A new candidate for the same name of a request replaces
    it.
15. A deleted, replaced or dropped text is in no table, and in no file of the store once no reader uses the earlier
    state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from askback.ports.policy import SideEffects
from askback.ports.secrets import Grant, SecretLocation, SecretRecord, SecretUse


class SecretStore(Protocol):
    """Sealed secrets and grants. `SideEffects` writes them in the transaction of the decision."""

    async def secret(self, tenant: str, secret_id: str) -> SecretRecord | None:
        """Read one secret by its id."""
        ...

    async def secrets_at(
        self, tenant: str, owner: str, locations: Sequence[SecretLocation], names: Sequence[str]
    ) -> Sequence[SecretRecord]:
        """Return those of `names` that are set in any of `locations`, in any order."""
        ...

    async def secrets(
        self, tenant: str, *, person: str | None = None, before: str | None = None, limit: int = 100
    ) -> Sequence[SecretRecord]:
        """Return secrets of every scope but request, newest first (ids sort by time).

        With a `person`, only those that they may manage: their own, those without an owner, and those of threads that
        they own.
        """
        ...

    async def candidates(self, tenant: str, request_id: str) -> Sequence[SecretRecord]:
        """Read the candidates of a request, ordered by name."""
        ...

    async def granted(
        self, tenant: str, thread_id: str, names: Sequence[str], *, requester: str | None
    ) -> Sequence[tuple[Grant, SecretRecord | None]]:
        """Return the newest grant for each of the names in a thread, with its secret if that still exists.

        `requester` None means a grant of any agent.
        """
        ...

    async def agents_of_secrets(self, tenant: str, secret_ids: Sequence[str]) -> Sequence[tuple[str, str]]:
        """Return pairs of a secret and an agent that may use it without asking; the agent `*` means every agent.

        A grant lets its requester use the secret without asking from then on.
        """
        ...

    async def secret_uses(self, tenant: str, secret_ids: Sequence[str]) -> Mapping[str, SecretUse]:
        """Return the last use of each of these secrets that was used, by its id."""
        ...

    async def set_secret_agents(
        self, tenant: str, secret_id: str, agents: Sequence[str], effects: SideEffects
    ) -> None:
        """Set which agents may use a secret, and revoke the grants of all others."""
        ...

    async def grant_secret(self, tenant: str, secret_id: str, agent: str, effects: SideEffects) -> None:
        """Let one more agent use a secret; concurrent calls do not undo each other."""
        ...

    async def revoke_secret(self, tenant: str, secret_id: str, agent: str, effects: SideEffects) -> None:
        """Revoke a secret and its grants from one agent; the others keep theirs."""
        ...

    async def drop_secret(self, tenant: str, secret_id: str, effects: SideEffects) -> bool:
        """Erase a secret; False if it does not exist."""
        ...

    async def sealed_after(
        self, secret_id: str, *, tenant: str | None = None, limit: int = 200
    ) -> Sequence[SecretRecord]:
        """Return secrets of a tenant, or of all, in every scope and with candidates, ordered by id, for a rotation.

        `limit` counts ids: a candidate has the id of the secret that it would replace, and a page ends between two ids.
        """
        ...

    async def rewrap(self, secret_id: str, *, sealed: str, instead: str) -> bool:
        """Replace the sealed text `instead` by `sealed`; False if it has changed in the meantime."""
        ...
