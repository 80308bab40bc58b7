"""Wait for requests, write messages, and follow events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from types import TracebackType
from typing import Any, Self

from askback.client.eventfeed import AnsweringFeed, EventFeed
from askback.client.frames import frame
from askback.client.methods import Blocking, iterator, method
from askback.client.resources.base import Resource, id_of
from askback.client.resources.threads import Threads
from askback.domain.request import InputRequest
from askback.wire.events import Answering


class MessageStream:
    """A message that appears while it is written: `async with ask.stream("t1") as out: await out.write("…")`."""

    def __init__(self, threads: Threads, *, thread_id: str, run_id: str | None = None) -> None:
        self._id: str | None = None
        self._threads = threads
        self._thread_id = thread_id
        self._run_id = run_id

    @property
    def id(self) -> str | None:
        """The message's id, after the first `write`."""
        return self._id

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    @method
    async def write(self, text: str) -> None:
        """Add to the message; the first piece creates it."""
        if not text:
            return
        if self._id is None:
            content = [{"type": "text", "text": text}]
            self._id = await self._threads.create_message(
                content, thread_id=self._thread_id, run_id=self._run_id
            )
        else:
            await self._threads.append_to_message(self._id, text, thread_id=self._thread_id)


class BlockingMessageStream(Blocking, MessageStream):
    """A `MessageStream` for code without an event loop."""

    @property
    def id(self) -> str | None:
        """The message's id, after the first `write`."""
        return self._target.id

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None


class Conversation(Resource):
    """The part of the client that waits, writes and follows."""

    _threads: Threads

    @method
    async def wait(self, request: InputRequest | str, *, timeout: float | None = None) -> InputRequest:
        """Wait until a request has ended, in any way, and return it; raises `TimeoutError` after `timeout` seconds.

        The request stays open then. Raises `NotFound`.
        """
        future = await self._link.wait(id_of(request))
        del request
        try:
            if timeout is None:
                settled_request = await future  # without a timer: a wait is only its future
            else:
                async with asyncio.timeout(timeout):
                    settled_request = await future
        finally:
            self._link.abandon(future)
        return InputRequest.model_validate(settled_request)

    @method
    async def say(self, text: str, *, thread_id: str | None = None, run_id: str | None = None) -> str:
        """Add a text message to a thread and return its id."""
        return await self._threads.create_message(text, thread_id=self._thread(thread_id), run_id=run_id)

    @iterator
    async def events(
        self, thread_id: str | None = None, *, cursor: int | None = None
    ) -> AsyncGenerator[dict[str, Any]]:
        """Follow a thread, or without one everything that a responder may see.

        Begins after `cursor` (a `seq`, for the inbox a `position`), by default with the next event. No event
        is lost or repeated when the connection breaks. Raises `NotFound` once the caller loses access to the
        thread.
        """
        feed = EventFeed(self._link, thread_id, cursor)
        try:
            async for event in feed:
                yield event
        finally:
            feed.close()

    @iterator
    async def answering(self, thread_id: str | None = None) -> AsyncGenerator[Answering]:
        """Follow who is answering requests of a thread, as a person; agents get no reports.

        Yields a report when somebody else begins and every few seconds while they continue, and one that is
        not `active` when they stop; a report is valid for ten seconds. Reports are not stored, and need the
        WebSocket. Raises `NotFound` once the caller loses access to the thread.
        """
        async with AnsweringFeed(self._link, self._thread(thread_id)) as feed:
            while True:
                yield Answering.model_validate(await feed.next())

    @method
    async def mark_answering(self, request: InputRequest | str, *, active: bool = True) -> None:
        """Show other people for ten seconds that this person is answering a request, or that they have stopped."""
        op = frame("mark_answering", request_id=id_of(request), body={"active": active})
        await self._link.call(op, retry_for=0.0)
