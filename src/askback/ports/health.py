"""The part of the store for its health: whether it can be written, and its backlog."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal, Protocol

from askback.domain.values import frozen


@frozen(slots=True)
class Counts:
    """The backlog over all tenants. `open` counts open requests by kind."""

    open: Mapping[str, int] = field(default_factory=dict[str, int])
    resumes_waiting: int = 0
    resumes_leased: int = 0
    deliveries_waiting: int = 0
    deliveries_dead: int = 0


@frozen(slots=True)
class Pressure:
    """The groups and changes written by this process since its start, and the number of changes waiting now."""

    groups: int = 0
    changes: int = 0
    queued: int = 0


@frozen(slots=True)
class Schema:
    """The database, and the number of its last migration."""

    database: Literal["sqlite", "postgres"]
    version: int


class HealthStore(Protocol):
    """The health of the store."""

    async def check_writable(self) -> None:
        """Check that a change could be stored now; raises `Unavailable`."""
        ...

    def read_only(self) -> str | None:
        """Return why the store was opened read-only, without a path; None if it accepts writes."""
        ...

    def schema(self) -> Schema:
        """Return the schema of the database."""
        ...

    async def recover(self) -> None:
        """Make a read-only store writable. Raises `Unavailable` if that still fails."""
        ...

    async def counts(self, *, now_ms: int) -> Counts:
        """Count the backlog."""
        ...

    def pressure(self) -> Pressure:
        """Return the counts of the writer."""
        ...
