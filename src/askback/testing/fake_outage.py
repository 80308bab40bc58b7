"""What every part of the store in memory shares: that it can be unable to write."""

from __future__ import annotations

from askback.errors import Unavailable


class CanBeOffline:
    """`offline = True` makes every write raise `Unavailable`, as a full disk does."""

    def __init__(self) -> None:
        self.offline = False

    def _begin(self) -> None:
        """Begin a write."""
        if self.offline:
            raise Unavailable("The store cannot be written just now; nothing was stored.", retry_after=1)
