"""Submit secrets for a request: seal the values and store or test them. The answer has only their names.

The body comes as bytes, and values are wrapped in `Secret` from parsing until they are sealed.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from askback.domain.faults import Faults, fault, join
from askback.domain.lifecycle import Transition
from askback.domain.record import Record
from askback.domain.secrets.request import ShownSecret
from askback.domain.secrets.secret import RawBody
from askback.domain.shown_texts import shown_texts
from askback.domain.validation.secret import Submission, padding_warnings, read_submission
from askback.ports.outcome import Outcome
from askback.ports.policy import SideEffects
from askback.ports.secrets import SecretRecord, VersionTaken
from askback.ports.store import Change, Claim, Principal
from askback.service.access import sharing
from askback.service.context import Services
from askback.service.lifecycle.admission import admit, parse_for_caller
from askback.service.lifecycle.checks import submit_for_check
from askback.service.lifecycle.idempotency import idempotency_claim, with_submission
from askback.service.lifecycle.read import require_revision
from askback.service.lifecycle.settle import replayed, settle
from askback.service.secrets.locations import grants_for, location_of, locations_of, nearest
from askback.service.secrets.sealing import seal_values


async def submit_secrets(
    ctx: Services, principal: Principal, record: Record, body: RawBody, *, key: str | None
) -> Change:
    """Submit the secrets of a request; see `answer_request`, which has checked the role.

    Raises `Faults` that name fields only (the request stays open), `Conflict`, `Gone`.
    """
    secret = record.spec.secret
    submission = await parse_for_caller(
        ctx, principal, record, lambda: read_submission(body, secret, limits=ctx.limits)
    )
    # The key is bound to the names only: a digest of a short value could be reversed.
    body_json = json.dumps(
        [submission.revision, submission.scope, sorted(submission.values), sorted(submission.existing)]
    )
    claim = idempotency_claim(principal, f"answer:{record.id}", key, body_json)
    if (earlier_change := await replayed(ctx, claim)) is not None:
        return with_submission(earlier_change, submission.revision)
    await admit(ctx, principal, record)
    record = await require_revision(ctx, principal, record, submission.revision)
    if submission.scope in {"project", "global"}:
        await sharing.require_unlimited(ctx, principal, "answer_request")
    reused = await _find_reused(ctx, record, secret, submission)
    while True:
        try:
            sealed = await _seal(ctx, principal, record, secret, submission)
            change = await _store(ctx, principal, record, secret, submission, sealed, reused, claim)
        except VersionTaken:
            continue  # another value was stored in the same location: seal the next version
        return replace(change, warnings=padding_warnings(submission.values, "secrets"))


async def _seal(
    ctx: Services, principal: Principal, record: Record, secret: ShownSecret, submission: Submission
) -> tuple[SecretRecord, ...]:
    location = location_of(submission.scope, thread_id=record.thread_id, project=secret.project)
    return await seal_values(
        ctx, principal, submission.values, location, owner=record.access.owner, request_id=record.id
    )


async def _find_reused(
    ctx: Services, record: Record, secret: ShownSecret, submission: Submission
) -> list[SecretRecord]:
    """Return the stored secrets that the person chose; raises `Faults` if one is gone."""
    if not submission.existing:
        return []
    stored_by_name = nearest(
        await ctx.store.secrets_at(
            record.tenant,
            record.access.owner,
            locations_of(thread_id=record.thread_id, project=secret.project),
            sorted(submission.existing),
        )
    )
    missing_names = sorted(submission.existing - stored_by_name.keys())
    if missing_names:
        raise Faults([fault(join("secrets", name), "secret_not_saved") for name in missing_names])
    return [stored_by_name[name] for name in sorted(submission.existing)]


async def _store(
    ctx: Services,
    principal: Principal,
    record: Record,
    secret: ShownSecret,
    submission: Submission,
    secrets: tuple[SecretRecord, ...],
    reused: list[SecretRecord],
    claim: Claim | None,
) -> Change:
    answer: dict[str, Any] = {
        "names": submission.names,
        "scope": submission.scope,
        "existing": sorted(submission.existing),
    }
    if texts := shown_texts(submission.languages, reason=secret.reason):
        answer["shown"] = texts
    grants = grants_for(
        [*secrets, *reused],
        thread_id=record.thread_id,
        requester=record.requester,
        request_id=record.id,
    )
    owner = record.access.owner or None
    if secret.probe:
        effects = SideEffects(candidates=tuple((record.id, secret) for secret in secrets))
        probe = secret.probe if isinstance(secret.probe, str) else None
        change = await submit_for_check(
            ctx,
            record,
            answer,
            by=principal,
            claim=claim,
            effects=effects,
            probe=probe,
            probe_s=ctx.limits.probe_s,
            owner=owner,
        )
        if probe is not None and change.outcome is Outcome.APPLIED:
            ctx.submissions.add(change.record)
        return change
    outcome = {"source": "responder", "answer": answer}
    effects = SideEffects(secrets=secrets, grants=grants)
    return await settle(
        ctx, record, Transition.ANSWER, outcome, by=principal, claim=claim, effects=effects, owner=owner
    )
