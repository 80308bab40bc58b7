"""The read-only mode of a server that cannot write its store at the start."""

from __future__ import annotations

from askback.errors import Unavailable

RETRY_S = 5.0
"""Seconds between two attempts to write."""


class ReadOnlyState:
    """The reason why the server is read-only; None while it accepts writes."""

    __slots__ = ("reason",)

    def __init__(self) -> None:
        self.reason: str | None = None

    def require_writable(self) -> None:
        """Raise `Unavailable` with the code `read_only` while the server refuses writes."""
        if self.reason is not None:
            raise Unavailable(
                f"This server is read-only: {self.reason}. It tries again every {RETRY_S:.0f} seconds.",
                code="read_only",
                retry_after=RETRY_S,
            )
