"""The replies of the operations, for clients; a request itself is `InputRequest` in `domain/request.py`.

A reader ignores members that it does not know, so that an older client can talk to a newer server.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, PlainValidator

from askback.domain.access import Actor, LevelWord
from askback.domain.decision import Decision
from askback.domain.policy.settings import FreeText
from askback.domain.request import Agent, InputRequest
from askback.domain.secrets.request import Scope
from askback.domain.secrets.secret import Secret
from askback.domain.webhooks import WebhookEvent
from askback.wire.thread_bodies import ImageBlock, RequestBlock, TextBlock, ToolBlock

SecretScope = Literal["session", "project", "global", "request"]


class Reply(BaseModel):
    """A reply, or a part of one."""

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)


class Nothing(Reply):
    """`{}`."""


class FieldProblem(Reply):
    """A fault in a body, a query or an answer: its path, a code for programs, a sentence for people."""

    path: str
    code: str
    message: str


class Problem(Reply):
    """The reason of a refusal. `request` is the current request, `retry_after` is in seconds."""

    code: str
    message: str
    field_errors: list[FieldProblem] = Field(default_factory=list[FieldProblem])
    request: InputRequest | None = None
    retry_after: int | None = None


class Error(Reply):
    """The body of every reply that is not 2xx."""

    error: Problem


class RequestPage(Reply):
    """Requests, newest first."""

    requests: list[InputRequest]
    next_cursor: str | None


class BatchResult(Reply):
    """The outcome for one request of a batch; `request` has its new state, without the form, approval or secret."""

    id: str
    status: int
    request: InputRequest | None = None
    error: Problem | None = None


class RegisteredKind(BaseModel):
    """A kind of a package; `element` is the path of the module that draws it."""

    name: str
    element: str | None = None


class KindList(BaseModel):
    """The kinds of packages that the server has."""

    kinds: list[RegisteredKind]


class BatchResults(Reply):
    """The outcome for each request of a batch, in the order of the call."""

    results: list[BatchResult]


class WaitResult(Reply):
    """Requests that have already ended, and unknown ids; the others are watched."""

    settled: list[InputRequest]
    unknown: list[str]


class Subscription(Reply):
    """The cursor from which events follow; `level` is the caller's level in the thread."""

    cursor: int
    level: LevelWord | None = None


class SavedScopes(Reply):
    """The scopes in which each name is set."""

    saved: dict[str, list[Scope]]


class Execution(Reply):
    """The one use of an approved call. Run exactly `input`, which is the input that was approved."""

    request_id: str
    execution_id: str
    tool: str
    input: Any
    digest: str
    consumed_at: datetime
    outcome: Literal["succeeded", "failed"] | None = None
    note: str | None = None


class PostedMessage(Reply):
    """A stored message. `held`: it is delivered once no request is open.

    With the policy `answer`: the request that it `answered`, or null and `why` not.
    """

    id: str
    held: bool = False
    answered: str | None = None
    why: str | None = None


class FileValue(Reply):
    """A file in an answer. `type` is detected from its bytes, `sha256` is their digest in hexadecimal."""

    id: str
    name: str
    size: int
    type: str
    sha256: str


class FilePart(Reply):
    """A file of a message. Anyone who may read the message may download it."""

    type: Literal["file"] = "file"
    file: FileValue
    alt: str | None = None


MessagePart = Annotated[
    TextBlock | ToolBlock | ImageBlock | RequestBlock | FilePart, Field(discriminator="type")
]


class UnplacedMessage(Reply):
    """A message in its event; its place in the thread is the `seq` of the event.

    With `request_id` it is the person's answer to that request, written because of `answers_as_messages`.
    """

    id: str
    role: Literal["agent", "user"]
    author: Actor | None = None
    agent: Agent | None = None
    run_id: str | None = None
    request_id: str | None = None
    metadata: JsonValue = None
    at: datetime
    held: bool = False
    content: list[MessagePart]


class Message(UnplacedMessage):
    """A message of a thread. `held`: it is delivered once no request is open, and has no place yet."""

    seq: int


class ThreadRequest(InputRequest):
    """A request in its thread; `seq` is the event that created it."""

    seq: int


class ThreadLevel(Reply):
    """The caller's level in a thread."""

    level: LevelWord


class Run(Reply):
    """A turn of an agent in a thread; `agent` is the id of the agent."""

    id: str
    thread_id: str
    agent: str
    status: Literal["running", "ended"]
    started_at: datetime
    ended_at: datetime | None = None
    reason: str | None = None
    metadata: JsonValue = None


class ThreadSnapshot(Reply):
    """A thread as of `seq`: events after it bring it up to date. `runs` has the open runs."""

    id: str
    title: str | None = None
    metadata: JsonValue = None
    seq: int
    access: ThreadLevel
    archived_at: datetime | None = None
    free_text: FreeText
    answers_as_messages: bool = False
    messages: list[Message]
    requests: list[ThreadRequest]
    runs: list[Run]


class Thread(Reply):
    """A thread in a list: its agents by id, the caller's level, its open requests, and the time of its last activity.

    `agents` is None until an agent has written there. With `answers_as_messages` the answers of people are written into
    the thread as their messages as well.
    """

    id: str
    title: str | None = None
    metadata: JsonValue = None
    answers_as_messages: bool = False
    owner: str | None = None
    agents: list[str] | None = None
    level: LevelWord
    pending: int
    updated_at: datetime | None = None
    archived_at: datetime | None = None


class ThreadPage(Reply):
    """Threads, newest first."""

    threads: list[Thread]
    next_cursor: str | None


class ThreadAccess(Reply):
    """The access to a thread; without an owner, `others` is `all`.

    `agents` are the ids of the agents that may use it, its own first; None until an agent has written there. With
    `agents_of` all agents that work for this person may use it as well.
    """

    owner: str | None = None
    others: Literal["none", "view", "prompt", "all"]
    people: dict[str, Literal["view", "prompt", "all"]]
    agents: list[str] | None = None
    agents_of: str | None = None


class RunPage(Reply):
    """Runs, newest first."""

    runs: list[Run]
    next_cursor: str | None


class CancelledRun(Reply):
    """The ids of the cancelled requests."""

    cancelled: list[str]


class LevelChange(Reply):
    """The reader's new level in a thread."""

    thread_id: str
    level: LevelWord


class ArchivedThread(Reply):
    """When a thread was archived, null if it is not, and the requests that archiving it cancelled."""

    id: str
    archived_at: datetime | None
    cancelled: list[str] = Field(default_factory=list[str])


class ThreadExport(Reply):
    """Everything stored about a thread, complete as of `seq`, with its own settings and rules; secrets by name only."""

    id: str
    title: str | None
    metadata: JsonValue
    answers_as_messages: bool
    exported_at: datetime
    archived_at: datetime | None
    access: ThreadAccess
    seq: int
    settings: dict[str, Any] = Field(default_factory=dict[str, Any])
    runs: list[Run]
    messages: list[dict[str, Any]]
    requests: list[ThreadRequest]
    comments: list[dict[str, Any]] = Field(default_factory=list[dict[str, Any]])
    files: list[dict[str, Any]]
    executions: list[dict[str, Any]]
    rules: list[dict[str, Any]] = Field(default_factory=list[dict[str, Any]])
    events: list[dict[str, Any]]
    audit: list[dict[str, Any]]


class RequestText(Reply):
    """The sentence for a model about the outcome of a request, or about its status while it is open."""

    text: str


class Resume(Reply):
    """The outcome of a request, for an agent that has ended its turn. `text` is for the model.

    It is leased until `until`; if it is not acknowledged by then, it is delivered again, perhaps to another
    worker, as the next `attempt`. Before an effect that must not happen twice, check whether it was done for
    this `id`.
    """

    id: str
    thread_id: str
    request_id: str
    text: str
    attempt: int
    until: datetime
    request: InputRequest

    @property
    def decision(self) -> Decision | None:
        """The decision, if the request is an approval. It has not passed the client's hooks: see `client.decision`."""
        return None if self.request.approval is None else Decision.from_request(self.request)


class ResumeList(Reply):
    """Leased resumes, oldest first."""

    resumes: list[Resume]


class Webhook(Reply):
    """A URL that receives `events`. An inactive one was disabled by its receiver or an admin."""

    id: str
    url: str
    requester: str | None = None
    events: list[WebhookEvent]
    created_at: datetime
    active: bool


class NewWebhook(Webhook):
    """A new webhook with the `secret` for verifying its messages, which is shown only here."""

    secret: Annotated[Secret, PlainValidator(Secret, json_schema_input_type=str)]


class WebhookList(Reply):
    """All webhooks."""

    webhooks: list[Webhook]


class Attempt(Reply):
    """One attempt to deliver: the HTTP `status` of the reply, or a short `error`."""

    at: datetime
    status: int | None = None
    duration_ms: int
    error: str | None = None


class Delivery(Reply):
    """One message to a webhook; its receiver knows it as `message_id`."""

    id: str
    type: WebhookEvent
    message_id: str
    state: Literal["waiting", "delivered", "dead", "obsolete"]
    since: datetime
    next_at: datetime | None = None
    attempts: list[Attempt]


class DeliveryPage(Reply):
    """Deliveries, newest first."""

    deliveries: list[Delivery]
    next_cursor: str | None
