"""`on_resume`: call a function when a request has ended, to continue the work."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable
from typing import Any, overload

from askback.client.async_client import AsyncClient
from askback.client.resumes import WAIT_S, Resume
from askback.client.surroundings import FOUND
from askback.client.tracing import continued

Go = Callable[[Resume], Awaitable[Any] | Any]
"""Goes on with a resume; a plain function runs in a thread."""

_log = logging.getLogger(__name__)


class ResumeHandler:
    """A function for resumes. Call it by hand, or let `listen` call it for each that comes."""

    def __init__(self, function: Go, *, thread_id: str | None, client: AsyncClient | None) -> None:
        self._function = function
        self._thread_id = thread_id
        self._client = client
        self.__doc__ = function.__doc__

    async def __call__(self, resume: Resume) -> Any:
        """Go on with one resume, in the trace that its request was asked in; nothing is acknowledged."""
        with continued(resume.request.traceparent):
            if inspect.iscoroutinefunction(self._function):
                return await self._function(resume)
            found = await asyncio.to_thread(self._function, resume)
            return await found if inspect.isawaitable(found) else found

    async def listen(self, *, at_once: int = 1) -> None:
        """Go on with each resume that comes, up to `at_once` at a time, until the task is cancelled.

        One whose function fails is not acknowledged: it is logged, and comes again when its lease has ended.
        """
        async with asyncio.TaskGroup() as workers:
            for _ in range(at_once):
                workers.create_task(self._work(self._client or FOUND.asynchronous()))

    async def _work(self, client: AsyncClient) -> None:
        while True:
            for resume in await client.pull_resumes(self._thread_id, wait=WAIT_S):
                try:
                    await self(resume)
                except Exception:  # noqa: BLE001 - whatever fails, the other resumes are gone on with
                    _log.exception("going on with %s failed; it comes again", resume.id)
                else:
                    await client.ack(resume)


@overload
def on_resume(function: Go, /) -> ResumeHandler: ...
@overload
def on_resume(
    *, thread_id: str | None = None, client: AsyncClient | None = None
) -> Callable[[Go], ResumeHandler]: ...
def on_resume(
    function: Go | None = None, /, *, thread_id: str | None = None, client: AsyncClient | None = None
) -> ResumeHandler | Callable[[Go], ResumeHandler]:
    """Make a function, `async` or not, the handler of what comes of this agent's requests.

    `asyncio.run(handler.listen())` goes on for ever. Without a client it is that of the environment.
    """

    def wrap(function: Go) -> ResumeHandler:
        return ResumeHandler(function, thread_id=thread_id, client=client)

    return wrap if function is None else wrap(function)
