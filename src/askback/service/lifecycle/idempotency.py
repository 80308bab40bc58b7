"""Idempotency keys: bind a key to a body, find what it did before, and report that to a replay."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from pydantic import BaseModel

from askback.domain.events import THREAD_ERASED
from askback.domain.faults import Faults, fault
from askback.domain.lifecycle import Status
from askback.domain.limits import MAX_KEY
from askback.domain.record import Labels, Record
from askback.domain.request import Envelope
from askback.ports.store import Change, Claim, ExternalIdTaken, Principal
from askback.service.access.sharing import no_such_thread
from askback.service.context import Services


def idempotency_claim(
    principal: Principal, scope: str, key: str | None, body: BaseModel | str, *, path: str = "Idempotency-Key"
) -> Claim | None:
    """Bind `key` to a digest of the parsed body, so that whitespace does not matter.

    `body` is the parsed model, or its JSON text. `path` is where the key was sent. Raises `Faults`.
    """
    if key is None:
        return None
    if not 1 <= len(key) <= MAX_KEY or not key.isprintable():
        raise Faults([fault(path, "invalid_key", max=MAX_KEY)])
    return Claim(principal.tenant, principal.id, scope, key, _digest(body))


def labels_of(envelope: Envelope, body: BaseModel | str) -> Labels:
    """Return the labels of a new request; `body` is what was sent, as in `idempotency_claim`."""
    digest = None if envelope.external_id is None else _digest(body)
    return Labels(envelope.run_id, envelope.tool_call_id, envelope.external_id, digest)


async def require_new(ctx: Services, principal: Principal, thread_id: str, labels: Labels) -> None:
    """Raise `ExternalIdTaken` if the caller has a request with this external id in the thread."""
    if labels.external_id is None:
        return
    existing = await ctx.store.request_of(principal.tenant, thread_id, principal.id, labels.external_id)
    if existing is not None:
        record, digest = existing
        raise ExternalIdTaken(record, same=digest == labels.body_digest)


def _digest(body: BaseModel | str) -> str:
    text = body if isinstance(body, str) else body.model_dump_json()
    return hashlib.sha256(text.encode()).hexdigest()


async def require_not_erased(ctx: Services, principal: Principal, thread_id: object, key: str | None) -> None:
    """Raise `NotFound` if a call with a key went to an erased thread, since it may be a replay (N5)."""
    if key is not None and await _is_erased(ctx, principal.tenant, str(thread_id)):
        raise no_such_thread() from None


async def _is_erased(ctx: Services, tenant: str, thread_id: str) -> bool:
    view = await ctx.store.thread(tenant, thread_id, limit=1)
    if view is None:
        return False
    last_events = await ctx.store.thread_events(tenant, thread_id, after=view.seq - 1)
    return [event.type for event in last_events] == [THREAD_ERASED]


def with_submission(change: Change, revision: int | None = None) -> Change:
    """Return a replay with `submission`: the outcome of the answer that was sent.

    `revision` is the one that was answered; None for a decline or a cancel.
    """
    outcome = "accepted" if revision is None else _submission_outcome(change.record, revision)
    record = replace(change.record, state=change.record.state.with_members(submission=outcome))
    return replace(change, record=record)


def _submission_outcome(record: Record, revision: int) -> str:
    if record.revision > revision:
        return "reprompted"
    if record.status is Status.RESOLVING:
        return "checking"
    if record.status is Status.PENDING:
        return "accepted"  # a vote of several
    is_answered = record.status is Status.ANSWERED and record.state.members.get("source") == "responder"
    return "accepted" if is_answered else "refused"
