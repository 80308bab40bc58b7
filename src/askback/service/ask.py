"""An agent asks: the request is checked, stored with its event, and returned."""

from __future__ import annotations

import json

from askback.domain import events
from askback.domain.lifecycle import Status
from askback.domain.record import Record
from askback.domain.request import Ask
from askback.domain.timestamps import rfc3339
from askback.domain.validation.ask import check_ask
from askback.domain.view import view
from askback.ports.store import Change, Principal
from askback.service import access
from askback.service.claims import claim
from askback.service.context import Services

PENDING = '{"status":"pending","revision":1}'


async def ask(ctx: Services, principal: Principal, body: object, *, key: str | None = None) -> Change:
    """Create a request from an `Ask`; with a key used before, return what that call created.

    Raises `Faults` naming every broken rule, `Forbidden` for any role but requester, `ClaimMismatch`.
    """
    await access.require(ctx, principal, "create")
    asked = check_ask(body, limits=ctx.limits)
    record = _record(ctx, principal, asked)
    event = events.Draft(
        events.REQUEST_CREATED,
        record.tenant,
        record.thread_id,
        record.created_at,
        record.id,
        PENDING,
        principal.id,
    )
    return await ctx.store.insert(record, event, claim(principal, "create", key, body))


def _record(ctx: Services, principal: Principal, asked: Ask) -> Record:
    now = ctx.clock.now_ms()
    request_id = ctx.ids.new("req", now_ms=now)
    expires_at = None if asked.timeout_s is None else now + round(asked.timeout_s * 1000)
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
        spec=_spec(asked, principal, request_id=request_id, created_at=now, expires_at=expires_at),
        state=PENDING,
    )


def _spec(
    asked: Ask, principal: Principal, *, request_id: str, created_at: int, expires_at: int | None
) -> str:
    """Write the part of the request that never changes; the form is encoded here once and for all."""
    head = {
        "id": request_id,
        "kind": asked.kind,
        "thread_id": asked.thread_id,
        "run_id": asked.run_id,
        "message_id": asked.message_id,
        "tool_call_id": asked.tool_call_id,
        "agent": asked.agent and asked.agent.model_dump(exclude_none=True),
        "requester": {"id": principal.id, "name": principal.name},
        "delivery": asked.delivery,
        "created_at": rfc3339(created_at),
        "expires_at": None if expires_at is None else rfc3339(expires_at),
        "view": view(asked.form) or None,
    }
    known = json.dumps({k: v for k, v in head.items() if v is not None}, separators=(",", ":"))
    return f'{known[:-1]},"form":{asked.form.model_dump_json(exclude_none=True)}}}'
