"""The half of the store that keeps sealed secrets, and who may use which of them. It never sees a value.

A secret has one place: tenant, owner, scope, subject, name. Its `version` counts the values it has had, from 1, and is
part of what its text is sealed to (`askback.ports.vault.Binding`). A grant says that a person gave a name to the agent
of a thread; without one nothing is leased. Contracts 1, 8, 9, 10 and 11 of `askback.ports.store` hold here as well, and

13. A secret is written only over the version that was read: the text of version n needs n - 1 to be there, or nothing
    for version 1. Otherwise the whole transaction is undone with `VersionTaken`.
14. A *candidate* is a value that is still being tried. It is not found by any read but that of its request, and either
    takes its place or is dropped, with the step of the lifecycle that decides it.
15. What is erased is erased: a deleted secret leaves no sealed text in any table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from askback.ports.policy import Along


class VersionTaken(Exception):
    """Somebody else wrote this secret meanwhile: read it again, seal again, write again."""


@dataclass(frozen=True, slots=True)
class SecretRecord:
    """A sealed secret. `wire` is the JSON object that is shown of it: names and times, never a value.

    `scope` is session, project, global, or request for the sensitive fields of one answer; `subject` is the thread's
    id, the project's name, the request's id, or empty.
    """

    id: str
    tenant: str
    owner: str
    scope: str
    subject: str
    name: str
    version: int
    sealed: str
    wire: str


@dataclass(frozen=True, slots=True)
class Grant:
    """The agent `requester` of a thread may use the secret `secret_id` under `name`, because of a request."""

    tenant: str
    thread_id: str
    requester: str
    name: str
    secret_id: str
    request_id: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where to look for names: a scope and its subject."""

    scope: str
    subject: str


class SecretStore(Protocol):
    """Sealed secrets and grants. They are written along with what decides them: see `Along`."""

    async def secret(self, tenant: str, secret_id: str) -> SecretRecord | None:
        """Read one secret by its id."""
        ...

    async def secrets_at(
        self, tenant: str, owner: str, places: Sequence[Place], names: Sequence[str]
    ) -> Sequence[SecretRecord]:
        """Those of `names` that are set in any of `places`, in any order."""
        ...

    async def secrets(
        self, tenant: str, *, owner: str | None = None, before: str | None = None, limit: int = 100
    ) -> Sequence[SecretRecord]:
        """Secrets of every scope but request, newest first (ids sort by time); `owner` None is every owner."""
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

    async def drop_secret(self, tenant: str, secret_id: str, along: Along) -> bool:
        """Erase a secret; False when there is none."""
        ...

    async def sealed_after(self, secret_id: str, *, limit: int = 200) -> Sequence[SecretRecord]:
        """Sealed texts of every tenant and scope, candidates too, by id, for a rotation."""
        ...

    async def rewrap(self, secret_id: str, *, sealed: str, instead: str) -> bool:
        """Replace the sealed text `instead` by `sealed`; False when it has changed meanwhile, which is fine."""
        ...
