"""The part of the store that keeps resumes: what came of requests whose agents do not wait, until somebody goes on.

A resume is written along with the step that settles its request, or that leaves an answer to be checked
(`SideEffects.resumes`). Contracts 1, 8, 9, 10 and 11 of
`askback.ports.store` hold here as well, and

16. A resume is leased to one at a time: until its lease ends nobody else gets it, and after that it is leased again,
    with `attempt` raised by one. `attempt` is the fencing token: who comes with an older one is `LOST`.
17. A resume is finished once, for ever. It is leased neither before it is available nor after it was finished.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from askback.domain.record import Record
from askback.ports.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Resume:
    """Somebody is to go on: `requester`'s request has come to its end. `available_at` is in ms since the epoch.

    One that is `held` is for the case that whoever waits has gone: it is dropped when they got the outcome. `cause` is
    empty for the end of the request, `check:N` for an answer to revision N that waits to be checked, and `again:ID` for
    a call that was refused because a person had refused the same before. A request has one resume for each cause.
    """

    id: str
    tenant: str
    thread_id: str
    requester: str
    request_id: str
    available_at: int
    held: bool = False
    cause: str = ""


@dataclass(frozen=True, slots=True)
class Lease:
    """A resume that was leased until `until` (ms), for the `attempt`-th time, and its request as it ended."""

    resume: Resume
    record: Record
    attempt: int
    until: int


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a resume stands; its `available_at` is the end of its lease, if it has one."""

    resume: Resume
    attempt: int
    finished: bool


class ResumeStore(Protocol):
    """Resumes, oldest first. They are written along with what settles their requests: see `SideEffects`."""

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
        """Lease what is available of a requester, in a thread or in all of them."""
        ...

    async def next_resume(self, tenant: str, requester: str, *, thread_id: str | None = None) -> int | None:
        """When the next unfinished resume can be leased, ms; None when there is none."""
        ...

    async def resume_threads(self, tenant: str, requester: str) -> Mapping[str, int]:
        """The threads with unfinished resumes of a requester, and when the next one of each can be leased, ms."""
        ...

    async def finish_resume(
        self, tenant: str, requester: str, resume_id: str, *, attempt: int, now_ms: int
    ) -> Outcome | None:
        """Finish a resume: `REPLAYED` when it was finished before, `LOST` when it was leased again since.

        None when the requester has no such resume.
        """
        ...

    async def resume(self, tenant: str, resume_id: str) -> Standing | None:
        """Read where a resume stands."""
        ...

    async def resume_of(self, tenant: str, request_id: str, cause: str = "") -> Standing | None:
        """Read where the resume of a request stands, of its end unless another cause is named."""
        ...

    async def lease_resume(self, tenant: str, resume_id: str, *, now_ms: int, until_ms: int) -> Lease | None:
        """Lease this one, to push it; None when it is not available, or finished, or not there."""
        ...

    async def release_resume(self, lease: Lease, *, now_ms: int) -> None:
        """Give a lease back before its end, unless somebody else has it or it was finished."""
        ...

    async def hold_resumes(self, resumes: Sequence[Resume]) -> None:
        """Write resumes after their requests have ended; a request that has one, or that is gone, gets none."""
        ...

    async def drop_held(self, tenant: str, request_ids: Sequence[str]) -> None:
        """Drop the held resumes of these requests: whoever waited has the outcome."""
        ...
