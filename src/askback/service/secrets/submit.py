"""A person hands secrets over: from here on they are sealed, and what is told of them are names.

The body comes as bytes, and values live in `Secret` from the moment that they are read until they are sealed.
"""

from __future__ import annotations

import json
from typing import Any

from askback.domain.faults import Faults, fault, join
from askback.domain.lifecycle import Action
from askback.domain.record import Record
from askback.domain.secrets.asked import ShownSecret
from askback.domain.secrets.unread import Unread
from askback.domain.validation.secret import Submission, read_submission
from askback.ports.outcome import Outcome
from askback.ports.policy import SideEffects
from askback.ports.secrets import SecretRecord, VersionTaken
from askback.ports.store import Change, Principal
from askback.service import sharing
from askback.service.admission import admit, readable
from askback.service.checks import submitted
from askback.service.claims import claim
from askback.service.context import Services
from askback.service.read import at_revision
from askback.service.secrets.places import grants, nearest, place, places
from askback.service.secrets.sealing import sealed
from askback.service.settle import replayed, settle
from askback.service.submission import with_submission


async def submit(
    ctx: Services, principal: Principal, record: Record, body: Unread, *, key: str | None
) -> Change:
    """Take what a person sent for a request of kind secret; see `answer.answer`, which has checked the role.

    Raises `Faults` that name fields only (the request stays open), `Conflict`, `Gone`.
    """
    shown = record.spec.secret
    sent = await readable(ctx, principal, record, lambda: read_submission(body, shown, limits=ctx.limits))
    # The key is bound to the names: a digest of the values would tell a short one to whoever reads the table.
    said = json.dumps([sent.revision, sent.scope, sorted(sent.values), sorted(sent.existing)])
    claimed = claim(principal, f"answer:{record.id}", key, said)
    if (before := await replayed(ctx, claimed)) is not None:
        return with_submission(before, sent.revision)
    await admit(ctx, principal, record)
    record = await at_revision(ctx, principal, record, sent.revision)
    if sent.scope in {"project", "global"}:
        await sharing.require_unlimited(ctx, principal, "secrets")
    reused = await _reused(ctx, record, shown, sent)
    while True:
        try:
            kept = await _sealed(ctx, principal, record, shown, sent)
            change = await _hand_over(ctx, principal, record, shown, sent, kept, reused, claimed)
        except VersionTaken:
            continue  # another value came into the same place: seal over that one
        return change


async def _sealed(
    ctx: Services, principal: Principal, record: Record, shown: ShownSecret, sent: Submission
) -> tuple[SecretRecord, ...]:
    where = place(sent.scope, thread_id=record.thread_id, project=shown.project)
    return await sealed(ctx, principal, sent.values, where, owner=record.access.owner, request_id=record.id)


async def _reused(ctx: Services, record: Record, shown: ShownSecret, sent: Submission) -> list[SecretRecord]:
    """Return the saved secrets that the person wants to be used; each has to be there still."""
    if not sent.existing:
        return []
    found = nearest(
        await ctx.store.secrets_at(
            record.tenant,
            record.access.owner,
            places(thread_id=record.thread_id, project=shown.project),
            sorted(sent.existing),
        )
    )
    missing = sorted(sent.existing - found.keys())
    if missing:
        raise Faults([fault(join("secrets", name), "secret_not_saved") for name in missing])
    return [found[name] for name in sorted(sent.existing)]


async def _hand_over(
    ctx: Services,
    principal: Principal,
    record: Record,
    shown: ShownSecret,
    sent: Submission,
    kept: tuple[SecretRecord, ...],
    reused: list[SecretRecord],
    claimed: Any,
) -> Change:
    answer = {"names": sent.names, "scope": sent.scope, "existing": sorted(sent.existing)}
    given = grants(
        [*kept, *reused],
        thread_id=record.thread_id,
        requester=record.requester,
        request_id=record.id,
    )
    owner = record.access.owner or None
    if shown.probe:
        effects = SideEffects(candidates=tuple((record.id, each) for each in kept))
        probe = shown.probe if isinstance(shown.probe, str) else None
        change = await submitted(
            ctx, record, answer, by=principal, claim=claimed, effects=effects, probe=probe, owner=owner
        )
        if probe is not None and change.outcome is Outcome.APPLIED:
            ctx.submissions.add(change.record)
        return change
    outcome = {"source": "responder", "answer": answer}
    effects = SideEffects(secrets=kept, grants=given)
    return await settle(
        ctx, record, Action.ANSWER, outcome, by=principal, claim=claimed, effects=effects, owner=owner
    )
