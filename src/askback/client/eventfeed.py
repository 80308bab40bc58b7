"""Events as an iterator, with a bounded buffer between the connection and the reader."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any, Self

from askback.client.link import Link
from askback.client.subscriptions import Listener
from askback.errors import AskbackError

MAX_QUEUED = 1_000
"""Above this many unread events the feed lets go, and asks for the rest once it is read."""


class EventFeed:
    """One reader of one thread (None: of the inbox)."""

    def __init__(self, link: Link, thread_id: str | None, cursor: int | None) -> None:
        self._link = link
        self._thread_id = thread_id
        self._cursor = cursor
        self._events: deque[dict[str, Any]] = deque()
        self._wake_event = asyncio.Event()
        self._listener: Listener | None = None
        self._error: AskbackError | None = None

    def __aiter__(self) -> EventFeed:
        return self

    async def __anext__(self) -> dict[str, Any]:
        while not self._events:
            if self._error is not None:
                raise self._error
            self._wake_event.clear()
            if self._listener is None:
                self._listener = Listener(self._deliver, self._fail, self._cursor)
                await self._link.listen(self._thread_id, self._listener)
            await self._wake_event.wait()
        return self._events.popleft()

    def close(self) -> None:
        """Stop listening."""
        if self._listener is not None:
            self._link.leave(self._thread_id, self._listener)
            self._listener = None

    def _deliver(self, event: dict[str, Any]) -> None:
        self._events.append(event)
        self._cursor = event["position" if self._thread_id is None else "seq"]
        self._wake_event.set()
        if len(self._events) >= MAX_QUEUED:
            self.close()

    def _fail(self, error: AskbackError) -> None:
        self._error = error
        self._listener = None
        self._wake_event.set()


class AnsweringFeed:
    """The reports of one thread that somebody is answering; if too many are unread, the oldest are dropped."""

    def __init__(self, link: Link, thread_id: str) -> None:
        self._link = link
        self._thread_id = thread_id
        self._reports: asyncio.Queue[dict[str, Any] | AskbackError] = asyncio.Queue()
        self._listener = Listener(_ignore, self._put, None, report=self._put)

    async def __aenter__(self) -> Self:
        await self._link.listen(self._thread_id, self._listener)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._link.leave(self._thread_id, self._listener)

    async def next(self) -> dict[str, Any]:
        """Return the next report; raises the error that ended the subscription."""
        report = await self._reports.get()
        if isinstance(report, AskbackError):
            raise report
        return report

    def _put(self, report: dict[str, Any] | AskbackError) -> None:
        if self._reports.qsize() >= MAX_QUEUED:
            self._reports.get_nowait()
        self._reports.put_nowait(report)


def _ignore(_: dict[str, Any]) -> None:
    """Do nothing: this reader wants reports, not events."""
