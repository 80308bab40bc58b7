"""The bus of one process: a dictionary of listeners, called in turn.

A thousand listeners cost a thousand plain calls: no task, no queue, no copy of the event. A slow
listener has its own buffer and limit.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial

from askback.domain.events import Event
from askback.ports.bus import Activity, Listener, PersonalChange, topics

_log = logging.getLogger(__name__)


class InProcessBus:
    """The `Bus` port within one process and one event loop."""

    def __init__(self) -> None:
        self._listeners: dict[str, dict[int, Listener]] = {}
        self._end_callbacks: list[Callable[[str], None]] = []
        self._arrival_listeners: list[Callable[[str, str | None], None]] = []
        self._activity_listeners: list[Callable[[Activity], None]] = []
        self._personal_listeners: list[Callable[[PersonalChange], None]] = []
        self._next = 0

    async def open(self) -> None:
        """Do nothing: there are no other servers."""

    async def close(self) -> None:
        """Do nothing: there are no other servers."""

    def publish(self, events: Sequence[Event]) -> None:
        """Call each listener of each event's topics, in order."""
        for event in events:
            for topic in topics(event):
                if topic in self._listeners:
                    self._call(self._listeners[topic], event)

    def listen(self, topic: str, listener: Listener) -> Callable[[], None]:
        """Call `listener` for the events of `topic` until the returned function is called."""
        self._next += 1
        self._listeners.setdefault(topic, {})[self._next] = listener
        return partial(self._remove_listener, topic, self._next)

    def dismiss(self, principal_id: str) -> None:
        """Close the connections of a dismissed principal at this server."""
        for end in self._end_callbacks:
            end(principal_id)

    def on_dismissal(self, end: Callable[[str], None]) -> None:
        """Call `end` with the id of each dismissed principal."""
        self._end_callbacks.append(end)

    def arrive(self, tenant: str, thread_id: str | None) -> None:
        """Notify the listeners of this server."""
        for listener in self._arrival_listeners:
            listener(tenant, thread_id)

    def on_arrival(self, notify: Callable[[str, str | None], None]) -> None:
        """Call `notify` with the tenant and the thread of each arrival."""
        self._arrival_listeners.append(notify)

    def report(self, activity: Activity) -> None:
        """Notify the listeners of this server."""
        for listener in self._activity_listeners:
            listener(activity)

    def on_activity(self, notify: Callable[[Activity], None]) -> None:
        """Call `notify` with each activity."""
        self._activity_listeners.append(notify)

    def tell_person(self, change: PersonalChange) -> None:
        """Notify the listeners of this server."""
        for listener in self._personal_listeners:
            listener(change)

    def on_personal_change(self, notify: Callable[[PersonalChange], None]) -> None:
        """Call `notify` with each change."""
        self._personal_listeners.append(notify)

    def topic_count(self) -> int:
        """How many topics have a listener; an idle server has none."""
        return len(self._listeners)

    def _remove_listener(self, topic: str, number: int) -> None:
        listeners = self._listeners.get(topic)
        if listeners is None or listeners.pop(number, None) is None:
            return
        if not listeners:
            del self._listeners[topic]

    @staticmethod
    def _call(listeners: dict[int, Listener], event: Event) -> None:
        for number, listener in tuple(listeners.items()):
            # One listener may remove another; a removed listener is not called.
            if number not in listeners:
                continue
            try:
                listener(event)
            except Exception:  # noqa: BLE001 - a listener is foreign code; the others must still be notified
                _log.exception("a listener failed on %s; the others continue", event.type)
