"""Who has a page open at this server: all there is to know where a server has its store to itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from askback.ports.presence import Place, Told


class LocalPresence:
    """The `Presence` port within one process."""

    def __init__(self) -> None:
        self._watching: Counter[Place] = Counter()
        self._told: list[Told] = []

    async def open(self) -> None:
        """Do nothing: there are no other servers."""

    async def close(self) -> None:
        """Do nothing: there are no other servers."""

    def enter(self, tenant: str, thread_id: str | None) -> Callable[[], None]:
        """Count one more, until the returned function is called."""
        place = (tenant, thread_id)
        self._watching[place] += 1
        if self._watching[place] == 1:
            for told in self._told:
                told(tenant, thread_id)

        there = True

        def leave() -> None:
            nonlocal there
            if there:
                there = False
                self._watching[place] -= 1
                if not self._watching[place]:
                    del self._watching[place]

        return leave

    async def known(self) -> None:
        """Return at once: whoever enters is counted."""

    async def anybody(self, tenant: str, thread_id: str) -> bool:
        """Whether somebody watches this thread, or all of them."""
        return (tenant, thread_id) in self._watching or (tenant, None) in self._watching

    def on_arrival(self, told: Told) -> None:
        """Call `told` when the first somebody enters a place."""
        self._told.append(told)
