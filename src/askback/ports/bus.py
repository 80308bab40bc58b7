"""The bus: tells whoever listens in this process (and, with a shared one, in others) that something was committed.

It is only a nudge. A listener that misses one finds the truth in the store: events carry a `seq`,
and a reader that sees a gap re-reads from its cursor. The bus never blocks the publisher, never
calls a listener that has left, and promises the order of `seq` within one thread as it was published.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from askback.domain.events import Event

Listener = Callable[[Event], None]


class Bus(Protocol):
    """Publish committed events; listen by topic. Topics are those of `topics()`."""

    async def open(self) -> None:
        """Begin to hear what other servers commit, where there can be any."""
        ...

    async def close(self) -> None:
        """Hear no more of it."""
        ...

    def publish(self, events: Sequence[Event]) -> None:
        """Hand committed events to the listeners of each one's topics, in order; returns at once."""
        ...

    def listen(self, topic: str, listener: Listener) -> Callable[[], None]:
        """Call `listener` for each event of `topic` until the returned function is called.

        The listener runs on the event loop, must return at once and must not raise.
        """
        ...

    def dismiss(self, principal_id: str) -> None:
        """Have every server end what a principal who left has open; returns at once."""
        ...

    def on_dismissal(self, end: Callable[[str], None]) -> None:
        """Call `end` with the id of each principal who leaves, whichever server they leave."""
        ...

    def arrive(self, tenant: str, thread_id: str | None) -> None:
        """Tell every server that somebody watches a thread of a tenant now, or all of them (None); returns at once."""
        ...

    def on_arrival(self, told: Callable[[str, str | None], None]) -> None:
        """Call `told` with the tenant and the thread of each arrival, whichever server it is at."""
        ...


def thread_topic(tenant: str, thread_id: str) -> str:
    """Everything in one thread."""
    return f"t\x00{tenant}\x00{thread_id}"


def request_topic(tenant: str, request_id: str) -> str:
    """One request."""
    return f"r\x00{tenant}\x00{request_id}"


def tenant_topic(tenant: str) -> str:
    """Everything of one tenant, for the inbox."""
    return f"a\x00{tenant}"


def topics(event: Event) -> tuple[str, ...]:
    """The topics that an event belongs to."""
    shared = (thread_topic(event.tenant, event.thread_id), tenant_topic(event.tenant))
    return shared if event.request_id is None else (request_topic(event.tenant, event.request_id), *shared)


def tenant_of(topic: str) -> str:
    """The tenant whose events a topic is about."""
    return topic.split("\x00", 2)[1]


@dataclass(frozen=True, slots=True)
class Notice:
    """The server `origin` committed the events of `tenant` at the positions from `first` to `last`."""

    origin: str
    tenant: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Dismissal:
    """At the server `origin` a principal has left: what they have open elsewhere is to end as well."""

    origin: str
    principal_id: str


@dataclass(frozen=True, slots=True)
class Arrival:
    """At the server `origin` somebody watches a thread of `tenant`, or all of them (None), where nobody did before."""

    origin: str
    tenant: str
    thread_id: str | None


News = Notice | Dismissal | Arrival
"""What servers on one store hear of each other."""


class Subscription(Protocol):
    """A line on which notices come, in the order of the commits, until it is lost."""

    async def lost(self) -> None:
        """Return once nothing comes on this line any more; raises nothing."""
        ...

    async def check(self) -> None:
        """Return when the other end answers on this line; raises when it does not, within a bounded time."""
        ...

    async def close(self) -> None:
        """Hang up."""
        ...


class Feed(Protocol):
    """What several servers on one store hear of each other.

    For such a store the positions of a tenant are 1, 2, 3 … in the order of its commits: whoever sees one sees
    all before it.
    """

    async def subscribe(self, heard: Callable[[News], None]) -> Subscription:
        """Have `heard` called on the event loop with what is committed and told from now on, by this server too."""
        ...

    async def tell(self, news: Dismissal | Arrival) -> None:
        """Tell every server."""
        ...

    async def positions(self) -> Mapping[str, int]:
        """The position of the newest event of every tenant."""
        ...

    async def tenant_events(self, tenant: str, *, after: int, limit: int = 500) -> Sequence[Event]:
        """Events of a tenant with `position` above `after`, in order."""
        ...
