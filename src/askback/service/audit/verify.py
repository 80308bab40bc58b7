"""Verify the audit log over the API, a piece for each call, and read all of it for an export."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator

from askback.domain.audit import GENESIS, ChainBreak, SealStatus, verify_chain
from askback.domain.faults import Faults, fault
from askback.domain.values import frozen
from askback.ports.audit import AuditHead
from askback.ports.store import Principal
from askback.service.access import roles
from askback.service.audit.seal import read_audit_log
from askback.service.context import Services

_HASH = re.compile("[0-9a-f]{64}")
_STEP = 50
"""The number of entries to verify before other tasks run: some 4 ms."""
_PAGE = 500

Point = tuple[int, str]


@frozen(slots=True)
class Verification:
    """The result for the entries after `start` up to `end`, which are correct.

    `first_break` is the seq of the first wrong entry, and why.
    """

    start: Point
    end: Point
    head: AuditHead
    seal: SealStatus
    first_break: tuple[int, str] | None

    @property
    def complete(self) -> bool:
        """Whether the chain leads to the head."""
        return self.first_break is None and self.end == (self.head.seq, self.head.hash)


async def verify_audit_log(
    ctx: Services, principal: Principal, *, after: int = 0, sealed: str | None = None, limit: int = 500
) -> Verification:
    """Verify up to `limit` entries after `after`, whose hash is `sealed`; raises `Faults` without that hash."""
    await roles.require(ctx, principal, "verify_audit_log")
    if after and (sealed is None or not _HASH.fullmatch(sealed)):
        raise Faults([fault("hash", "missing_required" if sealed is None else "invalid_hash")])
    start = (after, sealed if after and sealed else GENESIS)
    entries, head, seal_status = await read_audit_log(ctx, principal, after=after, limit=limit)
    end, first_break = start, None
    for index in range(0, len(entries), _STEP):
        verification = verify_chain(entries[index : index + _STEP], after=end)
        if isinstance(verification, ChainBreak):
            seq = end[0] + verification.line
            verified_end = verify_chain(entries[index : index + verification.line - 1], after=end)
            end = end if isinstance(verified_end, ChainBreak) else verified_end
            first_break = (seq, verification.why)
            break
        end = verification
        await asyncio.sleep(0)
    if first_break is None and len(entries) < limit and end != (head.seq, head.hash):
        first_break = (end[0], f"The log ends at entry {end[0]}, but entry {head.seq} was written.")
    return Verification(start, end, head, seal_status, first_break)


async def export_audit_log(ctx: Services, principal: Principal) -> AsyncIterator[bytes]:
    """Return the entries up to the current newest one, oldest first, as lines, in pieces."""
    await roles.require(ctx, principal, "export_audit_log")
    head_seq, _ = await ctx.store.audit_head(principal.tenant)
    return _lines(ctx, principal.tenant, head_seq)


async def _lines(ctx: Services, tenant: str, head_seq: int) -> AsyncIterator[bytes]:
    last_seq = 0
    while last_seq < head_seq and (
        page := await ctx.store.audit(tenant, after=last_seq, limit=min(_PAGE, head_seq - last_seq))
    ):
        yield "".join(f"{text}\n" for text in page).encode()
        last_seq += len(page)
