"""Create a request: check it, store it with its event, and return it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from askback.domain.validation.ask import read_ask
from askback.domain.view import view
from askback.ports.outcome import Outcome
from askback.ports.store import Change, Principal
from askback.service import access, sharing
from askback.service.claims import claim
from askback.service.context import Services
from askback.service.erased import unless_erased
from askback.service.opening import new_record, open_request
from askback.service.orphans import reached
from askback.service.propose import propose
from askback.service.secrets.ask import ask_secret
from askback.service.settle import replayed


async def ask(ctx: Services, principal: Principal, body: object, *, key: str | None = None) -> Change:
    """Create a request from an `Ask`, an `ApprovalAsk` or a `SecretRequest`.

    With a key that was used before, return what that call created.

    Raises `Faults` naming every broken rule, `Forbidden` for any role but requester, `ClaimMismatch`.
    """
    await access.require(ctx, principal, "create")
    async with unless_erased(ctx, principal, _said(body, "thread_id"), key):
        change = await _ask(ctx, principal, body, key)
    if change.outcome is Outcome.REPLAYED and change.record.settled:
        await reached(ctx, principal, change.record)
    return change


async def _ask(ctx: Services, principal: Principal, body: object, key: str | None) -> Change:
    if _said(body, "kind") == "approval":
        return await propose(ctx, principal, body, key=key)
    if _said(body, "kind") == "secret":
        return await ask_secret(ctx, principal, body, key=key)
    asked, text = read_ask(body, limits=ctx.limits)
    terms = await sharing.require_to_ask(ctx, principal, asked.thread_id)
    claimed = claim(principal, "create", key, text)
    if (before := await replayed(ctx, claimed)) is not None:
        return before
    if any(field.sensitive for field in asked.form.all_fields):
        await (
            ctx.vault.active()
        )  # raises where nothing could be kept: better now than when somebody has typed it
    record = new_record(
        ctx,
        principal,
        asked,
        text,
        kind=asked.kind,
        timeout_s=asked.timeout_s,
        view=view(asked.form),
        form=asked.form,
    )
    change = await open_request(ctx, principal, asked, record, claimed, terms)
    # Another server may let others answer meanwhile, or let it come forward.
    if change.outcome is Outcome.APPLIED and not asked.escalation and not change.record.behind:
        ctx.newest.keep(change.record)
    return change


def _said(body: object, name: str) -> object:
    return cast("Mapping[object, object]", body).get(name) if isinstance(body, Mapping) else None
