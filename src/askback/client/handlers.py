"""`on_resume`: call a function when a request has ended, to continue the work."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable
from typing import Any, overload

from askback.client.ambient import DEFAULT_CLIENTS
from askback.client.async_client import AsyncClient
from askback.client.resources.resumes import WAIT_S
from askback.client.tracing import continue_trace
from askback.wire.replies import Resume

Handler = Callable[[Resume], Awaitable[Any] | Any]
"""Handles a resume; a plain function runs in a thread."""

_log = logging.getLogger(__name__)


class ResumeHandler:
    """A function for resumes. Call it yourself, or let `listen` call it for each resume."""

    def __init__(self, function: Handler, *, thread_id: str | None, client: AsyncClient | None) -> None:
        self._function = function
        self._thread_id = thread_id
        self._client = client
        self.__doc__ = function.__doc__

    async def __call__(self, resume: Resume) -> Any:
        """Handle one resume, in the trace of its request; nothing is acknowledged."""
        with continue_trace(resume.request.traceparent):
            if inspect.iscoroutinefunction(self._function):
                return await self._function(resume)
            result = await asyncio.to_thread(self._function, resume)
            return await result if inspect.isawaitable(result) else result

    async def listen(self, *, at_once: int = 1) -> None:
        """Handle resumes, up to `at_once` at a time, until the task is cancelled.

        When the function fails, the error is logged and the resume is delivered again after its lease has ended.
        """
        async with asyncio.TaskGroup() as workers:
            for _ in range(at_once):
                workers.create_task(self._work(self._client or DEFAULT_CLIENTS.asynchronous()))

    async def _work(self, client: AsyncClient) -> None:
        while True:
            for resume in await client.resumes.pull(self._thread_id, wait=WAIT_S):
                try:
                    await self(resume)
                except Exception:  # noqa: BLE001 - the other resumes are handled all the same
                    _log.exception("handling %s failed; it will be delivered again", resume.id)
                else:
                    await client.resumes.ack(resume)


@overload
def on_resume(function: Handler, /) -> ResumeHandler: ...
@overload
def on_resume(
    *, thread_id: str | None = None, client: AsyncClient | None = None
) -> Callable[[Handler], ResumeHandler]: ...
def on_resume(
    function: Handler | None = None, /, *, thread_id: str | None = None, client: AsyncClient | None = None
) -> ResumeHandler | Callable[[Handler], ResumeHandler]:
    """Make a function, `async` or not, the handler of this agent's resumes.

    `asyncio.run(handler.listen())` runs forever. Without a `client` the default one of the environment is used.
    """

    def wrap(function: Handler) -> ResumeHandler:
        return ResumeHandler(function, thread_id=thread_id, client=client)

    return wrap if function is None else wrap(function)
