"""The inbox of a connection: requests of all threads, with what their reader may do in each.

Who may do what in a thread is said to people when they list its requests, beside each event, and when it changes. Of a
thread that is hidden from them they hear only where something of it was told to them before.
"""

from __future__ import annotations

from typing import Protocol

from askback.domain.access import Level
from askback.domain.events import Event
from askback.ports.store import Principal
from askback.service import access
from askback.service.watch import Reader, Watcher


class Around(Reader, Protocol):
    """What an inbox needs of its connection; `told` are the threads of which a person was told something."""

    told: set[str]

    @property
    def principal(self) -> Principal:
        """Who is connected."""
        ...

    def push_inbox(self, event: Event) -> None:
        """Send an event of the inbox."""
        ...


class Inbox:
    """The inbox of a connection, as a reader beside those of its threads."""

    __slots__ = ("_around",)

    def __init__(self, around: Around) -> None:
        self._around = around

    def push(self, event: Event) -> None:
        """Send the next event."""
        self._around.push_inbox(event)
        note(self._around, event.thread_id)

    async def drained(self) -> None:
        """Return when there is room for another page."""
        await self._around.drained()

    def ended(self, watcher: Watcher, /) -> None:
        """Hear that it is over, which it never is for all threads."""
        self._around.ended(watcher)

    def shared(self, thread_id: str, level: Level, /) -> None:
        """Say to a person what they may do in a thread from now on."""
        around = self._around
        if access.is_person(around.principal) and (level > Level.NONE or thread_id in around.told):
            around.shared(thread_id, level)


def note(around: Around, thread_id: str) -> None:
    """Note that something of a thread is told; not for agents, whose connections may live for years."""
    if access.is_person(around.principal):
        around.told.add(thread_id)
