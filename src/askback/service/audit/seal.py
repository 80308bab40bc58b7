"""Read the audit logs, and seal them: at the start, after a key rotation, and after a wrong seal."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from typing import Any

from askback.domain.audit import GENESIS, HeadSeal, SealStatus, entry_hash, read_seal
from askback.ports.audit import AuditHead
from askback.ports.policy import SideEffects
from askback.ports.store import Principal
from askback.service.access import roles
from askback.service.audit_entry import audit_entry
from askback.service.context import Services

log = logging.getLogger(__name__)

_HOW_TO_FIX = (
    "Compare it with a copy (askback audit verify --head), then seal it as it is with: askback audit seal"
)


async def begin_sealing(ctx: Services) -> None:
    """Start to seal, seal every unsealed log, and log an error for each wrong seal.

    Call it before any write: a log that grows before it is sealed has to be sealed again.
    """
    if ctx.seals is None or ctx.seals.key_id is None:
        log.warning("the audit log is not sealed: this server has no master key")
        return
    ctx.store.seal_with(ctx.seals)
    for tenant in await ctx.store.without_log():
        log.error("the audit log of %s is gone, although it has tokens: somebody has deleted it", tenant)
        await _log_sealed(ctx, tenant, was="deleted")
    async for head in _audit_heads(ctx, None):
        status = await seal_status(ctx, head)
        if status in {SealStatus.UNSEALED, SealStatus.BEHIND}:
            await _seal(ctx, head, status)
        elif status is not SealStatus.SEALED:
            log.error(
                "the audit log of %s does not hold: %s. %s",
                head.tenant,
                explain(head, status),
                _HOW_TO_FIX,
            )


async def seal_as_is(ctx: Services, tenant: str | None) -> list[tuple[str, SealStatus]]:
    """Seal each log as it is, even if its seal does not match; return each resealed tenant with its status before."""
    sealed: list[tuple[str, SealStatus]] = []
    async for head in _audit_heads(ctx, tenant):
        status = await seal_status(ctx, head)
        if status is not SealStatus.SEALED and await _seal(ctx, head, status):
            sealed.append((head.tenant, status))
    return sealed


async def rewrap_seals(ctx: Services, tenant: str | None) -> None:
    """Reseal with the first key every log that is sealed with another one."""
    if ctx.seals is None:
        return
    async for head in _audit_heads(ctx, tenant):
        head_seal = read_seal(head.seal or "")
        if head_seal is None or head_seal.key_id == ctx.seals.key_id:
            continue
        if await seal_status(ctx, head) is SealStatus.SEALED:
            seal = ctx.seals.seal(head, unsealed=head_seal.unsealed)
            if seal is not None:
                # If the log has grown meanwhile, that write has sealed it with the first key.
                await ctx.store.put_seal(head, seal)


async def seal_status(ctx: Services, head: AuditHead) -> SealStatus:
    """Check the seal of a log."""
    seal = read_seal(head.seal or "")
    if ctx.seals is None:
        return SealStatus.UNSEALED if head.seal is None else SealStatus.UNKNOWN_KEY
    sealed: str | None = head.hash
    if seal is not None and seal.seq < head.seq:
        sealed = await _hash(ctx, head.tenant, seal.seq)
    return ctx.seals.judge(head, sealed=sealed)


def explain(head: AuditHead, status: SealStatus) -> str:
    """Describe why a log is not sealed."""
    seal = read_seal(head.seal or "") or HeadSeal("?", 0, 0, "")
    return {
        SealStatus.SEALED: "it is sealed",
        SealStatus.UNSEALED: "it has no seal",
        SealStatus.BEHIND: f"the entries after {seal.seq} were written without the master key",
        SealStatus.WRONG: f"its seal is for another log, with {seal.seq} entries where this one has {head.seq}"
        if seal.seq != head.seq
        else "its seal does not match its last entry",
        SealStatus.UNKNOWN_KEY: f"it was sealed with the master key {seal.key_id}, which is not here",
    }[status]


async def _seal(ctx: Services, head: AuditHead, old_status: SealStatus) -> bool:
    """Seal a log as it is and add an entry about it; False if it has grown meanwhile, or without a key."""
    seal = None if ctx.seals is None else ctx.seals.seal(head, unsealed=head.seq)
    if seal is None or not await ctx.store.put_seal(head, seal):
        return False
    if head.seq:
        await _log_sealed(ctx, head.tenant, unsealed=head.seq, was=old_status.value)
    return True


async def _log_sealed(ctx: Services, tenant: str, **facts: Any) -> None:
    entry = audit_entry("audit.sealed", at=ctx.clock.now_ms(), tenant=tenant, by=None, **facts)
    await ctx.store.write(SideEffects(audit=(entry,)))


async def _hash(ctx: Services, tenant: str, seq: int) -> str | None:
    if seq == 0:
        return GENESIS
    entries = await ctx.store.audit(tenant, after=seq - 1, limit=1)
    return entry_hash(entries[0]) if entries else None


async def _audit_heads(ctx: Services, tenant: str | None) -> AsyncIterator[AuditHead]:
    last_tenant = ""
    while page := await ctx.store.audit_heads(tenant=tenant, after=last_tenant):
        for head in page:
            yield head
        if tenant is not None:
            return
        last_tenant = page[-1].tenant


async def read_head(ctx: Services, tenant: str) -> AuditHead:
    """Return the head of a tenant's log; without entries the head of an empty log."""
    heads = await ctx.store.audit_heads(tenant=tenant)
    return heads[0] if heads else AuditHead(tenant, 0, GENESIS)


async def read_audit_log(
    ctx: Services, principal: Principal, *, after: int = 0, limit: int = 500
) -> tuple[Sequence[str], AuditHead, SealStatus]:
    """Return the entries after `after`, oldest first, as JSON; the head of the log; and the state of its seal."""
    await roles.require(ctx, principal, "get_audit_log")
    head = await read_head(ctx, principal.tenant)
    entries = await ctx.store.audit(principal.tenant, after=after, limit=limit)
    # Entries written between the two reads are left for the next page, so that none is newer than the head.
    return entries[: max(0, head.seq - after)], head, await seal_status(ctx, head)
