"""Create a request: check it, store it with its event, and return it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from askback.ports.outcome import Outcome
from askback.ports.store import Change, Principal
from askback.service import access
from askback.service.context import Services
from askback.service.erased import unless_erased
from askback.service.kinds import HANDLERS
from askback.service.orphans import reached


async def ask(ctx: Services, principal: Principal, body: object, *, key: str | None = None) -> Change:
    """Create a request from an `Ask`, an `ApprovalAsk` or a `SecretRequest`.

    With a key that was used before, return what that call created.

    Raises `Faults` naming every broken rule, `Forbidden` for any role but requester, `ClaimMismatch`.
    """
    await access.require(ctx, principal, "create")
    async with unless_erased(ctx, principal, _said(body, "thread_id"), key):
        kind = _said(body, "kind")
        # A body of no kind that there is gets the errors of a form.
        handlers = HANDLERS.get(kind if isinstance(kind, str) else "", HANDLERS["form"])
        change = await handlers.create(ctx, principal, body, key=key)
    if change.outcome is Outcome.REPLAYED and change.record.settled:
        await reached(ctx, principal, change.record)
    return change


def _said(body: object, name: str) -> object:
    return cast("Mapping[object, object]", body).get(name) if isinstance(body, Mapping) else None
