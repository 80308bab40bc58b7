"""Who has a page open at this server: all there is to know where a server has its store to itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

Place = tuple[str, str | None]
"""A tenant, and one of its threads or None for all of them."""


class LocalPresence:
    """Counts those who watch at this server."""

    def __init__(self) -> None:
        self._watching: Counter[Place] = Counter()

    def enter(self, tenant: str, thread_id: str | None) -> Callable[[], None]:
        """Count one more, until the returned function is called."""
        place = (tenant, thread_id)
        self._watching[place] += 1

        def leave() -> None:
            self._watching[place] -= 1
            if not self._watching[place]:
                del self._watching[place]

        return leave

    async def anybody(self, tenant: str, thread_id: str) -> bool:
        """Whether somebody watches this thread, or all of them."""
        return (tenant, thread_id) in self._watching or (tenant, None) in self._watching
