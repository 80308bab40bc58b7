"""The resumes of the store in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from askback.domain.record import Record
from askback.ports.outcome import Outcome
from askback.ports.resumes import Lease, Resume, Standing
from askback.testing.fake_along import FakeAlong, KeptResume


class FakeResumes(FakeAlong):
    """The `ResumeStore` part of the port in a dictionary by tenant and request, oldest first."""

    async def get(self, tenant: str, request_id: str) -> Record | None:
        """Read one request by its id."""
        raise NotImplementedError

    async def lease_resumes(
        self,
        tenant: str,
        requester: str,
        *,
        thread_id: str | None = None,
        now_ms: int,
        until_ms: int,
        limit: int = 20,
    ) -> Sequence[Lease]:
        """Lease what is available, oldest first."""
        self._begin()
        leased: list[Lease] = []
        for kept in self._open(tenant, requester, thread_id):
            if kept.resume.available_at > now_ms or len(leased) == limit:
                continue
            leased.append(await self._lease(kept, until_ms))
        return leased

    async def next_resume(self, tenant: str, requester: str, *, thread_id: str | None = None) -> int | None:
        """Read when the next unfinished resume can be leased."""
        at = [kept.resume.available_at for kept in self._open(tenant, requester, thread_id)]
        return min(at, default=None)

    async def resume_threads(self, tenant: str, requester: str) -> Mapping[str, int]:
        """Read where unfinished resumes are, and when the next one of each thread can be leased."""
        found: dict[str, int] = {}
        for kept in self._open(tenant, requester, None):
            at, thread_id = kept.resume.available_at, kept.resume.thread_id
            found[thread_id] = min(at, found.get(thread_id, at))
        return found

    async def finish_resume(
        self, tenant: str, requester: str, resume_id: str, *, attempt: int, now_ms: int
    ) -> Outcome | None:
        """Finish a resume."""
        self._begin()
        mine = (tenant, requester, resume_id)
        found = [
            k for k in self._resumes.values() if (k.resume.tenant, k.resume.requester, k.resume.id) == mine
        ]
        for kept in found:
            if kept.finished_at is not None:
                return Outcome.REPLAYED
            if kept.attempt != attempt:
                return Outcome.LOST
            kept.finished_at = now_ms
            return Outcome.APPLIED
        return None

    async def resume(self, tenant: str, resume_id: str) -> Standing | None:
        """Read where a resume stands."""
        found = (k for k in self._resumes.values() if (k.resume.tenant, k.resume.id) == (tenant, resume_id))
        return next(map(_standing, found), None)

    async def resume_of(self, tenant: str, request_id: str, cause: str = "") -> Standing | None:
        """Read where the resume of a request stands."""
        kept = self._resumes.get((tenant, request_id, cause))
        return None if kept is None else _standing(kept)

    async def lease_resume(self, tenant: str, resume_id: str, *, now_ms: int, until_ms: int) -> Lease | None:
        """Lease this one."""
        self._begin()
        for kept in self._resumes.values():
            if (kept.resume.tenant, kept.resume.id) == (tenant, resume_id):
                free = kept.finished_at is None and kept.resume.available_at <= now_ms
                return await self._lease(kept, until_ms) if free else None
        return None

    async def release_resume(self, lease: Lease, *, now_ms: int) -> None:
        """Give a lease back before its end."""
        self._begin()
        kept = self._resumes.get((lease.resume.tenant, lease.resume.request_id, lease.resume.cause))
        if kept is not None and kept.attempt == lease.attempt:
            kept.resume = replace(kept.resume, available_at=min(kept.resume.available_at, now_ms))

    async def hold_resumes(self, resumes: Sequence[Resume]) -> None:
        """Write resumes after their requests have ended."""
        self._begin()
        for resume in resumes:
            if await self.get(resume.tenant, resume.request_id) is not None:
                name = (resume.tenant, resume.request_id, resume.cause)
                self._resumes.setdefault(name, KeptResume(resume))

    async def drop_held(self, tenant: str, request_ids: Sequence[str]) -> None:
        """Drop the held resumes of these requests."""
        self._begin()
        for name, kept in list(self._resumes.items()):
            if name[0] == tenant and name[1] in request_ids and kept.resume.held and kept.attempt == 0:
                del self._resumes[name]

    async def _lease(self, kept: KeptResume, until_ms: int) -> Lease:
        kept.attempt += 1
        kept.resume = replace(kept.resume, available_at=until_ms)
        record = await self.get(kept.resume.tenant, kept.resume.request_id)
        assert record is not None
        return Lease(kept.resume, record, kept.attempt, until_ms)

    def _open(self, tenant: str, requester: str, thread_id: str | None) -> Sequence[KeptResume]:
        return [
            kept
            for kept in self._resumes.values()
            if kept.finished_at is None
            and (kept.resume.tenant, kept.resume.requester) == (tenant, requester)
            and thread_id in (None, kept.resume.thread_id)
        ]


def _standing(kept: KeptResume) -> Standing:
    return Standing(kept.resume, kept.attempt, kept.finished_at is not None)
