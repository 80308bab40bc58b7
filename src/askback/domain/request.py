"""The request and its answer, as they travel: what is sent to ask, and what is read back."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue

from askback.domain.actor import Actor
from askback.domain.approval import Approval, Mode, ReasonCode, Scope, ShownApproval, Verdict
from askback.domain.check import Check
from askback.domain.deadlines import EscalationStep
from askback.domain.fields import Form, Model, Number_, ReadJson
from askback.domain.lifecycle import TERMINAL, Status
from askback.domain.secrets.asked import SecretAsk, ShownSecret


def _agent(raw: Any) -> Any:
    return {"name": raw} if isinstance(raw, str) else raw


class Agent(Model):
    """The agent's description of itself, shown beside the name of the token, which the agent cannot choose."""

    name: str
    tool: str | None = None


AgentLike = Annotated[Agent, BeforeValidator(_agent, json_schema_input_type=str | Agent)]


class Envelope(Model):
    """What every body of `POST /v1/requests` says: where in which conversation, by whom, for whom, for how long.

    `timeout_s` is in seconds, from creation or from when it is first `shown`; null means that it never expires. Only
    `assignees` may answer, each the `id` or `user` of a principal or `group:NAME`; without them every responder may.

    With the delivery `resume` nobody waits: what comes of it is queued for the requester, unless `auto_resume` is off.
    Of `block` the same becomes when whoever waited has gone. `escalation` are steps while nobody has answered.
    `require_client` says what if nobody has a page open: it stays, waits for somebody for a while, or ends at once.

    Of the requests of one agent in one thread with the same `exclusive_key` at most one is open. `on_conflict` says
    what if there is one: it is superseded, the new one is rejected, or waits in line behind it.
    """

    thread_id: str
    run_id: str | None = None
    message_id: str | None = None
    tool_call_id: str | None = None
    agent: AgentLike | None = None
    assignees: list[str] | None = None
    delivery: Literal["block", "resume"] = "block"
    auto_resume: bool = True
    timeout_s: Number_ | None = None
    timeout_from: Literal["created", "shown"] = "created"
    escalation: list[EscalationStep] | None = None
    require_client: Literal["durable", "wait", "fail_fast"] = "durable"
    exclusive_key: str | None = None
    on_conflict: Literal["supersede", "reject", "queue"] = "supersede"


class Ask(Envelope):
    """A form for a person to fill in.

    With a `validator`, a valid answer is `resolving` until the requester accepts it or asks again.
    `on_timeout`: `expire`; `default` answers with the defaults of the form; `resume` leaves it open without a deadline.
    `repeat` applies if a person has just refused the same form: `refuse` it again, or `ask` anyway.
    """

    kind: Literal["form"]
    form: Form
    validator: Literal["requester"] | None = None
    on_timeout: Literal["expire", "default", "resume"] = "expire"
    repeat: Literal["refuse", "ask"] = "refuse"


class ApprovalAsk(Envelope):
    """A tool call that needs approval. Without `timeout_s` it is open for `Limits.approval_timeout_s`.

    `on_timeout`: `deny` and `expire` mean the same: nobody approved the call, so it does not run. `resume` leaves it
    open.
    """

    kind: Literal["approval"]
    approval: Approval
    on_timeout: Literal["deny", "expire", "resume"] = "deny"


class SecretRequest(Envelope):
    """A request for values that the agent may use but never sees. Without `timeout_s` it does not expire."""

    kind: Literal["secret"]
    secret: SecretAsk
    on_timeout: Literal["expire", "resume"] = "expire"


class _Read(BaseModel):
    """Read models ignore keys they do not know, so that an older client can talk to a newer server."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class KeptRule(_Read):
    """The rule that a decision stored."""

    id: str
    text: str


class Answer(_Read):
    """The answer of a person or a rule: a form's cleaned `values` by field id, an approval's `decision`, or names.

    `other[id]` is true if the person typed (part of) the value instead of choosing it. `edited_input` replaces the
    requested input; `digest` is the digest of the call that may run until `expires_at`. `reasons` are the policy's
    sentences, `reason_codes` the same as data, `policy_rule` the text of the rule that decided, `rule` the rule that
    this decision stored, and `root` the folder that it granted to the agent. `names` are the secrets that the agent may
    use now; those in `existing` were stored before. `verified` is true if a probe of the server accepted the values,
    and false if the probe could not tell.
    """

    values: dict[str, ReadJson] = Field(default_factory=dict[str, ReadJson])
    other: dict[str, bool] = Field(default_factory=dict[str, bool])
    decision: Verdict | None = None
    scope: Scope | Literal["session", "global"] | None = None
    note: str | None = None
    edited_input: dict[str, JsonValue] | None = None
    mode: Mode | None = None
    digest: str | None = None
    expires_at: datetime | None = None
    rule: KeptRule | None = None
    root: str | None = None
    policy_rule: str | None = None
    names: list[str] = Field(default_factory=list[str])
    existing: list[str] = Field(default_factory=list[str])
    verified: bool | None = None
    reasons: list[str] = Field(default_factory=list[str])
    reason_codes: list[ReasonCode] = Field(default_factory=list[ReasonCode])

    @property
    def reused(self) -> bool:
        """Whether all of the secrets were kept before, so that nothing was typed."""
        return bool(self.names) and set(self.names) <= set(self.existing)


class FieldError(_Read):
    """An error in one field of the previous submission, as text for the person."""

    path: str
    message: str


class Vote(_Read):
    """One of several decisions that a request needs."""

    by: Actor
    decision: Verdict
    at: datetime


class Remembered(_Read):
    """A remembered refusal: nobody is asked again before `until`; `count` is the number of refusals within an hour."""

    until: datetime
    count: int


class Revocation(_Read):
    """A person revoked an approval."""

    at: datetime
    by: Actor


class InputRequest(_Read):
    """A request as the server shows it: the question, the current status, and the outcome."""

    id: str
    kind: str
    thread_id: str
    run_id: str | None = None
    message_id: str | None = None
    tool_call_id: str | None = None
    agent: Agent | None = None
    requester: Actor | None = None
    traceparent: str | None = None
    """The trace that it was asked in (W3C Trace Context)."""
    form: Form | None = None
    approval: ShownApproval | None = None
    secret: ShownSecret | None = None
    assignees: list[str] | None = None
    delivery: str = "block"
    auto_resume: bool = True
    validator: str | None = None
    created_at: datetime
    expires_at: datetime | None = None
    status: Status
    revision: int
    answer: Answer | None = None
    source: str | None = None
    reason: str | None = None
    note: str | None = None
    refusal: Remembered | None = None
    """How long the same is not asked again, where a person refused it."""
    submission: Literal["accepted", "checking", "reprompted", "refused"] | None = None
    """What became of an answer that was sent before, and comes again with its key."""
    settled_at: datetime | None = None
    settled_by: Actor | None = None
    votes: list[Vote] = Field(default_factory=list[Vote])
    submitted: Answer | None = None
    """What was sent and is being checked, or was sent back: a form's values, the names of secrets, never a secret."""
    shown_at: datetime | None = None
    escalated: int = 0
    """How many steps of the escalation were taken."""
    assigned: list[str] = Field(default_factory=list[str])
    """Who may answer as well, since a step of the escalation."""
    unseen: bool = False
    """Nobody has had a page open yet who would see it; without anybody it is taken back in a while."""
    detached: bool = False
    """Nobody waits for it any more: what comes of it is queued for the requester."""
    check: Check | None = None
    """Who checks what was sent, and until when."""
    time_left_s: float | None = None
    """What is left of the deadline, which stands still while an answer is checked."""
    field_errors: list[FieldError] = Field(default_factory=list[FieldError])
    error_summary: str | None = None
    queued: bool = False
    """What came of it is queued for the requester; where somebody waits after all, that is dropped again."""
    queued_behind: bool = False
    """It waits in line for another with its `exclusive_key`, and nobody can answer it yet."""
    level: str | None = None
    """What a person who lists requests may do in its thread; see `domain/access.py`."""
    used_at: datetime | None = None
    """When the call that a person approved was used to run."""
    revoked: Revocation | None = None
    """Who took the approval back before the call has run, and when."""
    repeated: bool = False
    """The same was refused before in this thread: this is that earlier request, and nobody was asked again."""

    @property
    def settled(self) -> bool:
        """Whether the request has ended, in whatever way."""
        return self.status in TERMINAL
