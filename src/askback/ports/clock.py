"""Time, as a port: nothing else in askback reads a clock."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """Tells the time of the server; a test gives one that it moves by hand."""

    def now_ms(self) -> int:
        """Milliseconds since the epoch, UTC."""
        ...
