"""The bus: tells whoever listens in this process (and, with a shared one, in others) that something was committed.

It is only a nudge. A listener that misses one finds the truth in the store: events carry a `seq`,
and a reader that sees a gap re-reads from its cursor. The bus never blocks the publisher, never
calls a listener that has left, and promises the order of `seq` within one thread as it was published.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from askback.domain.events import Event

Listener = Callable[[Event], None]


class Bus(Protocol):
    """Publish committed events; listen by topic. Topics are those of `topics()`."""

    def publish(self, events: Sequence[Event]) -> None:
        """Hand committed events to the listeners of each one's topics, in order; returns at once."""
        ...

    def listen(self, topic: str, listener: Listener) -> Callable[[], None]:
        """Call `listener` for each event of `topic` until the returned function is called.

        The listener runs on the event loop, must return at once and must not raise.
        """
        ...


def thread_topic(tenant: str, thread_id: str) -> str:
    """Everything in one thread."""
    return f"t\x00{tenant}\x00{thread_id}"


def request_topic(request_id: str) -> str:
    """One request."""
    return f"r\x00{request_id}"


def tenant_topic(tenant: str) -> str:
    """Everything of one tenant, for the inbox."""
    return f"a\x00{tenant}"


def topics(event: Event) -> tuple[str, ...]:
    """The topics that an event belongs to."""
    shared = (thread_topic(event.tenant, event.thread_id), tenant_topic(event.tenant))
    return shared if event.request_id is None else (request_topic(event.request_id), *shared)
