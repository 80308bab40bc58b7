"""The directory: which groups a person is in, for requests that are for a group."""

from __future__ import annotations

from typing import Protocol

from askback.ports.store import Principal


class Directory(Protocol):
    """Where the host keeps its people and groups. Asked each time somebody answers what is for a group."""

    async def groups(self, principal: Principal) -> frozenset[str]:
        """Return the names of the groups that a principal is in now.

        Whatever it raises closes the door: the answer is refused and the request stays open. It sets its own time
        limit, since the person waits for it.
        """
        ...
