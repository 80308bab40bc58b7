"""Count failed attempts by caller and minute, so that many of them cost little and do not fill a log."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

WINDOW_MS = 60 * 1000
CALLERS = 10_000
"""Callers that are remembered; the one that has not tried for longest is forgotten first."""


@dataclass(slots=True)
class _Window:
    began: int
    taken: int = 0
    left_out: int = 0


class Attempts:
    """Counts attempts by key: `most` of them are taken in a minute. The counts are of this process."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._windows: OrderedDict[str, _Window] = OrderedDict()

    def take(self, key: str, now_ms: int) -> int | None:
        """Count one. Return how many before it were left out, or None where this one is too many."""
        window = self._windows.setdefault(key, _Window(now_ms))
        self._windows.move_to_end(key)
        if len(self._windows) > CALLERS:
            self._windows.popitem(last=False)
        if not 0 <= now_ms - window.began < WINDOW_MS:
            window.began, window.taken = now_ms, 0
        if window.taken >= self._most:
            window.left_out += 1
            return None
        window.taken += 1
        left_out, window.left_out = window.left_out, 0
        return left_out
