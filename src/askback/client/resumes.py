"""Process resumes: each one once, by the client that leased it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from datetime import datetime

from pydantic import BaseModel, ConfigDict

from askback.client.connection import Connection
from askback.client.operations import frame
from askback.domain.modeltext import TEXTS
from askback.domain.request import InputRequest
from askback.domain.resume import resume_text
from askback.errors import Conflict

WAIT_S = 25
"""How long one look for resumes waits on the server."""


class Resume(BaseModel):
    """What has come of a request. `text` is for the model; `request` has the answer, or how it ended without one.

    It is ours until `until`; when it is not acknowledged by then it comes again, maybe to another worker, as the next
    `attempt`. An effect that must not happen twice belongs after a look at what was done for this `id` before.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    thread_id: str
    request_id: str
    text: str
    attempt: int
    until: datetime
    request: InputRequest


class Resumes(Connection):
    """The part of the client that goes on where a turn has ended."""

    async def pull_resumes(
        self, thread_id: str | None = None, *, wait: int = 0, limit: int = 1
    ) -> list[Resume]:
        """Take what is there for this agent in a thread, or in all; waits up to `wait` seconds (at most 60)."""
        found = await self._call(frame("resumes", thread_id=thread_id, wait=wait, limit=limit))
        return [self._worded(Resume.model_validate(each)) for each in found["resumes"]]

    def _worded(self, resume: Resume) -> Resume:
        """Say it in this client's own words, where it was given some; else the server's stand."""
        if self._texts == TEXTS:
            return resume
        return resume.model_copy(update={"text": resume_text(resume.request, self._texts)})

    async def ack(self, resume: Resume) -> bool:
        """Say that the agent has gone on: the resume never comes again. False when it was somebody else's by then."""
        try:
            await self._call(frame("ack", resume_id=resume.id, body={"attempt": resume.attempt}))
        except Conflict as refused:
            if refused.code != "lease_lost":
                raise
            return False
        return True

    async def resumes(self, thread_id: str | None = None) -> AsyncGenerator[Resume]:
        """Yield what there is to go on with, for ever: `async for resume in ask.resumes(): …`.

        Each is acknowledged when the next is asked for. One whose block is left by `break` or an exception comes again,
        unless it was acknowledged by `ack`.
        """
        while True:
            for resume in await self.pull_resumes(thread_id, wait=WAIT_S):
                yield resume
                await self.ack(resume)
