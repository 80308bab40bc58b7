"""The replies about rules and the audit log."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from askback.domain.access import Actor
from askback.domain.approval import ReasonCode
from askback.domain.audit import SealStatus
from askback.domain.model import empty_list
from askback.domain.policy.description import RuleDescription
from askback.wire.replies import FieldProblem, Reply

Effect = Literal["deny", "ask", "allow"]


class RuleUsage(Reply):
    """How often and when a rule was last used, and for which request in which thread.

    The request and the thread are None if they were erased, or you may not see them.
    """

    count: int
    last_at: datetime
    request_id: str | None = None
    thread_id: str | None = None
    thread_title: str | None = None


class Rule(Reply):
    """A rule that the server keeps; `rule` is its text, `agent` the id of the agent it is for, None for every agent.

    `needs_choice` says, in English, why a rule of an older version no longer allows anything and what to write instead;
    `needs_choice_code` is the same as data. `description` is the scope of the rule as data; None for a rule that can no
    longer be read. `usage` is None for a rule that has not decided yet.
    """

    id: str
    effect: Literal["deny", "ask", "allow"]
    rule: str
    scope: Literal["thread", "project", "always"]
    thread_id: str | None = None
    project: str | None = None
    agent: str | None = None
    agent_name: str | None = None
    locked: bool = False
    shadow: bool = False
    why: str | None = None
    created_at: datetime
    created_by: Actor | None = None
    request_id: str | None = None
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    revoked_by: Actor | None = None
    needs_choice: str | None = None
    needs_choice_code: ReasonCode | None = None
    description: RuleDescription | None = None
    usage: RuleUsage | None = None


class RulePage(Reply):
    """Rules, newest first."""

    rules: list[Rule]
    next_cursor: str | None


class Seal(Reply):
    """The seal of the newest entry: `key` is the id of the master key, `unsealed` counts the entries before it."""

    status: SealStatus
    key: str | None = None
    unsealed: int | None = None


class AuditHead(Reply):
    """The newest entry of the audit log."""

    seq: int
    hash: str
    seal: Seal


class AuditLog(Reply):
    """Entries of the audit log, oldest first, as they were sealed."""

    entries: list[dict[str, Any]]
    head: AuditHead


class AuditNames(Reply):
    """Names by id: of agents, and the titles of threads."""

    agents: dict[str, str]
    threads: dict[str, str]


class AuditEntries(Reply):
    """Entries of the audit log, newest first, and names for the ids in them.

    A page checks a bounded number of entries, `checked`, back to the seq `checked_to`; it may have fewer
    entries than requested, or none. Older entries are on the page after `next_cursor`; None at the end.
    """

    entries: list[dict[str, Any]]
    names: AuditNames
    checked: int
    checked_to: int | None
    next_cursor: int | None


class AuditPoint(Reply):
    """An entry: its seq and its hash."""

    seq: int
    hash: str


class AuditBreak(Reply):
    """The first wrong entry, and why."""

    seq: int
    why: str


class AuditVerification(Reply):
    """A piece of the audit log that was verified: the entries after `start` up to `end`.

    `head` is the newest entry with its seal. `complete` means that the chain leads to the head; otherwise
    continue with the `seq` of `end` as `after` and its `hash`. `broken` is None if every entry is correct.
    """

    start: AuditPoint
    end: AuditPoint
    head: AuditHead
    checked: int
    complete: bool
    broken: AuditBreak | None


class BuiltInRule(Reply):
    """A rule of a built-in list; it allows."""

    rule: str
    description: RuleDescription
    active: bool
    usage: RuleUsage | None = None


class BuiltInGroup(Reply):
    """Built-in rules about one subject: `files`, `search`, `text`, `system`, `versions`, `git` or `tools`."""

    name: str
    rules: list[BuiltInRule]


class BuiltInRules(Reply):
    """The built-in rules, and the hard limits.

    A rule is `active` if a list of the default policy (`lists`) has it. `limits` are calls that no rule can allow, as
    codes (`rules.limit.<code>` in the catalogue).
    """

    lists: list[str]
    groups: list[BuiltInGroup]
    limits: list[str]


class Ruling(Reply):
    """The policy's decision about a call: the rules that decided together, and the reasons in English and as codes."""

    decision: Effect
    rules: list[str]
    reasons: list[str]
    reason_codes: list[ReasonCode]


class RuleTrial(Reply):
    """The effect of a draft rule; nothing is stored.

    `problems` are the faults of the draft; `rule` is its canonical text, None if it has problems. `covers`
    tells whether the rule alone covers the call, and `why` why an allow rule does not (`why_codes`). `now` is
    the policy's decision about the call, `then` the decision with the rule.
    """

    rule: str | None = None
    description: RuleDescription | None = None
    problems: list[FieldProblem] = Field(default_factory=empty_list)
    covers: bool | None = None
    why: list[str] = Field(default_factory=list)
    why_codes: list[ReasonCode] = Field(default_factory=empty_list)
    now: Ruling | None = None
    then: Ruling | None = None


class PastCall(Reply):
    """An earlier call of an agent; `decision` is None if it ended without one or is open.

    `now` is today's decision of the policy, `then` the decision with the rule.
    """

    request_id: str
    thread_id: str
    thread_title: str | None
    agent: Actor
    tool: str
    headline: str
    created_at: datetime
    status: str
    decision: Literal["approve", "deny"] | None
    source: str | None
    now: Effect
    then: Effect


class RulePreview(Reply):
    """Calls of the last 30 days that a rule would decide differently from today's policy, newest first.

    `checked` calls were checked for this page, back to `checked_to`; older ones are on the page after `next_cursor`,
    which is None when all calls since `since` were checked. Calls in threads that you may not see are left out.
    """

    calls: list[PastCall]
    checked: int
    checked_to: datetime
    since: datetime
    next_cursor: str | None


class ExportedRule(Reply):
    """A rule in an export: the terms of a `RuleBody`, with the name of its agent and the time of its end."""

    rule: str
    effect: Effect
    scope: Literal["thread", "project", "always"]
    thread_id: str | None = None
    project: str | None = None
    agent: str | None = None
    agent_name: str | None = None
    expires_at: datetime | None = None
    why: str | None = None
    locked: bool = False
    shadow: bool = False
    script_may_change: bool = False


class RuleExport(Reply):
    """The rules in force, oldest first; `POST /v1/rules/import` reads it."""

    exported_at: datetime
    rules: list[ExportedRule]


class ImportedRow(Reply):
    """The result for a row: `added`, `known` (an equal rule is in force) or `refused`."""

    outcome: Literal["added", "known", "refused"]
    rule: str | None = None
    id: str | None = None
    problems: list[FieldProblem] = Field(default_factory=empty_list)


class RuleImport(Reply):
    """The result of an import row by row; with `dry_run`, a preview."""

    dry_run: bool
    added: int
    known: int
    refused: int
    rows: list[ImportedRow]
