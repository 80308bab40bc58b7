"""The request and its answer, as they travel: what is sent to ask, and what is read back."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue

from askback.domain.fields import Form, Model, Number_
from askback.domain.lifecycle import TERMINAL, Status


def _agent(raw: Any) -> Any:
    return {"name": raw} if isinstance(raw, str) else raw


class Agent(Model):
    """Who says that it asks. Shown to the person beside the token's own name, which the agent cannot choose."""

    name: str
    tool: str | None = None


AgentLike = Annotated[Agent, BeforeValidator(_agent, json_schema_input_type=str | Agent)]


class Ask(Model):
    """The body of `POST /v1/requests`: one thing asked of a person.

    `timeout_s` is in seconds, from creation; null means that it never expires.
    """

    kind: Literal["form"]
    thread_id: str
    run_id: str | None = None
    message_id: str | None = None
    tool_call_id: str | None = None
    agent: AgentLike | None = None
    form: Form
    delivery: Literal["block"] = "block"
    timeout_s: Number_ | None = None
    on_timeout: Literal["expire"] = "expire"


class _Read(BaseModel):
    """Read models ignore keys they do not know, so that an older client can talk to a newer server."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Actor(_Read):
    """Who did something: a token or a browser session, by id and by the name to show."""

    id: str
    name: str


class Answer(_Read):
    """What the person said: cleaned values by field id.

    `other[id]` is true where (part of) the value was typed by the person instead of chosen.
    """

    values: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    other: dict[str, bool] = Field(default_factory=dict[str, bool])


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

    @property
    def settled(self) -> bool:
        """Whether the request has ended, in whatever way."""
        return self.status in TERMINAL
