"""Process resumes: each one once, by the client that leased it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from askback.client.frames import frame
from askback.client.methods import iterator, method
from askback.client.resources.base import Resource
from askback.domain.modeltext import TEXTS
from askback.domain.resume import resume_text
from askback.errors import Conflict
from askback.wire.replies import Resume

WAIT_S = 25
"""Seconds that the server waits for resumes in one call."""


class Resumes(Resource):
    """`client.resumes`: outcomes of requests that nobody waited for."""

    @method
    async def pull(self, thread_id: str | None = None, *, wait: int = 0, limit: int = 1) -> Sequence[Resume]:
        """Lease this agent's resumes of a thread, or of all; waits up to `wait` seconds (at most 60) for one."""
        reply = await self._call(frame("pull_resumes", thread_id=thread_id, wait=wait, limit=limit))
        return [self._with_own_text(Resume.model_validate(resume)) for resume in reply["resumes"]]

    @method
    async def ack(self, resume: Resume) -> bool:
        """Acknowledge a resume, so that it is not delivered again. Returns False if its lease has been lost."""
        try:
            await self._call(frame("ack_resume", resume_id=resume.id, body={"attempt": resume.attempt}))
        except Conflict as error:
            if error.code != "lease_lost":
                raise
            return False
        return True

    @iterator
    async def listen(self, thread_id: str | None = None) -> AsyncGenerator[Resume]:
        """Yield resumes forever: `async for resume in ask.resumes.listen(): …`.

        Each is acknowledged when the next one is requested. A resume whose block ends with `break` or an
        exception is delivered again, unless you called `ack`.
        """
        while True:
            for resume in await self.pull(thread_id, wait=WAIT_S):
                yield resume
                await self.ack(resume)

    def _with_own_text(self, resume: Resume) -> Resume:
        """Replace the server's text if this client has its own texts."""
        if self._texts == TEXTS:
            return resume
        return resume.model_copy(update={"text": resume_text(resume.request, self._texts)})
