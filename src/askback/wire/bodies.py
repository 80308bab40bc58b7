"""The bodies of the operations, as closed models; those of new requests are in `domain/request.py`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from askback.domain.access import AccessLevel, AccessList
from askback.domain.approval import ApprovalDecision, Mode
from askback.domain.fields import ReadJson
from askback.domain.model import Model
from askback.domain.policy import decision_table
from askback.domain.policy.settings import FreeText, ShadowSettings
from askback.domain.secrets.request import SecretScope
from askback.domain.webhooks import RESUME, WebhookEvent


class AnswerBody(Model):
    """`POST /v1/requests/{id}/answer`: the revision that the person saw, and the values by field id.

    `skipped` are the ids of questions that the person skipped, each a field with `allow_skip`.
    `languages` are those of the person, the preferred one first, if the form has texts in several.
    `control` is the field that answers a form with `submit` `first` or `each`.
    """

    revision: int
    values: ReadJson
    skipped: list[str] | None = None
    languages: list[str] | None = None
    control: str | None = None


class PackageAnswerBody(Model):
    """`POST /v1/requests/{id}/answer` for a kind of a package, which checks the data."""

    revision: int
    data: JsonValue


class ConsumeBody(Model):
    """`POST /v1/requests/{id}/consume`: the id of the execution, and the call or its digest.

    Without a call or digest, the executor must run exactly the call in the reply.
    """

    execution_id: str
    tool: str | None = None
    input: JsonValue = None
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


class ShadowBody(ShadowSettings):
    """Settings to try without effect."""

    model_config = Model.model_config


class QuestionLimitBody(Model):
    """The maximum number of questions in a thread, of a `tool`, an `agent` (its id), or this tool of this agent."""

    tool: str | None = None
    agent: str | None = None
    max: int
    text: str | None = None


class PolicyBody(Model):
    """`POST /v1/policy`: a setting that is left out stays unchanged; null resets it to its default.

    For a thread, null resets a setting to the tenant's value.

    With `thread_id`, only `mode` and the conversation settings (`domain/policy/settings.py`) can be set, for that
    thread.

    A mode of a thread that allows more (`accept_edits`, `full`) applies to the agents that asked or wrote there before,
    or to `mode_agents`; in a new thread to the agent that first asks or writes there.

    `confirm` must be `ENABLE FULL` to let every call run without asking: by the mode or the level `full`, or
    by the table `nebo` with the ask mode `off`. `shadow` has settings to try: the audit log records what they
    would have decided; null ends the trial.
    """

    thread_id: str | None = None
    mode: Mode | None = None
    level: decision_table.PolicyLevel | None = None
    ask_mode: decision_table.AskMode | None = None
    lists: list[str] | None = None
    table: decision_table.PolicyTable | None = None
    shadow: ShadowBody | None = None
    mode_agents: list[str] | None = None
    free_text: FreeText | None = None
    max_questions: int | None = None
    questions_window_s: int | None = None
    max_questions_text: str | None = None
    question_limits: list[QuestionLimitBody] | None = None
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
    secrets: dict[str, str] = Field(default_factory=dict)
    use_existing: list[str] = Field(default_factory=list)
    scope: SecretScope | None = None


class KeepBody(Model):
    """`POST /v1/secrets`. For the OpenAPI document: no model ever reads one."""

    name: str
    value: str
    scope: SecretScope
    thread_id: str | None = None
    project: str | None = None


class RotateBody(Model):
    """`POST /v1/secrets/rotate`: whether the key file keeps old keys that secrets no longer use."""

    keep_old: bool = False


class AnsweringBody(Model):
    """`POST /v1/requests/{id}/answering`: whether the person is typing or choosing, or has stopped."""

    active: bool = True


class EmptyBody(Model):
    """`{}`: the path has all information. Any key is refused."""


class ConnectBody(Model):
    """`POST /v1/requests/{id}/oauth/start`: the `languages` of the person, the preferred one first."""

    languages: list[str] | None = None


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
    names: list[str] = Field(default_factory=list)
    refs: list[str] = Field(default_factory=list)
    request_id: str | None = None


class AccessBody(Model):
    """`PUT /v1/threads/{id}/access`: the owner of a thread, and the levels of other people.

    `agents` is the complete list of ids of the agents that may use the thread: an agent that a person leaves out loses
    access. `agents_of` is a person whose agents may all use it. Without `owner` the people stay unchanged, and without
    `agents` and `agents_of` the agents do.
    """

    owner: str | None = None
    others: Literal["none", "view", "prompt", "all"] = "none"
    people: dict[str, Literal["view", "prompt", "all"]] = Field(default_factory=dict)

    agents: list[str] | None = None
    agents_of: str | None = None

    def people_of(self, before: AccessList) -> AccessList:
        """Return the access list with the sent people and its previous agents."""
        if self.owner is None:
            return before
        people = {person: AccessLevel[word.upper()] for person, word in self.people.items()}
        return AccessList(self.owner, AccessLevel[self.others.upper()], people, before.agents)


class DeclineBody(Model):
    """`POST /v1/requests/{id}/decline`. Without `remember` the agent may ask the same again immediately.

    `values` are the values typed into a form so far; values that a field would refuse are left out.
    """

    reason: Literal["skipped", "dismissed", "refused"]
    note: str | None = None
    remember: bool = True
    values: dict[str, ReadJson] | None = None


class ReportedAnswerBody(Model):
    """`POST /v1/requests/{id}/reported-answer`: a person's answer in the agent's own client.

    One of `values` of a form, with `skipped`, `languages` and `control` as in `AnswerBody`, the `decision` about a tool
    call, and `declined`, the reason of a decline.
    """

    revision: int
    values: ReadJson = None
    skipped: list[str] | None = None
    languages: list[str] | None = None
    control: str | None = None
    decision: ApprovalDecision | None = None
    declined: Literal["skipped", "dismissed", "refused"] | None = None
    note: str | None = None


class CancelBody(Model):
    """`POST /v1/requests/{id}/cancel`; the default reason depends on the role. Only admins may send `admin`."""

    reason: Literal["agent_aborted", "user_message", "superseded", "shutdown", "failed", "admin"] | None = (
        None
    )
    note: str | None = None


class WebhookBody(Model):
    """`POST /v1/webhooks`: the URL and the events; with a `requester` (an id), only events of its requests."""

    url: str
    requester: str | None = None
    events: list[WebhookEvent] = Field(default_factory=lambda: [RESUME], min_length=1)


class SwitchBody(Model):
    """`PATCH /v1/webhooks/{id}`: whether the webhook is on."""

    active: bool


class RedeliverBody(Model):
    """`POST /v1/webhooks/{id}/redeliver`: the id of a delivery or of a resume."""

    delivery: str | None = None
    resume: str | None = None


class Person(Model):
    """The person of a credential: the displayed `name`, the host's own id of the person, and their groups."""

    name: str | None = None
    user: str | None = None
    groups: list[str] = Field(default_factory=list)


class LoginLinkBody(Person):
    """`POST /v1/login-links`: the person who will use that browser, as a `responder` or as an `admin`."""

    role: Literal["responder", "admin"] = "responder"


class LeaseLimits(Model):
    """The secrets that a runner may lease: patterns (`*`, `?`) of names, and of threads."""

    names: list[str]
    threads: list[str]


class TokenBody(Person):
    """`POST /v1/tokens`: `name` is shown to people and defaults to the role. A runner needs `lease`.

    `agent` is the id or the name of the agent that a requester's token is for. If no agent has that name, it is
    created; without `agent` the token gets a new agent. `threads` limits the token to threads whose ids match one of
    these patterns (`*`, `?`). Without `expires_in_s` an agent's token never expires, and any other token expires after
    90 days. `roots` are folders that the agent may read without asking. `system` limits the token to the paths below
    `/compat/<system>`, where it may also be in the path (`/compat/nebo/~TOKEN/…`). Only the operator can create tokens
    for another `tenant`.
    """

    role: Literal["requester", "responder", "admin", "runner"]
    lease: LeaseLimits | None = None
    agent: str | None = None
    threads: list[str] | None = None
    expires_in_s: float | None = None
    roots: list[str] | None = None
    system: str | None = None
    tenant: str | None = None


class AgentBody(Model):
    """`POST /v1/agents`: `name` is shown to people; `user` is the host's id of the person the agent works for."""

    name: str
    user: str | None = None


class RootBody(Model):
    """`POST /v1/agents/{id}/roots`: an absolute path of a folder on the agent's machine."""

    path: str


class SecretAgentsBody(Model):
    """`PUT /v1/secrets/{id}/agents`: the ids of the agents that may use the secret without asking, or `all`."""

    agents: list[str] | Literal["all"]


class SignInBody(Model):
    """`POST /v1/sessions`: the code of a sign-in link (the part after `#`), or the token of a person."""

    code: str | None = None
    token: str | None = None


class SignBody(Model):
    """`POST /v1/session/addresses`: a path of this server, with its query, for a browser to open directly."""

    path: str
