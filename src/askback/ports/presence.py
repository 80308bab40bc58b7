"""Presence: whether anybody has a page open who would see a request.

It is about people who watch: a thread, or all of them (an inbox). A page that is open but that nobody looks at counts
as well: this says who could see, not who does. What a server says of it holds for as long as the server lives.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Protocol

Place = tuple[str, str | None]
"""A tenant, and one of its threads or None for all of them."""

Told = Callable[[str, str | None], None]
"""Hears of a place, which nobody watched before, that somebody watches it."""


class Presence(Protocol):
    """Who watches what, over all the servers that share a store."""

    async def open(self) -> None:
        """Begin to be counted by other servers, where there can be any."""
        ...

    async def close(self) -> None:
        """Have them count nobody here any more."""
        ...

    def enter(self, tenant: str, thread_id: str | None) -> Callable[[], None]:
        """Count somebody who watches a thread, or everything (None), until the returned function is called."""
        ...

    async def known(self) -> None:
        """Return once every server counts those who have entered here, or after a moment where that cannot be done."""
        ...

    async def anybody(self, tenant: str, thread_id: str) -> bool:
        """Whether somebody would see a request in this thread now."""
        ...

    def on_arrival(self, told: Told) -> None:
        """Call `told` when the first somebody of a server enters a place, whichever server that is.

        They are counted by then. It is a nudge, and may get lost.
        """
        ...


class Register(Protocol):
    """Where servers that share a store write down who is there.

    What is written for a server holds until its lease runs out, by the clock of the register.
    """

    async def note(
        self, server: str, *, came: Collection[Place], left: Collection[Place], lease_ms: int
    ) -> bool:
        """Write down where somebody came and where nobody is left, and renew the lease.

        Returns whether what was written before is still there. Of a server whose lease had run out, it may not be: then
        all that holds has to be said again.
        """
        ...

    async def strike(self, server: str) -> None:
        """Forget all of a server."""
        ...

    async def anybody(self, tenant: str, thread_id: str) -> bool:
        """Whether any server whose lease holds has somebody who watches this thread, or all of them."""
        ...
