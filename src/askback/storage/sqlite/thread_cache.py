"""A cache of what is read of a thread for every request and every answer, and hardly ever changes.

Only this process writes the file, so what was read stays true until a change of its own is committed. That change has
it forgotten on the event loop, before anybody is told that it was made: no read that begins after that finds the old.
What any write may change, and not only such a change, is not kept: it does not last.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

MOST = 2_048


class ThreadCache(Generic[T]):
    """The newest values, by tenant and thread."""

    __slots__ = ("_found", "_lasts", "_most")

    def __init__(self, *, lasts: Callable[[T], bool], most: int = MOST) -> None:
        self._found: OrderedDict[tuple[str, str], T] = OrderedDict()
        self._lasts = lasts
        self._most = most

    def get(self, tenant: str, thread_id: str, read: Callable[[], T]) -> T:
        """Return what is known of a thread, or `read` it."""
        where = (tenant, thread_id)
        found = self._found.get(where)
        if found is None:
            found = read()
            if self._lasts(found):
                self._found[where] = found
            if len(self._found) > self._most:
                self._found.popitem(last=False)
        return found

    def forget(self) -> None:
        """Know nothing."""
        self._found.clear()
