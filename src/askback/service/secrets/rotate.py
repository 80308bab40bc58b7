"""Rewrap every secret with the first master key while the server keeps running.

An admin does so for a tenant, the operator for all of them. If the server manages its keys itself, the operator's
rotation first adds a new key, and drops the old ones once they are no longer needed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from askback.domain.validation.structure import parse
from askback.ports.policy import SideEffects
from askback.ports.store import Principal
from askback.ports.vault import CannotOpen
from askback.service.access import roles
from askback.service.audit import seal
from askback.service.audit_entry import audit_entry
from askback.service.context import Services
from askback.service.secrets.locations import binding
from askback.wire.bodies import RotateBody
from askback.wire.operation import OPERATOR


class Rotation(NamedTuple):
    """The numbers of rewrapped texts, of texts that no key opens, and of dropped old keys."""

    rewrapped: int = 0
    unreadable: int = 0
    dropped: int = 0

    def as_dict(self) -> dict[str, int]:
        """Return the numbers under their keys in the reply and in the audit log."""
        return {"rewrapped": self.rewrapped, "left": self.unreadable, "dropped": self.dropped}


async def rotate_secrets(ctx: Services, principal: Principal, body: object) -> Rotation:
    """Rewrap every secret and reseal every audit log, with a `RotateBody`.

    Old keys can be dropped once nothing is `unreadable`.
    It can be interrupted and repeated. A secret that is replaced meanwhile uses the first key already.
    """
    await roles.require(ctx, principal, "rotate_secrets")
    payload = parse(RotateBody, body)
    async with ctx.rotation:
        rotation = await _rotate(ctx, principal, keep_old=payload.keep_old)
    await _log(ctx, principal, "secret.rotated", **rotation.as_dict())
    return rotation


async def _rotate(ctx: Services, principal: Principal, *, keep_old: bool) -> Rotation:
    is_operator = principal.role == OPERATOR
    own_keys = ctx.own_keys if is_operator else None
    new_key_id = None if own_keys is None else await own_keys.add()
    # This write comes after every write with the old key and is durable when it returns, so the reads that follow
    # miss none of them.
    await _log(ctx, principal, "secret.rotate", key=new_key_id)
    tenant = None if is_operator else principal.tenant
    rotation = await _rewrap_all(ctx, tenant)
    await seal.rewrap_seals(ctx, tenant)
    if own_keys is None or new_key_id is None or rotation.unreadable or keep_old:
        return rotation
    return rotation._replace(dropped=await own_keys.drop_others(new_key_id))


async def _rewrap_all(ctx: Services, tenant: str | None) -> Rotation:
    """Rewrap until a pass changes nothing."""
    rewrapped, turn = 0, await _rewrap_once(ctx, tenant)
    while turn.rewrapped:
        rewrapped += turn.rewrapped
        turn = await _rewrap_once(ctx, tenant)
    return Rotation(rewrapped, turn.unreadable)


async def _rewrap_once(ctx: Services, tenant: str | None) -> Rotation:
    """Rewrap all texts once."""
    rewrapped = unreadable = 0
    last_id = ""
    while page := await ctx.store.sealed_after(last_id, tenant=tenant):
        for item in page:
            try:
                text = await ctx.vault.rewrap(binding(item), item.sealed)
            except CannotOpen:
                unreadable += 1
                continue
            if text is not None and await ctx.store.rewrap(item.id, sealed=text, instead=item.sealed):
                rewrapped += 1
        last_id = page[-1].id
    return Rotation(rewrapped, unreadable)


async def _log(ctx: Services, principal: Principal, action: str, **facts: Any) -> None:
    entry = audit_entry(action, at=ctx.clock.now_ms(), tenant=principal.tenant, by=principal, **facts)
    await ctx.store.write(SideEffects(audit=(entry,)))
