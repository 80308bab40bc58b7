"""The events of one tenant in the order of their commits.

The positions of a tenant have no gap. An event of this server arrives directly; if it is not the next one,
other servers committed in between, and their events can already be read. Each event is published once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from askback.domain.events import Event

MAX_BUFFERED = 10_000
"""Maximum number of own events that wait for earlier ones; above it the listeners read the gap themselves."""


class Stream:
    """The publication of one tenant's events: all up to `cursor` were published, or nobody listened."""

    __slots__ = ("_buffered", "_highest", "_publish", "cursor")

    def __init__(self, publish: Callable[[Sequence[Event]], None], *, cursor: int = 0) -> None:
        self.cursor = cursor
        self._highest = cursor
        self._buffered: dict[int, Event] = {}
        self._publish = publish

    @property
    def behind(self) -> bool:
        """Whether there are commits to read."""
        return self.cursor < self._highest

    def commit(self, events: Sequence[Event]) -> None:
        """Add events that this server committed, in the order of their positions."""
        if not self._buffered and events[0].position == self.cursor + 1:
            self._advance(events)
            return
        for event in events:
            if event.position > self.cursor:
                self._buffered[event.position] = event
        self._release()
        if self._buffered:
            self.expect(max(self._buffered))
        if len(self._buffered) > MAX_BUFFERED:
            self.give_up()

    @property
    def missing(self) -> int:
        """How many commits there are to read before the next own one that waits for them."""
        return min(self._buffered, default=self._highest + 1) - self.cursor - 1

    def expect(self, position: int) -> None:
        """Record that events up to `position` were committed."""
        self._highest = max(self._highest, position)

    def fill(self, events: Sequence[Event]) -> None:
        """Add a page of the events above the cursor; an empty page means that the rest was erased."""
        new_events = [event for event in events if event.position > self.cursor]
        if new_events:
            self._advance(new_events)
            self._buffered = {
                position: event for position, event in self._buffered.items() if position > self.cursor
            }
            self._release()
        elif not events:
            self.give_up()

    def give_up(self) -> None:
        """Publish with a gap: the listeners see it and read the store themselves."""
        buffered = [self._buffered[position] for position in sorted(self._buffered)]
        self.skip(self._highest)
        if buffered:
            self._publish(buffered)

    def skip(self, position: int) -> None:
        """Continue after `position`: nobody listens, or the store was replaced by an older copy."""
        self._buffered.clear()
        self.cursor = self._highest = position

    def _release(self) -> None:
        ready_events: list[Event] = []
        while (event := self._buffered.pop(self.cursor + len(ready_events) + 1, None)) is not None:
            ready_events.append(event)
        if ready_events:
            self._advance(ready_events)

    def _advance(self, events: Sequence[Event]) -> None:
        self.cursor = events[-1].position
        self._highest = max(self._highest, self.cursor)
        self._publish(events)
