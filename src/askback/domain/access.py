"""Access to a thread: its owner, the access of other people, and the agents that may use it.

    level    the operations that a person may use
    none     nothing: the thread and its requests are not found
    view     read
    prompt   write messages, answer forms, hand over secrets
    all      decide about tool calls, manage the thread's rules and secrets
    owner    change the access

Each level includes those above it in the table. A thread that nobody has shared belongs to the whole tenant: everybody
has `all`, and nobody is its owner.

An agent may use a thread if it was the first agent to write in it, if it was added, or if it works for the same person
as an agent that may use it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field, replace
from enum import IntEnum
from functools import cached_property, lru_cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from askback.domain.values import frozen

CACHE_SIZE = 1_024

GROUP_PREFIX = "group:"
"""The prefix of an assignee that is a group."""


LevelWord = Literal["none", "view", "prompt", "all", "owner"]


class AccessLevel(IntEnum):
    """How much a person may do in a thread; each level includes the lower ones."""

    NONE = 0
    VIEW = 1
    PROMPT = 2
    ALL = 3
    OWNER = 4

    @property
    def wire_name(self) -> str:
        """The level as it is on the wire."""
        return self.name.lower()


@frozen()
class ThreadAgents:
    """The agents of a thread by id; the first one owns it. All agents of the person `user` belong to it too."""

    ids: tuple[str, ...]
    user: str = ""

    def includes(self, agent: ThreadAgents) -> bool:
        """Return whether an agent, or the person that it works for, is in the list."""
        return any(id_ in self.ids for id_ in agent.ids) or (self.user != "" and agent.user == self.user)

    @cached_property
    def stored_text(self) -> str:
        """The agents as stored JSON."""
        return json.dumps({"ids": self.ids, "user": self.user}, separators=(",", ":"), ensure_ascii=False)


@frozen(slots=True)
class AccessList:
    """The access to a thread: `owner` and the keys of `people` are ids of persons, as in their principals.

    `agents` is None until an agent writes in the thread.
    """

    owner: str = ""
    others: AccessLevel = AccessLevel.ALL
    people: Mapping[str, AccessLevel] = field(default_factory=dict[str, AccessLevel], hash=False)
    agents: ThreadAgents | None = None

    def level(self, person: str) -> AccessLevel:
        """Return the level of a person who has no other rights."""
        if self.owner and person == self.owner:
            return AccessLevel.OWNER
        return self.people.get(person, self.others)

    def admits_agent(self, agent: ThreadAgents) -> bool:
        """Return whether an agent may use the thread; any agent may until one has written in it."""
        return self.agents is None or self.agents.includes(agent)

    def with_first_agent(self, agent: ThreadAgents | None) -> AccessList:
        """Return the access after an agent wrote in the thread, which belongs to the first agent that does."""
        return self if agent is None or self.agents is not None else replace(self, agents=agent)

    @property
    def is_shared(self) -> bool:
        """Whether the thread has an owner or restricted access."""
        return bool(self.owner or self.people) or self.others is not AccessLevel.ALL

    @property
    def wire(self) -> dict[str, Any]:
        """The access as it is on the wire.

        `owner` is null if the thread belongs to the tenant. `agents` are left out until an agent writes, and
        `agents_of`, the person whose agents all have access, if there is none.
        """
        if self.agents is None:
            return self._people
        user_agents = {"agents_of": self.agents.user} if self.agents.user else {}
        return {**self._people, "agents": list(self.agents.ids), **user_agents}

    @property
    def _people(self) -> dict[str, Any]:
        people = {person: level.wire_name for person, level in self.people.items()}
        return {"owner": self.owner or None, "others": self.others.wire_name, "people": people}

    @property
    def stored_texts(self) -> tuple[str | None, str | None]:
        """The access as stored: JSON of the people and of the agents, each None if it is the default."""
        people = (
            json.dumps(self._people, separators=(",", ":"), ensure_ascii=False) if self.is_shared else None
        )
        return people, self.agents and self.agents.stored_text


UNSHARED = AccessList()
"""The access to a thread without an owner in which no agent has written."""


@lru_cache(CACHE_SIZE)
def read_access(people: str | None, agents: str | None) -> AccessList:
    """Parse the result of `AccessList.stored_texts`; cached, because all rows of a thread have the same texts."""
    access = UNSHARED
    if people is not None:
        members = json.loads(people)
        levels = {person: AccessLevel[word.upper()] for person, word in members["people"].items()}
        access = AccessList(members["owner"] or "", AccessLevel[members["others"].upper()], levels)
    if agents is None:
        return access
    allowed_agents = json.loads(agents)
    return replace(access, agents=ThreadAgents(tuple(allowed_agents["ids"]), allowed_agents["user"]))


class Actor(BaseModel):
    """The token or session behind an action, by id and display name; `user` is the host's own id of the person.

    Only admins see `role`.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    name: str
    user: str | None = None
    role: Literal["admin"] | None = None
