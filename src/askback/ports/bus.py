"""The bus: notifies listeners in this process, and in other servers on the same store, of committed events.

A notification is only a hint. Events carry a `seq`, and a reader that sees a gap re-reads the store from its cursor.
The bus never blocks the publisher, never calls a removed listener, and keeps the order of `seq` within a
thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from askback.domain.events import Event
from askback.domain.values import frozen

Listener = Callable[[Event], None]


class Bus(Protocol):
    """Publishes committed events to listeners by topic (`topics()`)."""

    async def open(self) -> None:
        """Subscribe to the commits of other servers, if the store can have several."""
        ...

    async def close(self) -> None:
        """End the subscription."""
        ...

    def publish(self, events: Sequence[Event]) -> None:
        """Hand committed events to the listeners of each one's topics, in order; returns immediately."""
        ...

    def listen(self, topic: str, listener: Listener) -> Callable[[], None]:
        """Call `listener` for each event of `topic` until the returned function is called.

        The listener runs on the event loop, must return immediately and must not raise.
        """
        ...

    def dismiss(self, principal_id: str) -> None:
        """Notify every server to close the connections of a signed-out or revoked principal; returns immediately."""
        ...

    def on_dismissal(self, end: Callable[[str], None]) -> None:
        """Call `end` with the id of each dismissed principal, whichever server dismissed them."""
        ...

    def arrive(self, tenant: str, thread_id: str | None) -> None:
        """Notify every server that a person now watches a thread, or all threads of a tenant; returns immediately."""
        ...

    def on_arrival(self, notify: Callable[[str, str | None], None]) -> None:
        """Call `notify` with the tenant and the thread of each arrival at any server."""
        ...

    def report(self, activity: Activity) -> None:
        """Notify every server that a person answers a request now, or has stopped; returns immediately."""
        ...

    def on_activity(self, notify: Callable[[Activity], None]) -> None:
        """Call `notify` with each activity at any server."""
        ...

    def tell_person(self, change: PersonalChange) -> None:
        """Publish a comment, reminder or other note to every server; returns immediately."""
        ...

    def on_personal_change(self, notify: Callable[[PersonalChange], None]) -> None:
        """Call `notify` with each such change at any server."""
        ...


def thread_topic(tenant: str, thread_id: str) -> str:
    """Everything in one thread."""
    return f"t\x00{tenant}\x00{thread_id}"


def request_topic(tenant: str, request_id: str) -> str:
    """One request."""
    return f"r\x00{tenant}\x00{request_id}"


def tenant_topic(tenant: str) -> str:
    """Everything in one tenant, for the inbox."""
    return f"a\x00{tenant}"


def topics(event: Event) -> tuple[str, ...]:
    """The topics that an event belongs to."""
    shared_topics = (thread_topic(event.tenant, event.thread_id), tenant_topic(event.tenant))
    return (
        shared_topics
        if event.request_id is None
        else (request_topic(event.tenant, event.request_id), *shared_topics)
    )


def tenant_of(topic: str) -> str:
    """The tenant of a topic."""
    return topic.split("\x00", 2)[1]


@frozen(slots=True)
class Notice:
    """The server `origin` committed the events of `tenant` from `first_position` to `last_position`."""

    origin: str
    tenant: str
    first_position: int
    last_position: int


@frozen(slots=True)
class Dismissal:
    """The server `origin` dismissed a principal, whose connections to every server have to end."""

    origin: str
    principal_id: str


@frozen(slots=True)
class Arrival:
    """At the server `origin` a first person watches a thread of `tenant`, or all of them (None)."""

    origin: str
    tenant: str
    thread_id: str | None


@frozen(slots=True)
class Activity:
    """At the server `origin` a person answers a request now, or has stopped (`active` false).

    `user` is the same for all sessions of the person.
    """

    origin: str
    tenant: str
    thread_id: str
    request_id: str
    person: str
    user: str
    name: str
    active: bool


@frozen(slots=True)
class PersonalChange:
    """At the server `origin` something has changed of which agents are never notified.

    `what` is `comments` or `conversation`, for all people who may view the thread, or `reminder` or `seen` of
    the person `user`. `conversation` is a change other than a request: a message, another title, the archive.
    """

    origin: str
    tenant: str
    thread_id: str
    request_id: str
    what: str
    user: str


UnstoredMessage = Dismissal | Arrival | Activity | PersonalChange
"""The messages without a commit."""
FeedItem = Notice | UnstoredMessage
"""The messages between servers on one store."""


class Subscription(Protocol):
    """A connection that delivers notices in the order of the commits, until it is lost."""

    async def wait_until_lost(self) -> None:
        """Return once the connection no longer delivers anything; never raises."""
        ...

    async def check(self) -> None:
        """Return when the other end answers; raises if it does not within a bounded time."""
        ...

    async def close(self) -> None:
        """Close the connection."""
        ...


class Feed(Protocol):
    """The exchange of messages between several servers on one store.

    The positions of a tenant are 1, 2, 3 … in the order of its commits: a reader that sees one sees all earlier ones.
    """

    async def subscribe(self, receive: Callable[[FeedItem], None]) -> Subscription:
        """Call `receive` on the event loop with each new message, including those of this server."""
        ...

    async def tell(self, message: UnstoredMessage) -> None:
        """Send a message to every server."""
        ...

    async def positions(self) -> Mapping[str, int]:
        """The position of the newest event of every tenant."""
        ...

    async def tenant_events(self, tenant: str, *, after: int, limit: int = 500) -> Sequence[Event]:
        """Events of a tenant with `position` above `after`, in order."""
        ...
