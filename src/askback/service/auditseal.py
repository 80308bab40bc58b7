"""Seal the audit logs: at the start, after a key rotation, and again after a wrong seal."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from typing import Any

from askback.domain.audit import GENESIS, hash_of
from askback.domain.auditseal import HeadSeal, Standing, read_seal
from askback.ports.audit import AuditHead
from askback.ports.policy import SideEffects
from askback.service.context import Services
from askback.service.ledger import entry

log = logging.getLogger(__name__)

_HOW = "Compare it with a copy (askback audit verify --head), then seal it as it is with: askback audit seal"


async def begin(ctx: Services) -> None:
    """Seal from now on, and seal what is not sealed yet; of a log whose seal does not hold, tell.

    To be called before anything is written: a log that is written to before it is sealed has to be sealed anew.
    """
    if ctx.seals is None or ctx.seals.key_id is None:
        log.warning("the audit log is not sealed: this server has no master key")
        return
    ctx.store.seal_with(ctx.seals)
    for tenant in await ctx.store.without_log():
        log.error("the audit log of %s is gone, although it has tokens: somebody has deleted it", tenant)
        await _tell(ctx, tenant, was="deleted")
    async for head in _heads(ctx, None):
        standing = await standing_of(ctx, head)
        if standing in {Standing.UNSEALED, Standing.BEHIND}:
            await _seal(ctx, head, standing)
        elif standing is not Standing.SEALED:
            log.error(
                "the audit log of %s does not hold: %s. %s",
                head.tenant,
                explain(head, standing),
                _HOW,
            )


async def accept(ctx: Services, tenant: str | None) -> list[tuple[str, Standing]]:
    """Seal each log as it is, whatever is wrong with its seal; return those that were not sealed, by tenant."""
    mended: list[tuple[str, Standing]] = []
    async for head in _heads(ctx, tenant):
        standing = await standing_of(ctx, head)
        if standing is not Standing.SEALED and await _seal(ctx, head, standing):
            mended.append((head.tenant, standing))
    return mended


async def rewrap(ctx: Services, tenant: str | None) -> None:
    """Seal with the first key what is sealed with another one."""
    if ctx.seals is None:
        return
    async for head in _heads(ctx, tenant):
        held = read_seal(head.seal or "")
        if held is None or held.key_id == ctx.seals.key_id:
            continue
        if await standing_of(ctx, head) is Standing.SEALED:
            seal = ctx.seals.seal(head, unsealed=held.unsealed)
            if seal is not None:
                # Where the log has moved meanwhile, what moved it has sealed it with the first key.
                await ctx.store.put_seal(head, seal)


async def standing_of(ctx: Services, head: AuditHead) -> Standing:
    """Say what the seal of a log tells."""
    held = read_seal(head.seal or "")
    if ctx.seals is None:
        return Standing.UNSEALED if head.seal is None else Standing.UNKNOWN_KEY
    sealed: str | None = head.hash
    if held is not None and held.seq < head.seq:
        sealed = await _hash(ctx, head.tenant, held.seq)
    return ctx.seals.judge(head, sealed=sealed)


def explain(head: AuditHead, standing: Standing) -> str:
    """Say in words why a log is not sealed."""
    held = read_seal(head.seal or "") or HeadSeal("?", 0, 0, "")
    return {
        Standing.SEALED: "it is sealed",
        Standing.UNSEALED: "it has no seal",
        Standing.BEHIND: f"the entries after {held.seq} were written without the master key",
        Standing.WRONG: f"its seal is for another log, with {held.seq} entries where this one has {head.seq}"
        if held.seq != head.seq
        else "its seal does not fit its last entry",
        Standing.UNKNOWN_KEY: f"it was sealed with the master key {held.key_id}, which is not here",
    }[standing]


async def _seal(ctx: Services, head: AuditHead, was: Standing) -> bool:
    """Seal a log as it is, and tell so in it; False when it has moved meanwhile, or there is no key."""
    seal = None if ctx.seals is None else ctx.seals.seal(head, unsealed=head.seq)
    if seal is None or not await ctx.store.put_seal(head, seal):
        return False
    if head.seq:
        await _tell(ctx, head.tenant, unsealed=head.seq, was=was.value)
    return True


async def _tell(ctx: Services, tenant: str, **facts: Any) -> None:
    told = entry("audit.sealed", at=ctx.clock.now_ms(), tenant=tenant, by=None, **facts)
    await ctx.store.write(SideEffects(audit=(told,)))


async def _hash(ctx: Services, tenant: str, seq: int) -> str | None:
    if seq == 0:
        return GENESIS
    found = await ctx.store.audit(tenant, after=seq - 1, limit=1)
    return hash_of(found[0]) if found else None


async def _heads(ctx: Services, tenant: str | None) -> AsyncIterator[AuditHead]:
    after = ""
    while page := await ctx.store.audit_heads(tenant=tenant, after=after):
        for head in page:
            yield head
        if tenant is not None:
            return
        after = page[-1].tenant
