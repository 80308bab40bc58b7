"""The part of the store for resumes: outcomes for agents that do not wait, until the agent continues.

A resume is written in the transaction that settles its request, or that stores an answer to be checked
(`SideEffects.resumes`). Contracts 1, 8, 9, 10 and 11 of `askback.ports.store` apply here as well, and

16. A resume is leased to one caller at a time. After the lease ends it can be leased again, with `attempt` raised by
    one. `attempt` is the fencing token: a caller with an older one is `LOST`.
17. A resume is finished once. It is leased neither before it is available nor after it was finished.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from askback.domain.record import Record
from askback.domain.values import frozen
from askback.ports.outcome import Outcome


@frozen(slots=True)
class Resume:
    """A notice for `requester` that a request has ended. `available_at` is in ms since the epoch.

    A `held` resume is for a waiting agent that may have disconnected: it is dropped once the agent has the
    outcome. `cause` is empty for the end of the request, `check:N` for an answer to revision N that waits to
    be checked, and `again:ID` for a call that was refused because a person had refused the same before. A
    request has one resume for each cause.
    """

    id: str
    tenant: str
    thread_id: str
    requester: str
    request_id: str
    available_at: int
    held: bool = False
    cause: str = ""


@frozen(slots=True)
class Lease:
    """A resume leased until `until` (ms) for the `attempt`-th time, and its settled request."""

    resume: Resume
    record: Record
    attempt: int
    until: int


@frozen(slots=True)
class ResumeStatus:
    """The status of a resume; its `available_at` is the end of its lease, if it has one."""

    resume: Resume
    attempt: int
    finished: bool


class ResumeStore(Protocol):
    """Resumes, oldest first. `SideEffects` writes them in the transaction that settles their requests."""

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
        """Lease the available resumes of a requester, in a thread or in all of them."""
        ...

    async def next_resume(self, tenant: str, requester: str, *, thread_id: str | None = None) -> int | None:
        """Return when the next unfinished resume can be leased, ms; None without one."""
        ...

    async def resume_threads(self, tenant: str, requester: str) -> Mapping[str, int]:
        """Return the threads with unfinished resumes of a requester, and when the next of each can be leased, ms."""
        ...

    async def finish_resume(
        self, tenant: str, requester: str, resume_id: str, *, attempt: int, now_ms: int
    ) -> Outcome | None:
        """Finish a resume: `REPLAYED` if it was finished before, `LOST` if it was leased again since.

        None if the requester has no such resume.
        """
        ...

    async def resume(self, tenant: str, resume_id: str) -> ResumeStatus | None:
        """Read the status of a resume."""
        ...

    async def resume_of(self, tenant: str, request_id: str, cause: str = "") -> ResumeStatus | None:
        """Read the status of the resume of a request, for its end unless another cause is given."""
        ...

    async def lease_resume(self, tenant: str, resume_id: str, *, now_ms: int, until_ms: int) -> Lease | None:
        """Lease one resume to push it; None if it is unknown, finished or not available."""
        ...

    async def release_resume(self, lease: Lease, *, now_ms: int) -> None:
        """End a lease early, unless somebody else holds it or the resume was finished."""
        ...

    async def hold_resumes(self, resumes: Sequence[Resume]) -> None:
        """Write resumes for requests that have ended; a request that has one, or was erased, gets none."""
        ...

    async def drop_held(self, requests: Collection[tuple[str, str]]) -> None:
        """Drop the held resumes of these requests (tenant, id), at least one: the waiting agents have the outcome."""
        ...
