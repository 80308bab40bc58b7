"""The audit log: a chain of entries for each tenant, and the heads of the chains, which are kept apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

from askback.domain.audit import GENESIS
from askback.ports.audit import AuditHead, HeadSeals
from askback.ports.policy import AuditDraft
from askback.storage.sql.conditions import Conditions
from askback.storage.sql.transaction import Area, Sealing, Transaction

# (tenants, the first hash) -> the fields of `AuditHead`, of each. Missing rows are created. All are locked until the
# commit, so another server that appends waits, and then sees this group's entries.
LOCK_AUDIT_HEADS = """
INSERT INTO audit_heads (tenant, seq, hash)
SELECT tenant, 0, $2 FROM unnest($1::text[]) AS n (tenant) ORDER BY tenant COLLATE "C"
ON CONFLICT (tenant) DO UPDATE SET seq = audit_heads.seq RETURNING tenant, seq, hash, seal"""
# Tenant, seq, entry, request and thread of each.
ADD_ENTRIES = """
INSERT INTO audit (tenant, seq, entry, request, thread)
SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[])"""
# Tenant, seq, hash, seal of each.
MOVE_AUDIT_HEADS = """
UPDATE audit_heads AS h SET seq = n.seq, hash = n.hash, seal = n.seal
FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[]) AS n (tenant, seq, hash, seal)
WHERE h.tenant = n.tenant"""
# (tenant, seq, hash, seal before, seal) -> a row when it was still there.
PUT_SEAL = """
UPDATE audit_heads SET seal = $5 WHERE tenant = $1 AND seq = $2 AND hash = $3 AND seal IS NOT DISTINCT FROM $4
RETURNING tenant"""
AUDIT = "SELECT entry, seq FROM audit WHERE tenant = $1 AND seq > $2 ORDER BY seq LIMIT $3"
AUDIT_HEAD = "SELECT tenant, seq, hash, seal FROM audit_heads WHERE tenant = $1"
# (tenant, limit) -> the fields of `AuditHead`.
AUDIT_HEADS = "SELECT tenant, seq, hash, seal FROM audit_heads WHERE tenant > $1 ORDER BY tenant LIMIT $2"
# The tenants that have tokens and no log.
WITHOUT_LOG = (
    "SELECT DISTINCT tenant FROM tokens WHERE tenant NOT IN (SELECT tenant FROM audit_heads) ORDER BY tenant"
)
# Entries of a request or a thread are found by columns: a manipulated text must not break a query.
LATEST_AUDIT = "SELECT seq, entry FROM audit"
# `*`, because the table has no column for the seal in an older schema.
ANY_AUDIT_HEAD = "SELECT * FROM audit_heads WHERE tenant = $1"
# Every tenant that has an entry or a head, or a token, which is in the log, or a thread, which takes a token.
AUDITED = """
SELECT tenant FROM audit_heads UNION SELECT tenant FROM audit UNION SELECT tenant FROM tokens
UNION SELECT tenant FROM threads ORDER BY tenant"""


def page_of_audit(
    tenant: str, *, before: int | None, request_id: str | None, thread_id: str | None, limit: int
) -> Sequence[Any]:
    """Return the query of one page of entries, newest first, and its parameters."""
    conditions = Conditions()
    conditions.add("tenant = {}", tenant)
    conditions.add_chosen("request = {}", request_id)
    conditions.add_chosen("thread = {}", thread_id)
    conditions.add_chosen("seq < {}", before)
    return conditions.page(LATEST_AUDIT, limit=limit, column="seq")


async def append(tx: Transaction, drafts: Sequence[AuditDraft]) -> None:
    """Seal entries and move the heads of their chains; raises `ValueError` for an entry that cannot be sealed."""
    if not drafts:
        return
    entries: list[tuple[str, int, str, str | None, str | None]] = []
    new_heads: list[AuditHead] = []
    tenants = sorted({draft.tenant for draft in drafts})
    for old_head in (AuditHead(*row) for row in await tx.all(LOCK_AUDIT_HEADS, tenants, GENESIS)):
        tenant_drafts = [draft for draft in drafts if draft.tenant == old_head.tenant]
        texts, new_head = tx.sealing.append(old_head, tenant_drafts)
        entries += [
            (old_head.tenant, old_head.seq + index, text, draft.request_id, draft.thread_id)
            for index, (text, draft) in enumerate(zip(texts, tenant_drafts, strict=True), 1)
        ]
        new_heads.append(new_head)
    await tx.many(ADD_ENTRIES, entries)
    await tx.many(MOVE_AUDIT_HEADS, [(head.tenant, head.seq, head.hash, head.seal) for head in new_heads])


class AuditArea(Area):
    """See `askback.ports.policy` for what each method promises."""

    _sealing: Sealing

    async def audit(self, tenant: str, *, after: int = 0, limit: int = 500) -> Sequence[str]:
        """Read entries of the audit log above a seq."""
        return [row[0] for row in await self._db.page(AUDIT, tenant, after, limit)]

    async def latest_audit(
        self,
        tenant: str,
        *,
        before: int | None = None,
        request_id: str | None = None,
        thread_id: str | None = None,
        limit: int = 100,
    ) -> Sequence[tuple[int, str]]:
        """Read entries, newest first."""
        query = page_of_audit(tenant, before=before, request_id=request_id, thread_id=thread_id, limit=limit)
        return [(row[0], row[1]) for row in await self._db.page(*query)]

    async def audit_head(self, tenant: str) -> tuple[int, str]:
        """Read the seq and the hash of the newest entry."""
        row = await self._db.row(AUDIT_HEAD, tenant)
        return (0, GENESIS) if row is None else (row[1], row[2])

    def seal_with(self, seals: HeadSeals) -> None:
        """Seal the newest entry of each log from now on."""
        self._sealing.seals = seals

    async def audit_heads(
        self, *, tenant: str | None = None, after: str = "", limit: int = 200
    ) -> Sequence[AuditHead]:
        """Read the newest entries of logs, with their seals."""
        if tenant is None:
            heads = await self._db.page(AUDIT_HEADS, after, limit)
        else:
            heads = await self._db.page(AUDIT_HEAD, tenant)
        return [AuditHead(*row) for row in heads]

    async def without_log(self) -> Sequence[str]:
        """Read the tenants that have tokens and no log."""
        return [row[0] for row in await self._db.page(WITHOUT_LOG)]

    async def put_seal(self, head: AuditHead, seal: str) -> bool:
        """Put another seal on a log."""
        row = await self._db.change(lambda tx: tx.one(PUT_SEAL, *astuple(head), seal))
        return row is not None
