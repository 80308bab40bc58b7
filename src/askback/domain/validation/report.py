"""Collects faults: completely, in order, up to a maximum."""

from __future__ import annotations

from typing import Any

from askback.domain.faults import Fault, Faults, fault, join

MAX_FAULTS = 200
"""The maximum number of faults of one check: the answer to a large body must not be larger still."""

_MAX_STEP = 100


class Report:
    """The faults found so far; a path gets one fault for each code. `count` also counts those beyond the maximum."""

    __slots__ = ("_reported", "count", "faults")

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.count = 0
        self._reported: set[tuple[str, str]] = set()

    def add(self, path: str, key: str, **params: Any) -> None:
        """Add a fault, unless this path already has one with the same code, or there are too many."""
        self.count += 1
        if self.is_full:
            return
        new_fault = fault(path, key, **params)
        if (path, new_fault.code) not in self._reported:
            self._reported.add((path, new_fault.code))
            self.faults.append(new_fault)

    @property
    def is_full(self) -> bool:
        """Whether no more faults can be added."""
        return len(self.faults) >= MAX_FAULTS

    def has_fault(self, path: str) -> bool:
        """Return whether `path` has a fault."""
        return any(item.path == path for item in self.faults)

    def finish(self) -> None:
        """Raise `Faults` if there are any."""
        if self.faults:
            raise Faults(self.faults)


def join_key(path: str, key: str) -> str:
    """Extend `path` by a key that a caller chose: a long one is cut, and invalid characters are replaced."""
    step = key if len(key) <= _MAX_STEP else key[:_MAX_STEP] + "…"
    return join(path, step.encode("utf-8", "replace").decode())
