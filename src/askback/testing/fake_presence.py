"""A fake `PresenceRegister`, in memory."""

from __future__ import annotations

import time
from collections.abc import Collection

from askback.ports.presence import View


class FakeRegister:
    """The viewers by server, for servers in this process."""

    def __init__(self) -> None:
        self._views: dict[str, set[View]] = {}
        self._expiry_by_server: dict[str, float] = {}
        self.renewals = 0
        self.broken: Exception | None = None
        """Raised instead of any update."""

    def crash(self) -> None:
        """Lose everything."""
        self._views.clear()
        self._expiry_by_server.clear()

    async def update(
        self, server: str, *, added: Collection[View], removed: Collection[View], lease_ms: int
    ) -> bool:
        """Add and remove views, and renew the lease."""
        if self.broken is not None:
            raise self.broken
        valid = server in self._views
        views = self._views.setdefault(server, set())
        views.difference_update(removed)
        views.update(added)
        self.renewals += valid
        self._expiry_by_server[server] = time.monotonic() + lease_ms / 1000
        return valid

    async def remove(self, server: str) -> None:
        """Remove all entries of a server."""
        self._views.pop(server, None)
        self._expiry_by_server.pop(server, None)

    async def has_viewer(self, tenant: str, thread_id: str) -> bool:
        """Return whether a server with a valid lease has a viewer of this thread, or of all."""
        matching_views, now = {(tenant, thread_id), (tenant, None)}, time.monotonic()
        return any(
            views & matching_views and self._expiry_by_server[name] >= now
            for name, views in self._views.items()
        )
