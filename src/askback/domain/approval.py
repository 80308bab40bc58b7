"""Approvals: the tool call of an agent, and its display for a person.

The agent sends the call and its reason. The server makes everything that a person decides by (preview, risk,
rule) from the same values that the digest covers. The agent's own text (`title`, `reason`, its estimate of
the risk) is shown separately and marked as such.

A plan is an approval too: its text is the input of the tool `plan`, and no rule ever decides it.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from askback.domain.fields import Number_, ReadJson
from askback.domain.model import Model, empty_list
from askback.messages.languages import LocalText

ApprovalDecision = Literal["approve", "deny"]
Scope = Literal["once", "thread", "project", "always"]
Mode = Literal["plan", "normal", "accept_edits", "full"]

SCOPES: tuple[Scope, ...] = ("once", "thread", "always")
"""The scopes that are offered by default; `project` needs a name that only the agent knows."""

PLAN_TOOL = "plan"


class Risk(Model):
    """How dangerous a call is: a hint for people, never the only protection."""

    level: Literal["normal", "danger"] = "normal"
    reasons: list[str] = Field(default_factory=list)


class CurrentFile(Model):
    """The current content of the file, for the diff; null for a new file."""

    before: str | None = None


class Approval(Model):
    """The call that an agent wants to run: `tool` with `input`, any JSON value.

    `title` and `reason` are the agent's own text. `scopes` are the scopes it offers; `project` is the project name for
    the scope `project`. With `allow_edit` the person may change the input. `quorum` is how many people have to approve.
    An approval is valid for `valid_s` seconds after the decision. With `exclude_requester` the person that the agent
    works for cannot decide. `plan` (Markdown) replaces `tool` and `input`.

    The adapter, never the model, sets `cwd`, the folder in which the call runs if the input does not name one (it
    resolves relative paths and grants nothing), and `secret_free`, the folders in which it found no secret file, so
    that they may be searched.
    """

    tool: str | None = None
    input: ReadJson = None
    plan: str | None = None
    title: LocalText | None = None
    reason: LocalText | None = None
    risk: Risk | None = None
    scopes: list[Scope] | None = None
    project: str | None = None
    allow_edit: bool = False
    preview: CurrentFile | None = None
    quorum: int = 1
    exclude_requester: bool = False
    valid_s: Number_ | None = None
    cwd: str | None = None
    secret_free: list[str] | None = None


class _ReadModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Escape(_ReadModel):
    r"""Invisible or misleading characters, as `\u202e` or `\u007f×12`, or with the text between them, as `a%7fb`."""

    escape: str


Parts = list[str | Escape]
"""A text to show: plain pieces and escapes."""


class DiffLine(_ReadModel):
    """A line of a unified diff: unchanged, added, removed, or the header of a hunk."""

    op: Literal[" ", "+", "-", "@"]
    parts: Parts


class ReasonCode(_ReadModel):
    """A sentence as data: its code in the catalogue, and its parameters, which may nest.

    The text of a reason is `reason.<code>`, that of a headline `headline.<code>`.
    """

    code: str
    params: dict[str, ReadJson] = Field(default_factory=dict)


Role = Literal[
    "to",
    "cc",
    "bcc",
    "from",
    "subject",
    "body",
    "method",
    "url",
    "headers",
    "query",
    "database",
    "parameters",
]


class PreviewField(_ReadModel):
    """A member of the input: its name and its value.

    `role` is its part in an email, an HTTP request or a database query. `syntax` is `json` if the value is JSON, `sql`
    if it is a query. Without it the value is a text; a text that could be read as JSON has `json`, so that `"5"`
    differs from `5`.
    """

    name: Parts
    parts: Parts
    role: Role | None = None
    syntax: Literal["json", "sql"] | None = None


class Preview(_ReadModel):
    """The complete call that would run; nothing is cut.

    `command`: the command, or the argument vector quoted (`argv` is true), in `parts`, and its `folder`; `marks` are
    the dangerous words in it. `file`: `path`, `diff` (`whole`: of the whole file), and how many lines are `added` and
    `removed`. `mail`, `http`, `query` and `table`: the input in `fields`. `json`: the input in `parts`. `plan`: the
    plan in `parts`. The rest of the input is in `fields`, so that nothing is approved unseen, or in `rest`, as JSON.

    `headline` describes the effect in one line of at most 320 characters; its middle may be cut.
    `headline_code` is the same for other languages.
    """

    type: Literal["command", "file", "mail", "http", "query", "table", "json", "plan"]
    headline: str
    headline_code: ReasonCode | None = None
    parts: Parts = Field(default_factory=Parts)
    argv: bool = False
    marks: list[str] = Field(default_factory=list)
    path: Parts | None = None
    folder: Parts | None = None
    diff: list[DiffLine] | None = None
    whole: bool = False
    added: int = 0
    removed: int = 0
    fields: list[PreviewField] = Field(default_factory=empty_list)
    rest: Parts | None = None


ChoiceKind = Literal["exact", "options", "folder", "recipient", "site", "tool"]


class RuleChoice(_ReadModel):
    """A ready-made rule that can be stored.

    `exact`: exactly this call. `options`: the command `subject` with any arguments that are known to be safe. `folder`:
    every file below `subject`. `recipient`: every call to `subject`. `site`: every request to an address that begins
    with `subject`. `tool`: every call of the tool `subject`. The last three allow any other input.
    """

    rule: str
    kind: ChoiceKind
    subject: str | None = None


class ShownApproval(_ReadModel):
    """An approval as the server shows it; see `Approval` for the agent's part.

    `scopes` are the scopes that a person can choose. `rule` is the rule that every scope except `once` stores, unless
    one of `choices` is sent. `digest` binds the decision to the call. `reasons` explain in English why approval is
    needed; `reason_codes` and `risk_codes` are `reasons` and `risk.reasons` as codes, for other languages. `scripts`
    are files that the command runs by name: a rule beyond this thread also needs consent to later changes in them.
    `runs_project`: it runs code of the project, like `npm test`, so a stored rule also covers later changes to that
    code. `only_once` explains in English why no rule can be stored, if `once` is the only scope; `only_once_code` is
    the same as a code. `locked`: a rule asks each time, so no rule can be stored. `root` is a folder that a person may
    grant to the agent (`POST /v1/agents/{id}/roots`): with it, the call would have run without asking.
    """

    tool: str
    input: ReadJson = Field(default_factory=dict)
    plan: str | None = None
    title: LocalText | None = None
    reason: LocalText | None = None
    risk: Risk = Field(default_factory=Risk)
    agent_risk: Risk | None = None
    scopes: list[Scope] = Field(default_factory=lambda: list[Scope](("once",)))
    project: str | None = None
    cwd: str | None = None
    secret_free: list[str] = Field(default_factory=list)
    root: str | None = None
    allow_edit: bool = False
    quorum: int = 1
    exclude_requester: bool = False
    valid_s: float | None = None
    digest: str = ""
    rule: str | None = None
    choices: list[RuleChoice] = Field(default_factory=empty_list)
    scripts: list[str] = Field(default_factory=list)
    runs_project: bool = False
    only_once: str | None = None
    only_once_code: ReasonCode | None = None
    locked: bool = False
    reasons: list[str] = Field(default_factory=list)
    reason_codes: list[ReasonCode] = Field(default_factory=empty_list)
    risk_codes: list[ReasonCode] = Field(default_factory=empty_list)
    preview: Preview | None = None


class DecisionBody(Model):
    """`POST /v1/requests/{id}/answer` for an approval.

    `edited_input`, of the same JSON type, replaces the input. `rule` is the rule to store if it differs from the one
    shown. With a `scope` other than `once`, `approve` stores an allow rule and `deny` a deny rule. `script_may_change`
    accepts later changes to the files that the command runs by name. The rule applies to the agent that asked, or with
    `every_agent` to all agents. `grant_root` is valid with an approval `once`: it lets the agent read the folder
    `approval.root` from then on. `digest`, if sent, must be the digest of the call that was shown. `mode` is for
    approving a plan. A denial without `remember` applies to this request only. `languages` are those of the person,
    the preferred one first.
    """

    revision: int
    decision: ApprovalDecision
    scope: Scope = "once"
    note: str | None = None
    edited_input: ReadJson = None
    rule: str | None = None
    script_may_change: bool = False
    every_agent: bool = False
    grant_root: bool = False
    digest: str | None = None
    mode: Literal["normal", "accept_edits"] | None = None
    remember: bool = True
    languages: list[str] | None = None
