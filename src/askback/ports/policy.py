"""The half of the store that keeps what decides about tool calls, and what was decided.

Rules, settings, the one use of each approved call, and the audit log. The contracts are those of
`askback.ports.store`, above all 11 and 12.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from askback.ports.audit import AuditHead, HeadSeals
from askback.ports.files import FileClaim, FileShare
from askback.ports.outcome import Outcome
from askback.ports.resumes import Resume
from askback.ports.secrets import Grant, SecretRecord, SecretUse


@dataclass(frozen=True, slots=True)
class RuleRecord:
    """A stored rule: what is searched or compared, and `wire`, the JSON object that is shown.

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


@dataclass(frozen=True, slots=True)
class RuleUse:
    """A rule decided about the call of a request at `at` (ms): a stored one by its id, a built-in one by its text."""

    tenant: str
    rule: str
    at: int
    request_id: str


@dataclass(frozen=True, slots=True)
class RuleUsage:
    """How often a rule decided, and the last time (ms), with the request and its thread.

    The request and the thread are None if they were erased, or may not be seen.
    """

    count: int
    last_at: int
    request_id: str | None
    thread_id: str | None
    thread_title: str | None


@dataclass(frozen=True, slots=True)
class PolicyRecord:
    """Settings of a tenant (`thread_id` empty), or of one thread, as a JSON object that is merged into what is there.

    As RFC 7396 says: null takes a setting back, objects are merged.
    """

    tenant: str
    thread_id: str
    data: str


@dataclass(frozen=True, slots=True)
class PolicyView:
    """All that decides about a call, read in one snapshot; settings are None where none were stored.

    `rules` are those in force for the thread, the project and the agent: neither revoked nor expired, oldest first.
    `roots` are the paths below which the agent may read without asking.
    """

    tenant: str | None
    thread: str | None
    rules: Sequence[RuleRecord]
    roots: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AuditDraft:
    """An entry for the audit log: a JSON object text without `seq`, `prev` and `hash`, which the store adds.

    `request_id` and `thread_id` are those in the text, by which entries are found.
    """

    tenant: str
    data: str
    request_id: str | None = None
    thread_id: str | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A person refused a request; the same is not asked again until `until`.

    `identity` is what the same request of this requester in this thread has again. Times are ms since the epoch.
    """

    tenant: str
    thread_id: str
    requester: str
    identity: str
    request_id: str
    at: int
    until: int


@dataclass(frozen=True, slots=True)
class Lift:
    """Refusals in a thread end at `at` (ms): all of them, those of what `request_id` asked, or those of a requester."""

    tenant: str
    thread_id: str
    at: int
    request_id: str | None = None
    requester: str | None = None


@dataclass(frozen=True, slots=True)
class SideEffects:
    """What is written in the transaction of a change. A policy is merged into the one before.

    `secrets` replace their former versions; `candidates` wait beside them until `promote` names their request, which
    puts them into place, or `discard` does, which erases them. A request has one of the `resumes` at most for each
    cause: the first.
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


NOTHING = SideEffects()


@dataclass(frozen=True, slots=True)
class Execution:
    """The one use of an approved call; times are milliseconds since the epoch."""

    id: str
    consumed_at: int
    outcome: str | None = None
    note: str | None = None


class PolicyStore(Protocol):
    """Rules, settings, the one use of each approved call, and the audit log of all of it."""

    async def write(self, effects: SideEffects) -> None:
        """Write rules, settings and audit entries in one transaction; an id of a rule is never used twice.

        Raises `IdTaken`, as does every method that such a rule comes along with.
        """
        ...

    async def policy(
        self, tenant: str, *, thread_id: str, project: str | None, now_ms: int, agent: str = ""
    ) -> PolicyView:
        """What decides about a call of an agent in this thread and project, now.

        Project None is the project without a name; agent empty is nobody in particular, who has no roots.
        """
        ...

    async def rule(self, tenant: str, rule_id: str) -> RuleRecord | None:
        """Read one rule, also one that has ended."""
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
        """Rules, newest first (ids sort by time), older than the id `before`; with `ended` also those that ended.

        With a thread or a project only the rules of just that subject. With a `person` no rules of threads that they
        may not view.
        """
        ...

    async def rule_usage(
        self, tenant: str, rules: Sequence[str], *, person: str | None = None
    ) -> Mapping[str, RuleUsage]:
        """How the rules with these ids, and the built-in ones with these texts, were used; none of those never used.

        With a `person`, without the requests of threads that they may not view.
        """
        ...

    async def revoke_rule(self, tenant: str, rule_id: str, wire: str, effects: SideEffects = NOTHING) -> bool:
        """End a rule and replace its `wire`; False when there is no such rule, or it was revoked before."""
        ...

    async def refusals(
        self, tenant: str, thread_id: str, requester: str, identity: str, *, since_ms: int
    ) -> Sequence[Refusal]:
        """Refusals of the same by a person, newest first, as far as they came after that."""
        ...

    async def consume(
        self, tenant: str, request_id: str, execution: Execution, effects: SideEffects = NOTHING
    ) -> tuple[Execution, Outcome]:
        """Use an approved call: the first execution gets `APPLIED`, the same id again `REPLAYED`, another `LOST`.

        Returns the execution that holds. Whether it may be used is the caller's business; the request exists.
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
        """Note how an execution went, once: the same outcome again is `REPLAYED`, another `LOST`.

        None when this execution has not used the request.
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
        """The newest entry of every log, or of one tenant's, with its seal; by tenant, those above `after`."""
        ...

    async def without_log(self) -> Sequence[str]:
        """The tenants that have tokens and no log: to make a token is in the log, so somebody has deleted it."""
        ...

    async def put_seal(self, head: AuditHead, seal: str) -> bool:
        """Put another seal on a log; False when it is no longer at this head with this seal."""
        ...
