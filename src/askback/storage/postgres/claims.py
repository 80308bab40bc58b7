"""Idempotency keys of a group: taken first, so that of two servers with one key the second waits for the first."""

from __future__ import annotations

from collections.abc import Sequence

from askback.ports.outcome import Outcome
from askback.ports.store import ClaimMismatch
from askback.storage.postgres import queries
from askback.storage.postgres.connection import Connection
from askback.storage.postgres.jobs import Job, Overtaken


async def take(db: Connection, jobs: Sequence[Job]) -> None:
    """Take the keys of jobs; a job whose key was taken before is replayed, or refused when its body is another."""
    claims = [
        (
            job.claim_id,
            job.change.claim.tenant,
            job.change.draft.thread_id,
            job.change.claim.digest,
            job.target,
        )
        for job in jobs
        if job.claim_id is not None and job.change.claim is not None
    ]
    if not claims:
        return
    free = {row[0] for row in await db.fetch(queries.TAKE_CLAIMS, *zip(*claims, strict=True))}
    for job in jobs:
        job.holds = job.claim_id in free
    taken = [job for job in jobs if job.claim_id is not None and not job.holds]
    if taken:
        await _replay(db, taken)


async def give_back(db: Connection, jobs: Sequence[Job]) -> None:
    """Give the keys of jobs back that changed nothing: only what was applied keeps its key."""
    lost = [job.claim_id for job in jobs if job.holds and not job.open]
    if lost:
        await db.execute(queries.GIVE_CLAIMS_BACK, lost)


async def _replay(db: Connection, jobs: Sequence[Job]) -> None:
    found = await db.fetch(queries.CLAIMS, [job.claim_id for job in jobs])
    known = {claim_id: (digest, target) for claim_id, digest, target in found}
    for job in jobs:
        assert job.claim_id is not None
        assert job.change.claim is not None
        if job.claim_id not in known:
            raise Overtaken
        digest, job.target = known[job.claim_id]
        if digest == job.change.claim.digest:
            job.outcome = Outcome.REPLAYED
        else:
            job.error = ClaimMismatch(job.change.claim.key)
