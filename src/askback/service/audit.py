"""Reading the audit log, page by page, with the place where it ends."""

from __future__ import annotations

from collections.abc import Sequence

from askback.ports.store import Principal
from askback.service import access
from askback.service.context import Services


async def page(
    ctx: Services, principal: Principal, *, after: int = 0, limit: int = 500
) -> tuple[Sequence[str], tuple[int, str]]:
    """Return entries above `after`, oldest first, as JSON texts; and the `seq` and hash of the newest entry."""
    await access.require(ctx, principal, "audit")
    head = await ctx.store.audit_head(principal.tenant)
    found = await ctx.store.audit(principal.tenant, after=after, limit=limit)
    # What came between the two reads is left for the next page: the entries must not lead past the head.
    return found[: max(0, head[0] - after)], head
