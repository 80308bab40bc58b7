"""Every secret comes under the first master key, while the server goes on reading and writing.

An admin does so for a tenant. Whoever runs the server, by its own token, does so for all of them, and where the
server keeps its keys itself, gives it a new one first and drops the old ones when they are no longer needed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from askback.domain.bodies import RotateBody
from askback.domain.validation.structure import parse
from askback.ports.policy import SideEffects
from askback.ports.store import Principal
from askback.ports.vault import CannotOpen
from askback.service import access, auditseal
from askback.service.context import Services
from askback.service.ledger import entry
from askback.service.secrets.places import binding


class Rotation(NamedTuple):
    """How many texts came under the first key, how many no key opens, and how many old keys were dropped."""

    rewrapped: int = 0
    left: int = 0
    dropped: int = 0


async def rotate(ctx: Services, principal: Principal, body: object) -> Rotation:
    """Wrap every secret and seal every audit log anew, with a `RotateBody`; an old key may go when nothing is `left`.

    May be stopped and begun again. A text that is replaced meanwhile is under the first key by itself.
    """
    await access.require(ctx, principal, "rotate")
    sent = parse(RotateBody, body)
    everywhere = principal.role == access.OPERATOR
    own = ctx.own_keys if everywhere else None
    made = None if own is None else await own.add()
    # This write comes after all that was sealed under the key before, and is on the disk when it returns: what is
    # read from here on misses none of it.
    await _tell(ctx, principal, "secret.rotate", key=made)
    whose = None if everywhere else principal.tenant
    done = await _wrapped(ctx, whose)
    await auditseal.rewrap(ctx, whose)
    if own is not None and made is not None and not done.left and not sent.keep_old:
        done = done._replace(dropped=await own.drop_others(made))
    await _tell(ctx, principal, "secret.rotated", **done._asdict())
    return done


async def _wrapped(ctx: Services, tenant: str | None) -> Rotation:
    """Go through all texts until there is nothing more to do."""
    done, turn = 0, await _turn(ctx, tenant)
    while turn.rewrapped:
        done += turn.rewrapped
        turn = await _turn(ctx, tenant)
    return Rotation(done, turn.left)


async def _turn(ctx: Services, tenant: str | None) -> Rotation:
    """Go through all texts once."""
    done = left = 0
    after = ""
    while page := await ctx.store.sealed_after(after, tenant=tenant):
        for each in page:
            try:
                text = await ctx.vault.rewrap(binding(each), each.sealed)
            except CannotOpen:
                left += 1
                continue
            if text is not None and await ctx.store.rewrap(each.id, sealed=text, instead=each.sealed):
                done += 1
        after = page[-1].id
    return Rotation(done, left)


async def _tell(ctx: Services, principal: Principal, action: str, **facts: Any) -> None:
    told = entry(action, at=ctx.clock.now_ms(), tenant=principal.tenant, by=principal, **facts)
    await ctx.store.write(SideEffects(audit=(told,)))
