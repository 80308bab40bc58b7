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

    __slots__ = ("_held", "_known", "_publish", "cursor")

    def __init__(self, publish: Callable[[Sequence[Event]], None], *, cursor: int = 0) -> None:
        self.cursor = cursor
        self._known = cursor
        self._held: dict[int, Event] = {}
        self._publish = publish

    @property
    def behind(self) -> bool:
        """Whether there are commits to read."""
        return self.cursor < self._known

    def commit(self, events: Sequence[Event]) -> None:
        """Add events that this server committed, in the order of their positions."""
        if not self._held and events[0].position == self.cursor + 1:
            self._advance(events)
            return
        for event in events:
            if event.position > self.cursor:
                self._held[event.position] = event
        self._release()
        if self._held:
            self.expect(max(self._held))
        if len(self._held) > MAX_BUFFERED:
            self.give_up()

    def expect(self, position: int) -> None:
        """Record that events up to `position` were committed."""
        self._known = max(self._known, position)

    def fill(self, events: Sequence[Event]) -> None:
        """Add a page of the events above the cursor; an empty page means that the rest was erased."""
        new = [event for event in events if event.position > self.cursor]
        if new:
            self._advance(new)
            self._held = {at: event for at, event in self._held.items() if at > self.cursor}
            self._release()
        elif not events:
            self.give_up()

    def give_up(self) -> None:
        """Publish with a gap: the listeners see it and read the store themselves."""
        held = [self._held[at] for at in sorted(self._held)]
        self.skip(self._known)
        if held:
            self._publish(held)

    def skip(self, position: int) -> None:
        """Continue after `position`: nobody listens, or the store was replaced by an older copy."""
        self._held.clear()
        self.cursor = self._known = position

    def _release(self) -> None:
        ready: list[Event] = []
        while (event := self._held.pop(self.cursor + len(ready) + 1, None)) is not None:
            ready.append(event)
        if ready:
            self._advance(ready)

    def _advance(self, events: Sequence[Event]) -> None:
        self.cursor = events[-1].position
        self._known = max(self._known, self.cursor)
        self._publish(events)
