"""The bodies of the other operations, as closed models."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from askback.domain.access import Access, Level
from askback.domain.approval import Mode, Scope, Verdict
from askback.domain.fields import Form, Model, Number_, ReadJson
from askback.domain.policy import table
from askback.domain.policy.conduct import FreeText
from askback.domain.policy.preferences import Trial
from askback.domain.secrets.asked import SecretScope


class AnswerBody(Model):
    """`POST /v1/requests/{id}/answer`: the revision that the person saw, and the values by field id."""

    revision: int
    values: ReadJson


class DecisionBody(Model):
    """`POST /v1/requests/{id}/answer` for an approval.

    `edited_input` replaces the input. `rule` is the rule to store if it differs from the one shown. With a `scope`
    other than `once`, `approve` stores an allow rule and `deny` a deny rule. `script_may_change` accepts later changes
    to the files that the command runs by name. The rule applies to the agent that asked, or with `every_agent` to all
    agents. `grant_root` is valid with an approval `once`: it lets the agent read the folder `approval.root` from then
    on. `digest`, if sent, must be the digest of the call that was shown. `mode` is for approving a plan. A denial
    without `remember` applies to this request only.
    """

    revision: int
    decision: Verdict
    scope: Scope = "once"
    note: str | None = None
    edited_input: dict[str, JsonValue] | None = None
    rule: str | None = None
    script_may_change: bool = False
    every_agent: bool = False
    grant_root: bool = False
    digest: str | None = None
    mode: Literal["normal", "accept_edits"] | None = None
    remember: bool = True


class ConsumeBody(Model):
    """`POST /v1/requests/{id}/consume`: the id of the execution, and the call or its digest.

    Without a call or digest, the executor must run exactly the call in the reply.
    """

    execution_id: str
    tool: str | None = None
    input: dict[str, JsonValue] | None = None
    digest: str | None = None


class ReportBody(Model):
    """`POST /v1/requests/{id}/report`: the outcome of the execution."""

    execution_id: str
    outcome: Literal["succeeded", "failed"]
    note: str | None = None


class BatchItem(Model):
    """One request of a batch, as the person saw it."""

    id: str
    revision: int = 1
    digest: str | None = None


class BatchBody(Model):
    """`POST /v1/requests/batch`: one decision for each listed request; no rule is stored."""

    action: Literal["approve", "deny", "decline"]
    requests: list[BatchItem]
    reason: Literal["dismissed", "refused"] | None = None
    note: str | None = None


class RuleBody(Model):
    """`POST /v1/rules`. A `thread` or `project` rule names its thread or project; `expires_in_s` is seconds from now.

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
    expires_in_s: Number_ | None = None
    why: str | None = None
    locked: bool = False
    shadow: bool = False
    script_may_change: bool = False


class ShadowBody(Trial):
    """Settings that are tried without effect."""

    model_config = Model.model_config


class PolicyBody(Model):
    """`POST /v1/policy`: a setting that is left out stays unchanged; null resets it to its default.

    For a thread, null resets a setting to the tenant's value.

    With `thread_id`, only `mode` and the conversation settings (`domain/policy/conduct.py`) can be set, for that
    thread.

    A mode of a thread that allows more (`accept_edits`, `full`) applies to the agents that asked or wrote there before,
    or to `mode_agents`.

    `confirm` must be `ENABLE FULL` to switch to the mode or the level `full`. `shadow` has settings to try: the audit
    log records what they would have decided; null ends the trial.
    """

    thread_id: str | None = None
    mode: Mode | None = None
    level: table.Level | None = None
    ask_mode: table.AskMode | None = None
    lists: list[str] | None = None
    shadow: ShadowBody | None = None
    mode_agents: list[str] | None = None
    free_text: FreeText | None = None
    max_questions: int | None = None
    questions_window_s: int | None = None
    max_questions_text: str | None = None
    refund_questions: bool | None = None
    max_pending: int | None = None
    max_pending_per_agent: int | None = None
    max_submissions_per_minute: int | None = None
    max_messages_per_hour: int | None = None
    retention_days: int | None = None
    confirm: str | None = None


class SubmissionBody(Model):
    """`POST /v1/requests/{id}/answer` for secrets. For the OpenAPI document: no model ever reads one."""

    revision: int
    secrets: dict[str, str] = Field(default_factory=dict[str, str])
    use_existing: list[str] = Field(default_factory=list[str])
    scope: SecretScope | None = None


class KeepBody(Model):
    """`POST /v1/secrets`. For the OpenAPI document: no model ever reads one."""

    name: str
    value: str
    scope: SecretScope
    thread_id: str | None = None
    project: str | None = None


class RotateBody(Model):
    """`POST /v1/secrets/rotate`: whether the key file keeps old keys that no secret uses any more."""

    keep_old: bool = False


class EmptyBody(Model):
    """`{}`: the path has all information. Any key is refused."""


class FieldFault(Model):
    """An error that the requester found in one field, as text for the person."""

    path: str
    message: str


class RepromptBody(Model):
    """`POST /v1/requests/{id}/reprompt`: ask again, with errors or another `form`."""

    field_errors: list[FieldFault] = Field(default_factory=list[FieldFault])
    error_summary: str | None = None
    form: Form | None = None


class AckBody(Model):
    """`POST /v1/resumes/{id}/ack`: the `attempt` of the lease that the agent acknowledges."""

    attempt: int


class ResetBody(Model):
    """`POST /v1/limits/reset`: the thread whose question count is reset."""

    thread_id: str


class LeaseBody(Model):
    """`POST /v1/secrets/lease`: names granted to the agent in a thread, or `refs` of sensitive fields.

    With the `request_id` of a request that is `resolving`, the values to test.
    """

    thread_id: str
    names: list[str] = Field(default_factory=list[str])
    refs: list[str] = Field(default_factory=list[str])
    request_id: str | None = None


class AccessBody(Model):
    """`PUT /v1/threads/{id}/access`: the owner of a thread, and the levels of other people.

    `agents` is the complete list of ids of the agents that may use the thread: an agent that a person leaves out loses
    access. `agents_of` is a person whose agents may all use it. Without `owner` the people stay unchanged, and without
    `agents` and `agents_of` the agents do.
    """

    owner: str | None = None
    others: Literal["none", "view", "prompt", "all"] = "none"
    people: dict[str, Literal["view", "prompt", "all"]] = Field(
        default_factory=dict[str, Literal["view", "prompt", "all"]]
    )

    agents: list[str] | None = None
    agents_of: str | None = None

    def people_of(self, before: Access) -> Access:
        """Return an access with the people that were sent, and the agents that it had before."""
        if self.owner is None:
            return before
        people = {person: Level[word.upper()] for person, word in self.people.items()}
        return Access(self.owner, Level[self.others.upper()], people, before.agents)


class DeclineBody(Model):
    """`POST /v1/requests/{id}/decline`. Without `remember` the agent may ask the same again at once."""

    reason: Literal["skipped", "dismissed", "refused"]
    note: str | None = None
    remember: bool = True


class CancelBody(Model):
    """`POST /v1/requests/{id}/cancel`; the default reason depends on the role. Only admins may send `admin`."""

    reason: Literal["agent_aborted", "user_message", "superseded", "shutdown", "failed", "admin"] | None = (
        None
    )
    note: str | None = None


class TextBlock(Model):
    """Text, shown as it is written."""

    type: Literal["text"] = "text"
    text: str


class ToolBlock(Model):
    """A tool call; requests with the same `tool_call_id` are shown after it."""

    type: Literal["tool"] = "tool"
    tool_call_id: str
    name: str
    input: JsonValue = None
    status: Literal["running", "done", "failed"] | None = None


class ImageBlock(Model):
    """A picture with an https or `data:image/…` address, and its alternative text."""

    type: Literal["image"] = "image"
    url: str
    alt: str


class RequestBlock(Model):
    """The place of a request in the conversation."""

    type: Literal["request"] = "request"
    request_id: str


Block = Annotated[TextBlock | ToolBlock | ImageBlock | RequestBlock, Field(discriminator="type")]


class MessageBody(Model):
    """A whole message for a thread."""

    content: list[Block]
    run_id: str | None = None
    id: str | None = None


class AppendBody(Model):
    """More text for the last text block of a message."""

    append_to: str
    text: str
