"""What comes along with a change, inside the group's transaction: rules, settings, secrets, the audit log."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import astuple

from askback.ports.policy import Along, AuditDraft, RuleRecord
from askback.ports.secrets import SecretRecord, VersionTaken
from askback.ports.store import IdTaken
from askback.storage.sqlite import policy_queries, resume_queries, secret_queries
from askback.storage.sqlite.connection import Connection, Sealed
from askback.storage.sqlite.policy_rows import read_audit_head
from askback.storage.sqlite.secret_rows import read_candidates


def write_along(db: Connection, along: Along) -> None:
    """Write all of it; a failure undoes the change that it came along with. Entries keep their order."""
    for rule in along.rules:
        _add_rule(db, rule)
    for policy in along.policies:
        db.execute(policy_queries.PUT_POLICY, (policy.tenant, policy.thread_id, policy.data, policy.data))
    _write_secrets(db, along)
    for resume in along.resumes:
        db.execute(resume_queries.ADD, astuple(resume))
    for refusal in along.refusals:
        db.execute(policy_queries.ADD_REFUSAL, astuple(refusal))
    for lift in along.lifts:
        db.execute(policy_queries.LIFT, astuple(lift))
    _append(db, along.audit)


def erases(along: Along) -> bool:
    """Whether a sealed text may be erased or replaced by this."""
    replaces = any(secret.version > 1 for secret in along.secrets)
    return replaces or bool(along.candidates or along.promote or along.discard)


def _add_rule(db: Connection, rule: RuleRecord) -> None:
    try:
        db.execute(policy_queries.ADD_RULE, astuple(rule))
    except sqlite3.IntegrityError:
        raise IdTaken(rule.id) from None


def _write_secrets(db: Connection, along: Along) -> None:
    """What is dropped goes first: candidates that come with it are those of the next try."""
    if along.discard is not None:
        db.execute(secret_queries.DROP_CANDIDATES, along.discard)
    for request_id, secret in along.candidates:
        db.execute(secret_queries.PUT_CANDIDATE, (request_id, *astuple(secret)))
    for secret in along.secrets:
        _put_secret(db, secret)
    if along.promote is not None:
        for secret in read_candidates(db, *along.promote):
            _put_secret(db, secret)
        db.execute(secret_queries.DROP_CANDIDATES, along.promote)
    for grant in along.grants:
        db.execute(secret_queries.PUT_GRANT, astuple(grant))
        db.execute(secret_queries.LET_USE, (grant.tenant, grant.secret_id, grant.requester))


def _put_secret(db: Connection, secret: SecretRecord) -> None:
    if secret.version == 1:
        try:
            db.execute(secret_queries.ADD_SECRET, astuple(secret))
        except sqlite3.IntegrityError:
            raise VersionTaken(secret.id) from None
        return
    at = (secret.id, secret.tenant, secret.owner, secret.scope, secret.subject, secret.name, secret.version)
    row = (secret.version, secret.sealed, secret.wire, *at)
    if db.execute(secret_queries.REPLACE_SECRET, row).fetchone() is None:
        raise VersionTaken(secret.id)


def _append(db: Connection, drafts: Sequence[AuditDraft]) -> None:
    """Seal entries and move the heads of their chains.

    Only this thread appends, so the head that it reads is the newest, also of what the group has not committed yet.
    """
    if not drafts:
        return
    assert isinstance(db, Sealed), "only the writer's connection appends"
    for draft in drafts:
        [entry], head = db.sealing.append(read_audit_head(db, draft.tenant), [draft])
        db.execute(policy_queries.ADD_ENTRY, (head.tenant, head.seq, entry))
        db.execute(policy_queries.MOVE_AUDIT_HEAD, astuple(head))
