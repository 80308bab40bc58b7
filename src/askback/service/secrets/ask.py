"""An agent asks for secrets: they are there already, were dismissed a moment ago, or a person is asked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from pydantic_core import to_json

from askback.domain import events
from askback.domain.lifecycle import Status
from askback.domain.markdown import may_be_markdown, tree
from askback.domain.record import Record, splice
from askback.domain.request import SecretRequest
from askback.domain.timestamps import rfc3339
from askback.domain.validation.secret import check_secret
from askback.ports.outcome import Outcome
from askback.ports.policy import Along
from askback.ports.secrets import SecretRecord
from askback.ports.store import Change, Principal
from askback.service.claims import claim
from askback.service.context import Services
from askback.service.ledger import entry
from askback.service.secrets.places import SHARED, grants, places
from askback.service.settle import replayed


async def ask_secret(ctx: Services, principal: Principal, body: object, *, key: str | None) -> Change:
    """Create a request from a `SecretRequest`; see `ask.ask`, which has checked the role.

    Raises `Faults`, and `VaultLocked` when there is no master key: better than to ask for what cannot be kept.
    """
    asked = check_secret(body, limits=ctx.limits)
    claimed = claim(principal, "create", key, asked)
    await ctx.vault.active()
    found = await ctx.store.secrets_at(
        principal.tenant,
        SHARED,
        places(thread_id=asked.thread_id, project=asked.secret.project),
        asked.secret.names,
    )
    record = _record(ctx, principal, asked, found)
    here = [each for each in found if each.scope == asked.secret.default_scope]
    if len(here) == len(asked.secret.names):
        record, along = _settled(record, here, scope=asked.secret.default_scope)
        event = _event(f"request.{Status.ANSWERED}", record)
        return await ctx.store.insert(record, event, claimed, along)
    dismissed = await _dismissed(ctx, record)
    if dismissed is not None:
        if (before := await replayed(ctx, dismissed, claimed)) is not None:
            return before
        again = replace(dismissed, state=splice(dismissed.state, '{"repeated":true}'))
        return Change(again, Outcome.REPLAYED)
    return await ctx.store.insert(record, _event(events.REQUEST_CREATED, record), claimed)


def _settled(record: Record, here: Sequence[SecretRecord], *, scope: str) -> tuple[Record, Along]:
    """Settle as it is made: all is set already, and the agent may use it."""
    names = sorted(each.name for each in here)
    state = {
        "status": Status.ANSWERED,
        "revision": 1,
        "source": "existing",
        "answer": {"names": names, "scope": scope, "existing": names},
        "settled_at": rfc3339(record.created_at),
    }
    told = entry(
        "secret.grant",
        at=record.created_at,
        tenant=record.tenant,
        by=None,
        about=record,
        names=names,
        scope=scope,
        source="existing",
    )
    given = grants(here, thread_id=record.thread_id, requester=record.requester, request_id=record.id)
    settled = replace(
        record, status=Status.ANSWERED, expires_at=None, digest=None, state=to_json(state).decode()
    )
    return settled, Along(audit=(told,), grants=given)


async def _dismissed(ctx: Services, record: Record) -> Record | None:
    """Return the request for the same names that a person dismissed in this thread a moment ago."""
    assert record.digest is not None
    last = await ctx.store.last_with_digest(record.tenant, record.thread_id, record.requester, record.digest)
    if last is None or last.status is not Status.DECLINED:
        return None
    at = datetime.fromisoformat(json.loads(last.state)["settled_at"]).timestamp() * 1000
    return last if record.created_at - at < ctx.limits.dismissed_s * 1000 else None


def _record(
    ctx: Services, principal: Principal, asked: SecretRequest, found: Sequence[SecretRecord]
) -> Record:
    now = ctx.clock.now_ms()
    request_id = ctx.ids.new("req", now_ms=now)
    timeout = asked.timeout_s
    expires_at = None if timeout is None else now + round(timeout * 1000)
    present: dict[str, list[str]] = {}
    for each in found:
        present.setdefault(each.name, []).append(each.scope)
    spec: dict[str, Any] = {
        "id": request_id,
        "requester": {"id": principal.id, "name": principal.name},
        "created_at": rfc3339(now),
        "expires_at": None if expires_at is None else rfc3339(expires_at),
        **asked.model_dump(exclude={"secret"}, exclude_none=True),
        "secret": {**asked.secret.model_dump(exclude_none=True), "present": present},
        "view": _view(asked),
    }
    return Record(
        id=request_id,
        tenant=principal.tenant,
        thread_id=asked.thread_id,
        kind=asked.kind,
        requester=principal.id,
        status=Status.PENDING,
        revision=1,
        created_at=now,
        expires_at=expires_at,
        spec=to_json({name: part for name, part in spec.items() if part is not None}).decode(),
        state='{"status":"pending","revision":1}',
        digest=hashlib.sha256("\n".join(asked.secret.names).encode()).hexdigest(),
    )


def _view(asked: SecretRequest) -> dict[str, Any] | None:
    texts = {"secret.reason": asked.secret.reason, "secret.instructions": asked.secret.instructions}
    trees = {
        path: nodes
        for path, text in texts.items()
        if text and may_be_markdown(text) and (nodes := tree(text)) is not None
    }
    return {"markdown": trees} if trees else None


def _event(kind: str, record: Record) -> events.Draft:
    return events.Draft(
        kind,
        record.tenant,
        record.thread_id,
        record.created_at,
        record.id,
        record.state,
        record.requester,
    )
