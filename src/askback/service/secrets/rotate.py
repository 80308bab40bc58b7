"""Every secret comes under the first master key, while the server goes on reading and writing."""

from __future__ import annotations

from typing import NamedTuple

from askback.ports.policy import Along
from askback.ports.store import Principal
from askback.ports.vault import CannotOpen
from askback.service import access
from askback.service.context import Services
from askback.service.ledger import entry
from askback.service.secrets.places import binding


class Rotation(NamedTuple):
    """How many texts came under the first key, and how many no key of the ring opens."""

    rewrapped: int
    left: int


async def rotate(ctx: Services, principal: Principal) -> Rotation:
    """Wrap every secret anew, of all tenants; an old key may go when nothing is `left`.

    May be stopped and begun again. A text that is replaced meanwhile is under the first key by itself.
    """
    await access.require(ctx, principal, "rotate")
    done = left = 0
    after = ""
    while page := await ctx.store.sealed_after(after):
        for each in page:
            try:
                text = await ctx.vault.rewrap(binding(each), each.sealed)
            except CannotOpen:
                left += 1
                continue
            if text is not None and await ctx.store.rewrap(each.id, sealed=text, instead=each.sealed):
                done += 1
        after = page[-1].id
    told = entry(
        "secret.rotate",
        at=ctx.clock.now_ms(),
        tenant=principal.tenant,
        by=principal,
        rewrapped=done,
        left=left,
    )
    await ctx.store.write(Along(audit=(told,)))
    return Rotation(done, left)
