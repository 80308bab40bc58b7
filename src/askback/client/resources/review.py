"""Review submissions before they are accepted, for validators and for tests of secrets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Any

from askback.client.eventfeed import EventFeed
from askback.client.frames import get_request
from askback.client.link import GRACE_S, Link
from askback.client.resources.requests import Requests
from askback.client.session import FOREVER
from askback.domain.lifecycle import TERMINAL, Status
from askback.domain.request import InputRequest
from askback.errors import AskbackError, Conflict, NotFound

ReviewHandler = Callable[[InputRequest], Awaitable[InputRequest]]
"""Takes a request that is resolving, accepts or rejects its submission, and returns the request as it is then."""


FIRST_POLL_S = 0.5
POLL_S = 15.0
"""Seconds between reads without an event: a lost event costs time, and nothing else."""

_RANK = {Status.PENDING: 0, Status.RESOLVING: 1}


async def states(link: Link, request: InputRequest) -> AsyncGenerator[InputRequest]:
    """Yield the current state of a request and each later state, even if the connection is lost; the last is terminal.

    Its end is awaited like any other wait, so that the server knows that the outcome has arrived.
    """
    yield request
    latest_progress = _progress(request)
    if latest_progress[1] == len(_RANK):
        return
    pause = FIRST_POLL_S
    wait_future = await link.wait(request.id)
    feed = EventFeed(link, request.thread_id, None)
    next_progress: asyncio.Task[dict[str, Any]] | None = None
    try:
        while latest_progress[1] != len(_RANK):
            next_progress = next_progress or asyncio.create_task(_next(feed))
            await asyncio.wait(
                {next_progress, wait_future}, timeout=pause, return_when=asyncio.FIRST_COMPLETED
            )
            if wait_future.done():
                state: Any = wait_future.result()
            elif next_progress.done():
                event, next_progress = next_progress.result(), None
                state = event.get("request")
            else:
                state = await link.call(get_request(request.id), retry_for=FOREVER)
                pause = min(pause * 2, POLL_S)
            if state is None or state["id"] != request.id:
                continue
            latest_request = InputRequest.model_validate(state)
            if _progress(latest_request) > latest_progress:
                latest_progress = _progress(latest_request)
                yield latest_request
    finally:
        link.abandon(wait_future)
        feed.close()
        for task in (next_progress, wait_future):
            if task is not None and not task.cancel() and not task.cancelled():
                task.exception()  # it is seen: the same error may have ended both


async def _next(feed: EventFeed) -> dict[str, Any]:
    return await anext(feed)


def _progress(request: InputRequest) -> tuple[int, int]:
    """Return a value that grows with each state."""
    return request.revision, len(_RANK) if request.status in TERMINAL else _RANK[request.status]


class SubmissionReview:
    """Creates requests and passes each of their submissions to a handler."""

    def __init__(self, requests: Requests, link: Link, *, retry_for: float) -> None:
        self._requests = requests
        self._link = link
        self._retry_for = retry_for

    async def run(
        self, op: str, handler: Callable[[InputRequest], ReviewHandler], *, withdraw: bool
    ) -> InputRequest:
        """Create a request, review submissions until one is accepted, and return the settled request.

        `handler` is called once, with the created or found request: an earlier agent may have created it.
        """
        request = await self._create(op, withdraw=withdraw)
        try:
            review = handler(request)
            async with aclosing(states(self._link, request)) as request_states:
                async for state in request_states:
                    if state.status is Status.RESOLVING:
                        state = await self._review(state, review)
                    if state.settled:
                        return state
        except BaseException:
            if withdraw:
                await self._link.try_withdraw(request.id)
            raise
        raise AssertionError("a request that is followed comes to an end")

    async def _review(self, request: InputRequest, review: ReviewHandler) -> InputRequest:
        """Review one submission; if the request ends meanwhile, return its last state."""
        try:
            async with self._checking(request) as checked_request:
                return await review(checked_request)
        except (Conflict, NotFound):
            latest_request = await self._requests.get(request.id)
            if (latest_request.status, latest_request.revision) == (request.status, request.revision):
                raise
            return latest_request

    @asynccontextmanager
    async def _checking(self, request: InputRequest) -> AsyncGenerator[InputRequest]:
        """Hold the check of a submission until the block ends, but no longer than the server allows."""
        if request.check is None or request.check.state == "waiting":
            request = await self._requests.check(request)
        renewing = asyncio.create_task(self._renew(request))
        try:
            yield request
        finally:
            renewing.cancel()
            await asyncio.wait({renewing})

    async def _renew(self, request: InputRequest) -> None:
        """Renew a check at half of its time, until the server refuses or the check has ended."""
        while (check := request.check) is not None:
            await asyncio.sleep(max(0.0, (check.until - check.since).total_seconds() / 2))
            try:
                request = await self._requests.check(request)
            except AskbackError:
                return  # the handler's own call raises the error

    async def _create(self, op: str, *, withdraw: bool) -> InputRequest:
        """Create a request; cancelling this task before it is known leaves no request behind."""
        try:
            return InputRequest.model_validate(await self._link.call(op, retry_for=self._retry_for))
        except asyncio.CancelledError:
            if withdraw:
                self._link.background(self._cancel_created(op))
            raise

    async def _cancel_created(self, op: str) -> None:
        # The same key finds the request if it was created, or creates it now: then it can be cancelled.
        try:
            created = await self._link.call(op, retry_for=GRACE_S)
        except AskbackError:
            return
        await self._link.withdraw(created["id"])
