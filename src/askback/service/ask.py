"""An agent asks: the request is checked, stored with its event, and returned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from pydantic_core import to_json

from askback.domain import events
from askback.domain.lifecycle import Status
from askback.domain.record import Record, splice
from askback.domain.request import Ask
from askback.domain.timestamps import rfc3339
from askback.domain.validation.ask import read_ask
from askback.domain.view import view
from askback.ports.outcome import Outcome
from askback.ports.store import Change, Principal
from askback.service import access
from askback.service.claims import claim
from askback.service.context import Services
from askback.service.propose import propose
from askback.service.secrets.ask import ask_secret

PENDING = '{"status":"pending","revision":1}'


async def ask(ctx: Services, principal: Principal, body: object, *, key: str | None = None) -> Change:
    """Create a request from an `Ask`, an `ApprovalAsk` or a `SecretRequest`.

    With a key that was used before, return what that call created.

    Raises `Faults` naming every broken rule, `Forbidden` for any role but requester, `ClaimMismatch`.
    """
    await access.require(ctx, principal, "create")
    if _kind(body) == "approval":
        return await propose(ctx, principal, body, key=key)
    if _kind(body) == "secret":
        return await ask_secret(ctx, principal, body, key=key)
    asked, text = read_ask(body, limits=ctx.limits)
    if any(field.sensitive for field in asked.form.all_fields):
        await (
            ctx.vault.active()
        )  # raises where nothing could be kept: better now than when somebody has typed it
    record = _record(ctx, principal, asked, text)
    event = events.Draft(
        events.REQUEST_CREATED,
        record.tenant,
        record.thread_id,
        record.created_at,
        record.id,
        PENDING,
        principal.id,
    )
    change = await ctx.store.insert(record, event, claim(principal, "create", key, text))
    if change.outcome is Outcome.APPLIED:
        ctx.newest.keep(record, asked.form)
    return change


def _kind(body: object) -> object:
    return cast("Mapping[object, object]", body).get("kind") if isinstance(body, Mapping) else None


def _record(ctx: Services, principal: Principal, asked: Ask, text: str) -> Record:
    """Make the row. What was asked is encoded once and for all: `text` is most of the spec, and what is digested."""
    now = ctx.clock.now_ms()
    request_id = ctx.ids.new("req", now_ms=now)
    expires_at = None if asked.timeout_s is None else now + round(asked.timeout_s * 1000)
    given: dict[str, Any] = {
        "id": request_id,
        "requester": {"id": principal.id, "name": principal.name},
        "created_at": rfc3339(now),
    }
    if expires_at is not None:
        given["expires_at"] = rfc3339(expires_at)
    if drawn := view(asked.form):
        given["view"] = drawn
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
        spec=splice(to_json(given).decode(), text),
        state=PENDING,
    )
