"""The request and its answer, as they travel: what is sent to ask, and what is read back."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue

from askback.domain.approval import Approval, Mode, Scope, ShownApproval, Verdict
from askback.domain.fields import Form, Model, Number_
from askback.domain.lifecycle import TERMINAL, Status
from askback.domain.secrets.asked import SecretAsk, ShownSecret

KINDS = ("form", "approval", "secret")


def _agent(raw: Any) -> Any:
    return {"name": raw} if isinstance(raw, str) else raw


class Agent(Model):
    """Who says that it asks. Shown to the person beside the token's own name, which the agent cannot choose."""

    name: str
    tool: str | None = None


AgentLike = Annotated[Agent, BeforeValidator(_agent, json_schema_input_type=str | Agent)]


class Envelope(Model):
    """What every body of `POST /v1/requests` says: where in which conversation, by whom, for whom, for how long.

    `timeout_s` is in seconds, from creation; null means that it never expires. Only `assignees`, named by the
    name or the id of a principal, may answer; without them every responder may.
    """

    thread_id: str
    run_id: str | None = None
    message_id: str | None = None
    tool_call_id: str | None = None
    agent: AgentLike | None = None
    assignees: list[str] | None = None
    delivery: Literal["block"] = "block"
    timeout_s: Number_ | None = None


class Ask(Envelope):
    """A form, asked of a person."""

    kind: Literal["form"]
    form: Form
    on_timeout: Literal["expire"] = "expire"


class ApprovalAsk(Envelope):
    """A tool call that wants to run. Without `timeout_s` it is open for `Limits.approval_timeout_s`.

    Both words of `on_timeout` mean the same: nobody said yes, so it does not run.
    """

    kind: Literal["approval"]
    approval: Approval
    on_timeout: Literal["deny", "expire"] = "deny"


class SecretRequest(Envelope):
    """Values that the agent may use and never sees. It does not expire unless it says so."""

    kind: Literal["secret"]
    secret: SecretAsk
    on_timeout: Literal["expire"] = "expire"


class _Read(BaseModel):
    """Read models ignore keys they do not know, so that an older client can talk to a newer server."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Actor(_Read):
    """Who did something: a token or a browser session, by id and by the name to show."""

    id: str
    name: str


class KeptRule(_Read):
    """The rule that a decision stored."""

    id: str
    text: str


class Answer(_Read):
    """What the person, or a rule, said: a form's cleaned `values` by field id, an approval's `decision`, or names.

    `other[id]` is true where (part of) the value was typed by the person instead of chosen. `edited_input` replaces
    the input that was asked about; `digest` is that of the call which may run, until `expires_at`. `reasons` are the
    policy's sentences, `policy_rule` the text of the rule that decided, `rule` what this decision stored. `names` are
    the secrets that the agent may use now; those in `existing` were kept before.
    """

    values: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    other: dict[str, bool] = Field(default_factory=dict[str, bool])
    decision: Verdict | None = None
    scope: Scope | Literal["session", "global"] | None = None
    note: str | None = None
    edited_input: dict[str, JsonValue] | None = None
    mode: Mode | None = None
    digest: str | None = None
    expires_at: datetime | None = None
    rule: KeptRule | None = None
    policy_rule: str | None = None
    names: list[str] = Field(default_factory=list[str])
    existing: list[str] = Field(default_factory=list[str])
    reasons: list[str] = Field(default_factory=list[str])

    @property
    def reused(self) -> bool:
        """Whether all of the secrets were kept before, so that nothing was typed."""
        return bool(self.names) and set(self.names) <= set(self.existing)


class FieldError(_Read):
    """What was wrong with one field of what was sent before, in words for the person."""

    path: str
    message: str


class Vote(_Read):
    """One of several decisions that a request needs."""

    by: Actor
    decision: Verdict
    at: datetime


class InputRequest(_Read):
    """A request as the server shows it: what was asked, where it stands, and how it ended."""

    id: str
    kind: str
    thread_id: str
    run_id: str | None = None
    message_id: str | None = None
    tool_call_id: str | None = None
    agent: Agent | None = None
    requester: Actor | None = None
    form: Form | None = None
    approval: ShownApproval | None = None
    secret: ShownSecret | None = None
    assignees: list[str] | None = None
    delivery: str = "block"
    created_at: datetime
    expires_at: datetime | None = None
    status: Status
    revision: int
    answer: Answer | None = None
    source: str | None = None
    reason: str | None = None
    note: str | None = None
    settled_at: datetime | None = None
    settled_by: Actor | None = None
    votes: list[Vote] = Field(default_factory=list[Vote])
    submitted: Answer | None = None
    """What was sent and is being tried: the names, and never a value."""
    field_errors: list[FieldError] = Field(default_factory=list[FieldError])
    error_summary: str | None = None
    repeated: bool = False
    """The same call was refused before in this thread: this is that earlier request, and nobody was asked again."""

    @property
    def settled(self) -> bool:
        """Whether the request has ended, in whatever way."""
        return self.status in TERMINAL
