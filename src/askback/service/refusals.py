"""The same question asked again after somebody refused it: the agent is told, and the person is left in peace."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from datetime import datetime

from askback.domain.fields import Form
from askback.domain.policy.digest import NotCanonical, canonical_json
from askback.domain.record import Record, splice
from askback.ports.outcome import Outcome
from askback.ports.store import Change, Claim
from askback.ports.threads import Terms
from askback.service.context import Services
from askback.service.settle import replayed


def digest_of(form: Form) -> str | None:
    """Return what tells a form from others, however its keys were ordered; None where a number has no one spelling."""
    try:
        return hashlib.sha256(canonical_json(form.model_dump(mode="json", exclude_none=True))).hexdigest()
    except NotCanonical:
        return None


async def asked_before(
    ctx: Services, record: Record, form: Form, terms: Terms, claimed: Claim | None
) -> Change | None:
    """Return the request in which a person refused this very form in this thread a moment ago, if there is one.

    A form is digested only where one was refused in its thread a moment ago, so that the others cost nothing.
    """
    since = record.created_at - ctx.limits.dismissed_s * 1000
    if terms.refused_at is None or terms.refused_at <= since or (digest := digest_of(form)) is None:
        return None
    last = await ctx.store.last_with_digest(record.tenant, record.thread_id, record.requester, digest)
    if last is None or _settled_at(last) <= since:
        return None
    if (before := await replayed(ctx, last, claimed)) is not None:
        return before
    return Change(replace(last, state=splice(last.state, '{"repeated":true}')), Outcome.REPLAYED)


def _settled_at(record: Record) -> float:
    return datetime.fromisoformat(json.loads(record.state)["settled_at"]).timestamp() * 1000
