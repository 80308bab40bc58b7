"""Time and identifiers, as ports: nothing else in askback reads a clock or makes an id."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """The time of the server; tests use one that they move by hand."""

    def now_ms(self) -> int:
        """Milliseconds since the epoch, UTC."""
        ...


class Ids(Protocol):
    """Makes identifiers that sort by time, and secrets that cannot be guessed."""

    def new(self, prefix: str, *, now_ms: int) -> str:
        """Return `prefix_…` with 48 bits of time and 80 random ones (`domain/identifiers.py`)."""
        ...

    def token(self) -> str:
        """Return 256 bits of URL-safe randomness."""
        ...
