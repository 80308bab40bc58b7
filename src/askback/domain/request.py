"""The wire models of requests and answers."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from askback.domain.access import Actor, LevelWord
from askback.domain.action import ActionAsk, ActionOutcome, ShownAction
from askback.domain.approval import Approval, ApprovalDecision, Mode, ReasonCode, Scope, ShownApproval
from askback.domain.check import Check
from askback.domain.deadlines import EscalationStep
from askback.domain.fields import Form, Number_, ReadJson
from askback.domain.lifecycle import TERMINAL, Status
from askback.domain.limits import Limits
from askback.domain.model import Model, empty_list
from askback.domain.secrets.request import SecretAsk, ShownSecret
from askback.domain.state_models import (
    Assignment,
    FailedAttempt,
    FieldError,
    FieldWarning,
    Hook,
    PendingEnd,
    ReadModel,
    RememberedRefusal,
    Revocation,
    Vote,
)
from askback.domain.view_model import RequestView


def _agent(raw: Any) -> Any:
    return {"name": raw} if isinstance(raw, str) else raw


class Agent(Model):
    """The agent's description of itself, shown next to the name of its token, which it cannot choose."""

    name: str
    tool: str | None = None


AgentLike = Annotated[Agent, BeforeValidator(_agent, json_schema_input_type=str | Agent)]


Presentation = Literal["inline", "standalone", "composer"]


class AskTexts(Model):
    """Sentences for a model in place of the usual ones: for an answer, and for any decline.

    In `answered`, `{labels}` stands for the labels of the chosen options, and `{answers}` for all answers.
    """

    answered: str | None = None
    declined: str | None = None


class Envelope(Model):
    """The members of every body of `POST /v1/requests`: the conversation, agent, assignees and deadline.

    `timeout_s` is in seconds, from creation or from when it is first `shown`; null means that it never expires. Only
    `assignees` may answer, each the `id` or `user` of a principal or `group:NAME`; without them every responder may.

    With the delivery `resume` the outcome is queued for the requester, unless `auto_resume` is off. With
    `block` this happens only if the waiting client has disconnected. `escalation` are steps to take while
    nobody has answered. `require_client` applies if nobody has a page open: the request stays open, waits for
    a viewer for a while, or ends immediately.

    An agent has at most one open request with the same `exclusive_key` in a thread. `on_conflict` applies if
    there is one: it is superseded, or the new one is rejected or queued behind it.

    `presentation` is its place in a conversation: `inline` where the agent asked, `standalone` as a separate
    block at the end, `composer` in place of the message box while it is open. A terminal shows all in the
    same place.

    `external_id` is the agent's own id: the same id in the same thread returns the same request. `metadata`
    is any JSON of the agent, which is stored and returned unchanged.
    """

    thread_id: str
    external_id: str | None = None
    metadata: ReadJson = None
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
    presentation: Presentation = "inline"

    def timeout(self, limits: Limits) -> float | None:  # noqa: ARG002 - approvals have a default
        """Return the seconds until its deadline; None if it never expires."""
        return self.timeout_s


class FieldFault(Model):
    """The requester's error message for one field, as text for the person."""

    path: str
    message: str


class AskedLimit(Model):
    """The agent's own limit of the forms of one tool in a thread; beyond it a form is refused with `text`."""

    max: int
    text: str | None = None


class Ask(Envelope):
    """A form for a person to fill in.

    With the `validator` `requester`, a valid answer is `resolving` until the requester accepts it or asks again; with
    another name, until the validator of the server with this name does.
    `on_timeout`: `expire`; `default` answers with the defaults of the form; `resume` leaves it open without a deadline;
    `cancel` ends it as cancelled, with the reason `timeout`. `field_errors` and `error_summary` are shown
    with the form from the beginning, as they are after a reprompt.

    Before a decline or a deadline in `hooks` counts, the validator or the requester decides about it: accept
    it, answer instead, or ask again (after a decline only once).

    `repeat` applies if a person has just refused the same form: `refuse` it again, or `ask` anyway.

    `question_limit` counts the forms of the same `agent.tool` in the thread, or without a tool those of the
    agent. It numbers the form, and has no window. A limit of the policy for the same tool or agent applies
    instead. `texts` replace the usual sentences for the model.
    """

    kind: Literal["form"]
    form: Form
    validator: str | None = None
    hooks: list[Hook] = Field(default_factory=empty_list)
    on_timeout: Literal["expire", "default", "resume", "cancel"] = "expire"
    repeat: Literal["refuse", "ask"] = "refuse"
    question_limit: AskedLimit | None = None
    field_errors: list[FieldFault] | None = None
    error_summary: str | None = None
    texts: AskTexts | None = None


class ApprovalAsk(Envelope):
    """A tool call that needs approval. Without `timeout_s` it is open for `Limits.approval_timeout_s`.

    `on_timeout`: `deny` and `expire` mean the same: nobody approved the call, so it does not run. `resume` leaves it
    open; `cancel` ends it as cancelled.
    """

    kind: Literal["approval"]
    approval: Approval
    on_timeout: Literal["deny", "expire", "resume", "cancel"] = "deny"

    def timeout(self, limits: Limits) -> float | None:
        """See `Envelope`; a body without `timeout_s` has the default of approvals."""
        return self.timeout_s if "timeout_s" in self.model_fields_set else limits.approval_timeout_s


class SecretRequest(Envelope):
    """A request for values that the agent may use but never sees. Without `timeout_s` it does not expire."""

    kind: Literal["secret"]
    secret: SecretAsk
    on_timeout: Literal["expire", "resume", "cancel"] = "expire"


class ActionRequest(Envelope):
    """A request to do something elsewhere. Without `timeout_s` it does not expire.

    With a `validator`, "done" is `resolving` until the requester accepts it or asks again.
    """

    kind: Literal["action"]
    action: ActionAsk
    validator: Literal["requester"] | None = None
    on_timeout: Literal["expire", "resume", "cancel"] = "expire"


class PackageRequest(Envelope):
    """A request of a kind that a package of the server adds; `data` is checked by the package."""

    kind: str
    data: dict[str, ReadJson]
    on_timeout: Literal["expire", "resume", "cancel"] = "expire"


class KeptRule(ReadModel):
    """The rule that a decision stored."""

    id: str
    text: str


class ShownTexts(ReadModel):
    """The texts that the person saw, for a request in several languages, or for options from a source.

    `locale` is the language that was shown. `labels` are the names of the fields, and `options` the labels of
    the chosen options, by field id. `title`, `reason`, `description` and `label` are the agent's words in a
    request of another kind.
    """

    locale: str | None = None
    labels: dict[str, str] = Field(default_factory=dict)
    options: dict[str, list[str]] = Field(default_factory=dict)
    title: str | None = None
    reason: str | None = None
    description: str | None = None
    label: str | None = None


class Answer(ReadModel):
    """The answer of a person or a rule: a form's cleaned `values` by field id, an approval's `decision`, or names.

    `other[id]` is true if the person typed (part of) the value instead of choosing it, `skipped[id]` if the person
    skipped the question; `control` is the field whose control answered a form with `submit`. `edited_input`
    replaces the requested input; `digest` is the digest of the call that may run until `expires_at`. `reasons` are the
    policy's sentences, `reason_codes` the same as data, `policy_rule` the text of the rule that decided, `rule` the
    rule that this decision stored, and `root` the folder that it granted to the agent. `names` are the secrets that the
    agent may use now; those in `existing` were stored before. `verified` is true if a probe of the server accepted the
    values, and false if the probe could not tell. `result` is the result of the check, and `message` its
    sentence for the person. `outcome` is the outcome of an action, and `reason` why it failed. `data` answers
    a kind of a package, and `text` is its sentence for a model. `message_id` is the message with the same
    answer.
    """

    values: dict[str, ReadJson] = Field(default_factory=dict)
    other: dict[str, bool] = Field(default_factory=dict)
    skipped: dict[str, bool] = Field(default_factory=dict)
    shown: ShownTexts | None = None
    control: str | None = None
    decision: ApprovalDecision | None = None
    scope: Scope | Literal["session", "global"] | None = None
    note: str | None = None
    edited_input: ReadJson = None
    mode: Mode | None = None
    digest: str | None = None
    expires_at: datetime | None = None
    rule: KeptRule | None = None
    root: str | None = None
    policy_rule: str | None = None
    names: list[str] = Field(default_factory=list)
    existing: list[str] = Field(default_factory=list)
    verified: bool | None = None
    outcome: ActionOutcome | None = None
    reason: str | None = None
    data: ReadJson = None
    text: str | None = None
    reasons: list[str] = Field(default_factory=list)
    reason_codes: list[ReasonCode] = Field(default_factory=empty_list)
    result: ReadJson = None
    message: str | None = None
    message_id: str | None = None

    @property
    def reused(self) -> bool:
        """Whether all of the secrets were stored before, so that nothing was typed."""
        return bool(self.names) and set(self.names) <= set(self.existing)


class InputRequest(ReadModel):
    """A request as the server shows it: the question, the current status, and the outcome."""

    id: str
    kind: str
    thread_id: str
    external_id: str | None = None
    """The agent's own id of the request."""
    metadata: ReadJson = None
    """The agent's own data."""
    ordinal: int | None = None
    """The number of a form among those of its thread that count towards its `question_limit`, else `max_questions`."""
    of: int | None = None
    """The limit for `ordinal`."""
    run_id: str | None = None
    message_id: str | None = None
    tool_call_id: str | None = None
    agent: Agent | None = None
    requester: Actor | None = None
    traceparent: str | None = None
    """The trace of the call that created it (W3C Trace Context)."""
    form: Form | None = None
    questions: int | None = None
    """The number of fields of the form, in a list with `brief`, which omits the fields."""
    approval: ShownApproval | None = None
    secret: ShownSecret | None = None
    action: ShownAction | None = None
    data: dict[str, ReadJson] | None = None
    """The data of a kind of a package."""
    summary: str | None = None
    """The summary of a kind of a package, in one line."""
    assignees: list[str] | None = None
    delivery: Literal["block", "resume"] = "block"
    auto_resume: bool = True
    timeout_s: float | None = None
    timeout_from: Literal["created", "shown"] = "created"
    on_timeout: Literal["expire", "deny", "default", "resume", "cancel"] | None = None
    escalation: list[EscalationStep] | None = None
    require_client: Literal["durable", "wait", "fail_fast"] = "durable"
    exclusive_key: str | None = None
    on_conflict: Literal["supersede", "reject", "queue"] = "supersede"
    presentation: Presentation = "inline"
    repeat: Literal["refuse", "ask"] = "refuse"
    texts: AskTexts | None = None
    validator: str | None = None
    view: RequestView | None = None
    created_at: datetime
    expires_at: datetime | None = None
    status: Status
    revision: int
    answer: Answer | None = None
    source: str | None = None
    reason: str | None = None
    note: str | None = None
    refusal: RememberedRefusal | None = None
    """How long the same request is refused without asking, after a person refused it."""
    submission: Literal["accepted", "checking", "reprompted", "refused"] | None = None
    """The outcome of an earlier answer that was sent again with its key."""
    warnings: list[FieldWarning] = Field(default_factory=empty_list)
    """Only in the reply to an answer: what may be wrong with its values, which were accepted."""
    settled_at: datetime | None = None
    settled_by: Actor | None = None
    votes: list[Vote] = Field(default_factory=empty_list)
    submitted: Answer | None = None
    """The answer that is being checked or was sent back: a form's values, the names of secrets, never a secret."""
    submitted_by: Actor | None = None
    """Who sent the `submission`."""
    hooks: list[Hook] = Field(default_factory=empty_list)
    held: PendingEnd | None = None
    """The decline or deadline that a hook is deciding about."""
    declined_once: bool = False
    """A hook has already decided about a decline: the next one counts immediately."""
    updates: int = 0
    """How often the requester has changed the request."""
    notified: list[str] = Field(default_factory=list)
    """The people whom escalation steps have notified."""
    attempt: FailedAttempt | None = None
    """The last failed attempt of an action, while it can be tried again."""
    tried_until: datetime | None = None
    """The time until which a probe of the server tests the submitted secrets."""
    shown_at: datetime | None = None
    escalated: int = 0
    """The number of escalation steps taken."""
    assigned: list[str] = Field(default_factory=list)
    """The people whom an escalation step allowed to answer."""
    assignment: Assignment | None = None
    """The current assignment by a person."""
    unseen: bool = False
    """No viewer has had a page open yet; without one the request is soon cancelled."""
    detached: bool = False
    """Nobody waits for the request any longer: its outcome is queued for the requester."""
    check: Check | None = None
    """Who checks the answer, and until when."""
    time_left_s: float | None = None
    """The time left until the deadline, which is paused while an answer is checked."""
    field_errors: list[FieldError] = Field(default_factory=empty_list)
    error_summary: str | None = None
    queued: bool = False
    """The outcome is queued for the requester; it is dropped if somebody waits after all."""
    queued_behind: bool = False
    """The request is queued behind another one with its `exclusive_key`, and nobody can answer it yet."""
    thread_title: str | None = None
    """The title of its thread, in the history."""
    level: LevelWord | None = None
    """The access level in its thread of the person who lists requests; see `domain/access.py`."""
    used_at: datetime | None = None
    """When the approved call was used."""
    revoked: Revocation | None = None
    """Who revoked the approval before the call ran, and when."""
    repeated: bool = False
    """This is an earlier, refused request: the same one was sent again in this thread, and nobody was asked."""

    @property
    def audience(self) -> list[str]:
        """The assignees who may answer; empty if everybody with the needed level in the thread may."""
        assignees = (self.assignment and self.assignment.assignees) or self.assignees
        return [*assignees, *self.assigned] if assignees else []

    @property
    def settled(self) -> bool:
        """Whether the request has ended, in any way."""
        return self.status in TERMINAL
