"""The part of the store for the policy and its decisions.

Rules, settings, the one use of each approved call, and the audit log. The contracts are those of
`askback.ports.store`, above all 11 and 12.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from operator import attrgetter
from typing import Protocol

from askback.domain.values import frozen
from askback.ports.audit import AuditHead, HeadSeals
from askback.ports.files import FileClaim, FileShare
from askback.ports.outcome import Outcome
from askback.ports.resumes import Resume
from askback.ports.secrets import Grant, SecretRecord, SecretUse


@frozen(slots=True)
class RuleRecord:
    """A stored rule: the columns that are searched or compared, and `wire`, the JSON object for display.

    `scope` is thread, project or always; `subject` is the thread's id or the project's name, empty for always.
    `expires_at` is in milliseconds since the epoch. `agent` is the agent that it is for, None for every agent.
    """

    id: str
    tenant: str
    effect: str
    text: str
    scope: str
    subject: str
    locked: bool
    shadow: bool
    expires_at: int | None
    revoked: bool
    wire: str
    agent: str | None = None


@frozen(slots=True)
class RuleUse:
    """A rule decided about the call of a request at `at` (ms): a stored one by its id, a built-in one by its text."""

    tenant: str
    rule: str
    at: int
    request_id: str


@frozen(slots=True)
class RuleUsage:
    """How often a rule decided, and the last time (ms), with the request and its thread.

    The request and the thread are None if they were erased, or may not be seen.
    """

    count: int
    last_at: int
    request_id: str | None
    thread_id: str | None
    thread_title: str | None


@frozen(slots=True)
class PolicyRecord:
    """Settings of a tenant (`thread_id` empty), or of one thread, as a JSON object that is merged into the stored one.

    The merge follows RFC 7396: null resets a setting, objects are merged.
    """

    tenant: str
    thread_id: str
    data: str


@frozen(slots=True)
class PolicyView:
    """Everything that decides about a call, read in one snapshot; settings are None if none were stored.

    `rules` are the rules in force for the thread, the project and the agent: neither revoked nor expired, oldest first.
    `roots` are the paths below which the agent may read without asking.
    """

    tenant: str | None
    thread: str | None
    rules: Sequence[RuleRecord]
    roots: tuple[str, ...] = ()

    def at(self, now_ms: int) -> PolicyView:
        """Return the view without the rules that have expired by a later time."""
        rules = [rule for rule in self.rules if rule.expires_at is None or rule.expires_at > now_ms]
        return self if len(rules) == len(self.rules) else replace(self, rules=rules)


@frozen(slots=True)
class AuditDraft:
    """An entry for the audit log: a JSON object text without `seq`, `prev` and `hash`, which the store adds.

    `request_id` and `thread_id` are copies from the text, by which entries are found.
    """

    tenant: str
    data: str
    request_id: str | None = None
    thread_id: str | None = None


@frozen(slots=True)
class Refusal:
    """A person refused a request; until `until`, the same request is refused without asking.

    `identity` is equal for equal requests of this requester in this thread. Times are ms since the epoch.
    """

    tenant: str
    thread_id: str
    requester: str
    identity: str
    request_id: str
    at: int
    until: int


@frozen(slots=True)
class Lift:
    """Refusals in a thread end at `at` (ms): all of them, those of request `request_id`, or those of a requester."""

    tenant: str
    thread_id: str
    at: int
    request_id: str | None = None
    requester: str | None = None


@frozen(slots=True)
class SideEffects:
    """The other writes in the transaction of a change. A policy is merged into the stored one.

    `secrets` replace their former versions; `candidates` are stored beside them until `promote` or `discard`
    names their request, which makes them the secrets or erases them. For each cause, a request keeps only the
    first of the `resumes`.
    """

    rules: tuple[RuleRecord, ...] = ()
    policies: tuple[PolicyRecord, ...] = ()
    audit: tuple[AuditDraft, ...] = ()
    secrets: tuple[SecretRecord, ...] = ()
    candidates: tuple[tuple[str, SecretRecord], ...] = ()
    grants: tuple[Grant, ...] = ()
    promote: tuple[str, str] | None = None
    discard: tuple[str, str] | None = None
    resumes: tuple[Resume, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    lifts: tuple[Lift, ...] = ()
    files: tuple[FileClaim, ...] = ()
    shares: tuple[FileShare, ...] = ()
    uses: tuple[RuleUse, ...] = ()
    secret_uses: tuple[SecretUse, ...] = ()

    @property
    def only_resumes(self) -> bool:
        """Whether there is nothing but resumes, if anything."""
        return self is NOTHING or not any(_all_but_resumes(self))


NOTHING = SideEffects()
_all_but_resumes = attrgetter(*(field.name for field in fields(SideEffects) if field.name != "resumes"))


@frozen(slots=True)
class Execution:
    """The one use of an approved call; times are milliseconds since the epoch."""

    id: str
    consumed_at: int
    outcome: str | None = None
    note: str | None = None


class PolicyStore(Protocol):
    """Rules, settings, the one use of each approved call, and the audit log of all of it."""

    async def write(self, effects: SideEffects) -> None:
        """Write rules, settings and audit entries in one transaction; a rule's id is never used twice.

        Raises `IdTaken`, as does every method that writes a rule.
        """
        ...

    async def policy(
        self, tenant: str, *, thread_id: str, project: str | None, now_ms: int, agent: str = ""
    ) -> PolicyView:
        """Return everything that decides about a call of an agent in this thread and project now.

        Project None is the project without a name; an empty agent has no roots.
        """
        ...

    async def rule(self, tenant: str, rule_id: str) -> RuleRecord | None:
        """Read one rule, even if it has ended."""
        ...

    async def rules(
        self,
        tenant: str,
        *,
        thread_id: str | None = None,
        project: str | None = None,
        ended: bool = False,
        now_ms: int,
        person: str | None = None,
        before: str | None = None,
        limit: int = 100,
    ) -> Sequence[RuleRecord]:
        """Return rules, newest first (ids sort by time), older than the id `before`; with `ended` also ended ones.

        With a thread or a project only the rules of just that subject. With a `person` no rules of threads that they
        may not view.
        """
        ...

    async def rule_usage(
        self, tenant: str, rules: Sequence[str], *, person: str | None = None
    ) -> Mapping[str, RuleUsage]:
        """Return the usage of the rules with these ids, and of the built-in ones with these texts, without unused ones.

        With a `person`, without the requests of threads that they may not view.
        """
        ...

    async def revoke_rule(self, tenant: str, rule_id: str, wire: str, effects: SideEffects = NOTHING) -> bool:
        """End a rule and replace its `wire`; False if it does not exist, or was revoked before."""
        ...

    async def refusals(
        self, tenant: str, thread_id: str, requester: str, identity: str, *, since_ms: int
    ) -> Sequence[Refusal]:
        """Return refusals of the same request by a person after this time, newest first."""
        ...

    async def consume(
        self, tenant: str, request_id: str, execution: Execution, effects: SideEffects = NOTHING
    ) -> tuple[Execution, Outcome]:
        """Use an approved call: the first execution gets `APPLIED`, the same id again `REPLAYED`, another `LOST`.

        Returns the stored execution. The caller has checked that the request exists and may be used.
        """
        ...

    async def execution(self, tenant: str, request_id: str) -> Execution | None:
        """Read the use of an approved call."""
        ...

    async def report(
        self,
        tenant: str,
        request_id: str,
        execution_id: str,
        *,
        outcome: str,
        note: str | None,
        effects: SideEffects = NOTHING,
    ) -> tuple[Execution, Outcome] | None:
        """Record the outcome of an execution once: the same outcome again is `REPLAYED`, another `LOST`.

        None if this execution has not used the request.
        """
        ...

    async def audit(self, tenant: str, *, after: int = 0, limit: int = 500) -> Sequence[str]:
        """Entries with a `seq` above `after`, oldest first, each as its JSON text with `seq`, `prev` and `hash`."""
        ...

    async def latest_audit(
        self,
        tenant: str,
        *,
        before: int | None = None,
        request_id: str | None = None,
        thread_id: str | None = None,
        limit: int = 100,
    ) -> Sequence[tuple[int, str]]:
        """Entries with a `seq` below `before`, newest first, as `seq` and text; with filters, about one subject."""
        ...

    async def audit_head(self, tenant: str) -> tuple[int, str]:
        """The `seq` and the hash of the newest entry; 0 and `domain.audit.GENESIS` without one."""
        ...

    def seal_with(self, seals: HeadSeals) -> None:
        """Seal the newest entry of each log in the transaction that writes it, from now on."""
        ...

    async def audit_heads(
        self, *, tenant: str | None = None, after: str = "", limit: int = 200
    ) -> Sequence[AuditHead]:
        """Return the newest entry of every log, or of one tenant's, with its seal; ordered by tenant, above `after`."""
        ...

    async def without_log(self) -> Sequence[str]:
        """Return the tenants with tokens and no log: creating a token is logged, so somebody has deleted the log."""
        ...

    async def put_seal(self, head: AuditHead, seal: str) -> bool:
        """Replace the seal of a log; False if it no longer has this head and this seal."""
        ...
