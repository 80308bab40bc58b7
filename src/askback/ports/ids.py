"""Identifiers and random material, as a port."""

from __future__ import annotations

from typing import Protocol


class Ids(Protocol):
    """Makes identifiers that sort by time, and secrets that cannot be guessed."""

    def new(self, prefix: str, *, now_ms: int) -> str:
        """Return `prefix_…`: 48 bits of time, then 80 random ones, in order-preserving base32."""
        ...

    def token(self) -> str:
        """Return 256 bits of URL-safe randomness."""
        ...
