"""Check an answer before it is accepted, with a time limit and without losing the answer (ADR 0035).

While the requester waits, or the server tries the answer itself, it is being checked under a lease. Otherwise it waits
to be checked, and a resume tells the requester so. Either ends without a verdict when its time is up: the person is
asked again, and what was sent stays to be sent once more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from askback.domain.bodies import EmptyBody
from askback.domain.check import Check, asked_again, check_of, checking, time_left, tried_until, waiting
from askback.domain.deadlines import Times
from askback.domain.kinds import kind_of
from askback.domain.lifecycle import Action, Status
from askback.domain.record import Record
from askback.domain.resume import check_cause
from askback.domain.timestamps import rfc3339
from askback.domain.validation.structure import parse
from askback.errors import Conflict
from askback.messages import DEFAULT_LOCALE, translate
from askback.ports.policy import NOTHING, SideEffects
from askback.ports.store import Change, Claim, Principal
from askback.service import access
from askback.service.context import Services
from askback.service.orphans import check_resumes, requester_waits
from askback.service.read import get
from askback.service.settle import Overtaken, conflict, settle

SERVER = "server"
"""Who checks with a probe of the server; no id of a token is like that."""


async def submitted(
    ctx: Services,
    record: Record,
    answer: Mapping[str, Any],
    *,
    by: Principal,
    claim: Claim | None,
    effects: SideEffects = NOTHING,
    probe: str | None = None,
    **facts: Any,
) -> Change:
    """Take an answer that is to be checked, by the probe of the server of that name or by the requester.

    Its deadline stands still from here on. Raises what `settle` raises.
    """
    now = ctx.clock.now_ms()
    left = time_left(record, now)
    said: dict[str, Any] = {"submitted": answer, "submitted_by": by.settler}
    if probe is not None:
        until = now + 2 * ctx.limits.probe_s * 1000
        said |= {"check": checking(SERVER, probe, now, until), "tried_until": rfc3339(until)}
    elif requester_waits(ctx, record):
        until = now + ctx.limits.check_lease_s * 1000
        said["check"] = checking(record.spec.facts.requester.id, record.spec.facts.requester.name, now, until)
    else:
        longest = ctx.limits.check_wait_s * 1000
        until = now + (longest if left is None else min(left, longest))
        said["check"] = waiting(now, until)
        resumes = check_resumes(ctx, record, now=now)
        effects = replace(effects, resumes=resumes)
        if any(each.held for each in resumes):
            said["queued"] = True
    if left is not None:
        said["time_left_s"] = left / 1000
    times = Times(None, until)
    return await settle(
        ctx, record, Action.SUBMIT, said, by=by, claim=claim, effects=effects, times=times, **facts
    )


async def check(ctx: Services, principal: Principal, request_id: str, body: object) -> Change:
    """Begin to check what was sent, or renew that (`limits.check_renewals` times); return the request with its lease.

    Raises `Conflict`: `not_resolving` when nothing is there to be checked, `check_over` after the last renewal.
    """
    await access.require(ctx, principal, "resolve", request_id)
    record = await get(ctx, principal, request_id)
    parse(EmptyBody, body)
    while True:
        try:
            return await _renewed(ctx, principal, record)
        except Overtaken as overtaken:
            record = overtaken.record


async def _renewed(ctx: Services, principal: Principal, record: Record) -> Change:
    require_resolving(record)
    before = check_of(record)
    begins = before is None or before.state == "waiting"
    renewed = 0 if before is None or begins else before.renewed + 1
    if renewed > ctx.limits.check_renewals:
        raise Conflict(
            f"This check was renewed {ctx.limits.check_renewals} times. Accept the answer or ask again before it ends.",
            code="check_over",
            request=record.as_dict(),
        )
    now = ctx.clock.now_ms()
    until = now + ctx.limits.check_lease_s * 1000
    said = {"check": checking(principal.id, principal.name, now, until, renewed=renewed), "queued": None}
    change = await settle(
        ctx,
        record,
        Action.NOTE,
        said,
        by=principal,
        exactly=True,
        times=Times(None, until),
        event="request.noted",
    )
    if begins:
        await ctx.store.drop_held(record.tenant, (record.id,))
    return change


def require_resolving(record: Record) -> None:
    """Raise `Conflict` unless what was sent for a request is the requester's to check."""
    if record.status is Status.PENDING:
        raise Conflict("No answer is waiting to be checked.", code="not_resolving")
    if record.status is not Status.RESOLVING:
        raise conflict(record)
    if tried_until(record):
        raise Conflict("The server tests these values itself, as the request asked.", code="not_resolving")


async def give_back(ctx: Services, record: Record, now: int) -> None:
    """Ask the person again when nobody has checked in time. Raises `Conflict` when a verdict came first."""
    check = check_of(record)
    if check is not None and check.ends_at > now:
        await _look_later(ctx, record, check)
        return
    said: dict[str, Any] = {"error_summary": _not_checked(record)}
    if kind_of(record).keeps_submission:
        said["submitted"] = record.state.members.get("submitted")
    await settle(ctx, record, Action.REPROMPT, said, by=None, times=pending_times(ctx, record))


async def _look_later(ctx: Services, record: Record, check: Check) -> None:
    """Put the next look at a request where its check ends."""
    times = Times(None, check.ends_at)
    await settle(ctx, record, Action.NOTE, {}, by=None, exactly=True, times=times, event="request.noted")


def pending_times(ctx: Services, record: Record) -> Times:
    """Return the moments of a request whose answer is sent back now."""
    return asked_again(record, now=ctx.clock.now_ms(), least_ms=ctx.limits.again_s * 1000)


def _not_checked(record: Record) -> str:
    return translate("fault.not_checked", kind_of(record).locale(record.spec) or DEFAULT_LOCALE)


def stands(record: Record, cause: str) -> bool:
    """Whether the answer still waits to be checked that a resume with this cause tells of."""
    found = check_of(record)
    return found is not None and found.state == "waiting" and cause == check_cause(record.revision)
