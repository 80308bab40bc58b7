"""Create a request of any kind: its row, its first event, and the checks that come before it is stored.

An exclusive key allows one open request at a time: the new request supersedes the old one, waits in a queue, or is
refused. A key belongs to its requester and thread. The store enforces it. The old request is cancelled before the new
one is stored, so a crash in between leaves the thread without a question, and the requester's retry asks it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from pydantic_core import to_json

from askback.domain import deadlines, events, jsontext
from askback.domain.access import UNSHARED, AccessList
from askback.domain.events import REQUEST_QUEUED, EventDraft
from askback.domain.fields import Form
from askback.domain.lifecycle import Status, Transition
from askback.domain.policy.settings import read_thread_settings
from askback.domain.record import Labels, Record
from askback.domain.request import Ask, Envelope
from askback.domain.spec import Spec
from askback.domain.state import State, pending
from askback.domain.timestamps import rfc3339
from askback.domain.tracing import HEADER
from askback.errors import Conflict, Unavailable
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, SideEffects
from askback.ports.store import Change, Claim, KeyHeld, Principal
from askback.ports.threads import Quota, QuotaExceeded, ThreadConfig
from askback.service.access import sharing
from askback.service.context import Services
from askback.service.lifecycle import quotas, refusals
from askback.service.lifecycle.settle import promote_queued, replayed, settle
from askback.service.lifecycle.undelivered import resumes_for_settled


def new_record(
    ctx: Services,
    principal: Principal,
    envelope: Envelope,
    text: str,
    *,
    kind: str,
    timeout_s: float | None,
    view: Mapping[str, Any] | None = None,
    digest: str | None = None,
    hides_names: bool = False,
    form: Form | None = None,
    labels: Labels,
    access: AccessList = UNSHARED,
    at: int | None = None,
    status: Status = Status.PENDING,
    state: State | None = None,
) -> Record:
    """Make the row of a request. `text` is the question as JSON, without the members that the server adds.

    It is pending, unless it is settled on creation: then `at` (ms) is the time, and `state` has its end.
    """
    now = ctx.clock.now_ms() if at is None else at
    request_id = ctx.ids.new("req", now_ms=now)
    members: dict[str, Any] = {
        "id": request_id,
        "requester": principal.actor,
        "created_at": rfc3339(now),
    }
    if principal.trace:
        members[HEADER] = principal.trace
    if view:
        members["view"] = view
    expires_at = due_at = None
    if timeout_s is not None or envelope.escalation:
        timeouts = deadlines.TimeoutSettings(
            timeout_s=timeout_s, timeout_from=envelope.timeout_from, escalation=envelope.escalation or ()
        )
        expires_at, due_at = timeouts.schedule(created_at=now)
    spec = jsontext.merge(to_json(members).decode(), text)
    return Record(
        id=request_id,
        tenant=principal.tenant,
        thread_id=envelope.thread_id,
        kind=kind,
        requester=principal.id,
        status=status,
        revision=1,
        created_at=now,
        expires_at=expires_at,
        spec=Spec.asked(
            spec,
            is_durable=envelope.delivery == "resume",
            form=form,
            languages=None if form is None else (view or {}).get("languages", ()),
        ),
        state=pending(expires_at) if state is None else state,
        digest=digest,
        due_at=due_at,
        hides_names=hides_names,
        labels=labels,
        access=access,
    )


async def open_request(
    ctx: Services,
    principal: Principal,
    envelope: Envelope,
    record: Record,
    claim: Claim | None,
    thread_config: ThreadConfig,
    effects: SideEffects = NOTHING,
) -> Change:
    """Store a new request for a person, or cancel it immediately if it requires a viewer and nobody is present.

    `thread_config` are the settings of its thread; `effects` are stored with a request that opens.
    """
    viewer_by: int | None = None
    if envelope.require_client != "durable" and not await ctx.presence.has_viewer(
        record.tenant, record.thread_id
    ):
        if envelope.require_client == "fail_fast":
            cancelled_record = record.as_settled(Status.CANCELLED, reason="not_shown")
            cancel_effects = SideEffects(
                resumes=resumes_for_settled(ctx, cancelled_record, now=cancelled_record.created_at)
            )
            event = created_event(principal, cancelled_record, f"request.{cancelled_record.status}")
            return await ctx.store.insert(cancelled_record, event, claim, cancel_effects)
        viewer_by = record.created_at + ctx.limits.unseen_s * 1000
        record = _awaiting_viewer(record, viewer_by)
    if isinstance(envelope, Ask) and envelope.repeat != "ask":
        refused_request = await refusals.find_refused(ctx, record, thread_config)
        if refused_request is not None:
            key = None if claim is None else claim.key
            return await replayed(ctx, claim) or await refusals.repeat_refusal(
                ctx, record, refused_request, key=key
            )
    settings = read_thread_settings(thread_config.tenant_settings, thread_config.thread_settings)
    try:
        change = await _insert_exclusive(
            ctx,
            principal,
            envelope,
            record,
            created_event(principal, record),
            claim,
            quotas.thread_quota(settings, ctx.limits, envelope, principal.id),
            effects,
        )
    except QuotaExceeded as error:
        raise quotas.quota_error(ctx, error, settings, envelope) from None
    if viewer_by is not None and change.outcome is Outcome.APPLIED:
        await _await_viewer(ctx, change.record, viewer_by)
    return change


async def _await_viewer(ctx: Services, record: Record, viewer_by: int) -> None:
    """Continue the request as soon as a viewer arrives, or now if one has arrived in between."""
    ctx.awaiting_viewer.add(record, viewer_by=viewer_by, now=record.created_at)
    with suppress(Unavailable):  # it is stored, and the deadline sweep checks again
        if await ctx.presence.has_viewer(record.tenant, record.thread_id):
            ctx.awaiting_viewer.viewer_arrived(record.tenant, record.thread_id)


def _awaiting_viewer(record: Record, viewer_by: int) -> Record:
    """Return the request marked as waiting for a viewer until `viewer_by` (ms)."""
    due_at = viewer_by if record.due_at is None else min(record.due_at, viewer_by)
    return replace(record, state=record.state.with_members(unseen=True), due_at=due_at)


def created_event(
    principal: Principal, record: Record, kind: str = events.REQUEST_CREATED
) -> events.EventDraft:
    """Return the first event of a request: `kind` is its end if it is settled on creation."""
    return events.EventDraft(
        kind,
        record.tenant,
        record.thread_id,
        record.created_at,
        record.id,
        record.state.text,
        record.requester,
        sharing.agent_of(principal),
    )


async def _insert_exclusive(
    ctx: Services,
    principal: Principal,
    envelope: Envelope,
    record: Record,
    event: EventDraft,
    claim: Claim | None,
    quota: Quota,
    effects: SideEffects,
) -> Change:
    """Store a new open request within its quota and its exclusive key.

    Raises `QuotaExceeded`, and `Conflict` (`exclusive`, with the open request) if `on_conflict` is `reject`.
    """
    if envelope.exclusive_key is not None:
        record = replace(record, exclusive=envelope.exclusive_key)
    while True:
        try:
            return await ctx.store.insert(record, event, claim, effects, quota=quota)
        except KeyHeld as error:
            holder = error.record
        if envelope.on_conflict == "reject":
            raise Conflict(
                "Another request with this exclusive_key is open. Wait for it, or cancel it first.",
                code="exclusive",
                request=holder.as_dict(),
            )
        if envelope.on_conflict == "queue":
            return await _queue(ctx, record, event, claim, quota, effects)
        await _supersede(ctx, principal, holder)


async def _queue(
    ctx: Services,
    record: Record,
    event: EventDraft,
    claim: Claim | None,
    quota: Quota,
    effects: SideEffects,
) -> Change:
    state = record.state.with_members(queued_behind=True)
    waiting = replace(record, queued_behind=True, state=state)
    lined_up = replace(event, type=REQUEST_QUEUED, data=state.text)
    change = await ctx.store.insert(waiting, lined_up, claim, effects, quota=quota)
    await promote_queued(ctx)  # the request before it may have ended meanwhile
    return change


async def _supersede(ctx: Services, principal: Principal, holder: Record) -> None:
    try:
        await settle(ctx, holder, Transition.CANCEL, {"reason": "superseded"}, by=principal)
    except Conflict:
        return  # it has ended or changed meanwhile: the insert is tried again
