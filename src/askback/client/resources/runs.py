"""Begin, list, renew and end runs, and cancel their open requests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any

from askback.client.frames import frame
from askback.client.methods import context, method
from askback.client.resources.base import Page, Resource
from askback.domain.model import without_none
from askback.errors import AskbackError
from askback.wire.replies import Run

RENEW_S = 180.0
"""How often an open `client.run` is renewed: it ends ten minutes after the last sign of life."""

RequestIds = list[str]


class Runs(Resource):
    """`client.runs`: turns of agents in a thread."""

    @method
    async def start(
        self, thread_id: str | None = None, *, run_id: str | None = None, metadata: Any = None
    ) -> Run:
        """Begin a run and return it; with the id of an open run of this agent, return that run.

        Pass its id as `run_id` when you ask or write: each request and message renews the run. Raises `Conflict` for
        an id that was used before.
        """
        body = without_none(run_id=run_id, metadata=metadata)
        return Run.model_validate(
            await self._call(frame("start_run", thread_id=self._thread(thread_id), body=body))
        )

    @method
    async def get(self, run_id: str, *, thread_id: str | None = None) -> Run:
        """Read a run; raises `NotFound`, also for a run of another agent."""
        return Run.model_validate(
            await self._call(frame("get_run", thread_id=self._thread(thread_id), run_id=run_id))
        )

    @method
    async def list(
        self,
        thread_id: str | None = None,
        *,
        running: bool = False,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Run]:
        """Read a page of the runs of a thread, newest first; an agent gets its own."""
        op = frame(
            "list_runs",
            thread_id=self._thread(thread_id),
            running=running or None,
            limit=limit,
            cursor=cursor,
        )
        reply = await self._call(op)
        return Page([Run.model_validate(run) for run in reply["runs"]], reply["next_cursor"])

    @method
    async def renew(self, run_id: str, *, thread_id: str | None = None) -> Run:
        """Keep a run open; raises `Conflict` if it has ended."""
        op = frame("renew_run", thread_id=self._thread(thread_id), run_id=run_id, body={})
        return Run.model_validate(await self._call(op))

    @method
    async def end(
        self,
        run_id: str,
        *,
        thread_id: str | None = None,
        reason: str | None = None,
        cancel: bool = False,
    ) -> Run:
        """End a run; with `cancel` its open requests are cancelled. One that has ended keeps its reason."""
        body = without_none(reason=reason, cancel=cancel or None)
        op = frame("end_run", thread_id=self._thread(thread_id), run_id=run_id, body=body)
        return Run.model_validate(await self._call(op))

    @method
    async def cancel(self, run_id: str, *, thread_id: str | None = None) -> RequestIds:
        """Cancel the open requests with this `run_id`, also of a run that was never begun, and return their ids."""
        op = frame("cancel_run", thread_id=self._thread(thread_id), run_id=run_id, body={})
        return (await self._call(op))["cancelled"]

    @context
    async def open(
        self, thread_id: str | None = None, *, run_id: str | None = None, metadata: Any = None
    ) -> AsyncGenerator[Run]:
        """Begin a run that lasts until the block ends; see `client.run`."""
        run = await self.start(thread_id, run_id=run_id, metadata=metadata)
        keepalive_task = asyncio.get_running_loop().create_task(self._keep_alive(run))
        reason, cancel = "failed", True
        try:
            yield run
            reason, cancel = "finished", False
        finally:
            keepalive_task.cancel()
            with suppress(AskbackError):  # the server ends it soon
                await self.end(run.id, thread_id=run.thread_id, reason=reason, cancel=cancel)

    async def _keep_alive(self, run: Run) -> None:
        while True:
            await asyncio.sleep(RENEW_S)
            with suppress(AskbackError):
                await self.renew(run.id, thread_id=run.thread_id)
