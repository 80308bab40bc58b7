"""Track the waits of this process: requesters for outcomes, requests for a viewer, submissions for their probe.

Another process may have other waiters, and an outcome that was sent may be lost in transit;
`undelivered.py` describes the consequences.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import contextmanager

import anyio

from askback.domain.record import Record
from askback.domain.ref_counter import RefCounter

SAFETY_POLL_S = 10.0
"""How often a waiting reader polls the store in case a notification was lost."""

WaiterSource = Callable[[str, str], bool]
"""Tells whether a principal waits for a request, both by their ids."""


class ChangeSignal:
    """A listener of the bus that can be awaited repeatedly; any event sets it."""

    def __init__(self) -> None:
        self._event = anyio.Event()
        self.is_ended = False

    def __call__(self, _event: object) -> None:
        """Set the signal."""
        self._event.set()

    def end(self) -> None:
        """Set it for the last time: its reader stops waiting."""
        self.is_ended = True
        self._event.set()

    async def wait(self, seconds: float = SAFETY_POLL_S) -> None:
        """Return after the next event, or after `seconds` without one."""
        with anyio.move_on_after(seconds):
            await self._event.wait()
        self._event = anyio.Event()


class WaiterRegistry:
    """The requesters that wait for outcomes in this process: long polls, and the waits of connections."""

    def __init__(self) -> None:
        self._polls: RefCounter[tuple[str, str]] = RefCounter()
        self._signals = set[ChangeSignal]()
        self._sources: list[WaiterSource] = []
        self._unacknowledged = dict[tuple[str, str], bool]()

    def add_source(self, source: WaiterSource) -> None:
        """Ask this source too whether somebody waits."""
        self._sources.append(source)

    @contextmanager
    def polling(self, request_id: str, principal_id: str) -> Generator[None]:
        """Count a waiting principal for as long as the block runs."""
        release = self._polls.add((request_id, principal_id))
        try:
            yield
        finally:
            release()

    @contextmanager
    def register_signal(self, signal: ChangeSignal) -> Generator[None]:
        """End the signal of a long poll when the server stops, for as long as the block runs."""
        self._signals.add(signal)
        try:
            yield
        finally:
            self._signals.discard(signal)

    def end_polls(self) -> None:
        """End all long polls, as when their time is up."""
        for signal in self._signals:
            signal.end()

    def mark_sent(self, request_id: str, principal_id: str, *, is_held: bool) -> None:
        """Record that an outcome was sent to a waiter, and whether a resume is held for it; it can still get lost."""
        self._unacknowledged[request_id, principal_id] = is_held

    def acknowledge(self, request_id: str, principal_id: str) -> bool | None:
        """Record that an outcome has arrived; return `is_held` of `mark_sent`, None if it was acknowledged before."""
        return self._unacknowledged.pop((request_id, principal_id), None)

    def is_waiting(self, request_id: str, principal_id: str) -> bool:
        """Return whether this principal waits for this request."""
        return (request_id, principal_id) in self._polls.keys or any(
            source(request_id, principal_id) for source in self._sources
        )


class AwaitingViewer:
    """Requests that were created while nobody was present, until a page opens or their time is up.

    They are lost when the server stops; the deadline sweep then cancels them when their time is up.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[Record, int]] = {}
        self._seen_records: list[Record] = []
        self._changed = ChangeSignal()

    def add(self, record: Record, *, viewer_by: int, now: int) -> None:
        """Hold a request until `viewer_by` (ms), and drop the oldest ones whose time is up."""
        for request_id, (_, until) in tuple(self._waiting.items()):
            if until >= now:
                break
            del self._waiting[request_id]
        self._waiting[record.id] = (record, viewer_by)

    def viewer_arrived(self, tenant: str, thread_id: str | None) -> None:
        """Release the requests of a thread that somebody has opened; None means all threads."""
        for record, _ in tuple(self._waiting.values()):
            if record.tenant == tenant and thread_id in (None, record.thread_id):
                del self._waiting[record.id]
                self._seen_records.append(record)
        if self._seen_records:
            self._changed(None)

    async def next_seen(self) -> list[Record]:
        """Wait for requests that have a viewer now and return them, each one once."""
        while not self._seen_records:
            await self._changed.wait()
        records, self._seen_records = self._seen_records, []
        return records


class SubmissionQueue:
    """The submissions that this server has claimed for its probe, in order of arrival."""

    def __init__(self) -> None:
        self._sender, self._receiver = anyio.create_memory_object_stream[Record](math.inf)

    def add(self, record: Record) -> None:
        """Queue a submission; only for the server that has just stored it, since no other server tests it."""
        self._sender.send_nowait(record)

    def __aiter__(self) -> AsyncIterator[Record]:
        return self._receiver.__aiter__()
