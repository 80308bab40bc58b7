"""Groups are handed over in the order of their positions, whichever answer to a commit arrives first."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(slots=True, eq=False)
class Turn:
    """A place in the row: what is to be done when it comes, once that is known."""

    done: Callable[[], None] | None = None


class CommitSequencer:
    """Runs what follows a commit in the order in which groups got their positions."""

    def __init__(self) -> None:
        self._row: deque[Turn] = deque()

    def take(self) -> Turn:
        """Take the last place."""
        turn = Turn()
        self._row.append(turn)
        return turn

    def settle(self, turn: Turn, done: Callable[[], None]) -> None:
        """Do something when a turn comes, which is when all before it were settled."""
        turn.done = done
        while self._row and self._row[0].done is not None:
            ready = self._row.popleft().done
            assert ready is not None
            ready()
