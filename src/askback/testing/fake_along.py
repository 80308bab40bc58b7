"""What comes along with a change to the store in memory: all of it is kept, or it raises and nothing is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from askback.domain.access import OPEN, Access
from askback.domain.audit import GENESIS
from askback.ports.agents import Agent
from askback.ports.audit import AuditHead
from askback.ports.policy import Along, AuditDraft, Lift, Refusal, RuleRecord
from askback.ports.resumes import Resume
from askback.ports.secrets import Grant, SecretRecord, VersionTaken
from askback.ports.store import IdTaken
from askback.storage.mergepatch import merge
from askback.storage.sealing import Sealing
from askback.testing.fake_outage import CanBeOffline


@dataclass(slots=True)
class KeptResume:
    """A resume, how often it was leased, and when it was finished."""

    resume: Resume
    attempt: int = 0
    finished_at: int | None = None


class FakeAlong(CanBeOffline):
    """Rules, settings, the audit log, secrets, candidates, grants and resumes, in dictionaries.

    `_shared` is the access to each thread that is there, which says who finds its rules and secrets.
    Candidates are kept by tenant, request and name; grants by tenant, thread, name and requester, the newest last.
    """

    def __init__(self) -> None:
        super().__init__()
        self._rules: dict[tuple[str, str], RuleRecord] = {}
        self._policies: dict[tuple[str, str], str] = {}
        self._audit: dict[str, list[str]] = {}
        self._audit_heads: dict[str, AuditHead] = {}
        self._sealing = Sealing()
        self._secrets: dict[tuple[str, str], SecretRecord] = {}
        self._candidates: dict[tuple[str, str, str], SecretRecord] = {}
        self._grants: dict[tuple[str, str, str, str], Grant] = {}
        self._resumes: dict[tuple[str, str, str], KeptResume] = {}
        self._refusals: list[Refusal] = []
        self._shared: dict[tuple[str, str], Access] = {}
        self._secret_agents: set[tuple[str, str, str]] = set()
        self._agents: dict[tuple[str, str], Agent] = {}

    def _access_to(self, tenant: str, thread_id: str) -> Access:
        return self._shared.get((tenant, thread_id), OPEN)

    def _keep(self, along: Along) -> None:
        """Write what comes along with a change, before the change itself: it raises when it cannot be written."""
        rules: dict[tuple[str, str], RuleRecord] = {}
        for rule in along.rules:
            if (name := (rule.tenant, rule.id)) in self._rules or name in rules:
                raise IdTaken(rule.id)
            rules[name] = rule
        self._keep_secrets(along)
        for resume in along.resumes:
            self._resumes.setdefault((resume.tenant, resume.request_id, resume.cause), KeptResume(resume))
        self._refusals += along.refusals
        for lift in along.lifts:
            self._refusals = [_lifted(each, lift, self._refusals) for each in self._refusals]
        self._append(along.audit)
        self._rules |= rules
        for policy in along.policies:
            key = (policy.tenant, policy.thread_id)
            self._policies[key] = merge(self._policies.get(key, "{}"), policy.data)

    def _keep_secrets(self, along: Along) -> None:
        candidates = _without(self._candidates, along.discard)
        for request_id, secret in along.candidates:
            candidates[secret.tenant, request_id, secret.name] = secret
        tried = [s for key, s in sorted(candidates.items()) if key[:2] == along.promote]
        secrets = dict(self._secrets)
        for secret in (*along.secrets, *tried):
            _put(secrets, secret)
        self._secrets, self._candidates = secrets, _without(candidates, along.promote)
        for grant in along.grants:
            self._secret_agents.add((grant.tenant, grant.secret_id, grant.requester))
            key = (grant.tenant, grant.thread_id, grant.name, grant.requester)
            self._grants.pop(key, None)
            self._grants[key] = grant

    def _append(self, drafts: Sequence[AuditDraft]) -> None:
        heads = dict(self._audit_heads)
        sealed: list[tuple[str, str]] = []
        for draft in drafts:
            head = heads.get(draft.tenant) or AuditHead(draft.tenant, 0, GENESIS)
            [entry], heads[draft.tenant] = self._sealing.append(head, [draft])
            sealed.append((draft.tenant, entry))
        self._audit_heads = heads
        for tenant, entry in sealed:
            self._audit.setdefault(tenant, []).append(entry)


def _without(
    candidates: dict[tuple[str, str, str], SecretRecord], request: tuple[str, str] | None
) -> dict[tuple[str, str, str], SecretRecord]:
    return {key: secret for key, secret in candidates.items() if key[:2] != request}


def _put(secrets: dict[tuple[str, str], SecretRecord], secret: SecretRecord) -> None:
    key = (secret.tenant, secret.id)
    holds = next((s for s in secrets.values() if _place(s) == _place(secret)), secrets.get(key))
    fits = (
        secret.version == 1 if holds is None else (holds.id, holds.version) == (secret.id, secret.version - 1)
    )
    if not fits or (holds is not None and _place(holds) != _place(secret)):
        raise VersionTaken(secret.id)
    secrets[key] = secret


def _place(secret: SecretRecord) -> tuple[str, ...]:
    return secret.tenant, secret.owner, secret.scope, secret.subject, secret.name


def _lifted(refusal: Refusal, lift: Lift, refusals: Sequence[Refusal]) -> Refusal:
    asked = {(each.requester, each.identity) for each in refusals if each.request_id == lift.request_id}
    of_another = lift.requester not in (None, refusal.requester)
    concerned = (
        not of_another
        and (refusal.tenant, refusal.thread_id) == (lift.tenant, lift.thread_id)
        and (lift.request_id is None or (refusal.requester, refusal.identity) in asked)
    )
    return replace(refusal, until=lift.at) if concerned and refusal.until > lift.at else refusal
