"""The bodies of operations about rules."""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from askback.domain.fields import Number_
from askback.domain.model import Model


class RuleTerms(Model):
    """The terms of a rule, and its agent; a `thread` or `project` rule names its thread or project.

    `agent` is the id of the agent that the rule applies to, null for every agent.
    `locked` asks each time, and no decision on a card can change that. `shadow` decides nothing: the audit log records
    what it would have decided. `script_may_change` accepts later changes to the files that the command runs by name; an
    allow rule for such a command needs it, except for a thread.
    """

    rule: str
    effect: Literal["deny", "ask", "allow"] = "allow"
    scope: Literal["thread", "project", "always"] = "always"
    thread_id: str | None = None
    project: str | None = None
    agent: str | None = None
    why: str | None = None
    locked: bool = False
    shadow: bool = False
    script_may_change: bool = False


class RuleBody(RuleTerms):
    """`POST /v1/rules`: the terms of a rule, and `expires_in_s`, seconds from now."""

    expires_in_s: Number_ | None = None


class TriedCall(Model):
    """A call to try: as an agent would ask for it, with the folder in which it would run."""

    tool: str = "bash"
    input: JsonValue = None
    cwd: str | None = None


class RuleTrialBody(Model):
    """`POST /v1/rules/try`: a draft `rule`, a `call`, or both.

    The call is judged as a call of `agent` (an id) in the thread and the project of the rule, or else in these.
    """

    rule: RuleBody | None = None
    call: TriedCall | None = None
    thread_id: str | None = None
    project: str | None = None
    agent: str | None = None


class RulePreviewBody(Model):
    """`POST /v1/rules/preview`: a draft rule, and the `next_cursor` of the previous page."""

    rule: RuleBody
    cursor: str | None = None


class ImportedRule(RuleTerms):
    """A row of an export; its agent is found by `agent`, or else by `agent_name` if one agent has that name."""

    agent_name: str | None = None
    expires_at: str | None = None


class RuleImportBody(Model):
    """`POST /v1/rules/import`: an export. With `dry_run` nothing is stored; without, nothing if a row is refused."""

    rules: list[JsonValue]
    dry_run: bool = False
    exported_at: str | None = None
