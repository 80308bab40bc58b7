"""Take a step of the lifecycle as a compare-and-set. Requests end only here.

The audit entry of a decision about a tool call or secrets is written in the same transaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from askback.domain.deadlines import Schedule
from askback.domain.events import REQUEST_CREATED, REQUEST_REPROMPTED, REQUEST_VOTED, EventDraft
from askback.domain.kinds import kind_of
from askback.domain.lifecycle import ASKS_AGAIN, NEXT_STATUS, TERMINAL, Status, Transition, step
from askback.domain.policy.settings import read_thread_settings
from askback.domain.record import Record
from askback.domain.spec import Spec
from askback.domain.state import State, next_state
from askback.domain.timestamps import rfc3339
from askback.errors import Conflict, Gone, NotFound, Unavailable
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, Lift, SideEffects
from askback.ports.store import Change, Claim, Principal, Settlement
from askback.service.audit_entry import audit_entry
from askback.service.context import Services
from askback.service.lifecycle.answer_messages import with_message
from askback.service.lifecycle.idempotency import with_submission
from askback.service.lifecycle.undelivered import resumes_for_end
from askback.service.lifecycle.uploads import file_claims

_DECIDING_TRANSITIONS = frozenset({Transition.ANSWER, Transition.ACCEPT})
_PERSONS_SOURCES = frozenset({"responder", "client", "provider"})
"""The sources of answers that a person gave, also in the agent's client or at an OAuth provider."""
_SUBMITS = frozenset({Transition.ANSWER, Transition.SUBMIT, Transition.VOTE})
_ENDING_TRANSITIONS = frozenset({Transition.DECLINE, Transition.CANCEL})
_EVENTS = {Transition.VOTE: REQUEST_VOTED, Transition.REPROMPT: REQUEST_REPROMPTED}
"""Steps with their own event types; the event of any other step has the name of the new status."""


class ConcurrentChange(Exception):
    """Another vote or note was stored first; `record` is the request after it."""

    def __init__(self, record: Record) -> None:
        super().__init__(record.id)
        self.record = record


async def settle(
    ctx: Services,
    record: Record,
    transition: Transition,
    outcome: Mapping[str, Any],
    *,
    by: Principal | None,
    claim: Claim | None = None,
    effects: SideEffects = NOTHING,
    match_state: bool = False,
    event: str | None = None,
    times: Schedule | None = None,
    spec: Spec | None = None,
    leave_queue: bool = False,
    refused: bool = False,
    **facts: Any,
) -> Change:
    """Take `transition` on the request as it was read; of several callers the first one wins.

    `outcome` is merged into the state, `times` and `spec` replace those of the request, and `facts` go into the audit
    log. `event` is the event type if it does not follow from the step. With `match_state` the step fails unless the
    stored state is still the one that was read. `leave_queue` and `refused` are those of `Settlement`.

    Raises `Conflict` or `Gone` with the current request if it came too late, `ConcurrentChange`, `NotFound` if erased.
    """
    if (record.status, transition) not in NEXT_STATUS:
        if (earlier_change := await replayed(ctx, claim)) is None:
            raise already_settled(record)
        return _replay(earlier_change, record, transition)
    status, now = step(record.status, transition), ctx.clock.now_ms()
    queued = resumes_for_end(ctx, record, by=by, now=now) if status in TERMINAL else ()
    if queued:
        outcome, effects = {**outcome, "queued": True}, replace(effects, resumes=queued)
    outcome, message = await with_message(ctx, record, transition, status, outcome, by=by, now=now)
    state = _next_state(record, transition, status, outcome, principal=by, now=now, times=times)
    kind = event or _EVENTS.get(transition, f"request.{status}")
    if record.status is Status.RESOLVING and transition is not Transition.NOTE and effects.promote is None:
        effects = replace(effects, discard=(record.tenant, record.id))  # the check of these values has ended
    effects = await _with_lifts(ctx, record, transition, outcome, effects)
    if kind_of(record).is_audited and transition is not Transition.NOTE:
        entry = _settle_entry(record, transition, outcome, principal=by, at=now, **facts)
        effects = replace(effects, audit=(*effects.audit, entry))
    if files := file_claims(record, transition, status, outcome):
        effects = replace(effects, files=files)
    draft = EventDraft(kind, record.tenant, record.thread_id, now, record.id, state.text, record.requester)
    change = await ctx.store.settle(
        Settlement(
            tenant=record.tenant,
            id=record.id,
            expected_statuses=frozenset({record.status}),
            revision=record.revision,
            status=status,
            state=state,
            event=draft,
            state_before=record.state if match_state else None,
            asks_again=transition in ASKS_AGAIN,
            spec=spec,
            times=times,
            leave_queue=leave_queue,
            refunds=await _refunds(ctx, record, status),
            refused=refused,
            message=message,
        ),
        claim,
        effects,
    )
    ctx.recent.discard(record.id)
    return await _check_outcome(ctx, record, transition, change, match_state=match_state, now=now)


async def _check_outcome(
    ctx: Services,
    record: Record,
    transition: Transition,
    change: Change | None,
    *,
    match_state: bool,
    now: int,
) -> Change:
    """Raise if the step came too late; otherwise count the end and promote the next queued request."""
    if change is None:
        raise request_not_found()
    if change.outcome is Outcome.LOST:
        if match_state and change.record.status is record.status:
            raise ConcurrentChange(change.record)
        raise already_settled(change.record)
    if change.outcome is Outcome.REPLAYED:
        return _replay(change, record, transition)
    if change.record.settled:
        ctx.metrics.record_end(change.record, settled_at=now)
        if change.record.exclusive is not None:
            with suppress(Unavailable):  # the end is stored; the sweep promotes the next one
                await promote_queued(ctx)
    return change


async def _refunds(ctx: Services, record: Record, status: Status) -> bool:
    """Return whether an unanswered question is returned to the quota of its thread."""
    if not kind_of(record).is_question or status not in {Status.CANCELLED, Status.EXPIRED}:
        return False
    thread_config = await ctx.store.thread_config(record.tenant, record.thread_id)
    return read_thread_settings(thread_config.tenant_settings, thread_config.thread_settings).refund_questions


async def _with_lifts(
    ctx: Services, record: Record, transition: Transition, outcome: Mapping[str, Any], effects: SideEffects
) -> SideEffects:
    """Add the refusals that a person's answer lifts because it starts a new run of the agent."""
    if transition not in _DECIDING_TRANSITIONS or not record.spec.is_durable:
        return effects
    if outcome.get("source") not in _PERSONS_SOURCES or outcome["answer"].get("decision") == "deny":
        return effects
    thread_config = await ctx.store.thread_config(record.tenant, record.thread_id)
    if thread_config.refused_at is None:
        return effects
    lift = Lift(record.tenant, record.thread_id, ctx.clock.now_ms(), requester=record.requester)
    return replace(effects, lifts=(lift,))


async def promote_queued(ctx: Services) -> None:
    """Promote the next queued request of each exclusive key that is free; of several servers one does it."""
    for record in await ctx.store.next_in_line():
        with suppress(Conflict, ConcurrentChange, NotFound):  # changed, ended or erased meanwhile
            await settle(
                ctx,
                record,
                Transition.NOTE,
                {"queued_behind": None},
                by=None,
                match_state=True,
                event=REQUEST_CREATED,
                leave_queue=True,
            )


def _next_state(
    record: Record,
    transition: Transition,
    status: Status,
    outcome: Mapping[str, Any],
    *,
    principal: Principal | None,
    now: int,
    times: Schedule | None,
) -> State:
    changes: dict[str, Any] = {**(record.state.members if transition is Transition.NOTE else {}), **outcome}
    if status in TERMINAL:
        changes["settled_at"] = rfc3339(now)
        if principal is not None and "settled_by" not in changes:
            changes["settled_by"] = principal.settler
    revision = record.revision + (transition in ASKS_AGAIN)
    expires_at = record.expires_at if times is None else times.expires_at
    return next_state(record.state, status, changes, revision=revision, expires_at=expires_at)


def _settle_entry(
    record: Record,
    transition: Transition,
    outcome: Mapping[str, Any],
    *,
    principal: Principal | None,
    at: int,
    **facts: Any,
) -> Any:
    answer: Mapping[str, Any] = outcome.get("answer", {})
    details = {
        name: answer.get(name) for name in ("decision", "scope", "reasons", "mode", "outcome", "shown")
    }
    digest = answer.get("digest", record.digest)
    rule = answer.get("rule")
    return audit_entry(
        "decide" if transition in _DECIDING_TRANSITIONS else transition.value,
        at=at,
        tenant=record.tenant,
        by=principal,
        about=record,
        **{
            **details,
            "rule": answer.get("policy_rule") if rule is None else rule["text"],
            **kind_of(record).audit_subject(record.spec),
            "source": outcome.get("source"),
            "reason": outcome.get("reason"),
            "digest": digest,
            "asked_digest": None if digest == record.digest else record.digest,
            **facts,
        },
    )


def _replay(change: Change, record: Record, transition: Transition) -> Change:
    """Return a replay that was found only in the transaction, with its `submission`."""
    if transition in _SUBMITS:
        return with_submission(change, record.revision)
    return with_submission(change) if transition in _ENDING_TRANSITIONS else change


async def replayed(ctx: Services, claim: Claim | None) -> Change | None:
    """Return the current state of the request that this claim created or settled before; raises `ClaimMismatch`."""
    if claim is None or (request_id := await ctx.store.find_claim(claim)) is None:
        return None
    record = await ctx.store.get(claim.tenant, request_id)
    return None if record is None else Change(record, Outcome.REPLAYED)


def already_settled(record: Record) -> Conflict:
    """Return the error for a call that came too late, with the current request."""
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


def digest_mismatch(record: Record) -> Conflict:
    """Return the error for a decision whose digest is not that of the request."""
    return Conflict(
        "The digest does not match the call of this request. Nothing was decided.",
        code="digest_mismatch",
        request=record.as_dict(),
    )


def request_not_found() -> NotFound:
    """Return the error for a request that does not exist or that the caller must not see."""
    return NotFound("There is no such request.")
