"""Track the requests whose requesters are waiting for them at this process.

Another process may have one as well, which nobody here can know, and who was told may not have heard: see `orphans.py`
for what follows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager

Look = Callable[[str, str], bool]
"""Tells whether somebody, a principal by its id, waits for a request, by its id."""


class Attendance:
    """The waits of requesters, wherever in this process they wait."""

    def __init__(self) -> None:
        self._polled: Counter[tuple[str, str]] = Counter()
        self._places: list[Look] = []
        self._told: set[tuple[str, str]] = set()

    def at(self, look: Look) -> None:
        """Look there as well, from now on."""
        self._places.append(look)

    @contextmanager
    def polling(self, request_id: str, principal_id: str) -> Generator[None]:
        """Count somebody who waits for as long as the block."""
        who = (request_id, principal_id)
        self._polled[who] += 1
        try:
            yield
        finally:
            self._polled[who] -= 1
            if not self._polled[who]:
                del self._polled[who]

    def told(self, request_id: str, principal_id: str) -> None:
        """Note that somebody who waited is told how a request has ended, which may get lost on its way."""
        self._told.add((request_id, principal_id))

    def heard(self, request_id: str, principal_id: str) -> bool:
        """Note that it has arrived; whether that was in doubt until now."""
        in_doubt = (request_id, principal_id) in self._told
        self._told.discard((request_id, principal_id))
        return in_doubt

    def waits(self, request_id: str, principal_id: str) -> bool:
        """Whether this principal waits for this request."""
        return (request_id, principal_id) in self._polled or any(
            look(request_id, principal_id) for look in self._places
        )
