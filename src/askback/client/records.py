"""Records of the server beside requests, as the client reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from askback.domain.actor import Actor
from askback.domain.approval import ReasonCode


class Read(BaseModel):
    """Keys that are not known are ignored, so that an older client can talk to a newer server."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Execution(Read):
    """The one use of an approved call. `input` is what was approved, and what has to be run."""

    request_id: str
    execution_id: str
    tool: str
    input: dict[str, Any]
    digest: str
    consumed_at: datetime
    outcome: Literal["succeeded", "failed"] | None = None
    note: str | None = None


class Rule(Read):
    """A rule that the server keeps; `rule` is its text, `agent` the id of the agent it is for, None for every agent.

    `needs_choice` says why a rule of an older version allows nothing any more, and what to write instead, in English;
    `needs_choice_code` says the same as data.
    """

    id: str
    effect: Literal["deny", "ask", "allow"]
    rule: str
    scope: Literal["thread", "project", "always"]
    thread_id: str | None = None
    project: str | None = None
    agent: str | None = None
    agent_name: str | None = None
    locked: bool = False
    shadow: bool = False
    why: str | None = None
    created_at: datetime
    created_by: Actor | None = None
    request_id: str | None = None
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    revoked_by: Actor | None = None
    needs_choice: str | None = None
    needs_choice_code: ReasonCode | None = None


class ThreadAccess(Read):
    """Who may do what in a thread; `owner` is None, and `others` is `all`, where nobody has said whose it is.

    `agents` are the ids of the agents that may use it, its own first; None until an agent has written there. With
    `agents_of` all agents that work for this person may as well.
    """

    owner: str | None = None
    others: Literal["none", "view", "prompt", "all"]
    people: dict[str, Literal["view", "prompt", "all"]]
    agents: list[str] | None = None
    agents_of: str | None = None


class KeptSecret(Read):
    """A secret that the server keeps: its name, its place and its times; nothing gives its value back.

    `owner` is whose it is, None where it is shared. `version` counts the values that it has had. In a list, `agents`
    are the ids of those that may use it without a question.
    """

    id: str
    name: str
    scope: Literal["session", "project", "global", "request"]
    thread_id: str | None = None
    project: str | None = None
    owner: str | None = None
    version: int
    set_at: datetime
    set_by: Actor | None = None
    agents: Sequence[str] | Literal["all"] | None = None


class Rotation(Read):
    """How many secrets came under the first master key, how many no key opens, how many old keys were dropped."""

    rewrapped: int
    left: int
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class KeptPage:
    """Some secrets, newest first; `next_cursor` leads to older ones and is None at the end."""

    secrets: Sequence[KeptSecret]
    next_cursor: str | None

    def __iter__(self) -> Iterator[KeptSecret]:
        return iter(self.secrets)

    def __len__(self) -> int:
        return len(self.secrets)


@dataclass(frozen=True, slots=True)
class RulePage:
    """Some rules, newest first; `next_cursor` leads to older ones and is None at the end."""

    rules: Sequence[Rule]
    next_cursor: str | None

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __len__(self) -> int:
        return len(self.rules)


@dataclass(frozen=True, slots=True)
class AuditPage:
    """Entries of the audit log, oldest first, as they were sealed; `head` is the `seq` and the hash of the newest.

    `askback.domain.audit.verify` checks the entries, each as a JSON text. `seal` is what the server says of the seal
    on the newest: `sealed`, or why not.
    """

    entries: Sequence[Mapping[str, Any]]
    head: tuple[int, str]
    seal: str = "unsealed"

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)
