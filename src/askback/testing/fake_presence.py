"""A `Register` of presence in memory."""

from __future__ import annotations

import time
from collections.abc import Collection

from askback.ports.presence import Place


class FakeRegister:
    """Who is there, by server, for servers of this process."""

    def __init__(self) -> None:
        self._places: dict[str, set[Place]] = {}
        self._until: dict[str, float] = {}
        self.renewals = 0
        self.broken: Exception | None = None
        """Raised instead of writing anything down."""

    def crash(self) -> None:
        """Lose everything."""
        self._places.clear()
        self._until.clear()

    async def note(
        self, server: str, *, came: Collection[Place], left: Collection[Place], lease_ms: int
    ) -> bool:
        """Write down who came and left, and renew the lease."""
        if self.broken is not None:
            raise self.broken
        stands = server in self._places
        places = self._places.setdefault(server, set())
        places.difference_update(left)
        places.update(came)
        self.renewals += stands
        self._until[server] = time.monotonic() + lease_ms / 1000
        return stands

    async def strike(self, server: str) -> None:
        """Forget all of a server."""
        self._places.pop(server, None)
        self._until.pop(server, None)

    async def anybody(self, tenant: str, thread_id: str) -> bool:
        """Whether a server whose lease holds has somebody there."""
        wanted, now = {(tenant, thread_id), (tenant, None)}, time.monotonic()
        return any(places & wanted and self._until[name] >= now for name, places in self._places.items())
