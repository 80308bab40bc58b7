"""Stop an agent from acting on a decision whose author has lost access.

Between an answer and the resume that tells of it there may be days, and a thread may be shared anew meanwhile. Then the
resume is withheld: its lease ends by itself, so that it is looked at again, and comes when they may again. What was
taken back or has expired says nothing to go on with, and its agent hears of that in any case: as long as it is let into
the thread.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace

from askback.domain.kinds import kind_of
from askback.domain.lifecycle import Status
from askback.domain.record import Record
from askback.ports.policy import SideEffects
from askback.ports.resumes import Lease
from askback.ports.store import Principal
from askback.service import checks, refusals, sharing
from askback.service.context import Services
from askback.service.ledger import entry

_SAID = frozenset({Status.ANSWERED, Status.DECLINED})

_log = logging.getLogger(__name__)


async def stands(ctx: Services, lease: Lease) -> bool:
    """Whether what was leased may be handed over; admins are told of what may not, by each server once."""
    record = lease.record
    if not sharing.lets_in_requester(record):
        return False
    if lease.resume.cause.startswith("check:"):
        return await _still_waits(ctx, lease)
    who = record.state.members.get("settled_by")
    if record.status not in _SAID or who is None or _may_say(who, record):
        ctx.withheld.discard(lease.resume.id)
        return True
    if lease.resume.id not in ctx.withheld:
        _log.warning("resume %s is withheld: who ended its request may not do that any more", lease.resume.id)
        told = entry(
            "resume.withheld",
            at=ctx.clock.now_ms(),
            tenant=record.tenant,
            by=None,
            about=record,
            resume_id=lease.resume.id,
            settled_by=who,
        )
        await ctx.store.write(SideEffects(audit=(told,)))
        ctx.withheld.add(lease.resume.id)
    return False


async def _still_waits(ctx: Services, lease: Lease) -> bool:
    """Whether an answer waits to be checked of which a resume tells; one that tells of none is finished."""
    if checks.stands(lease.record, lease.resume.cause):
        return True
    resume, now = lease.resume, ctx.clock.now_ms()
    await ctx.store.finish_resume(
        resume.tenant, resume.requester, resume.id, attempt=lease.attempt, now_ms=now
    )
    return False


def told(lease: Lease) -> Lease:
    """Return a lease with its request as the resume tells of it: of one that was refused again, that it was."""
    again = lease.resume.cause.startswith("again:")
    return replace(lease, record=refusals.as_repeated(lease.record)) if again else lease


def _may_say(who: Mapping[str, str], record: Record) -> bool:
    as_now = Principal(
        who["id"], record.tenant, who.get("role", "responder"), who["name"], user=who.get("user", "")
    )
    return sharing.level(as_now, record.access, record.thread_id) >= kind_of(record).level
