"""Presence: whether anybody has a page open that can show a request.

A viewer watches one thread, or all of them (an inbox). An open page counts even if nobody looks at it. The entries of
a server count for as long as the server lives.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Protocol

View = tuple[str, str | None]
"""A tenant, and one of its threads or None for all of them."""

ArrivalListener = Callable[[str, str | None], None]
"""Called with the tenant and the thread (None: everything) that got its first viewer."""


class Presence(Protocol):
    """The viewers at all servers that share a store."""

    async def open(self) -> None:
        """Register this server with the others, if there can be any."""
        ...

    async def close(self) -> None:
        """Remove all viewers of this server from the others' counts."""
        ...

    def enter(self, tenant: str, thread_id: str | None) -> Callable[[], None]:
        """Count a viewer of a thread, or of everything (None), until the returned function is called."""
        ...

    async def wait_until_synchronized(self) -> None:
        """Return once every server counts the viewers of this one, or after a moment if that is impossible now."""
        ...

    async def has_viewer(self, tenant: str, thread_id: str) -> bool:
        """Return whether somebody is viewing this thread, or everything."""
        ...

    def on_arrival(self, notify: ArrivalListener) -> None:
        """Call `notify` when a thread gets its first viewer at any server.

        The viewer has been counted before. The call is a hint and can be lost.
        """
        ...


class PresenceRegister(Protocol):
    """The shared list of viewers by server. The entries of a server expire with its lease, by the register's clock."""

    async def update(
        self, server: str, *, added: Collection[View], removed: Collection[View], lease_ms: int
    ) -> bool:
        """Add the views that got their first viewer, remove those that lost their last, and renew the lease.

        Returns False if the lease had expired and earlier entries may be gone: the caller has to add all of them again.
        """
        ...

    async def remove(self, server: str) -> None:
        """Remove all entries of a server."""
        ...

    async def has_viewer(self, tenant: str, thread_id: str) -> bool:
        """Return whether any server with a valid lease has a viewer of this thread, or of everything."""
        ...
