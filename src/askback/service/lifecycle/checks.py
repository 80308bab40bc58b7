"""Check an answer before it is accepted, with a time limit and without losing the answer (ADR 0035).

While the requester waits, or the server runs a probe, the answer is checked under a lease. Otherwise it waits to be
checked, and a resume tells the requester so. If the time runs out without a verdict, the person is asked again with
their answer filled in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from askback.domain.check import (
    Check,
    check_of,
    checking_members,
    probe_deadline,
    reprompt_schedule,
    time_left,
    waiting_members,
)
from askback.domain.deadlines import Schedule
from askback.domain.fields import Form
from askback.domain.kinds import kind_of
from askback.domain.lifecycle import Status, Transition
from askback.domain.record import Record
from askback.domain.request import FieldFault
from askback.domain.resume import check_cause
from askback.domain.timestamps import rfc3339
from askback.domain.validation.structure import parse
from askback.errors import Conflict
from askback.messages import DEFAULT_LOCALE, translate
from askback.ports.policy import NOTHING, SideEffects
from askback.ports.store import Change, Claim, Principal
from askback.service.access import roles
from askback.service.context import Services
from askback.service.lifecycle.apply_held_outcome import apply_held_outcome
from askback.service.lifecycle.read import get_request
from askback.service.lifecycle.settle import ConcurrentChange, already_settled, settle
from askback.service.lifecycle.undelivered import is_requester_waiting, resumes_for_check
from askback.wire.bodies import EmptyBody

SERVER = "server"
"""The checker id of the server's own checks; no token has such an id."""


async def submit_for_check(
    ctx: Services,
    record: Record,
    answer: Mapping[str, Any] | None,
    *,
    by: Principal | None,
    claim: Claim | None,
    effects: SideEffects = NOTHING,
    probe: str | None = None,
    probe_s: int = 0,
    held_outcome: Mapping[str, Any] | None = None,
    **facts: Any,
) -> Change:
    """Store an answer that has to be checked by the requester, or in `probe_s` seconds by the server's check `probe`.

    With `held_outcome` it is a decline or a deadline that a hook decides about, and `answer` has the typed values.
    The deadline of the request is paused meanwhile. Raises what `settle` raises.
    """
    now = ctx.clock.now_ms()
    remaining_ms = time_left(record, now)
    members: dict[str, Any] = {
        "submitted": answer,
        "submitted_by": None if by is None else by.settler,
        "held": held_outcome,
    }
    members["declined_once"] = (held_outcome is not None and held_outcome["event"] == "decline") or None
    if probe is not None:
        check_until = now + 2 * probe_s * 1000
        members |= {
            "check": checking_members(SERVER, probe, now, check_until),
            "tried_until": rfc3339(check_until),
        }
    elif is_requester_waiting(ctx, record):
        check_until = now + ctx.limits.check_lease_s * 1000
        members["check"] = checking_members(
            record.spec.facts.requester.id, record.spec.facts.requester.name, now, check_until
        )
    else:
        longest = ctx.limits.check_wait_s * 1000
        check_until = now + (min(remaining_ms, longest) if remaining_ms else longest)
        members["check"] = waiting_members(now, check_until)
        resumes = resumes_for_check(ctx, record, now=now)
        effects = replace(effects, resumes=resumes)
        if any(resume.held for resume in resumes):
            members["queued"] = True
    if remaining_ms is not None:
        members["time_left_s"] = remaining_ms / 1000
    times = Schedule(None, check_until)
    return await settle(
        ctx, record, Transition.SUBMIT, members, by=by, claim=claim, effects=effects, times=times, **facts
    )


async def check_submission(ctx: Services, principal: Principal, request_id: str, body: object) -> Change:
    """Begin or renew the check of an answer and return the request with its lease.

    Raises `Conflict`: `not_resolving` if no answer waits to be checked, `check_over` after `limits.check_renewals`
    renewals.
    """
    await roles.require(ctx, principal, "check_submission", request_id)
    record = await get_request(ctx, principal, request_id)
    parse(EmptyBody, body)
    while True:
        try:
            return await _renew(ctx, principal, record)
        except ConcurrentChange as error:
            record = error.record


async def _renew(ctx: Services, principal: Principal, record: Record) -> Change:
    require_resolving(record)
    old_check = check_of(record)
    begins = old_check is None or old_check.state == "waiting"
    renewal_count = 0 if old_check is None or begins else old_check.renewed + 1
    if renewal_count > ctx.limits.check_renewals:
        raise Conflict(
            f"This check was renewed {ctx.limits.check_renewals} times. Accept the answer or ask again before it ends.",
            code="check_over",
            request=record.as_dict(),
        )
    now = ctx.clock.now_ms()
    check_until = now + ctx.limits.check_lease_s * 1000
    members = {
        "check": checking_members(principal.id, principal.name, now, check_until, renewed=renewal_count),
        "queued": None,
    }
    change = await settle(
        ctx,
        record,
        Transition.NOTE,
        members,
        by=principal,
        match_state=True,
        times=Schedule(None, check_until),
        event="request.noted",
    )
    if begins:
        await ctx.store.drop_held([(record.tenant, record.id)])
    return change


def require_resolving(record: Record) -> None:
    """Raise `Conflict` unless the requester has to check an answer of this request."""
    if record.status is Status.PENDING:
        raise Conflict("No answer is waiting to be checked.", code="not_resolving")
    if record.status is not Status.RESOLVING:
        raise already_settled(record)
    if probe_deadline(record):
        raise Conflict("The server checks this itself, as the request asked.", code="not_resolving")


async def reopen_unchecked(ctx: Services, record: Record, now: int) -> None:
    """Ask the person again because nobody checked the answer in time. Raises `Conflict` if a verdict came first."""
    check = check_of(record)
    if check is not None and check.ends_at > now:
        await _postpone(ctx, record, check)
        return
    await reopen_unchecked_now(ctx, record)


async def reopen_unchecked_now(ctx: Services, record: Record) -> None:
    """Ask the person again because there is no verdict, or accept the held decline or deadline.

    Raises `Conflict` if a verdict came first.
    """
    if "held" in record.state.members:
        await apply_held_outcome(ctx, record)
        return
    members: dict[str, Any] = {"error_summary": translate_for(record, "fault.not_checked")}
    if kind_of(record).keeps_submission:
        members["submitted"] = record.state.members.get("submitted")
    await settle(ctx, record, Transition.REPROMPT, members, by=None, times=reprompt_times(ctx, record))


async def _postpone(ctx: Services, record: Record, check: Check) -> None:
    """Make the request due again when its check ends."""
    times = Schedule(None, check.ends_at)
    await settle(
        ctx, record, Transition.NOTE, {}, by=None, match_state=True, times=times, event="request.noted"
    )


def reprompt_times(ctx: Services, record: Record) -> Schedule:
    """Return the deadlines of a request whose answer is rejected now."""
    return reprompt_schedule(record, now=ctx.clock.now_ms(), least_ms=ctx.limits.again_s * 1000)


def new_deadline(ctx: Services, record: Record, timeout_s: float | None) -> Schedule:
    """Return the deadlines of a request that expires in this many seconds; None means no deadline.

    A deadline that counts from when the request is shown begins only then.
    """
    state, timeouts = record.state.members, record.spec.facts
    begins = timeouts.timeout_from == "created" or "shown_at" in state
    expires_at = ctx.clock.now_ms() + round(timeout_s * 1000) if timeout_s is not None and begins else None
    return timeouts.schedule_from(
        expires_at,
        created_at=record.created_at,
        escalated=state.get("escalated", 0),
        viewer_by=record.created_at + ctx.limits.unseen_s * 1000 if state.get("unseen") else None,
    )


def error_members(
    field_errors: Sequence[FieldFault] | None, error_summary: str | None, *, default: str | None
) -> dict[str, Any]:
    """Return errors as members of the state, without empty ones; errors of fields without a summary get `default`."""
    if field_errors and error_summary is None:
        error_summary = default
    members = {
        "field_errors": [error.model_dump() for error in field_errors or ()],
        "error_summary": error_summary,
    }
    return {name: value for name, value in members.items() if value}


def default_summary(form: Form) -> str:
    """Return the summary of errors in the language of a form."""
    return translate("fault.reprompted", form.locale or DEFAULT_LOCALE)


def translate_for(record: Record, key: str) -> str:
    """Return a text in the language of a request."""
    return translate(key, kind_of(record).locale(record.spec) or DEFAULT_LOCALE)


def is_awaiting_check(record: Record, cause: str) -> bool:
    """Return whether the answer that a resume with this cause is about still waits to be checked."""
    check = check_of(record)
    return check is not None and check.state == "waiting" and cause == check_cause(record.revision)
