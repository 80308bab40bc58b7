"""Allow at most one open request per exclusive key: cancel the old one, queue or refuse the new one.

A key belongs to the requester that uses it, in one thread: nobody takes back what another agent asks. The store is the
guard. The one that is there is taken back before the new one exists, so a crash between the two leaves a thread that
was asked nothing, and the requester's next try asks it.
"""

from __future__ import annotations

from dataclasses import replace

from askback.domain.events import REQUEST_LINED_UP, Draft
from askback.domain.lifecycle import Action
from askback.domain.record import Record
from askback.domain.request import Envelope
from askback.errors import Conflict
from askback.ports.store import Change, Claim, KeyHeld, Principal
from askback.ports.threads import Quota
from askback.service.context import Services
from askback.service.settle import come_forward, settle


async def insert(
    ctx: Services,
    principal: Principal,
    asked: Envelope,
    record: Record,
    event: Draft,
    claimed: Claim | None,
    quota: Quota,
) -> Change:
    """Store a new open request, if there is room for it.

    Raises `QuotaSpent`, and `Conflict` (`exclusive`, with the open one) where that is what was wanted.
    """
    if asked.exclusive_key is not None:
        record = replace(record, exclusive=asked.exclusive_key)
    while True:
        try:
            return await ctx.store.insert(record, event, claimed, quota=quota)
        except KeyHeld as held:
            holder = held.record
        if asked.on_conflict == "reject":
            raise Conflict(
                "Another request with this exclusive_key is open. Wait for it, or cancel it first.",
                code="exclusive",
                request=holder.as_dict(),
            )
        if asked.on_conflict == "queue":
            return await _line_up(ctx, record, event, claimed, quota)
        await _supersede(ctx, principal, holder)


async def _line_up(
    ctx: Services, record: Record, event: Draft, claimed: Claim | None, quota: Quota
) -> Change:
    state = record.state.adding(queued_behind=True)
    waiting = replace(record, behind=True, state=state)
    lined_up = replace(event, type=REQUEST_LINED_UP, data=state.text)
    change = await ctx.store.insert(waiting, lined_up, claimed, quota=quota)
    await come_forward(ctx)  # the one before it may have ended meanwhile
    return change


async def _supersede(ctx: Services, principal: Principal, holder: Record) -> None:
    try:
        await settle(ctx, holder, Action.CANCEL, {"reason": "superseded"}, by=principal)
    except Conflict:
        return  # it has ended, or was sent back to be answered again: whatever is open by now is looked at again
