"""Withhold a resume if the author of its decision has lost access to the thread.

Days can pass between an answer and its resume, and the access to the thread can change meanwhile. A withheld resume is
checked again after some seconds, and delivered once the author has access again. Cancelled and expired requests carry
no decision, so their resumes are delivered as long as the agent is admitted to the thread.
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
from askback.service.access import sharing
from askback.service.audit_entry import audit_entry
from askback.service.context import Services
from askback.service.lifecycle import checks, refusals

CHECK_AGAIN_MS = 5_000
"""The time after which a withheld resume is checked again."""
MAX_WITHHELD = 10_000
"""Withheld resumes to remember; one of more gets a second audit entry."""

_DECIDED = frozenset({Status.ANSWERED, Status.DECLINED})

_log = logging.getLogger(__name__)


async def may_deliver(ctx: Services, lease: Lease) -> bool:
    """Return whether a leased resume may be delivered. Each server writes one audit entry for a withheld resume."""
    record = lease.record
    if sharing.admits_requester(record):
        if lease.resume.cause.startswith("check:"):
            return await _check_is_open(ctx, lease)
        author = record.state.members.get("settled_by")
        if record.status not in _DECIDED or author is None or _may_still_answer(author, record):
            ctx.withheld_resumes.pop(lease.resume.id, None)
            return True
        await _record_withheld(ctx, lease, author)
    await ctx.store.release_resume(lease, now_ms=ctx.clock.now_ms() + CHECK_AGAIN_MS)
    return False


async def _record_withheld(ctx: Services, lease: Lease, author: Mapping[str, str]) -> None:
    if lease.resume.id in ctx.withheld_resumes:
        ctx.withheld_resumes.move_to_end(lease.resume.id)
        return
    _log.warning("resume %s is withheld: the author of the decision may no longer decide", lease.resume.id)
    entry = audit_entry(
        "resume.withheld",
        at=ctx.clock.now_ms(),
        tenant=lease.record.tenant,
        by=None,
        about=lease.record,
        resume_id=lease.resume.id,
        settled_by=author,
    )
    await ctx.store.write(SideEffects(audit=(entry,)))
    ctx.withheld_resumes[lease.resume.id] = None
    if len(ctx.withheld_resumes) > MAX_WITHHELD:
        ctx.withheld_resumes.popitem(last=False)


async def _check_is_open(ctx: Services, lease: Lease) -> bool:
    """Return whether the answer of a check resume still waits for its check; otherwise the resume is finished."""
    if checks.is_awaiting_check(lease.record, lease.resume.cause):
        return True
    resume, now = lease.resume, ctx.clock.now_ms()
    await ctx.store.finish_resume(
        resume.tenant, resume.requester, resume.id, attempt=lease.attempt, now_ms=now
    )
    return False


def with_repeat_mark(lease: Lease) -> Lease:
    """Return the lease, with its request marked as repeated if the resume is about a repeated refusal."""
    is_repeated = lease.resume.cause.startswith("again:")
    return replace(lease, record=refusals.mark_repeated(lease.record)) if is_repeated else lease


def _may_still_answer(author: Mapping[str, str], record: Record) -> bool:
    current_principal = Principal(
        author["id"],
        record.tenant,
        author.get("role", "responder"),
        author["name"],
        user=author.get("user", ""),
    )
    return sharing.level(current_principal, record.access, record.thread_id) >= kind_of(record).level
