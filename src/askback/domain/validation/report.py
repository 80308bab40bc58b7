"""Collecting faults: complete, in order, and bounded."""

from __future__ import annotations

from typing import Any

from askback.domain.faults import Fault, Faults, fault, join

MAX_FAULTS = 200
"""The most faults that one check reports: a body of a megabyte must not become an answer of ten."""

_MAX_STEP = 100


class Report:
    """The faults found so far; a path gets one fault for each code. `count` goes on beyond the bound."""

    __slots__ = ("_seen", "count", "faults")

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.count = 0
        self._seen: set[tuple[str, str]] = set()

    def add(self, path: str, key: str, **params: Any) -> None:
        """Note a fault, unless this path already has one of the same code, or there are enough."""
        self.count += 1
        if self.is_full:
            return
        found = fault(path, key, **params)
        if (path, found.code) not in self._seen:
            self._seen.add((path, found.code))
            self.faults.append(found)

    @property
    def is_full(self) -> bool:
        """Whether looking further can add nothing."""
        return len(self.faults) >= MAX_FAULTS

    def has(self, path: str) -> bool:
        """Whether a fault was noted at `path`."""
        return any(each.path == path for each in self.faults)

    def finish(self) -> None:
        """Raise `Faults` if there are any."""
        if self.faults:
            raise Faults(self.faults)


def join_key(path: str, key: str) -> str:
    """Extend `path` by a key that a stranger chose: a long one is cut, and a broken one mended."""
    step = key if len(key) <= _MAX_STEP else key[:_MAX_STEP] + "…"
    return join(path, step.encode("utf-8", "replace").decode())
