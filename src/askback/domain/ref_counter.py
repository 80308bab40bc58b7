"""Counts the references to keys and reports the first and the last one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from collections.abc import Set as AbstractSet
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


class RefCounter(Generic[Key]):
    """Counts; `on_change` is called when a key gets its first reference (True) or loses its last one (False)."""

    __slots__ = ("_counts", "_on_change")

    def __init__(self, on_change: Callable[[Key, bool], None] = lambda _key, _held: None) -> None:
        self._counts: Counter[Key] = Counter()
        self._on_change = on_change

    @property
    def keys(self) -> AbstractSet[Key]:
        """The keys that have references."""
        return self._counts.keys()

    def count(self, key: Key) -> int:
        """How many references a key has."""
        return self._counts[key]

    def add(self, key: Key) -> Callable[[], None]:
        """Add a reference; it lasts until the returned function is called."""
        self._counts[key] += 1
        if self._counts[key] == 1:
            self._on_change(key, True)
        active = True

        def release() -> None:
            nonlocal active
            if active:
                active = False
                self._counts[key] -= 1
                if not self._counts[key]:
                    del self._counts[key]
                    self._on_change(key, False)

        return release
