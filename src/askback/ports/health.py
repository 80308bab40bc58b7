"""The part of the store that says how it is: whether it can be written, and how much waits in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Counts:
    """What waits, over all tenants. `open` counts requests without an end, by kind."""

    open: Mapping[str, int] = field(default_factory=dict[str, int])
    resumes_waiting: int = 0
    resumes_leased: int = 0
    deliveries_waiting: int = 0
    deliveries_dead: int = 0


@dataclass(frozen=True, slots=True)
class Pressure:
    """What the writer of this process has done since it began: groups, the changes in them, and how many wait now."""

    groups: int = 0
    changes: int = 0
    queued: int = 0


class HealthStore(Protocol):
    """How the store is."""

    async def check_writable(self) -> None:
        """Return when a change could be stored just now; raises `Unavailable`."""
        ...

    def read_only(self) -> str | None:
        """Return why the store takes no writes since it was opened, without a path; None when it takes them."""
        ...

    async def recover(self) -> None:
        """Take writes again where the store was opened read-only; raises `Unavailable` when it still cannot."""
        ...

    async def counts(self, *, now_ms: int) -> Counts:
        """Count what waits."""
        ...

    def pressure(self) -> Pressure:
        """What the writer has done and has to do."""
        ...
