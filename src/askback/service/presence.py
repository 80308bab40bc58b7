"""Track the open pages of this server; enough for a server with its own database."""

from __future__ import annotations

from collections.abc import Callable

from askback.domain.headcount import Headcount
from askback.ports.presence import Place, Told


class LocalPresence:
    """The `Presence` port within one process."""

    def __init__(self) -> None:
        self._watching = Headcount[Place](self._tell)
        self._told: list[Told] = []

    async def open(self) -> None:
        """Do nothing: there are no other servers."""

    async def close(self) -> None:
        """Do nothing: there are no other servers."""

    def enter(self, tenant: str, thread_id: str | None) -> Callable[[], None]:
        """Count one more, until the returned function is called."""
        return self._watching.enter((tenant, thread_id))

    async def known(self) -> None:
        """Return at once: whoever enters is counted."""

    async def anybody(self, tenant: str, thread_id: str) -> bool:
        """Whether somebody watches this thread, or all of them."""
        return not self._watching.places.isdisjoint(((tenant, thread_id), (tenant, None)))

    def on_arrival(self, told: Told) -> None:
        """Call `told` when the first somebody enters a place."""
        self._told.append(told)

    def _tell(self, place: Place, came: bool, /) -> None:
        if came:
            for told in self._told:
                told(*place)
