"""The part of the store that knows the people of a tenant.

34. A person is known if they have a valid token or a session in use. A person with an id of the host (`user`)
    is also known for `KNOWN_MS` after they signed in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from askback.ports.agents import Principal

KNOWN_MS = 90 * 24 * 3600 * 1000


class PeopleStore(Protocol):
    """The people of tenants."""

    async def people(
        self, tenant: str, *, now_ms: int, ids: Sequence[str] | None = None, after: str = "", limit: int = 200
    ) -> Sequence[Principal]:
        """Return the credentials of people, ordered by `user`, newest first: of `ids`, or of the next `limit` people.

        A person appears once for each token, session and login.
        """
        ...
