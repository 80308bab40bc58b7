"""What is put into a message: the resume, held for as long as it is on its way, or the event as people read it."""

from __future__ import annotations

from dataclasses import dataclass

from askback.domain.resume import resume_wire
from askback.domain.timestamps import rfc3339
from askback.domain.webhooks import RESUME, message
from askback.ports.resumes import Lease
from askback.ports.webhooks import Delivery
from askback.service import authority
from askback.service.context import Services


@dataclass(frozen=True, slots=True)
class Letter:
    """A message that may be sent now. `id` stays the same however often it is sent; `lease` holds its resume."""

    id: str
    body: bytes
    lease: Lease | None = None


@dataclass(frozen=True, slots=True)
class NotYet:
    """Look at the resume again at `at` (ms): somebody who pulled it may still go on with it, or it is withheld."""

    at: int


async def write(ctx: Services, delivery: Delivery, *, until_ms: int) -> Letter | NotYet | None:
    """Return what to send, or why not now; None when there is nothing to send any more."""
    if delivery.type == RESUME:
        return await _resume(ctx, delivery, until_ms=until_ms)
    position = int(delivery.subject)
    page = await ctx.store.tenant_events(delivery.tenant, after=position - 1, limit=1)
    if not page or page[0].position != position:
        return None
    # Who is behind an address is not known: it gets what those get who may see the least.
    event = page[0].redacted or page[0]
    return Letter(delivery.id, message(delivery.type, at=rfc3339(delivery.since), data=event.text))


async def _resume(ctx: Services, delivery: Delivery, *, until_ms: int) -> Letter | NotYet | None:
    """Take the lease that a pull would take: whoever has it is the only one who goes on."""
    now = ctx.clock.now_ms()
    lease = await ctx.store.lease_resume(delivery.tenant, delivery.subject, now_ms=now, until_ms=until_ms)
    if lease is not None and not await authority.stands(ctx, lease):
        return NotYet(until_ms)
    if lease is not None:
        lease = authority.told(lease)
        wire = resume_wire(
            lease.resume.id, lease.record, attempt=lease.attempt, until=until_ms, texts=ctx.texts
        )
        return _letter(delivery, wire, lease)
    known = await ctx.store.resume(delivery.tenant, delivery.subject)
    if known is None:
        return None
    if not known.finished:
        return NotYet(max(known.resume.available_at, now + 1))
    if not delivery.again:
        return None
    record = await ctx.store.get(delivery.tenant, known.resume.request_id)
    if record is None:
        return None
    wire = resume_wire(known.resume.id, record, attempt=known.attempt, until=now, texts=ctx.texts)
    return _letter(delivery, wire, None)


def _letter(delivery: Delivery, data: str, lease: Lease | None) -> Letter:
    return Letter(delivery.subject, message(RESUME, at=rfc3339(delivery.since), data=data), lease)
