"""The replies about limits, secrets, sessions, tokens, agents and the server itself."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, PlainValidator

from askback.domain.access import Actor
from askback.domain.model import empty_list
from askback.domain.secrets.secret import Secret
from askback.domain.state_models import FieldWarning
from askback.wire.policy_replies import AuditHead
from askback.wire.replies import Reply, SecretScope


class QuestionLimitUsage(Reply):
    """The number of forms of a tool, of an agent (its id), or of this tool of this agent in a thread.

    A limit of the policy has a window, the agent's own limit (`question_limit`) has none.
    """

    tool: str | None = None
    agent: str | None = None
    max: int
    used: int
    reset_at: datetime | None
    set_by: Literal["policy", "asker"]


class ThreadUsage(Reply):
    """How much of its limits a thread has used.

    `question_limits` are the limits of tools and agents, set by the policy or by an agent.
    """

    id: str
    questions: int
    questions_reset_at: datetime | None
    pending: int
    question_limits: list[QuestionLimitUsage]


class LimitsReply(Reply):
    """Every size and count that is enforced, by name, and with a thread its usage.

    `set_by` names the limits that are not askback's defaults: the operator (`server`) or the policy set them.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    set_by: dict[str, Literal["server", "policy"]]
    thread: ThreadUsage | None = None


class LeasedSecret(Reply):
    """The value of a secret."""

    value: Annotated[Secret, PlainValidator(Secret, json_schema_input_type=str)]
    scope: SecretScope
    version: int


class SecretLease(Reply):
    """The leased values by name, and the time until which they may be used."""

    secrets: dict[str, LeasedSecret]
    expires_at: datetime


class Rotation(Reply):
    """The numbers of secrets under the first master key, of secrets that no key opens, and of dropped old keys."""

    rewrapped: int
    left: int
    dropped: int = 0


class StoredSecret(Reply):
    """A stored secret: its name, its scope and its times, never its value.

    `owner` is None if it is shared. `version` counts its values. `request_id` is the form of a value with the
    scope `request`. In a list, `agents` are the ids of the agents that may use it without asking, and
    `used_at` and `used_by` say when the value was last read, and by which agent.
    """

    id: str
    name: str
    scope: SecretScope
    thread_id: str | None = None
    project: str | None = None
    request_id: str | None = None
    owner: str | None = None
    version: int
    set_at: datetime
    set_by: Actor | None = None
    agents: Sequence[str] | Literal["all"] | None = None
    used_at: datetime | None = None
    used_by: Actor | None = None
    warnings: list[FieldWarning] = Field(default_factory=empty_list)
    """Only in the reply that sets it: what may be wrong with the value, which was stored."""


class SecretPage(Reply):
    """Secrets, newest first."""

    secrets: list[StoredSecret]
    next_cursor: str | None


class SecretAgents(Reply):
    """The ids of the agents that may use a secret without asking, or `all`."""

    agents: list[str] | Literal["all"]


class Address(Reply):
    """A URL for a browser to open."""

    url: str


class BrowserSession(Reply):
    """A browser session; `current` is the caller's own."""

    id: str
    name: str
    user: str
    device: str
    created_at: datetime
    last_used_at: datetime
    expires_at: datetime
    current: bool


class NewSession(BrowserSession):
    """A new session, with the half of its key that the page keeps; the other half is the cookie."""

    session: str


class SessionList(Reply):
    """Browser sessions."""

    sessions: list[BrowserSession]


class EndedSessions(Reply):
    """The number of ended sessions."""

    ended: int


class Caller(Reply):
    """The calling principal."""

    id: str
    name: str
    role: str
    user: str
    groups: list[str]


class CurrentSession(Reply):
    """The caller; `session` is null for a token. `reported_approvals` says whether agents may report approvals."""

    principal: Caller
    session: BrowserSession | None
    reported_approvals: bool


class Token(Reply):
    """A token, never its secret. `agent` is the id of its agent; `system` is the projection that it is limited to."""

    id: str
    role: str
    name: str
    agent: str | None
    user: str | None
    groups: list[str]
    threads: list[str]
    system: str | None
    names: list[str]
    source: str
    created_at: datetime | None
    created_by: Actor | None
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None


class NewToken(Token):
    """A new token with its secret, which is shown only here."""

    token: Annotated[Secret, PlainValidator(Secret, json_schema_input_type=str)]


class TokenPage(Reply):
    """Tokens, newest first."""

    tokens: list[Token]
    next_cursor: str | None


class Root(Reply):
    """A folder below which an agent may read without asking."""

    path: str
    granted_at: datetime
    granted_by: Actor


class AgentRecord(Reply):
    """An agent; `user` is the host's id of the person it works for."""

    id: str
    name: str
    user: str | None
    created_at: datetime | None
    created_by: Actor | None
    stopped_at: datetime | None
    roots: list[Root]


class AgentPage(Reply):
    """Agents, newest first."""

    agents: list[AgentRecord]
    next_cursor: str | None


class ServerStatus(Reply):
    """`ok` or `ready`."""

    status: str


class ServerRecord(Reply):
    """This server: askback's version, the database with the number of its last migration, and the audit log.

    `read_only` is the reason why the database refuses changes; None if it accepts them. `audit` is the head
    of the caller's tenant.
    """

    version: str
    database: Literal["sqlite", "postgres"]
    migration: int
    read_only: str | None
    audit: AuditHead


class Document(Reply):
    """An OpenAPI 3.1 document."""

    model_config = ConfigDict(frozen=True, extra="allow")

    openapi: str
