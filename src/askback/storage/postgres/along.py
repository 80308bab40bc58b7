"""What comes along with changes, in their transaction: rules, settings, secrets, resumes, the audit log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple

from askback.domain.audit import GENESIS
from askback.ports.audit import AuditHead
from askback.ports.policy import NOTHING, Along, AuditDraft, PolicyRecord
from askback.ports.secrets import SecretRecord, VersionTaken
from askback.ports.store import IdTaken
from askback.storage.mergepatch import merge
from askback.storage.postgres import policy_queries, resume_queries, secret_queries
from askback.storage.postgres.connection import Connection, sealing_of


async def write_along(db: Connection, *alongs: Along) -> None:
    """Write what comes along with each of some changes; a failure undoes all of them.

    Audit entries come last, since their chain is what everybody has to wait for. They keep their order.
    Raises `IdTaken`, `VersionTaken`, and `ValueError` for an entry that cannot be sealed.
    """
    for along in alongs:
        if along is not NOTHING:
            await _write_rows(db, along)
    await _append(db, [draft for along in alongs for draft in along.audit])


async def _write_rows(db: Connection, along: Along) -> None:
    for rule in along.rules:
        if await db.fetchrow(policy_queries.ADD_RULE, *astuple(rule)) is None:
            raise IdTaken(rule.id)
    for policy in along.policies:
        await _merge_policy(db, policy)
    await _write_secrets(db, along)
    for resume in along.resumes:
        await db.execute(resume_queries.ADD, *astuple(resume))
    for refusal in along.refusals:
        await db.execute(policy_queries.ADD_REFUSAL, *astuple(refusal))
    for lift in along.lifts:
        await db.execute(policy_queries.LIFT, *astuple(lift))


async def _append(db: Connection, drafts: Sequence[AuditDraft]) -> None:
    """Seal entries and move the heads of their chains."""
    if not drafts:
        return
    tenants = sorted({draft.tenant for draft in drafts})
    locked = await db.fetch(policy_queries.LOCK_AUDIT_HEADS, tenants, GENESIS)
    entries: list[tuple[str, int, str]] = []
    moved: list[tuple[str, int, str, str | None]] = []
    for before in (AuditHead(*row) for row in locked):
        mine = [draft for draft in drafts if draft.tenant == before.tenant]
        texts, after = sealing_of(db).append(before, mine)
        entries += [(before.tenant, seq, text) for seq, text in enumerate(texts, before.seq + 1)]
        moved.append((after.tenant, after.seq, after.hash, after.seal))
    await db.execute(policy_queries.ADD_ENTRIES, *zip(*entries, strict=True))
    await db.execute(policy_queries.MOVE_AUDIT_HEADS, *zip(*moved, strict=True))


async def _merge_policy(db: Connection, policy: PolicyRecord) -> None:
    at = (policy.tenant, policy.thread_id)
    before = await db.fetchval(policy_queries.LOCK_POLICY, *at)
    await db.execute(policy_queries.PUT_POLICY, *at, merge(before, policy.data))


async def _write_secrets(db: Connection, along: Along) -> None:
    """What is dropped goes first: candidates that come with it are those of the next try."""
    if along.discard is not None:
        await db.execute(secret_queries.DROP_CANDIDATES, *along.discard)
    for request_id, secret in along.candidates:
        await db.execute(secret_queries.PUT_CANDIDATE, *astuple(secret), request_id)
    for secret in along.secrets:
        await _put_secret(db, secret)
    if along.promote is not None:
        for row in await db.fetch(secret_queries.CANDIDATES, *along.promote):
            await _put_secret(db, SecretRecord(*row))
        await db.execute(secret_queries.DROP_CANDIDATES, *along.promote)
    for grant in along.grants:
        await db.execute(secret_queries.PUT_GRANT, *astuple(grant))
        await db.execute(secret_queries.LET_USE, grant.tenant, grant.secret_id, grant.requester)


async def _put_secret(db: Connection, secret: SecretRecord) -> None:
    put = secret_queries.ADD_SECRET if secret.version == 1 else secret_queries.REPLACE_SECRET
    if await db.fetchrow(put, *astuple(secret)) is None:
        raise VersionTaken(secret.id)
