"""End a request: a step of the lifecycle, tried as a compare-and-set. Requests end nowhere else.

What becomes of a tool call or of secrets, and by whom, is written into the audit log in the same transaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from askback.domain.deadlines import Times
from askback.domain.events import REQUEST_CREATED, REQUEST_REPROMPTED, REQUEST_VOTED, Draft
from askback.domain.kinds import kind_of
from askback.domain.lifecycle import TERMINAL, TRANSITIONS, Action, Status, step
from askback.domain.policy.conduct import read_conduct
from askback.domain.record import Record
from askback.domain.spec import Spec
from askback.domain.state import State, after_step
from askback.domain.timestamps import rfc3339
from askback.errors import Conflict, Gone, NotFound, Unavailable
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, SideEffects
from askback.ports.store import Change, Claim, Principal, Settlement
from askback.service.context import Services
from askback.service.ledger import entry
from askback.service.orphans import resumes
from askback.service.submission import with_submission

_DECISIVE = frozenset({Action.ANSWER, Action.ACCEPT})
_SENT = frozenset({Action.ANSWER, Action.SUBMIT, Action.VOTE})
_ENDS = frozenset({Action.DECLINE, Action.CANCEL})
_EVENTS = {Action.VOTE: REQUEST_VOTED, Action.REPROMPT: REQUEST_REPROMPTED}
"""Steps that have an event of their own; the others are called by the status that they lead to."""


class Overtaken(Exception):
    """Another vote or note came first; `record` is the request with it."""

    def __init__(self, record: Record) -> None:
        super().__init__(record.id)
        self.record = record


async def settle(
    ctx: Services,
    record: Record,
    action: Action,
    outcome: Mapping[str, Any],
    *,
    by: Principal | None,
    claim: Claim | None = None,
    effects: SideEffects = NOTHING,
    exactly: bool = False,
    event: str | None = None,
    times: Times | None = None,
    spec: Spec | None = None,
    forward: bool = False,
    refused: bool = False,
    **facts: Any,
) -> Change:
    """Take `action` on the request as it was read; of several callers the first wins.

    `outcome` is what the step adds to the state. `times` are its new moments, `spec` what is asked from now on, `event`
    the type where it does not follow from the step, and `facts` go into the audit log. With `exactly` the step is tried
    only on the very state that was read. `forward` and `refused` are as in `Settlement`.

    Raises `Conflict` or `Gone` with the request as it now is when this call came too late, and `Overtaken`.
    """
    if (record.status, action) not in TRANSITIONS:
        if (before := await replayed(ctx, claim)) is None:
            raise conflict(record)
        return _told(before, record, action)
    status, now = step(record.status, action), ctx.clock.now_ms()
    queued = resumes(ctx, record, by=by, now=now) if status in TERMINAL else ()
    if queued:
        outcome, effects = {**outcome, "queued": True}, replace(effects, resumes=queued)
    state = _state(record, action, status, outcome, by=by, now=now, times=times)
    kind = event or _EVENTS.get(action, f"request.{status}")
    if record.status is Status.RESOLVING and action is not Action.NOTE and effects.promote is None:
        # The check has ended, so its candidate values are deleted.
        effects = replace(effects, discard=(record.tenant, record.id))
    if kind_of(record).is_audited and action is not Action.NOTE:
        told = _audited(record, action, outcome, by=by, at=now, **facts)
        effects = replace(effects, audit=(*effects.audit, told))
    change = await ctx.store.settle(
        Settlement(
            tenant=record.tenant,
            id=record.id,
            expected=frozenset({record.status}),
            revision=record.revision,
            status=status,
            state=state,
            event=Draft(kind, record.tenant, record.thread_id, now, record.id, state.text, record.requester),
            state_before=record.state if exactly else None,
            asks_again=action is Action.REPROMPT,
            spec=spec,
            times=times,
            forward=forward,
            refunds=await _refunds(ctx, record, status),
            refused=refused,
        ),
        claim,
        effects,
    )
    ctx.newest.drop(record.id)
    return await _tried(ctx, record, action, change, exactly=exactly, now=now)


async def _tried(
    ctx: Services, record: Record, action: Action, change: Change | None, *, exactly: bool, now: int
) -> Change:
    """Raise what comes of a step that was too late, and go on with what one in time leads to."""
    if change is None:
        raise not_found()
    if change.outcome is Outcome.LOST:
        if exactly and change.record.status is record.status:
            raise Overtaken(change.record)
        raise conflict(change.record)
    if change.outcome is Outcome.REPLAYED:
        return _told(change, record, action)
    if change.record.settled:
        ctx.metrics.ended(change.record, at=now)
        if change.record.exclusive is not None:
            with suppress(Unavailable):  # what has ended has ended; the sweep lets the next one come
                await come_forward(ctx)
    return change


async def _refunds(ctx: Services, record: Record, status: Status) -> bool:
    """Whether a question that nobody answered is given back to its thread."""
    if not kind_of(record).is_question or status not in {Status.CANCELLED, Status.EXPIRED}:
        return False
    terms = await ctx.store.terms(record.tenant, record.thread_id)
    return read_conduct(terms.everywhere, terms.here).refund_questions


async def come_forward(ctx: Services) -> None:
    """Let the next in each line come forward whose key nobody has; of several servers that try one does it."""
    for record in await ctx.store.next_in_line():
        with suppress(Conflict, Overtaken):
            await settle(
                ctx,
                record,
                Action.NOTE,
                {"queued_behind": None},
                by=None,
                exactly=True,
                event=REQUEST_CREATED,
                forward=True,
            )


def _state(
    record: Record,
    action: Action,
    status: Status,
    outcome: Mapping[str, Any],
    *,
    by: Principal | None,
    now: int,
    times: Times | None,
) -> State:
    changes: dict[str, Any] = {**(record.state.members if action is Action.NOTE else {}), **outcome}
    if status in TERMINAL:
        changes["settled_at"] = rfc3339(now)
        if by is not None and "settled_by" not in changes:
            changes["settled_by"] = by.settler
    revision = record.revision + (action is Action.REPROMPT)
    expires_at = record.expires_at if times is None else times.expires_at
    return after_step(record.state, status, changes, revision=revision, expires_at=expires_at)


def _audited(
    record: Record,
    action: Action,
    outcome: Mapping[str, Any],
    *,
    by: Principal | None,
    at: int,
    **facts: Any,
) -> Any:
    answer: Mapping[str, Any] = outcome.get("answer", {})
    said = {name: answer.get(name) for name in ("decision", "scope", "reasons", "mode")}
    digest = answer.get("digest", record.digest)
    kept = answer.get("rule")
    return entry(
        "decide" if action in _DECISIVE else action.value,
        at=at,
        tenant=record.tenant,
        by=by,
        about=record,
        **{
            **said,
            "rule": answer.get("policy_rule") if kept is None else kept["text"],
            **kind_of(record).audit_subject(record.spec),
            "source": outcome.get("source"),
            "reason": outcome.get("reason"),
            "digest": digest,
            "asked_digest": None if digest == record.digest else record.digest,
            **facts,
        },
    )


def _told(change: Change, record: Record, action: Action) -> Change:
    """Return a replay that was met only in the transaction as one that was met before is told."""
    if action in _SENT:
        return with_submission(change, record.revision)
    return with_submission(change) if action in _ENDS else change


async def replayed(ctx: Services, claim: Claim | None) -> Change | None:
    """Return the request that this claim made or settled before, as it is now; raises `ClaimMismatch`."""
    if claim is None or (request_id := await ctx.store.claimed(claim)) is None:
        return None
    record = await ctx.store.get(claim.tenant, request_id)
    return None if record is None else Change(record, Outcome.REPLAYED)


def conflict(record: Record) -> Conflict:
    """Say why this call cannot be taken, with the request as it is now."""
    request = record.as_dict()
    if record.status is Status.EXPIRED:
        return Gone("The request expired before your call arrived. Nothing was changed.", request=request)
    if record.settled:
        return Conflict(f"The request is already {record.status}. Nothing was changed.", request=request)
    if record.status is Status.RESOLVING:
        return Conflict(
            "Another answer was sent first and is being checked. Yours was not accepted.",
            code="resolving",
            request=request,
        )
    return Conflict(
        f"The form has changed. Answer revision {record.revision}.", code="stale_revision", request=request
    )


def another_call(record: Record) -> Conflict:
    """Say that what was decided about is not what this request asks."""
    return Conflict(
        "The digest does not match the call of this request. Nothing was decided.",
        code="digest_mismatch",
        request=record.as_dict(),
    )


def not_found() -> NotFound:
    """The answer for what does not exist and for what is not the caller's to see."""
    return NotFound("There is no such request.")
