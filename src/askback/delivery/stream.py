"""The events of one tenant, brought into the order of their commits.

A tenant's positions have no gap, so what is missing shows: an event of this server comes directly, and when it is not
the next one, others committed something in between, which can be read by then. What is read is read once for all
listeners, and what came directly is not handed over again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from askback.domain.events import Event

MOST_HELD = 10_000
"""Events of this server that wait for those before them; with more of them the gap is left to the listeners."""


class Stream:
    """Where the hand-over of one tenant's events stands: all up to `cursor` were handed over, or nobody listened."""

    __slots__ = ("_hand_over", "_held", "_known", "cursor")

    def __init__(self, hand_over: Callable[[Sequence[Event]], None], *, cursor: int = 0) -> None:
        self.cursor = cursor
        self._known = cursor
        self._held: dict[int, Event] = {}
        self._hand_over = hand_over

    @property
    def behind(self) -> bool:
        """Whether something was committed that has to be read."""
        return self.cursor < self._known

    def commit(self, events: Sequence[Event]) -> None:
        """Take events that this server committed, in the order of their positions."""
        if not self._held and events[0].position == self.cursor + 1:
            self._pass_on(events)
            return
        for event in events:
            if event.position > self.cursor:
                self._held[event.position] = event
        self._release()
        if self._held:
            self.expect(max(self._held))
        if len(self._held) > MOST_HELD:
            self.give_up()

    def expect(self, position: int) -> None:
        """Know that events up to `position` were committed."""
        self._known = max(self._known, position)

    def fill(self, events: Sequence[Event]) -> None:
        """Take a page of what the store has above the cursor; an empty one says that the rest was erased."""
        new = [event for event in events if event.position > self.cursor]
        if new:
            self._pass_on(new)
            self._held = {at: event for at, event in self._held.items() if at > self.cursor}
            self._release()
        elif not events:
            self.give_up()

    def give_up(self) -> None:
        """Leave what is missing to the listeners: they see the gap and read for themselves."""
        held = [self._held[at] for at in sorted(self._held)]
        self.skip(self._known)
        if held:
            self._hand_over(held)

    def skip(self, position: int) -> None:
        """Go on behind `position`: nobody listens, or the store is an older copy of itself."""
        self._held.clear()
        self.cursor = self._known = position

    def _release(self) -> None:
        ready: list[Event] = []
        while (event := self._held.pop(self.cursor + len(ready) + 1, None)) is not None:
            ready.append(event)
        if ready:
            self._pass_on(ready)

    def _pass_on(self, events: Sequence[Event]) -> None:
        self.cursor = events[-1].position
        self._known = max(self._known, self.cursor)
        self._hand_over(events)
