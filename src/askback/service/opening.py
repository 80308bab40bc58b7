"""Build the first row and the first event of a request of any kind."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from pydantic_core import to_json

from askback.domain import deadlines, events, jsontext
from askback.domain.fields import Form
from askback.domain.lifecycle import Status
from askback.domain.policy.conduct import read_conduct
from askback.domain.record import Record
from askback.domain.request import Ask, Envelope
from askback.domain.spec import Spec
from askback.domain.state import pending
from askback.domain.timestamps import rfc3339
from askback.domain.tracing import HEADER
from askback.errors import Unavailable
from askback.ports.outcome import Outcome
from askback.ports.policy import SideEffects
from askback.ports.store import Change, Claim, Principal
from askback.ports.threads import QuotaSpent, Terms
from askback.service import exclusive, quotas, refusals, sharing
from askback.service.context import Services
from askback.service.orphans import resumes_at_once


def new_record(
    ctx: Services,
    principal: Principal,
    asked: Envelope,
    text: str,
    *,
    kind: str,
    timeout_s: float | None,
    view: Mapping[str, Any] | None = None,
    digest: str | None = None,
    hides_names: bool = False,
    form: Form | None = None,
) -> Record:
    """Make the row of a pending request. `text` is what was asked, as a JSON object without what the server adds."""
    now = ctx.clock.now_ms()
    request_id = ctx.ids.new("req", now_ms=now)
    given: dict[str, Any] = {
        "id": request_id,
        "requester": principal.actor,
        "created_at": rfc3339(now),
    }
    if principal.trace:
        given[HEADER] = principal.trace
    if view:
        given["view"] = view
    expires_at = due_at = None
    if timeout_s is not None or asked.escalation:
        terms = deadlines.Terms(
            timeout_s=timeout_s, timeout_from=asked.timeout_from, escalation=asked.escalation or ()
        )
        expires_at, due_at = terms.times(created_at=now)
    spec = jsontext.merge(to_json(given).decode(), text)
    return Record(
        id=request_id,
        tenant=principal.tenant,
        thread_id=asked.thread_id,
        kind=kind,
        requester=principal.id,
        status=Status.PENDING,
        revision=1,
        created_at=now,
        expires_at=expires_at,
        spec=Spec(spec) if form is None else Spec.of_form(spec, form),
        state=pending(expires_at),
        digest=digest,
        due_at=due_at,
        hides_names=hides_names,
    )


async def open_request(
    ctx: Services,
    principal: Principal,
    asked: Envelope,
    record: Record,
    claimed: Claim | None,
    terms: Terms,
) -> Change:
    """Store a new request that a person is to deal with, or end it where nobody would see it and that matters.

    `terms` are those of its thread.
    """
    until: int | None = None
    if asked.require_client != "durable" and not await ctx.presence.anybody(record.tenant, record.thread_id):
        if asked.require_client == "fail_fast":
            ended = record.settled_at_once(Status.CANCELLED, reason="not_shown")
            effects = SideEffects(resumes=resumes_at_once(ctx, ended, now=ended.created_at))
            event = opening(principal, ended, f"request.{ended.status}")
            return await ctx.store.insert(ended, event, claimed, effects)
        until = record.created_at + ctx.limits.unseen_s * 1000
        record = _waiting(record, until)
    if isinstance(asked, Ask) and asked.repeat != "ask":
        refused = await refusals.refused_before(ctx, record, terms)
        if refused is not None:
            return await refusals.repeated(ctx, record, refused, key=None if claimed is None else claimed.key)
    conduct = read_conduct(terms.everywhere, terms.here)
    try:
        change = await exclusive.insert(
            ctx,
            principal,
            asked,
            record,
            opening(principal, record),
            claimed,
            quotas.quota(conduct, ctx.limits),
        )
    except QuotaSpent as spent:
        raise quotas.refused(ctx, spent, conduct) from None
    if until is not None and change.outcome is Outcome.APPLIED:
        await _expect_somebody(ctx, change.record, until)
    return change


async def _expect_somebody(ctx: Services, record: Record, until: int) -> None:
    """Have the request wait like any other as soon as somebody comes, or when they came just now."""
    ctx.unseen.keep(record, until=until, now=record.created_at)
    with suppress(Unavailable):  # it is stored, and the deadlines look again
        if await ctx.presence.anybody(record.tenant, record.thread_id):
            ctx.unseen.arrived(record.tenant, record.thread_id)


def _waiting(record: Record, until: int) -> Record:
    """Return a request for which somebody has to come."""
    due_at = until if record.due_at is None else min(record.due_at, until)
    return replace(record, state=record.state.adding(unseen=True), due_at=due_at)


def opening(principal: Principal, record: Record, kind: str = events.REQUEST_CREATED) -> events.Draft:
    """Make the event that a request begins with; one that is settled at once has that of its end."""
    return events.Draft(
        kind,
        record.tenant,
        record.thread_id,
        record.created_at,
        record.id,
        record.state.text,
        record.requester,
        sharing.agent_of(principal),
    )
