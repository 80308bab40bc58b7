"""Who may do what in a thread: its owner, how far it is shared with others, and which agents work in it.

    level    what a person may do
    none     nothing: the thread and its requests are not there
    view     read
    prompt   write messages, answer forms, hand over secrets
    all      decide about tool calls, keep rules of the thread, look after its secrets
    owner    change who may do what

Each level includes those above it in the table. A thread that nobody has shared belongs to the whole tenant: everybody
has `all`, and nobody is its owner.

What a person may do there, an agent does only in threads that it was let into: its own, which is the one that it was
the first agent to write in, those to which it was added, and those of an agent that works for the same person.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import lru_cache
from typing import Any

READ_BEFORE = 1_024

GROUP = "group:"
"""What an assignee begins with that is a group."""


class Level(IntEnum):
    """How much a person may do in a thread; a higher one may all that a lower one may."""

    NONE = 0
    VIEW = 1
    PROMPT = 2
    ALL = 3
    OWNER = 4

    @property
    def word(self) -> str:
        """The level as it stands on the wire."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Agents:
    """The agents of a thread by id: it belongs to the first. `user` is a person all of whose agents are among them."""

    ids: tuple[str, ...]
    user: str = ""

    def admit(self, agent: Agents) -> bool:
        """Whether an agent, with the person for whom it works, is one of these."""
        return any(each in self.ids for each in agent.ids) or (self.user != "" and agent.user == self.user)

    @property
    def text(self) -> str:
        """The agents as they are kept: JSON."""
        return json.dumps({"ids": self.ids, "user": self.user}, separators=(",", ":"), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Access:
    """The access to a thread: `owner` and the keys of `people` are ids of persons, as their principals have them.

    `agents` is None as long as no agent has written there.
    """

    owner: str = ""
    others: Level = Level.ALL
    people: Mapping[str, Level] = field(default_factory=dict[str, Level], hash=False)
    agents: Agents | None = None

    def level(self, person: str) -> Level:
        """Return what a person may do who has no other right than this."""
        if self.owner and person == self.owner:
            return Level.OWNER
        return self.people.get(person, self.others)

    def admits(self, agent: Agents) -> bool:
        """Whether an agent may work in the thread: in one in which none has written yet any may."""
        return self.agents is None or self.agents.admit(agent)

    def written_by(self, agent: Agents | None) -> Access:
        """Return the access after something was written there: the thread belongs to the first agent that writes."""
        return self if agent is None or self.agents is not None else replace(self, agents=agent)

    @property
    def shared(self) -> bool:
        """Whether somebody has said whose the thread is."""
        return bool(self.owner or self.people) or self.others is not Level.ALL

    @property
    def shown(self) -> dict[str, Any]:
        """The access as it stands on the wire.

        `owner` is null where the thread is the tenant's. `agents` are left out where no agent has written yet, and
        `agents_of`, the person all of whose agents are let in, where there is none.
        """
        if self.agents is None:
            return self._people
        of = {"agents_of": self.agents.user} if self.agents.user else {}
        return {**self._people, "agents": list(self.agents.ids), **of}

    @property
    def _people(self) -> dict[str, Any]:
        people = {person: level.word for person, level in self.people.items()}
        return {"owner": self.owner or None, "others": self.others.word, "people": people}

    @property
    def texts(self) -> tuple[str | None, str | None]:
        """The access as it is kept: JSON of the people and of the agents, None where nothing was said of them."""
        people = json.dumps(self._people, separators=(",", ":"), ensure_ascii=False) if self.shared else None
        return people, self.agents and self.agents.text


OPEN = Access()
"""The access to a thread of which nobody has said whose it is, and in which no agent has written."""


@lru_cache(READ_BEFORE)
def read_access(people: str | None, agents: str | None) -> Access:
    """Read what `Access.texts` wrote; every row and event of a thread comes with the same texts."""
    access = OPEN
    if people is not None:
        kept = json.loads(people)
        levels = {person: Level[word.upper()] for person, word in kept["people"].items()}
        access = Access(kept["owner"] or "", Level[kept["others"].upper()], levels)
    if agents is None:
        return access
    let_in = json.loads(agents)
    return replace(access, agents=Agents(tuple(let_in["ids"]), let_in["user"]))
