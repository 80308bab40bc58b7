"""Read the audit log, page by page, with its head and the state of its seal."""

from __future__ import annotations

from collections.abc import Sequence

from askback.domain.audit import GENESIS
from askback.domain.auditseal import Standing
from askback.ports.audit import AuditHead
from askback.ports.store import Principal
from askback.service import access, auditseal
from askback.service.context import Services


async def page(
    ctx: Services, principal: Principal, *, after: int = 0, limit: int = 500
) -> tuple[Sequence[str], AuditHead, Standing]:
    """Return entries above `after`, oldest first, as JSON texts; the newest entry; and what its seal tells."""
    await access.require(ctx, principal, "audit")
    heads = await ctx.store.audit_heads(tenant=principal.tenant)
    head = heads[0] if heads else AuditHead(principal.tenant, 0, GENESIS)
    found = await ctx.store.audit(principal.tenant, after=after, limit=limit)
    # What came between the two reads is left for the next page: the entries must not lead past the head.
    return found[: max(0, head.seq - after)], head, await auditseal.standing_of(ctx, head)
