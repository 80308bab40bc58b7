"""How many somebodies there are at each place, where only the first to come and the last to leave matter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from collections.abc import Set as AbstractSet
from typing import Generic, TypeVar

P = TypeVar("P", bound=Hashable)


class Headcount(Generic[P]):
    """Counts; `turned` hears of a place where the first has come (True) or the last has left (False)."""

    __slots__ = ("_here", "_turned")

    def __init__(self, turned: Callable[[P, bool], None]) -> None:
        self._here: Counter[P] = Counter()
        self._turned = turned

    @property
    def places(self) -> AbstractSet[P]:
        """Where somebody is."""
        return self._here.keys()

    def enter(self, place: P) -> Callable[[], None]:
        """Count one more, until the returned function is first called."""
        self._here[place] += 1
        if self._here[place] == 1:
            self._turned(place, True)
        there = True

        def leave() -> None:
            nonlocal there
            if there:
                there = False
                self._here[place] -= 1
                if not self._here[place]:
                    del self._here[place]
                    self._turned(place, False)

        return leave
